"""The restricted integer master as a covering problem, as small as it can be stated.

Which k rectangles of a pool to take: an uncovered one costs its weight, a zero its price for
each cover (MIP(rho)) or once however often it is covered (MIP_exact). Entries covered by the
same rectangles are one entry with their weights added up; a rectangle that another one can
always stand in for is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix
from boolfact.pricing.worth import rectangle_worths

__all__ = ["Covering", "Formulation", "cover"]

Formulation = Literal["rho", "exact"]

_LARGEST_FOR_DOMINANCE = 3000


@dataclass(frozen=True, eq=False)
class Covering:
    """Choose at most k columns; all weights are whole, in units of 1 / `unit`.

    Attributes
    ----------
    columns : ndarray of int64
        The rectangles that are left, by their position in what was given.
    stand_in : ndarray of int64
        For each rectangle given, the position in `columns` of one that is at least as good
        in any choice; -1 where it is never worth taking.
    cost : ndarray of int64
        What taking a column costs by itself.
    ones, zeros : ndarray of bool, shapes (groups, columns)
        Which columns cover a group of ones; of zeros that cost once (MIP_exact only).
    one_weights, zero_weights : ndarray of int64
    constant : int
        Weight of the ones that no column covers.
    unit : int
    """

    columns: NDArray[np.int64]
    stand_in: NDArray[np.int64]
    cost: NDArray[np.int64]
    ones: NDArray[np.bool_]
    one_weights: NDArray[np.int64]
    zeros: NDArray[np.bool_]
    zero_weights: NDArray[np.int64]
    constant: int
    unit: int

    def value(self, chosen: NDArray[np.bool_]) -> int:
        """The objective of a choice of columns."""
        uncovered = ~self.ones[:, chosen].any(axis=1)
        covered = self.zeros[:, chosen].any(axis=1)
        return (
            self.constant
            + int(self.cost[chosen].sum())
            + int(self.one_weights[uncovered].sum())
            + int(self.zero_weights[covered].sum())
        )


def cover(
    matrix: BinaryMatrix,
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    rho: Fraction = Fraction(1),
    formulation: Formulation = "rho",
) -> Covering:
    """State the choice among the rectangles (A[u], B[u]).

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 0]], dtype=np.int8))
    >>> covering = cover(X, np.array([[1, 1], [1, 0]]), np.array([[1, 1, 0], [1, 0, 0]]))
    >>> covering.columns, covering.one_weights, covering.cost
    (array([0]), array([4]), array([0]))
    """
    A, B = np.ascontiguousarray(A, dtype=np.bool_), np.ascontiguousarray(B, dtype=np.bool_)
    unit = rho.denominator if formulation == "rho" else 1
    counted = matrix.weights > 0
    one_cells, one_weights = _cells(matrix, matrix.ones & counted, A, B)
    ones, one_weights, constant = _grouped(one_cells, one_weights * unit)
    if formulation == "rho":
        prices = np.where(matrix.ones, 0, matrix.weights * rho.numerator)
        cost = rectangle_worths(prices, A, B)
        zeros, zero_weights = np.zeros((0, len(A)), dtype=np.bool_), one_weights[:0]
    else:
        zero_cells, zero_weights = _cells(matrix, ~matrix.ones & counted, A, B)
        zeros, zero_weights, _ = _grouped(zero_cells, zero_weights)
        zeros, zero_weights, cost = _single_covers_to_cost(zeros, zero_weights)
    keep, owner = _undominated(ones, one_weights, zeros, cost)
    columns = np.flatnonzero(keep)
    position = np.full(len(A), -1, dtype=np.int64)
    position[columns] = np.arange(len(columns))
    stand_in = np.where(owner >= 0, position[owner], -1)
    # With columns gone, groups become equal, and zeros of two columns zeros of one.
    ones, one_weights, lost = _grouped(ones[:, keep], one_weights)
    zeros, zero_weights, _ = _grouped(zeros[:, keep], zero_weights)
    zeros, zero_weights, extra = _single_covers_to_cost(zeros, zero_weights)
    return Covering(
        columns,
        stand_in,
        cost[keep] + extra,
        ones,
        one_weights,
        zeros,
        zero_weights,
        constant + lost,
        unit,
    )


def _cells(
    matrix: BinaryMatrix, where: NDArray[np.bool_], A: NDArray[np.bool_], B: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which rectangles cover each entry of a mask, and the weights of these entries."""
    i, j = np.nonzero(where)
    return (A[:, i] & B[:, j]).T, matrix.weights[i, j]


def _grouped(
    cells: NDArray[np.bool_], weights: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], int]:
    """Merge entries with equal covers; entries without any are only counted."""
    covered = cells.any(axis=1)
    lost = int(weights[~covered].sum())
    cells, weights = cells[covered], weights[covered]
    if not len(cells):
        return cells, weights, lost
    packed = np.packbits(cells, axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    merged = np.zeros(len(first), dtype=np.int64)
    np.add.at(merged, inverse.ravel(), weights)
    return cells[first], merged, lost


def _single_covers_to_cost(
    zeros: NDArray[np.bool_], weights: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """A zero that one column alone covers is part of the cost of that column."""
    single = zeros.sum(axis=1) == 1
    cost = weights[single] @ zeros[single]
    return zeros[~single], weights[~single], cost.astype(np.int64)


def _undominated(
    ones: NDArray[np.bool_],
    one_weights: NDArray[np.int64],
    zeros: NDArray[np.bool_],
    cost: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The columns to keep, and for every column the kept one that is at least as good.

    A column that covers more ones, fewer zeros and costs no more can replace another in any
    choice. One that costs at least what its ones weigh is never worth taking.
    """
    size = len(cost)
    owner = np.arange(size)
    useless = one_weights @ ones <= cost
    if size > _LARGEST_FOR_DOMINANCE:
        owner[useless] = -1
        return ~useless, owner
    fewer_ones = _subsets(ones)
    replaces = fewer_ones & _subsets(zeros).T & (cost[:, None] >= cost)
    # Of equal columns the first stays: u is replaced by v if v is better, or equal and earlier.
    earlier = np.arange(size)[:, None] > np.arange(size)
    replaces &= ~replaces.T | earlier
    keep = ~replaces.any(axis=1) & ~useless
    for u in np.flatnonzero(~keep):
        better = np.flatnonzero(replaces[u] & keep)
        owner[u] = better[0] if len(better) else -1
    return keep, owner


def _subsets(cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Entry (u, v): whether everything that column u covers, column v covers too."""
    counts = cells.astype(np.float32)
    return np.asarray(counts.T @ counts >= counts.sum(axis=0)[:, None])
