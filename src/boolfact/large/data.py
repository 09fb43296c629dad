"""Large data as the refits see it: rows in blocks, prices and weights as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.large.lists import RowLists, lists_of
from boolfact.model.costs import weight_of_ones
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix

__all__ = ["LargeData", "prepare"]

_BLOCK_ENTRIES = 1 << 18
"""Ones and missing entries of a block: they fit the cache, and take a millisecond or two."""

_MOST_BLOCK_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class LargeData:
    """A matrix with the prices that its refits use.

    Attributes
    ----------
    rows : PackedMatrix or SparseMatrix
    row_weights, column_weights : ndarray of int64
        Empty where all are 1.
    false_one_cost, missed_one_cost : int
        The first is no more than it takes for covering a zero to cost more than all ones of
        its row or column: more would change no refit.
    nothing : int
        The error of covering nothing.
    """

    rows: PackedMatrix | SparseMatrix
    row_weights: NDArray[np.int64]
    column_weights: NDArray[np.int64]
    false_one_cost: int
    missed_one_cost: int
    nothing: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows.shape

    @property
    def credits(self) -> tuple[int, int]:
        """How much less than a zero a one and a missing entry cost where they are covered."""
        return self.false_one_cost + self.missed_one_cost, self.false_one_cost

    @property
    def column_size(self) -> int:
        """Weight of all columns."""
        return int(self.column_weights.sum()) if len(self.column_weights) else self.shape[1]

    def column_prices(self) -> NDArray[np.int64]:
        """What each column would cost in a row where all are zeros and covered."""
        if len(self.column_weights):
            return self.column_weights * self.false_one_cost
        return np.full(self.shape[1], self.false_one_cost, dtype=np.int64)

    def blocks(self) -> list[slice]:
        """Blocks of rows of about the same number of entries."""
        n = self.shape[0]
        entries = self.rows.n_ones + self.rows.n_missing
        step = int(np.clip(_BLOCK_ENTRIES * n // max(1, entries), 16, _MOST_BLOCK_ROWS))
        return [slice(first, min(n, first + step)) for first in range(0, n, step)]

    def lists(self, part: slice) -> RowLists:
        """The rows of a block."""
        return lists_of(self.rows, part)

    def weights_of(self, part: slice) -> NDArray[np.int64]:
        """Of the rows of a block; empty where all are 1."""
        return self.row_weights[part] if len(self.row_weights) else self.row_weights

    def take(self, rows: NDArray[np.int64]) -> LargeData:
        """Some of the rows."""
        return prepare(self.rows.take(rows))


def prepare(rows: PackedMatrix | SparseMatrix) -> LargeData:
    """The data of a search, with prices checked to fit 64 bits."""
    empty = np.zeros(0, dtype=np.int64)
    row_weights = empty if rows.row_weights is None else rows.row_weights
    column_weights = empty if rows.column_weights is None else rows.column_weights
    n, m = rows.shape
    height = int(row_weights.sum()) if len(row_weights) else n
    width = int(column_weights.sum()) if len(column_weights) else m
    missed = rows.missed_one_cost
    false = min(rows.false_one_cost, missed * max(height, width) + 1)
    if (false + missed) * height * width >= 2**62:
        raise ValueError(
            f"prices of {rows.false_one_cost} and {missed} on {height} x {width} cells do not fit "
            "64-bit sums; give smaller ones, only their ratio matters"
        )
    return LargeData(
        rows, row_weights, column_weights, false, missed, missed * weight_of_ones(rows)
    )
