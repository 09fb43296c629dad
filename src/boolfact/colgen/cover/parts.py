"""Groups of columns: a bound for each, on few columns, where all together are too many.

The error of a factorisation is the sum of its errors in the groups, and restricted to a group it
still has rank k. Columns that occur together belong together: a rectangle that spans two groups
counts in both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import Reduction, reduce_matrix

__all__ = ["Part", "column_groups", "make_parts"]

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
    """

    reduction: Reduction
    columns: NDArray[np.int64]
    row_map: NDArray[np.int64]
    column_map: NDArray[np.int64]

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


def make_parts(matrix: BinaryMatrix, most: int, seed: int = 0) -> list[Part]:
    """The matrix in groups of at most `most` columns, those without a one left out."""
    parts = []
    for columns in column_groups(matrix, most, seed):
        values, weights = matrix.values[:, columns], matrix.weights[:, columns]
        reduction = reduce_matrix(BinaryMatrix(values, weights))
        if not reduction.matrix.ones_weight:
            continue
        column_map = np.full(matrix.shape[1], -1, dtype=np.int64)
        column_map[columns] = reduction.column_map
        parts.append(Part(reduction, columns, reduction.row_map, column_map))
    return parts


def column_groups(matrix: BinaryMatrix, most: int, seed: int = 0) -> list[NDArray[np.int64]]:
    """Columns in as few groups of nearly equal size as `most` allows, like ones together."""
    m = matrix.shape[1]
    count = -(-m // most)
    if count == 1:
        return [np.arange(m)]
    likeness = _likeness(matrix)
    rng = np.random.default_rng(seed)
    best: tuple[float, NDArray[np.int64]] | None = None
    for _ in range(_TRIALS):
        group = rng.permutation(np.arange(m) % count)
        kept = _exchange(likeness, group, count)
        if best is None or kept > best[0]:
            best = kept, group
    assert best is not None
    return [np.flatnonzero(best[1] == g) for g in range(count)]


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
