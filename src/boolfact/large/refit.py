"""One sweep over all rows: each takes its best patterns, then each column does.

Rows are fitted block by block, and what the columns need is added up on the way, so the data
are read once. Blocks are shared among workers; all sums are whole numbers, so their order does
not matter.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.executor import Executor
from boolfact.control.stop import Stop
from boolfact.large.counting import Counts, count_block
from boolfact.large.data import LargeData, RemoteData, Solution
from boolfact.large.exact import (
    EXACT_RANK,
    LANES,
    add_to_table,
    best_column_codes,
    best_row_codes,
)
from boolfact.large.greedy import (
    add_flip_credits,
    add_flip_totals,
    best_flips,
    improve_row_codes,
)
from boolfact.large.lists import RowLists, lists_of_words
from boolfact.large.popcount import Patterns, code_rows, pack_patterns
from boolfact.local_search.problem import masks_of
from boolfact.model.packed import PackedMatrix

__all__ = ["ColumnSums", "RowFit", "count", "fit_rows", "refine", "sweep", "sweep_blocks"]

_TABLE_CELLS = 1 << 22
"""Largest table of sums by code and column for which columns are refitted exactly: 32 MB."""

_TOTALS_WORK = 1 << 23
"""Pairs of codes for which one kernel call adds up totals."""

_PROBE = 256
"""Rows of a block by which it is seen whether counts of bits decide most of them."""


class RowFit:
    """Fits rows to given patterns: exactly for up to `EXACT_RANK` of them, else greedily.

    Parameters
    ----------
    data : LargeData
        Its prices and the weights of its columns; the rows may be others.
    V : ndarray of int64
        Codes of the columns.
    k : int
    """

    def __init__(self, data: LargeData, V: NDArray[np.int64], k: int) -> None:
        self.k, self.V = k, V
        one, hidden = data.credits
        self._patterns: Patterns | None = None
        if isinstance(data.rows, PackedMatrix) and not len(data.column_weights):
            self._patterns = pack_patterns(masks_of(V, k).T)
        self._costs = (data.false_one_cost, data.missed_one_cost)
        weights = data.column_weights if len(data.column_weights) else np.ones(len(V), np.int64)
        prices = data.column_prices()
        self.is_exact = k <= EXACT_RANK
        if self.is_exact:
            dtype = _dtype_for(one * data.column_size)
            by_code = np.zeros(1 << k, dtype=np.int64)
            np.add.at(by_code, V, prices)
            self._small = V.astype(np.uint32)
            self._prices = np.repeat(by_code.astype(dtype), LANES)
            self._credits = ((weights * one).astype(dtype), (weights * hidden).astype(dtype))
        else:
            self._codes, inverse = np.unique(V, return_inverse=True)
            by_distinct = np.zeros(len(self._codes), dtype=np.int64)
            np.add.at(by_distinct, inverse.reshape(-1), prices)
            used = self._codes != 0
            self._codes, self._prices = self._codes[used], by_distinct[used]
            self._credits = (weights * one, weights * hidden)
            bits = (V.view(np.uint64)[:, None] >> np.arange(k, dtype=np.uint64)) & np.uint64(1)
            sets = bits.astype(np.float64)
            # Whole numbers below 2^53 would be exact; as a lower bound, a little less is safe.
            overlap = (sets * prices[:, None]).T @ sets
            self._overlap = overlap.astype(np.int64)
            if overlap.max(initial=0) >= 2**53:
                self._overlap = np.full_like(self._overlap, np.iinfo(np.int64).max // (2 * k))
                np.fill_diagonal(self._overlap, 0)

    def fit_block(
        self, data: LargeData, part: slice, U: NDArray[np.int64], lists: RowLists | None = None
    ) -> int:
        """Put the codes of a block of rows into U; the cost of what they cover.

        Most rows in bits need no more than counts of bits, see `boolfact.large.popcount`. The
        others are fitted from their lists of columns; `lists` are those of all rows of the
        block, where they are there already.
        """
        weights, rows = data.weights_of(part), data.rows
        if self._patterns is None or not isinstance(rows, PackedMatrix):
            return self.fit(data.lists(part) if lists is None else lists, U, weights)
        ones, hidden = rows.ones[part], rows.ones[:0]
        if rows.hidden is not None:
            hidden = rows.hidden[part]
        is_left, cost, first = np.ones(len(U), dtype=np.bool_), 0, 0
        while first < len(U):
            # Both ways give the same codes for few patterns, so the faster one may be taken.
            if first and self.is_exact and is_left[:first].mean() > 0.5:
                break
            end = len(U) if first else min(len(U), _PROBE)
            now = slice(first, end)
            cost += int(
                code_rows(
                    ones[now], hidden[now], self._patterns, self._costs, weights[now], U[now],
                    is_left[now],
                )
            )  # fmt: skip
            first = end
        left = np.flatnonzero(is_left)
        if len(left) == 0:
            return cost
        if len(left) == len(U) and lists is not None:
            return cost + self.fit(lists, U, weights)
        own = U[left]
        some = lists_of_words(ones[left], hidden[left] if len(hidden) else None, rows.n_columns)
        cost += self.fit(some, own, weights[left] if len(weights) else weights)
        U[left] = own
        return cost

    def fit(self, lists: RowLists, U: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
        """The same from the lists of columns of the rows."""
        if not self.is_exact:
            return int(
                improve_row_codes(
                    lists,
                    self.V,
                    self._credits,
                    self._codes,
                    self._prices,
                    self._overlap,
                    weights,
                    U,
                )
            )
        work = np.empty((2, len(self._prices)), dtype=self._prices.dtype)
        return int(
            best_row_codes(lists, self._small, self._prices, *self._credits, weights, work, U)
        )


class ColumnSums:
    """What the columns need to know of the rows, added up block by block.

    It holds no rows, so it can be sent to where it is needed.

    Parameters
    ----------
    data : LargeData
        Its prices and the weights of its columns.
    V : ndarray of int64
        Codes of the columns.
    k : int
    """

    def __init__(self, data: LargeData, V: NDArray[np.int64], k: int) -> None:
        self.V, self.k = V, k
        self.one_credit, self.hidden_credit = data.credits
        self.false_one_cost, self.column_weights = data.false_one_cost, data.column_weights
        self.is_exact = len(V) << k <= _TABLE_CELLS if k <= EXACT_RANK else False
        m = len(V)
        self.credits = np.zeros((1 << k, m) if self.is_exact else (m, k), dtype=np.int64)
        if self.is_exact:
            self.by_code = np.zeros(1 << k, dtype=np.int64)
        else:
            self.codes, self.inverse = np.unique(V, return_inverse=True)
            self.by_code = np.zeros((len(self.codes), k), dtype=np.int64)

    def add(self, lists: RowLists, U: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        """Add some rows, with their codes."""
        one, hidden = self.one_credit, self.hidden_credit
        if self.is_exact:
            add_to_table(lists, U, weights, one, hidden, self.credits, self.by_code)
        else:
            add_flip_credits(lists, U, self.V, weights, one, hidden, self.credits)

    def finish(self, U: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        """Add what depends on the codes of the rows alone; they are the rows of all blocks."""
        if self.is_exact:
            return
        codes, inverse = np.unique(U, return_inverse=True)
        totals = np.bincount(inverse.reshape(-1)).astype(np.int64)
        if len(weights):
            totals = np.zeros(len(codes), dtype=np.int64)
            np.add.at(totals, inverse.reshape(-1), weights)
        step = max(1, _TOTALS_WORK // max(1, len(self.codes)))
        for first in range(0, len(codes), step):
            part = slice(first, first + step)
            add_flip_totals(codes[part], totals[part], self.codes, self.by_code)

    def copy(self) -> ColumnSums:
        """The same sums, to add others to."""
        other = copy.copy(self)
        other.credits, other.by_code = self.credits.copy(), self.by_code.copy()
        return other

    def merge(self, other: ColumnSums) -> None:
        """Add the sums of other rows."""
        self.credits += other.credits
        self.by_code += other.by_code

    def best(self, cost: int) -> tuple[NDArray[np.int64], int]:
        """New codes of the columns and the cost of what is then covered; it was `cost`."""
        weights = self.column_weights
        if self.is_exact:
            V, costs = best_column_codes(self.credits, self.by_code, self.false_one_cost)
            return V, int((costs * weights).sum() if len(weights) else costs.sum())
        prices = self.by_code[self.inverse.reshape(-1)] * self.false_one_cost
        V, saved = best_flips(self.V, self.credits, prices)
        return V, cost - int((saved * weights).sum() if len(weights) else saved.sum())


def sweep(
    data: LargeData,
    V: NDArray[np.int64],
    k: int,
    *,
    stop: Stop,
    executor: Executor,
    U: Any = None,
) -> tuple[Solution, bool]:
    """Fit all rows to the columns, then all columns to the rows.

    Parameters
    ----------
    data : LargeData
    V : ndarray of int64
        Codes of the columns.
    k : int
    stop : Stop
        Asked before each block. Rows that it leaves out are covered by nothing.
    executor : Executor
    U : ndarray of int64, optional
        Codes of the rows to begin from, where there are too many patterns to try all unions.

    Returns
    -------
    Solution, bool
        And whether all rows were reached; if not, V is as it was.
    """
    if isinstance(data, RemoteData):
        return data.sweep(V, k, stop=stop, U=U)
    fit = RowFit(data, V, k)
    codes = np.zeros(data.shape[0], dtype=np.int64) if U is None else U.copy()

    def work(blocks: Sequence[slice]) -> tuple[int, ColumnSums, bool]:
        return sweep_blocks(data, fit, blocks, codes, stop)

    total, is_whole, collected = 0, True, None
    for cost, sums, reached_all in executor.map(work, _shared(data.blocks(), executor.workers)):
        total += cost
        is_whole = is_whole and reached_all
        if collected is None:
            collected = sums
        else:
            collected.merge(sums)
    assert collected is not None
    if not is_whole:
        return Solution(codes, V, data.nothing + total), False
    columns, total = collected.best(total)
    return Solution(codes, columns, data.nothing + total), True


def sweep_blocks(
    data: LargeData, fit: RowFit, blocks: Sequence[slice], codes: NDArray[np.int64], stop: Stop
) -> tuple[int, ColumnSums, bool]:
    """Fit the rows of some blocks, one after another: cost, sums, and whether all were reached.

    `codes` are those of all rows, changed in place; those of rows that were not reached are 0.
    """
    sums, cost = ColumnSums(data, fit.V, fit.k), 0
    for part in blocks:
        if stop.now():
            codes[part.start : blocks[-1].stop] = 0
            return cost, sums, False
        lists, weights = data.lists(part), data.weights_of(part)
        cost += fit.fit_block(data, part, codes[part], lists)
        sums.add(lists, codes[part], weights)
    whole = slice(blocks[0].start, blocks[-1].stop)
    sums.finish(codes[whole], data.weights_of(whole))
    return cost, sums, True


def fit_rows(
    data: LargeData, V: NDArray[np.int64], k: int, *, stop: Stop, executor: Executor
) -> tuple[Solution, bool]:
    """Fit all rows to the columns, which stay; see `sweep`."""
    fit = RowFit(data, V, k)
    codes = np.zeros(data.shape[0], dtype=np.int64)

    def work(part: slice) -> int | None:
        if stop.now():
            return None
        return fit.fit_block(data, part, codes[part])

    costs = list(executor.map(work, data.blocks()))
    total = sum(cost for cost in costs if cost is not None)
    return Solution(codes, V, data.nothing + total), None not in costs


def refine(
    data: LargeData,
    V: NDArray[np.int64],
    k: int,
    *,
    stop: Stop,
    executor: Executor,
    U: Any = None,
    most: int = 100,
) -> Solution:
    """Sweep until the error falls no more, `most` times at most; the best that was met."""
    best: Solution | None = None
    for _ in range(most):
        found, is_whole = sweep(data, V, k, stop=stop, executor=executor, U=U)
        if best is not None and found.error >= best.error:
            return best
        best, V, U = found, found.V, found.U
        if not is_whole or best.error == 0:
            break
    assert best is not None
    return best


def count(data: LargeData, U: Any, V: NDArray[np.int64], *, executor: Executor) -> Counts:
    """Count all errors anew, from the data and the codes alone."""
    if isinstance(data, RemoteData):
        return data.count(U, V)

    def work(part: slice) -> Counts:
        return count_block(data.lists(part), U[part], V, data.weights_of(part), data.column_weights)

    total = Counts(0, 0, 0)
    for counts in executor.map(work, data.blocks()):
        total += counts
    return total


def _shared(blocks: list[slice], workers: int) -> list[list[slice]]:
    """Blocks in a few runs of neighbours for each worker."""
    parts = min(len(blocks), 1 if workers == 1 else 3 * workers)
    cuts = np.linspace(0, len(blocks), parts + 1).astype(int)
    return [blocks[a:b] for a, b in itertools.pairwise(cuts) if b > a]


def _dtype_for(largest: int) -> Any:
    """The smallest whole numbers that hold sums of this size."""
    return next(t for t in (np.int16, np.int32, np.int64) if largest <= np.iinfo(t).max)
