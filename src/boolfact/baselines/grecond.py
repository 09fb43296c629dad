"""GreConD: formal concepts, built column by column, until the ones are covered."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.baselines.checks import checked_rank
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["grecond"]

_CELLS_AT_ONCE = 2_000_000
"""Columns times rows that one call looks at before the clock is asked."""


def grecond(matrix: BinaryMatrix, k: int | None = None, *, stop: Stop | None = None) -> Factors:
    """GreConD of Belohlavek and Vychodil (2010), the classic from below: no zero is covered.

    A rectangle starts with no column. The column is added whose addition, with all rows that
    have ones there and all columns that these rows share, covers the most ones not covered
    before; and so on while that number grows.

    Parameters
    ----------
    matrix : BinaryMatrix
        Weights count; a missing entry may be covered or not, whatever suits.
    k : int, optional
        None for as many rectangles as it takes to cover every one, which gives an upper bound
        on the Boolean rank.
    stop : Stop, optional
        Asked now and then; the rectangles found by then are returned.

    References
    ----------
    R. Belohlavek and V. Vychodil, Discovery of optimal factors in binary data via a novel
    method of matrix decomposition, Journal of Computer and System Sciences 76(1), 2010.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("zoo")
    >>> cover = grecond(X)
    >>> cover.error(X), cover.rank
    (0, 22)
    """
    limit = None if k is None else checked_rank(k)
    stop = stop or Stop()
    allowed = matrix.ones | (matrix.weights == 0)
    gain = np.where(matrix.ones, matrix.weights, 0)
    packed = _packed(allowed)
    by_column = np.ascontiguousarray(allowed.T)
    rows: list[NDArray[np.bool_]] = []
    columns: list[NDArray[np.bool_]] = []
    while gain.any() and (limit is None or len(rows) < limit) and not stop.now():
        a, b = _greedy_concept(packed, by_column, gain, stop)
        rows.append(a)
        columns.append(b)
        gain[np.ix_(a, b)] = 0
    if not rows:
        return Factors.empty(matrix.shape, limit or 0)
    factors = Factors(np.array(rows).T, np.array(columns))
    return factors if limit is None else factors.padded(limit)


def _packed(allowed: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows as words of 64 columns, the last filled up with zeros."""
    n, m = allowed.shape
    words = -(-m // 64)
    whole = np.zeros((n, 64 * words), dtype=np.bool_)
    whole[:, :m] = allowed
    return np.packbits(whole, axis=1, bitorder="little").view(np.uint64)


def _greedy_concept(
    packed: NDArray[np.uint64],
    by_column: NDArray[np.bool_],
    gain: NDArray[np.int64],
    stop: Stop,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A maximal rectangle within the allowed entries, by adding the best column each time.

    When `stop` says so it is the rectangle reached by then.
    """
    m, n = by_column.shape
    a: NDArray[np.bool_] = np.ones(n, dtype=np.bool_)
    b: NDArray[np.bool_] = np.zeros(m, dtype=np.bool_)
    left = gain.sum(axis=1)
    step = max(1, _CELLS_AT_ONCE // n)
    value = 0
    while True:
        found = value, -1
        for first in range(0, m, step):
            last = min(m, first + step)
            found = _best_column(packed, by_column, gain, left, a, b, first, last, *found)
            if stop.now():
                break
        value, best = found
        if best < 0:
            return a, b
        a = a & by_column[best]
        shared = np.bitwise_and.reduce(packed[a], axis=0)
        b = np.unpackbits(shared.view(np.uint8), bitorder="little")[:m].astype(np.bool_)
        if stop.now():
            return a, b


@njit(cache=True, nogil=True)
def _best_column(
    packed: NDArray[np.uint64],
    by_column: NDArray[np.bool_],
    gain: NDArray[np.int64],
    left: NDArray[np.int64],
    a: NDArray[np.bool_],
    b: NDArray[np.bool_],
    first: int,
    last: int,
    value: Any,
    best: int,
) -> Any:
    """The first of some columns, not in b yet, with which most is gained, if above `value`.

    With a column stay the rows of a that have it, and to these come all columns that they
    share. `left` is what each row has to gain at most, so many columns need no closer look.
    """
    words = packed.shape[1]
    rows = np.empty(a.shape[0], dtype=np.int64)
    shared = np.empty(words, dtype=np.uint64)
    for j in range(first, last):
        if b[j]:
            continue
        column = by_column[j]
        count = 0
        most = np.int64(0)
        for i in range(a.shape[0]):
            if a[i] and column[i]:
                rows[count] = i
                count += 1
                most += left[i]
        if count == 0 or most <= value:
            continue
        shared[:] = packed[rows[0]]
        for q in range(1, count):
            row = packed[rows[q]]
            for w in range(words):
                shared[w] &= row[w]
        covered = np.int64(0)
        for w in range(words):
            word = shared[w]
            at = 64 * w
            while word != 0:
                if word & np.uint64(1):
                    for q in range(count):
                        covered += gain[rows[q], at]
                word >>= np.uint64(1)
                at += 1
        if covered > value:
            value, best = covered, j
    return value, best
