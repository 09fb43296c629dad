"""The data as the kernels of assigned cover see it: ones row by row, rows block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix

__all__ = ["MOST_ROWS_IN_BLOCK", "Layout", "make_layout"]

MOST_ROWS_IN_BLOCK = 12
"""A block's best rows are sought among all its subsets: 4096 at this size."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A matrix with its rows in the order of their blocks.

    Attributes
    ----------
    rows : ndarray, shape (n,)
        Row of the matrix that stands at each place.
    weights : ndarray of float64, shape (n, m)
        In the order of the layout; 0 where missing. A zero is no heavier than all the ones that
        it may charge: more than its price no one need be charged.
    zeros : ndarray of bool, shape (n, m)
        Observed zeros of positive weight.
    one_row, one_column : ndarray, shape (E,)
        Where each one is, sorted by row.
    row_start : ndarray, shape (n + 1,)
        Ones of row i are row_start[i] to row_start[i + 1].
    one_at : ndarray, shape (n, m)
        The number of the one at each entry, -1 elsewhere.
    block_start : ndarray, shape (blocks + 1,)
        Rows of block u are block_start[u] to block_start[u + 1].
    block_of : ndarray, shape (n,)
    slots : int
        Rows of the largest block.
    """

    rows: NDArray[np.int64]
    weights: NDArray[np.float64]
    zeros: NDArray[np.bool_]
    one_row: NDArray[np.int64]
    one_column: NDArray[np.int64]
    row_start: NDArray[np.int64]
    one_at: NDArray[np.int64]
    block_start: NDArray[np.int64]
    block_of: NDArray[np.int64]
    slots: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, m = self.zeros.shape
        return int(n), int(m)

    @cached_property
    def one_weights(self) -> NDArray[np.float64]:
        """Weights of the ones."""
        return self.weights[self.one_row, self.one_column]

    @cached_property
    def across_rows(self) -> NDArray[np.int64]:
        """For each one the rows at the places of its block; any row where a place is empty."""
        first = self.block_start[self.block_of[self.one_row]]
        return np.minimum(first[:, None] + np.arange(self.slots), self.shape[0] - 1)

    @cached_property
    def across_weights(self) -> NDArray[np.float64]:
        """Weight of the zero at each place of a one's block, in its column; 0 where none is."""
        rows, columns = self.across_rows, self.one_column[:, None]
        own = self.block_of[rows] == self.block_of[self.one_row][:, None]
        first = self.block_start[self.block_of[self.one_row]]
        own &= rows == first[:, None] + np.arange(self.slots)
        return np.where(own & self.zeros[rows, columns], self.weights[rows, columns], 0.0)

    @property
    def blocks(self) -> list[list[int]]:
        """The rows of the matrix in each block."""
        pairs = zip(self.block_start[:-1], self.block_start[1:], strict=True)
        return [[int(i) for i in self.rows[first:last]] for first, last in pairs]


def make_layout(matrix: BinaryMatrix, blocks: Sequence[Sequence[int]] = ()) -> Layout:
    """Put the rows in the order of the blocks; rows in none of them are blocks of one.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0], [0, 1], [1, 1]]))
    >>> make_layout(X, [[0, 2]]).blocks
    [[0, 2], [1]]
    """
    n, m = matrix.shape
    listed = [[int(i) for i in block] for block in blocks if len(block)]
    named = [i for block in listed for i in block]
    if len(set(named)) != len(named) or any(not 0 <= i < n for i in named):
        raise ValueError(f"blocks must be disjoint sets of the rows 0 to {n - 1}")
    if any(len(block) > MOST_ROWS_IN_BLOCK for block in listed):
        raise ValueError(f"a block must not have more than {MOST_ROWS_IN_BLOCK} rows")
    alone = sorted(set(range(n)) - set(named))
    listed += [[i] for i in alone]
    rows = np.array([i for block in listed for i in block], dtype=np.int64)
    weights = matrix.weights[rows].astype(np.float64)
    live = matrix.ones[rows] & (weights > 0)
    zeros = (matrix.values[rows] == 0) & (weights > 0)
    one_row, one_column = np.nonzero(live)
    one_at = np.full((n, m), -1, dtype=np.int64)
    one_at[live] = np.arange(len(one_row))
    sizes = np.array([len(block) for block in listed])
    block_of = np.repeat(np.arange(len(listed)), sizes)
    one_weights = np.where(live, weights, 0.0)
    in_column = np.zeros((len(listed), m))
    np.add.at(in_column, block_of, one_weights)
    chargeable = one_weights.sum(axis=1, keepdims=True) + in_column[block_of]
    weights = np.where(zeros, np.minimum(weights, chargeable), weights)
    return Layout(
        rows=rows,
        weights=weights,
        zeros=zeros,
        one_row=one_row,
        one_column=one_column,
        row_start=np.searchsorted(one_row, np.arange(n + 1)),
        one_at=one_at,
        block_start=np.append(0, np.cumsum(sizes)),
        block_of=block_of,
        slots=int(sizes.max()),
    )
