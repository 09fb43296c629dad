"""Rows that come one block after another: codes by fixed patterns, and patterns that learn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.control.executor import make_executor
from boolfact.control.stop import Stop
from boolfact.large.data import prepare
from boolfact.large.exact import EXACT_RANK, add_to_table, best_column_codes
from boolfact.large.refit import RowFit, fit_rows
from boolfact.local_search.problem import MAX_RANK, codes_of, masks_of
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix

__all__ = ["PatternStream", "RowCoder"]


class RowCoder:
    """Best codes of rows for fixed patterns.

    Up to `EXACT_RANK` patterns no code does better; for more, greedy codes are improved by flips.

    Parameters
    ----------
    patterns : ndarray of bool, shape (k, m)
        At most 64.
    workers : int
        Threads.

    Examples
    --------
    >>> rows = PackedMatrix.from_dense(np.array([[1, 1, 0], [1, 1, 1]], dtype=np.int8))
    >>> coder = RowCoder(np.array([[True, True, False], [False, True, True]]))
    >>> codes, error = coder.code(rows)
    >>> codes.astype(int), error
    (array([[1, 0],
           [1, 1]]), 0)
    """

    def __init__(self, patterns: NDArray[np.bool_], workers: int = 1) -> None:
        if len(patterns) > MAX_RANK:
            raise ValueError(f"there may be at most {MAX_RANK} patterns, got {len(patterns)}")
        self.patterns, self.workers = patterns, workers

    def code(self, rows: PackedMatrix | SparseMatrix) -> tuple[NDArray[np.bool_], int]:
        """The codes of some rows, shape (n, k), and the error that is left."""
        k = len(self.patterns)
        V = codes_of(self.patterns.T)
        with make_executor(self.workers) as executor:
            found, _ = fit_rows(prepare(rows), V, k, stop=Stop(), executor=executor)
        return masks_of(found.U, k), found.error


class PatternStream:
    """Patterns that are refitted as rows come in; the rows need not be kept.

    Every row takes its best code when it comes, and keeps it. What its columns say of the
    patterns is added to a table by code, from which all columns are refitted exactly.

    Parameters
    ----------
    patterns : ndarray of bool, shape (k, m)
        To begin with; at most `EXACT_RANK`.

    Attributes
    ----------
    patterns : ndarray of bool
    error : int
        Of all rows so far, with the codes that they took and the patterns as they are now.
    n_rows : int

    Examples
    --------
    >>> stream = PatternStream(np.array([[True, True, False]]))
    >>> stream.add(PackedMatrix.from_dense(np.array([[1, 1, 1], [1, 1, 1]], dtype=np.int8)))
    >>> stream.patterns.astype(int), stream.error
    (array([[1, 1, 1]]), 0)
    """

    def __init__(self, patterns: NDArray[np.bool_]) -> None:
        self.check(len(patterns))
        k, m = patterns.shape
        self.patterns = patterns
        self.n_rows = self.error = 0
        self._credits = np.zeros((1 << k, m), dtype=np.int64)
        self._by_code = np.zeros(1 << k, dtype=np.int64)
        self._ones = 0

    @staticmethod
    def check(k: int) -> None:
        """Refuse more patterns than can be refitted from a table."""
        if k > EXACT_RANK:
            raise ValueError(
                f"patterns can learn from a stream if there are at most {EXACT_RANK}, got {k}; "
                "fit on all rows at once takes more"
            )

    def add(self, rows: PackedMatrix | SparseMatrix) -> None:
        """Take in some rows, and refit the patterns."""
        k, m = self.patterns.shape
        if rows.shape[1] != m:
            raise ValueError(f"expected rows of {m} columns, got {rows.shape[1]}")
        data = prepare(rows)
        fit = RowFit(data, codes_of(self.patterns.T), k)
        for part in data.blocks():
            lists = data.lists(part)
            U = np.zeros(part.stop - part.start, dtype=np.int64)
            fit.fit_block(data, part, U, lists)
            add_to_table(
                lists, U, data.weights_of(part), *data.credits, self._credits, self._by_code
            )
        self.n_rows += rows.shape[0]
        self._ones += data.nothing
        V, costs = best_column_codes(self._credits.copy(), self._by_code, data.false_one_cost)
        self.patterns = np.ascontiguousarray(masks_of(V, k).T)
        self.error = self._ones + int(costs.sum())
