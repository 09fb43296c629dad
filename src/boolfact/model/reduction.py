"""Reduction: the same problem, smaller. Empty rows and columns go, duplicates merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["Reduction", "keep_matrix", "reduce_matrix"]

_DROPPED = -1


@dataclass(frozen=True, eq=False)
class Reduction:
    """A reduced matrix and the way back.

    `row_map[i]` is the reduced row that stands for row i, or -1 where the row was dropped
    because it has no one; likewise `column_map`. The error of lifted factors on the original
    equals the weighted error of the factors on `matrix`.
    """

    original: BinaryMatrix
    matrix: BinaryMatrix
    row_map: NDArray[np.int64]
    column_map: NDArray[np.int64]

    def lift(self, factors: Factors) -> Factors:
        """Factors of the original from factors of the reduced matrix."""
        if factors.shape != self.matrix.shape:
            raise ValueError(
                f"expected factors of the reduced matrix {self.matrix.shape}, got {factors.shape}"
            )
        A = factors.A[self.row_map] & (self.row_map != _DROPPED)[:, None]
        B = factors.B[:, self.column_map] & (self.column_map != _DROPPED)
        return Factors(A, B)

    def restrict(self, factors: Factors) -> Factors:
        """Factors of the reduced matrix from factors of the original.

        Of several merged rows, the one whose code does best speaks for all, so the
        error never rises; then the same for columns.
        """
        if factors.shape != self.original.shape:
            raise ValueError(
                f"expected factors of the original matrix {self.original.shape}, "
                f"got {factors.shape}"
            )
        kept = self.column_map != _DROPPED
        A = factors.A[_best_representatives(self.original, factors, self.row_map, kept)]
        kept_rows = Factors(A[self.row_map] & (self.row_map != _DROPPED)[:, None], factors.B)
        turned = Factors(kept_rows.B.T, kept_rows.A.T)
        kept = self.row_map != _DROPPED
        columns = _best_representatives(self.original.T, turned, self.column_map, kept)
        return Factors(A, factors.B[:, columns])


def reduce_matrix(matrix: BinaryMatrix) -> Reduction:
    """Drop rows and columns without a one, merge equal ones and add up their weights.

    A row without a one is best left uncovered, whatever else is chosen. Two rows are equal
    if they agree in every value, missing ones included, and their weights are proportional:
    then one best code serves both. An entry of weight 0 counts as missing. A matrix without
    any one keeps one row and one column, so there is something to solve.

    Examples
    --------
    >>> import numpy as np
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]], dtype=np.int8))
    >>> reduce_matrix(X).matrix.weights
    array([[4]])
    """
    live = matrix.ones & (matrix.weights > 0) if matrix.is_weighted else matrix.ones
    rows, columns = live.any(axis=1), live.any(axis=0)
    if not rows.any():
        rows, columns = _first(matrix.shape[0]), _first(matrix.shape[1])
    values = matrix.values[np.ix_(rows, columns)]
    if matrix.is_weighted:
        weights = matrix.weights[np.ix_(rows, columns)]
        values = np.where(weights > 0, values, -1).astype(np.int8)
        values, weights, row_groups = _merge_rows(values, weights)
        values, weights, column_groups = _merge_rows(values.T, weights.T)
        values, weights = values.T, weights.T
    else:
        row_first, row_groups = _groups(values)
        values = values[row_first]
        column_first, column_groups = _groups(values.T)
        values = values[:, column_first]
        counts = np.bincount(row_groups)[:, None] * np.bincount(column_groups)
        weights = np.where(values != MISSING, counts, 0)
    row_map = np.full(matrix.shape[0], _DROPPED, dtype=np.int64)
    column_map = np.full(matrix.shape[1], _DROPPED, dtype=np.int64)
    row_map[rows] = row_groups
    column_map[columns] = column_groups
    return Reduction(matrix, BinaryMatrix(values, weights), row_map, column_map)


def keep_matrix(matrix: BinaryMatrix) -> Reduction:
    """No reduction at all, for methods that must see every row and column."""
    n, m = matrix.shape
    return Reduction(matrix, matrix, np.arange(n), np.arange(m))


def _first(size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=np.bool_)
    mask[0] = True
    return mask


def _groups(keys: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Equal rows, in the order of their first appearance: where that is, and the group of each."""
    seen: dict[bytes, int] = {}
    groups = np.empty(len(keys), dtype=np.int64)
    for i, row in enumerate(np.ascontiguousarray(keys)):
        groups[i] = seen.setdefault(row.tobytes(), len(seen))
    first = np.empty(len(seen), dtype=np.int64)
    first[groups[::-1]] = np.arange(len(keys))[::-1]
    return first, groups


def _merge_rows(
    values: NDArray[np.int8], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]]:
    """Merge rows of equal values and proportional weights."""
    divisor = np.maximum(np.gcd.reduce(weights, axis=1), 1)
    first, groups = _groups(np.hstack([values.astype(np.int64), weights // divisor[:, None]]))
    if len(first) == len(values):
        return values[first], weights[first], groups
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(len(first)))
    return values[first], np.add.reduceat(weights[order], starts, axis=0), groups


def _best_representatives(
    matrix: BinaryMatrix,
    factors: Factors,
    groups: NDArray[np.int64],
    columns: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """For each group of merged rows, the row whose code has the least error for its weight.

    Only some columns count: those in which rows of a group are alike.
    """
    weights = matrix.weights[:, columns]
    errors = ((factors.product() != matrix.ones)[:, columns] * weights).sum(axis=1)
    score = errors / np.maximum(weights.sum(axis=1), 1)
    rows = np.flatnonzero(groups != _DROPPED)
    order = rows[np.lexsort((rows, score[rows], groups[rows]))]
    _, first = np.unique(groups[order], return_index=True)
    return order[first]
