"""Large data as the refits see it: rows in blocks, prices and weights as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.stop import Stop
from boolfact.large.counting import Counts
from boolfact.large.lists import RowLists, lists_of
from boolfact.model.costs import weight_of_ones
from boolfact.model.packed import PackedMatrix
from boolfact.model.rows import RowMatrix
from boolfact.model.sparse import SparseMatrix

__all__ = ["LargeData", "RemoteData", "Solution", "clipped_prices", "prepare"]

_BLOCK_ENTRIES = 1 << 18
"""Ones and missing entries of a block: they fit the cache, and take a millisecond or two."""

_MOST_BLOCK_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class Solution:
    """Codes of rows and of columns, as bits, and the error in the prices of the data."""

    U: Any
    V: NDArray[np.int64]
    error: int

    def heights(self, k: int) -> NDArray[np.int64]:
        """How many rows each pattern has."""
        bits = np.uint64(1) << np.arange(k, dtype=np.uint64)
        return np.array([int(((self.U & bit) != 0).sum()) for bit in bits.view(np.int64)])


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

    def nothing_covered(self) -> Solution:
        """Where a search begins."""
        n, m = self.shape
        return Solution(np.zeros(n, np.int64), np.zeros(m, np.int64), self.nothing)

    def take(self, rows: NDArray[np.int64]) -> LargeData:
        """Some of the rows."""
        return prepare(self.rows.take(rows))

    def here(self) -> LargeData:
        """All rows in the memory of this process, where they are already."""
        return self


class RemoteData(LargeData, ABC):
    """Large data whose rows are elsewhere: what has to see all of them is done there.

    Each method gives what the function of the same name gives for rows that are here. The codes
    of the rows stay where the rows are, too; what stands for them in a `Solution` is the
    business of the class.
    """

    @abstractmethod
    def sweep(self, V: NDArray[np.int64], k: int, *, stop: Stop, U: Any) -> tuple[Solution, bool]:
        """See `boolfact.large.refit.sweep`."""

    @abstractmethod
    def nothing_covered(self) -> Solution:
        """Where a search begins."""

    @abstractmethod
    def count(self, U: Any, V: NDArray[np.int64]) -> Counts:
        """See `boolfact.large.refit.count`."""

    @abstractmethod
    def column_counts(self) -> NDArray[np.int64]:
        """See `boolfact.large.sample.column_counts`."""

    @abstractmethod
    def take(self, rows: NDArray[np.int64]) -> LargeData:
        """Some of the rows, here."""

    @abstractmethod
    def here(self) -> LargeData:
        """All rows, here; asked for only where they are few."""


def prepare(rows: PackedMatrix | SparseMatrix) -> LargeData:
    """The data of a search, with prices checked to fit 64 bits."""
    empty = np.zeros(0, dtype=np.int64)
    row_weights = empty if rows.row_weights is None else rows.row_weights
    column_weights = empty if rows.column_weights is None else rows.column_weights
    n, m = rows.shape
    height = int(row_weights.sum()) if len(row_weights) else n
    width = int(column_weights.sum()) if len(column_weights) else m
    false, missed = clipped_prices(rows, height, width)
    return LargeData(
        rows, row_weights, column_weights, false, missed, missed * weight_of_ones(rows)
    )


def clipped_prices(rows: RowMatrix, height: int, width: int) -> tuple[int, int]:
    """What a zero and a one cost in a search, where rows and columns weigh so much."""
    missed = rows.missed_one_cost
    false = min(rows.false_one_cost, missed * max(height, width) + 1)
    if (false + missed) * height * width >= 2**62:
        raise ValueError(
            f"prices of {rows.false_one_cost} and {missed} on {height} x {width} cells do not fit "
            "64-bit sums; give smaller ones, only their ratio matters"
        )
    return false, missed
