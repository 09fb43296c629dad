"""Refits where the rows are: patterns travel to the workers, sums and counts come back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.cluster.rows import ClusterRows
from boolfact.control.executor import SERIAL
from boolfact.control.stop import Stop
from boolfact.large.counting import Counts
from boolfact.large.data import LargeData, RemoteData, Solution, clipped_prices, prepare
from boolfact.large.refit import ColumnSums, RowFit, count, sweep_blocks
from boolfact.large.sample import column_counts
from boolfact.model.packed import PackedMatrix

__all__ = ["ClusterCodes", "ClusterData", "prepare_cluster"]

_FAN_IN = 8
"""Sums that one task adds up: few of them travel to the driver, however many blocks there are."""


class _Prices(NamedTuple):
    """What a block has to know of the whole."""

    column_weights: NDArray[np.int64]
    false_one_cost: int
    missed_one_cost: int


class _Fitted(NamedTuple):
    """What a worker knows of a block that it has fitted."""

    codes: NDArray[Any]
    cost: int
    sums: ColumnSums
    is_whole: bool


@dataclass(frozen=True, eq=False)
class ClusterCodes:
    """Codes of the rows of each block, on the workers.

    Attributes
    ----------
    rows : ClusterRows
    parts : tuple of futures
        None stands for rows that are covered by nothing.
    heights : ndarray of int64
        How many rows each pattern has.
    """

    rows: ClusterRows
    parts: tuple[Any, ...]
    heights: NDArray[np.int64]

    def here(self) -> NDArray[np.int64]:
        """The codes of all rows, here."""
        cluster = self.rows.cluster
        found = iter(cluster.gather([part for part in self.parts if part is not None]))
        codes = np.zeros(self.rows.shape[0], dtype=np.int64)
        starts = self.rows.starts
        for part, first, end in zip(self.parts, starts, starts[1:], strict=False):
            if part is not None:
                codes[first:end] = next(found).astype(np.int64)
        return codes


class ClusterSolution(Solution):
    """A solution whose codes of rows are on the workers."""

    U: ClusterCodes

    def heights(self, k: int) -> NDArray[np.int64]:
        """See `Solution`."""
        return self.U.heights


@dataclass(frozen=True, eq=False)
class ClusterData(RemoteData):
    """Rows on a cluster as a search sees them, see `RemoteData`.

    `row_weights` is empty here: those of merged rows are with the blocks.
    """

    rows: ClusterRows  # type: ignore[assignment]

    def nothing_covered(self) -> Solution:
        """See `LargeData`."""
        codes = ClusterCodes(self.rows, (None,) * len(self.rows.blocks), np.zeros(64, np.int64))
        return ClusterSolution(codes, np.zeros(self.shape[1], np.int64), self.nothing)

    def sweep(self, V: NDArray[np.int64], k: int, *, stop: Stop, U: Any) -> tuple[Solution, bool]:
        """See `boolfact.large.refit.sweep`; U may be `ClusterCodes`, or an array that is here."""
        cluster = self.rows.cluster
        fitted = [
            cluster.submit(_fit, block, self._prices, V, k, codes, stop)
            for block, codes in zip(self.rows.blocks, self._parts_of(U), strict=True)
        ]
        outcomes = [cluster.submit(_outcome, part, k) for part in fitted]
        codes = [cluster.submit(_codes, part) for part in fitted]
        sums = self._added(fitted)
        is_whole = cluster.wait([*outcomes, *codes, sums], stop)
        # What was under way when the stop came counts for nothing.
        done = [
            outcome.status == "finished" and part.status == "finished"
            for outcome, part in zip(outcomes, codes, strict=True)
        ]
        known = cluster.gather([o for o, is_done in zip(outcomes, done, strict=True) if is_done])
        is_whole = is_whole and all(outcome.is_whole for outcome in known)
        total = sum(outcome.cost for outcome in known)
        heights = sum((outcome.heights for outcome in known), np.zeros(k, dtype=np.int64))
        kept = tuple(c if is_done else None for c, is_done in zip(codes, done, strict=True))
        if is_whole:
            V, total = cluster.gather([sums])[0].best(total)
        found = ClusterCodes(self.rows, kept, heights)
        return ClusterSolution(found, V, self.nothing + total), is_whole

    def count(self, U: Any, V: NDArray[np.int64]) -> Counts:
        """See `boolfact.large.refit.count`."""
        cluster, total = self.rows.cluster, Counts(0, 0, 0)
        tasks = [
            cluster.submit(_count, block, self._prices, codes, V)
            for block, codes in zip(self.rows.blocks, self._parts_of(U), strict=True)
        ]
        for counts in cluster.gather(tasks):
            total += counts
        return total

    def column_counts(self) -> NDArray[np.int64]:
        """See `boolfact.large.sample.column_counts`."""
        cluster, prices = self.rows.cluster, [self._prices] * len(self.rows.blocks)
        return np.sum(cluster.map(_column_counts, self.rows.blocks, prices), axis=0)

    def take(self, rows: NDArray[np.int64]) -> LargeData:
        """See `RemoteData`."""
        return prepare(self.rows.take(rows))

    def here(self) -> LargeData:
        """See `RemoteData`."""
        return prepare(self.rows.here())

    @property
    def _prices(self) -> _Prices:
        return _Prices(self.column_weights, self.false_one_cost, self.missed_one_cost)

    def _parts_of(self, U: Any) -> Sequence[Any]:
        """The codes of each block, as futures or arrays; None for none."""
        if U is None:
            return [None] * len(self.rows.blocks)
        if isinstance(U, ClusterCodes):
            return U.parts
        starts = self.rows.starts
        return [_narrow(U[a:b]) for a, b in itertools.pairwise(starts)]

    def _added(self, fitted: Sequence[Any]) -> Any:
        """A future of the sums of all blocks: neighbours are added up first, then their sums."""
        cluster = self.rows.cluster
        level = [
            cluster.submit(_sums_of, *fitted[first : first + _FAN_IN])
            for first in range(0, len(fitted), _FAN_IN)
        ]
        while len(level) > 1:
            level = [
                cluster.submit(_sums_of, *level[first : first + _FAN_IN])
                for first in range(0, len(level), _FAN_IN)
            ]
        return level[0]


def prepare_cluster(rows: ClusterRows, weight_of_ones: int, height: int) -> ClusterData:
    """The data of a search on a cluster.

    Parameters
    ----------
    rows : ClusterRows
    weight_of_ones : int
        Ones before rows and columns were merged.
    height : int
        Rows before they were merged.
    """
    empty = np.zeros(0, dtype=np.int64)
    column_weights = empty if rows.column_weights is None else rows.column_weights
    width = int(column_weights.sum()) if len(column_weights) else rows.shape[1]
    false, missed = clipped_prices(rows, height, width)
    return ClusterData(rows, empty, column_weights, false, missed, missed * weight_of_ones)


class _Outcome(NamedTuple):
    cost: int
    heights: NDArray[np.int64]
    is_whole: bool


def _data_of(block: PackedMatrix, prices: _Prices) -> LargeData:
    empty = np.zeros(0, dtype=np.int64)
    row_weights = empty if block.row_weights is None else block.row_weights
    return LargeData(block, row_weights, *prices, nothing=0)


def _fit(
    block: PackedMatrix,
    prices: _Prices,
    V: NDArray[np.int64],
    k: int,
    codes: NDArray[Any] | None,
    stop: Stop,
) -> _Fitted:
    data = _data_of(block, prices)
    own = np.zeros(block.shape[0], np.int64) if codes is None else codes.astype(np.int64)
    cost, sums, is_whole = sweep_blocks(data, RowFit(data, V, k), data.blocks(), own, stop)
    return _Fitted(_narrow(own), cost, sums, is_whole)


def _outcome(fitted: _Fitted, k: int) -> _Outcome:
    heights = Solution(fitted.codes.astype(np.int64), np.zeros(0, np.int64), 0).heights(k)
    return _Outcome(fitted.cost, heights, fitted.is_whole)


def _codes(fitted: _Fitted) -> NDArray[Any]:
    return fitted.codes


def _sums_of(*parts: _Fitted | ColumnSums) -> ColumnSums:
    total: ColumnSums | None = None
    for part in parts:
        sums = part.sums if isinstance(part, _Fitted) else part
        # The sums of others stay as they are: they may be asked for again.
        if total is None:
            total = sums.copy()
        else:
            total.merge(sums)
    assert total is not None
    return total


def _count(
    block: PackedMatrix, prices: _Prices, codes: NDArray[Any] | None, V: NDArray[np.int64]
) -> Counts:
    own = np.zeros(block.shape[0], np.int64) if codes is None else codes.astype(np.int64)
    return count(_data_of(block, prices), own, V, executor=SERIAL)


def _column_counts(block: PackedMatrix, prices: _Prices) -> NDArray[np.int64]:
    return column_counts(_data_of(block, prices))


def _narrow(codes: NDArray[Any]) -> NDArray[Any]:
    """The same codes in as few bytes as hold them."""
    unsigned = codes.view(np.uint64) if codes.dtype == np.int64 else codes
    largest = int(unsigned.max(initial=0))
    return unsigned.astype(np.min_scalar_type(largest))
