"""Rows that live on the workers of a cluster, in packed blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.control.cluster import Cluster
from boolfact.control.stop import Stop
from boolfact.io.many import check_columns
from boolfact.io.parts import rows_of_part
from boolfact.model.packed import PackedMatrix, stacked
from boolfact.model.rows import digest_of

__all__ = ["BlockFacts", "ClusterRows"]

_WINDOW_BITS = 1 << 28
"""Cells that pass by the driver at a time: 32 MB."""


class BlockFacts(NamedTuple):
    """What the driver knows of a block."""

    rows: int
    columns: int
    ones: int
    missing: int
    column_names: tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class ClusterRows:
    """A matrix whose blocks of rows are on the workers, see `boolfact.model.rows.RowMatrix`.

    Each block is a future of a `PackedMatrix`, with the weights of its rows if they have any. A
    block that is lost with its worker is made again, from what it was made of.

    Attributes
    ----------
    cluster : Cluster
    blocks : tuple of futures
    facts : tuple of BlockFacts
        Of each block; none is without rows.
    column_weights : ndarray of int64, optional
    false_one_cost, missed_one_cost : int
    column_names : tuple of str, optional
    """

    cluster: Cluster
    blocks: tuple[Any, ...]
    facts: tuple[BlockFacts, ...]
    column_weights: NDArray[np.int64] | None = None
    false_one_cost: int = 1
    missed_one_cost: int = 1
    column_names: tuple[str, ...] | None = None

    row_weights = None
    """Those of merged rows are with the blocks."""
    row_names = None
    """Names of so many rows would only fill memory."""

    @classmethod
    def from_blocks(
        cls, cluster: Cluster, blocks: Sequence[Any], labels: Sequence[str] | None = None
    ) -> ClusterRows:
        """From futures of packed matrices with the same columns; those that are None are left out.

        `labels` is what they are called in a message.
        """
        labels = [f"block {number}" for number in range(len(blocks))] if labels is None else labels
        found = cluster.map(_facts, blocks)
        kept = [known for known in zip(blocks, found, labels, strict=True) if known[1] is not None]
        if not kept:
            raise ValueError("the matrix is empty: it has 0 rows")
        facts = [known for _, known, _ in kept]
        check_columns(
            [label for _, _, label in kept],
            [known.columns for known in facts],
            [known.column_names for known in facts],
        )
        futures = tuple(block for block, _, _ in kept)
        return cls(cluster, futures, tuple(facts), column_names=facts[0].column_names)

    def balanced(self) -> ClusterRows:
        """The same rows in blocks of about the same size, a few for each worker.

        Nothing is done where they are already.
        """
        n, workers = self.shape[0], self.cluster.workers
        step = rows_of_part(n, workers)
        sizes = [facts.rows for facts in self.facts]
        wanted = -(-n // step)
        if max(sizes) <= 2 * step and len(sizes) <= 4 * wanted:
            return self
        cuts = np.linspace(0, n, wanted + 1).astype(np.int64)
        blocks = []
        for number, (start, stop) in enumerate(itertools.pairwise(cuts)):
            first = int(np.searchsorted(self.starts, start, side="right")) - 1
            last = int(np.searchsorted(self.starts, stop, side="left"))
            pieces = self.blocks[first:last]
            part = slice(int(start - self.starts[first]), int(stop - self.starts[first]))
            blocks.append(self.cluster.submit(_joined, part, *pieces, place=number))
        again = ClusterRows.from_blocks(self.cluster, blocks)
        return replace(self, blocks=again.blocks, facts=again.facts)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each block, and the number of all rows."""
        return np.cumsum([0, *(facts.rows for facts in self.facts)])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.starts[-1]), self.facts[0].columns

    @property
    def n_ones(self) -> int:
        """How many entries are 1."""
        return sum(facts.ones for facts in self.facts)

    @property
    def n_missing(self) -> int:
        """How many entries are missing."""
        return sum(facts.missing for facts in self.facts)

    def take(self, rows: slice | NDArray[np.int64]) -> PackedMatrix:
        """Some rows, in ascending order, here."""
        tasks = []
        for block, first, end in zip(self.blocks, self.starts, self.starts[1:], strict=False):
            chosen: slice | NDArray[np.int64]
            if isinstance(rows, slice):
                start, stop, _ = rows.indices(self.shape[0])
                chosen = slice(max(start, first) - first, min(stop, end) - first)
                is_empty = chosen.start >= chosen.stop
            else:
                a, b = np.searchsorted(rows, [first, end])
                chosen = rows[a:b] - first
                is_empty = a == b
            if not is_empty:
                tasks.append(self.cluster.submit(_taken, block, chosen))
        return self._like(stacked(self.cluster.gather(tasks)))

    def here(self) -> PackedMatrix:
        """All rows, here."""
        return self._like(stacked(self.cluster.gather(self.blocks)))

    def values(self, rows: slice | NDArray[np.int64]) -> NDArray[np.int8]:
        """See `RowMatrix`."""
        return self.take(rows).values(slice(None))

    def bits(self, part: slice) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """See `RowMatrix`."""
        return self.take(part).bits(slice(None))

    def digest(self) -> str:
        """See `boolfact.model.rows.digest_of`: all rows pass by here, some at a time."""
        return digest_of(_Passing(self))

    def each_block(
        self, function: Callable[[PackedMatrix], Any], stop: Stop | None = None
    ) -> list[Any] | None:
        """A function of each block, where the block is; None if the stop came first."""
        tasks = [self.cluster.submit(function, block) for block in self.blocks]
        return self.cluster.gather(tasks) if self.cluster.wait(tasks, stop) else None

    def _like(self, matrix: PackedMatrix) -> PackedMatrix:
        return replace(
            matrix,
            column_weights=self.column_weights,
            false_one_cost=self.false_one_cost,
            missed_one_cost=self.missed_one_cost,
            column_names=self.column_names,
        )


class _Passing:
    """The same rows for a reader who goes from the first to the last, many of them at a time."""

    def __init__(self, rows: ClusterRows) -> None:
        self._rows = rows
        self._window = slice(0, 0)
        self._here: PackedMatrix | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def bits(self, part: slice) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        if self._here is None or part.stop > self._window.stop:
            n, m = self._rows.shape
            size = max(part.stop - part.start, _WINDOW_BITS // m)
            self._window = slice(part.start, min(n, part.start + size))
            self._here = self._rows.take(self._window)
        first = self._window.start
        return self._here.bits(slice(part.start - first, part.stop - first))


def _facts(block: PackedMatrix | None) -> BlockFacts | None:
    if block is None:
        return None
    return BlockFacts(*block.shape, block.n_ones, block.n_missing, block.column_names)


def _joined(part: slice, *blocks: PackedMatrix) -> PackedMatrix:
    """Some rows of blocks that follow one another; not a view, which would keep all of them."""
    whole = stacked(blocks) if len(blocks) > 1 else blocks[0]
    own = whole.take(np.arange(part.start, part.stop))
    return replace(own, column_names=blocks[0].column_names)


def _taken(block: PackedMatrix, rows: Any) -> PackedMatrix:
    return block.take(rows)
