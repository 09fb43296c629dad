"""A matrix by its ones: the columns of the ones of each row, and of its missing entries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import MISSING
from boolfact.model.rows import digest_of, sides_swapped

__all__ = ["SparseMatrix"]


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A matrix of zeros, ones and missing entries by lists of columns, see `RowMatrix`.

    Parameters
    ----------
    starts : ndarray of int64, shape (n + 1,)
        The ones of row i are in columns `indices[starts[i]:starts[i + 1]]`, in order.
    indices : ndarray of int32
    n_columns : int
    hidden_starts, hidden_indices : optional
        The same for missing entries.
    row_weights, column_weights, false_one_cost, missed_one_cost, row_names, column_names
        See `RowMatrix`.

    Examples
    --------
    >>> import scipy.sparse
    >>> X = SparseMatrix.from_scipy(scipy.sparse.csr_array(np.array([[1, 0, 1], [0, 0, 1]])))
    >>> X.shape, X.n_ones, X.indices
    ((2, 3), 3, array([0, 2, 2], dtype=int32))
    """

    starts: NDArray[np.int64]
    indices: NDArray[np.int32]
    n_columns: int
    hidden_starts: NDArray[np.int64] | None = None
    hidden_indices: NDArray[np.int32] | None = None
    row_weights: NDArray[np.int64] | None = None
    column_weights: NDArray[np.int64] | None = None
    false_one_cost: int = 1
    missed_one_cost: int = 1
    row_names: tuple[str, ...] | None = None
    column_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.starts) < 2 or self.n_columns < 1:
            raise ValueError(
                f"the matrix is empty: it has {len(self.starts) - 1} rows and "
                f"{self.n_columns} columns"
            )
        if (self.hidden_starts is None) != (self.hidden_indices is None):
            raise ValueError("hidden_starts and hidden_indices go together")

    @classmethod
    def from_scipy(cls, X: Any, is_one: NDArray[np.int8] | None = None) -> SparseMatrix:
        """From a scipy sparse matrix or array, without making it dense.

        Parameters
        ----------
        X : sparse matrix
            What is not stored is 0.
        is_one : ndarray of int8, optional
            What each stored entry of X in CSR form counts as: 0, 1 or -1 (missing). By default
            each that is not 0 counts as 1. X must have no duplicates then.
        """
        rows = X.tocsr()
        if is_one is None:
            if not rows.has_canonical_format:
                rows = rows.copy()
                rows.sum_duplicates()
            is_one = (rows.data != 0).astype(np.int8)
        starts, indices = _chosen(rows.indptr, rows.indices, is_one == 1)
        matrix = cls(starts, indices, int(rows.shape[1]))
        if (is_one == MISSING).any():
            hidden = _chosen(rows.indptr, rows.indices, is_one == MISSING)
            matrix = replace(matrix, hidden_starts=hidden[0], hidden_indices=hidden[1])
        return matrix

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.starts) - 1, self.n_columns

    @property
    def nbytes(self) -> int:
        """Of all lists."""
        lists = (self.starts, self.indices, self.hidden_starts, self.hidden_indices)
        return sum(0 if part is None else int(part.nbytes) for part in lists)

    @property
    def n_ones(self) -> int:
        """How many entries are 1."""
        return len(self.indices)

    @property
    def n_missing(self) -> int:
        """How many entries are missing."""
        return 0 if self.hidden_indices is None else len(self.hidden_indices)

    def values(self, rows: slice | NDArray[np.int64]) -> NDArray[np.int8]:
        """Some rows as 0, 1 and -1 (missing)."""
        chosen = np.arange(self.shape[0])[rows]
        values = np.zeros((len(chosen), self.n_columns), dtype=np.int8)
        _fill(values, chosen, self.starts, self.indices, 1)
        if self.hidden_starts is not None and self.hidden_indices is not None:
            _fill(values, chosen, self.hidden_starts, self.hidden_indices, MISSING)
        return values

    def bits(self, part: slice) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """See `RowMatrix`."""
        rows = np.arange(self.shape[0])[part]
        ones = _packed(*_taken(self.starts, self.indices, rows), self.n_columns)
        if self.hidden_starts is None or self.hidden_indices is None:
            return ones, None
        hidden = _taken(self.hidden_starts, self.hidden_indices, rows)
        return ones, _packed(*hidden, self.n_columns)

    def take(self, rows: NDArray[np.int64]) -> SparseMatrix:
        """Some rows, without their names."""
        starts, indices = _taken(self.starts, self.indices, rows)
        taken = replace(
            self,
            starts=starts,
            indices=indices,
            row_weights=None if self.row_weights is None else self.row_weights[rows],
            row_names=None,
        )
        if self.hidden_starts is not None and self.hidden_indices is not None:
            hidden = _taken(self.hidden_starts, self.hidden_indices, rows)
            taken = replace(taken, hidden_starts=hidden[0], hidden_indices=hidden[1])
        return taken

    @property
    def T(self) -> SparseMatrix:
        """The transposed matrix."""
        starts, indices = _turned(self.starts, self.indices, self.n_columns)
        turned = SparseMatrix(starts, indices, self.shape[0])
        if self.hidden_starts is not None and self.hidden_indices is not None:
            hidden = _turned(self.hidden_starts, self.hidden_indices, self.n_columns)
            turned = replace(turned, hidden_starts=hidden[0], hidden_indices=hidden[1])
        return replace(turned, **sides_swapped(self))

    def digest(self) -> str:
        """See `boolfact.model.rows.digest_of`."""
        return digest_of(self)


def _chosen(
    starts: NDArray[Any], indices: NDArray[Any], wanted: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    if wanted.all():
        return starts.astype(np.int64), indices.astype(np.int32)
    before = np.zeros(len(wanted) + 1, dtype=np.int64)
    np.cumsum(wanted, out=before[1:])
    return before[starts], indices[wanted].astype(np.int32)


def _turned(
    starts: NDArray[np.int64], indices: NDArray[np.int32], m: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    import scipy.sparse

    n = len(starts) - 1
    ones = np.ones(len(indices), dtype=np.int8)
    columns = scipy.sparse.csr_array((ones, indices, starts), shape=(n, m)).tocsc()
    return columns.indptr.astype(np.int64), columns.indices.astype(np.int32)


def _taken(
    starts: NDArray[np.int64], indices: NDArray[np.int32], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The lists of some rows, one after another."""
    counts = starts[rows + 1] - starts[rows]
    own = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(counts, out=own[1:])
    where = np.repeat(starts[rows] - own[:-1], counts) + np.arange(own[-1])
    return own, indices[where]


def _fill(
    values: NDArray[np.int8],
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    indices: NDArray[np.int32],
    value: int,
) -> None:
    own, columns = _taken(starts, indices, rows)
    values[np.repeat(np.arange(len(rows)), np.diff(own)), columns] = value


def _packed(starts: NDArray[np.int64], columns: NDArray[np.int32], m: int) -> NDArray[np.uint8]:
    """Lists as bits; the columns of a row are in order, so those of one byte are neighbours."""
    width = (m + 7) // 8
    out = np.zeros((len(starts) - 1, width), dtype=np.uint8)
    if len(columns):
        places = np.repeat(np.arange(len(starts) - 1), np.diff(starts)) * width + columns // 8
        begins = np.flatnonzero(np.diff(places, prepend=-1))
        powers = np.left_shift(1, columns % 8)
        out.reshape(-1)[places[begins]] = np.add.reduceat(powers, begins)
    return out
