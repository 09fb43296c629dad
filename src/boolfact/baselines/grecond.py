"""GreConD: formal concepts, built column by column, until the ones are covered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.baselines.checks import checked_rank
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["grecond"]


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
        Asked before each rectangle; those found by then are returned.

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
    gain = np.where(matrix.ones, matrix.weights, 0).astype(np.float64)
    rows: list[NDArray[np.bool_]] = []
    columns: list[NDArray[np.bool_]] = []
    while gain.any() and (limit is None or len(rows) < limit) and not stop.now():
        a, b = _greedy_concept(allowed, gain)
        rows.append(a)
        columns.append(b)
        gain[np.ix_(a, b)] = 0.0
    if not rows:
        return Factors.empty(matrix.shape, limit or 0)
    factors = Factors(np.array(rows).T, np.array(columns))
    return factors if limit is None else factors.padded(limit)


def _greedy_concept(
    allowed: NDArray[np.bool_], gain: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A maximal rectangle within the allowed entries, by adding the best column each time."""
    a: NDArray[np.bool_] = np.ones(allowed.shape[0], dtype=np.bool_)
    b: NDArray[np.bool_] = np.zeros(allowed.shape[1], dtype=np.bool_)
    value = 0.0
    while True:
        best_value, best = value, None
        for j in np.flatnonzero(~b):
            rows = a & allowed[:, j]
            if not rows.any():
                continue
            columns = np.asarray(allowed[rows].all(axis=0))
            covered = float(gain[rows][:, columns].sum())
            if covered > best_value:
                best_value, best = covered, (rows, columns)
        if best is None:
            return a, b
        value = best_value
        a, b = best
