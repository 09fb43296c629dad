"""Groups of columns: a bound for each, on few columns, where all together are too many.

The error of a factorisation is the sum of its errors in the groups, and restricted to a group it
still has rank k. Columns that occur together belong together: a rectangle that spans two groups
counts in both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.point import is_too_heavy
from boolfact.control.stop import Stop
from boolfact.local_search.search import local_search
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import Reduction, reduce_matrix

__all__ = ["Part", "column_groups", "make_parts", "whole_part"]

_SEARCH_ITERATIONS = 6
_SEARCH_SECONDS = 1.0
"""Of the short search in each group."""
_TRIALS = 8
"""Random beginnings of the exchange of columns; the best ending counts."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some columns of a matrix, reduced, and the way back.

    Attributes
    ----------
    reduction : Reduction
        Of the columns of this part.
    columns : ndarray
        Which columns of the whole they are.
    row_map, column_map : ndarray
        For each row and column of the whole, its place in the reduced part; -1 if it has none.
    factors : Factors
        A solution of the part, found by a short search; empty for the whole matrix.
    error : int
        Of that solution.
    """

    reduction: Reduction
    columns: NDArray[np.int64]
    row_map: NDArray[np.int64]
    column_map: NDArray[np.int64]
    factors: Factors
    error: int

    @property
    def matrix(self) -> BinaryMatrix:
        """The reduced part."""
        return self.reduction.matrix

    def sets(self, B: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Sets of columns of the whole as sets of columns of the part, empty ones left out."""
        out = np.zeros((len(B), self.matrix.shape[1]), dtype=np.bool_)
        for j, place in enumerate(self.column_map):
            if place >= 0:
                out[:, place] |= B[:, j]
        return np.unique(out[out.any(axis=1)], axis=0)


def make_parts(
    matrix: BinaryMatrix, k: int, most: int, *, stop: Stop | None = None, seed: int = 0
) -> list[Part]:
    """The matrix in groups of at most `most` columns, those without a one left out.

    Groups of equal size, or all but one as large as may be: whichever leaves the larger error to
    be bounded, as a short search in each group says. Its solutions are kept with the parts.
    """
    m = matrix.shape[1]
    count = -(-m // most)
    even = [m // count + (g < m % count) for g in range(count)]
    filled = [most] * (m // most) + [m % most] * (m % most > 0)
    best: list[Part] = []
    for sizes in [even] if filled == even else [even, filled]:
        parts = [
            part
            for columns in column_groups(matrix, sizes, seed)
            if (part := _make_part(matrix, columns, k, stop, seed)) is not None
        ]
        if not best or sum(p.error for p in parts) > sum(p.error for p in best):
            best = parts
    return best


def whole_part(matrix: BinaryMatrix, k: int) -> Part | None:
    """All columns as one part; None if there is nothing to prove, or no way to price it."""
    return _make_part(matrix, np.arange(matrix.shape[1]), k, None, 0)


def _make_part(
    matrix: BinaryMatrix, columns: NDArray[np.int64], k: int, stop: Stop | None, seed: int
) -> Part | None:
    """One group, reduced; None if there is nothing to prove in it, or no way to price it."""
    values, weights = matrix.values[:, columns], matrix.weights[:, columns]
    reduction = reduce_matrix(BinaryMatrix(values, weights))
    if not reduction.matrix.ones_weight or k >= min(reduction.matrix.shape):
        return None
    column_map = np.full(matrix.shape[1], -1, dtype=np.int64)
    column_map[columns] = reduction.column_map
    if len(columns) == matrix.shape[1]:
        # The whole matrix: whoever asks has searched it already, and it shares with nobody.
        factors = Factors.empty(reduction.matrix.shape, k)
    else:
        seconds = None if stop is None or math.isinf(stop.remaining()) else _SEARCH_SECONDS
        limit = (Stop() if stop is None else stop).child(seconds, _SEARCH_ITERATIONS)
        factors = local_search(reduction.matrix, k, seed=seed, stop=limit, workers=1).factors
    error = factors.error(reduction.matrix)
    if not error or is_too_heavy(reduction.matrix):
        return None
    return Part(reduction, columns, reduction.row_map, column_map, factors, error)


def column_groups(
    matrix: BinaryMatrix, sizes: Sequence[int], seed: int = 0
) -> list[NDArray[np.int64]]:
    """Columns in groups of these sizes, like ones together."""
    m = matrix.shape[1]
    if sum(sizes) != m:
        raise ValueError(f"sizes must add up to {m}, got {sum(sizes)}")
    likeness = _likeness(matrix)
    rng = np.random.default_rng(seed)
    best: tuple[float, NDArray[np.int64]] | None = None
    for _ in range(_TRIALS if len(sizes) > 1 else 1):
        group = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        kept = _exchange(likeness, group, len(sizes))
        if best is None or kept > best[0]:
            best = kept, group
    assert best is not None
    return [np.flatnonzero(best[1] == g) for g in range(len(sizes))]


def _likeness(matrix: BinaryMatrix) -> NDArray[np.float64]:
    """Squared correlations of the columns."""
    ones = matrix.ones.astype(np.float64)
    centred = ones - ones.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    centred /= np.where(length > 0, length, 1.0)
    likeness = (centred.T @ centred) ** 2
    np.fill_diagonal(likeness, 0.0)
    return likeness


def _exchange(likeness: NDArray[np.float64], group: NDArray[np.int64], count: int) -> float:
    """Exchange the two columns that gain most until none gain; the likeness within groups."""
    m = len(group)
    while True:
        to_group = np.stack([likeness[:, group == g].sum(axis=1) for g in range(count)], axis=1)
        own = to_group[np.arange(m), group]
        there = to_group[:, group]
        gain = there - own[:, None] + there.T - own[None, :] - 2 * likeness
        gain[group[:, None] == group[None, :]] = 0.0
        i, j = np.unravel_index(int(np.argmax(gain)), gain.shape)
        if gain[i, j] <= 1e-9:
            return float(own.sum())
        group[i], group[j] = group[j], group[i]
