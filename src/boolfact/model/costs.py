"""Prices: what a false one and a missed one cost, and factorisation from below."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import TypeVar

import numpy as np

from boolfact.model.matrix import MOST_WEIGHT, BinaryMatrix
from boolfact.model.rows import RowMatrix, blocks_of

__all__ = ["weight_of_ones", "with_costs", "with_row_costs"]

Rows = TypeVar("Rows", bound=RowMatrix)


def with_costs(
    matrix: BinaryMatrix,
    *,
    false_one_cost: int = 1,
    missed_one_cost: int = 1,
    from_below: bool = False,
) -> BinaryMatrix:
    """The same data with other prices, as weights.

    Parameters
    ----------
    matrix : BinaryMatrix
        Its own weights are multiplied.
    false_one_cost, missed_one_cost : int
        What it costs to cover a zero, and to leave a one uncovered. Only their ratio decides
        which factorisation is best: 3 and 2 stand for 1.5 and 1.
    from_below : bool
        No zero may be covered. Covering one then costs more than all ones together, so
        not even the empty factorisation is as bad, and no best solution does it.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0], [1, 1]]))
    >>> with_costs(X, false_one_cost=3).weights
    array([[1, 3],
           [1, 1]])
    >>> with_costs(X, from_below=True).weights
    array([[1, 4],
           [1, 1]])
    """
    _check_prices(false_one_cost, missed_one_cost, from_below)
    if false_one_cost == 1 and missed_one_cost == 1 and not from_below:
        return matrix
    largest = int(matrix.weights.max()) * max(int(missed_one_cost), int(false_one_cost))
    of_ones = float(matrix.weights[matrix.ones].sum(dtype=np.float64)) * int(missed_one_cost)
    if max(largest, of_ones) >= MOST_WEIGHT:
        raise ValueError("the costs are too large: together all weights must be below 2^62")
    ones = matrix.weights * int(missed_one_cost)
    if from_below:
        # Any observed zero must be dearer than everything: its own weight does not matter.
        dearest = int(ones[matrix.ones].sum()) + 1
        zeros = np.where(matrix.weights > 0, dearest, 0)
    else:
        zeros = matrix.weights * int(false_one_cost)
    weights = np.where(matrix.ones, ones, zeros)
    return BinaryMatrix(matrix.values, weights, matrix.row_names, matrix.column_names)


def with_row_costs(
    rows: Rows, *, false_one_cost: int = 1, missed_one_cost: int = 1, from_below: bool = False
) -> Rows:
    """`with_costs` for large data: the two prices are kept, not multiplied out.

    Examples
    --------
    >>> from boolfact.model.packed import PackedMatrix
    >>> X = PackedMatrix.from_dense(np.array([[1, 0], [1, 1]], dtype=np.int8))
    >>> with_row_costs(X, from_below=True).false_one_cost
    4
    """
    _check_prices(false_one_cost, missed_one_cost, from_below)
    missed = rows.missed_one_cost * int(missed_one_cost)
    false = rows.false_one_cost * int(false_one_cost)
    if from_below:
        false = missed * weight_of_ones(rows) + 1
    return replace(rows, false_one_cost=false, missed_one_cost=missed)  # type: ignore[type-var]


def weight_of_ones(rows: RowMatrix) -> int:
    """How much all ones count for together, before any price."""
    if rows.row_weights is None and rows.column_weights is None:
        return rows.n_ones
    total = 0
    for part in blocks_of(rows.shape):
        ones = rows.values(part) == 1
        by_row = ones.sum(axis=1) if rows.column_weights is None else ones @ rows.column_weights
        total += int(by_row.sum() if rows.row_weights is None else by_row @ rows.row_weights[part])
    return total


def _check_prices(false_one_cost: int, missed_one_cost: int, from_below: bool) -> None:
    for name, cost in (("false_one_cost", false_one_cost), ("missed_one_cost", missed_one_cost)):
        if isinstance(cost, bool) or not isinstance(cost, numbers.Integral):
            raise TypeError(
                f"{name} must be a whole number, got {cost!r} (only the ratio of the two costs "
                "matters: 3 and 2 stand for 1.5 and 1)"
            )
        if cost < 1:
            raise ValueError(f"{name} must be at least 1, got {cost}")
    if from_below and false_one_cost != 1:
        raise ValueError("from_below sets the price of a false one; do not give false_one_cost too")
