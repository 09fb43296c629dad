"""The numbers that the walk adds up, laid out once per part.

Rows are put in the order of blocks, ones in the order of rows, and columns in the order in which
they are decided. Columns without a price are worth nothing and only charge, so no best set needs
them; whoever wants every set has to ask for every column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover.arrays import Lanes, Layout, Scratch, Steps
from boolfact.certificate.cover.part import Duals

__all__ = ["Tables", "halves", "make_scratch", "make_tables"]

_MOST_AT_ONCE = 600_000_000
"""Numbers touched for the lanes of one node: about a fifth of a second."""


@dataclass(frozen=True, eq=False)
class Tables:
    """What `boolfact.certificate.cover.walk.advance` needs; `columns` in the order of the walk."""

    layout: Layout
    steps: Steps
    lanes: Lanes
    prices: NDArray[np.signedinteger]
    columns: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Ordered:
    """The duals with rows and ones in order; `sizes` has the size of each row's block."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    price: NDArray[np.int64]
    charges: NDArray[np.int64]
    block: NDArray[np.int64]
    sizes: NDArray[np.int64]


def make_tables(
    duals: Duals, lane_columns: int, small_piece: int, *, every_column: bool = False
) -> Tables:
    """Lay out the duals of a part that has a price.

    Parameters
    ----------
    duals : Duals
    lane_columns : int
        How many columns are walked at once, if their lanes are not too much work.
    small_piece : int
        Blocks are cut in halves until their pieces have no more rows.
    every_column : bool
        Whether columns without a price are walked, too.
    """
    data = _in_order(duals)
    kind = _kind(data)
    columns = _by_charges(
        data, np.arange(duals.shape[1]) if every_column else np.unique(data.column)
    )
    # A one of a single row needs no slot: there is no other row to charge it.
    widths = np.where(data.sizes > 1, data.sizes, 0)[data.row]
    slot = np.cumsum(widths) - widths
    left, cross = _changes(data, columns, slot, int(widths.sum()))
    work = int(np.left_shift(1, data.sizes)[data.row].sum())
    while lane_columns > 0 and work << lane_columns > _MOST_AT_ONCE:
        lane_columns -= 1
    last = max(0, len(columns) - lane_columns)
    pieces = np.array(halves(duals.blocks, small_piece), dtype=np.int64).reshape(-1, 2)
    layout = Layout(
        np.searchsorted(data.row, np.arange(len(data.block) + 1)),
        data.block,
        slot,
        pieces,
        np.zeros(len(pieces), dtype=np.int64),
    )
    steps = Steps(
        np.ascontiguousarray(left[:, :last], dtype=kind),
        np.ascontiguousarray(cross[:last], dtype=kind),
    )
    lanes = _lanes(left[:, last:], cross[last:], kind)
    return Tables(layout, steps, lanes, data.price.astype(kind), columns)


def make_scratch(tables: Tables) -> Scratch:
    """Space for one node and one piece."""
    kind = tables.prices.dtype
    first = tables.layout.first_one
    lanes = tables.lanes.left.shape[1]
    low, high = tables.layout.pieces.T
    rows = int((high - low).max(initial=0))
    ones = int((first[high] - first[low]).max(initial=0))
    return Scratch(
        np.zeros((len(first) - 1, lanes), dtype=kind),
        np.zeros(lanes, dtype=kind),
        np.zeros((2, lanes), dtype=kind),
        np.zeros((ones, lanes), dtype=kind),
        np.zeros((rows, ones, lanes), dtype=kind),
        np.zeros(lanes, dtype=np.int64),
        np.zeros((2, ones), dtype=np.int64),
        np.zeros(ones, dtype=np.int64),
    )


def halves(blocks: list[list[int]], small_piece: int) -> list[tuple[int, int]]:
    """First row and end of blocks of several rows, their halves, quarters and so on.

    Small ones come first: a piece replaces what its halves were worth.

    Examples
    --------
    >>> halves([[7], [4, 2, 9, 5]], 2)
    [(1, 3), (3, 5), (1, 5)]
    """
    pieces = []
    end = 0
    for block in blocks:
        todo = [(end, end + len(block))] if len(block) > 1 else []
        end += len(block)
        while todo:
            low, high = todo.pop()
            pieces.append((low, high))
            middle = (low + high) // 2
            if high - low > small_piece:
                todo += [half for half in ((low, middle), (middle, high)) if half[1] - half[0] > 1]
    return sorted(pieces, key=lambda piece: (piece[1] - piece[0], piece[0]))


def _in_order(duals: Duals) -> _Ordered:
    rows = np.array([i for block in duals.blocks for i in block], dtype=np.int64)
    each = np.array([len(block) for block in duals.blocks], dtype=np.int64)
    place = np.empty(len(rows), dtype=np.int64)
    place[rows] = np.arange(len(rows))
    order = np.argsort(place[duals.ones[:, 0]], kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    row, column, price = duals.ones[order].T
    zero_row, zero_column, one, amount = duals.charges.T
    charges = np.column_stack([place[zero_row], zero_column, rank[one], amount])
    starts = np.repeat(np.cumsum(each) - each, each)
    return _Ordered(place[row], column, price, charges, starts, np.repeat(each, each))


def _kind(data: _Ordered) -> type[np.signedinteger]:
    """Half the memory, where it is enough for every sum."""
    lowest = 2 * data.price
    np.add.at(lowest, data.charges[:, 2], data.charges[:, 3])
    most = max(int(data.price.sum()), int(lowest.max(initial=0)))
    return np.int32 if most < 2**31 else np.int64


def _by_charges(data: _Ordered, columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """The columns in their order; first those that charge most, so bounds fall early."""
    place = dict(zip(columns.tolist(), range(len(columns)), strict=True))
    weight = [0] * len(columns)
    for _, c, _, x in data.charges.tolist():
        if c in place:
            weight[place[c]] += x
    return columns[np.argsort([-x for x in weight], kind="stable")]


def _changes(
    data: _Ordered, columns: NDArray[np.int64], slot: NDArray[np.int64], slots: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each column: what taking and skipping it adds to `left`, and taking it to `cross`."""
    ones, m = len(data.price), len(columns)
    place = dict(zip(columns.tolist(), range(m), strict=True))
    left = np.zeros((2, m, ones), dtype=np.int64)
    cross = np.zeros((m, slots), dtype=np.int64)
    left[1, [place[j] for j in data.column.tolist()], np.arange(ones)] = -data.price
    for r, c, e, x in data.charges.tolist():
        if c not in place:
            continue
        if r == data.row[e]:
            left[0, place[c], e] -= x
        else:
            cross[place[c], slot[e] + r - data.block[r]] += x
    return left, cross


def _lanes(
    left: NDArray[np.int64], cross: NDArray[np.int64], kind: type[np.signedinteger]
) -> Lanes:
    """Sums over every set of the last columns; bit d of the lane says whether d is in it."""
    _, columns, ones = left.shape
    left_sums = np.zeros((1 << columns, ones), dtype=np.int64)
    cross_sums = np.zeros((1 << columns, cross.shape[1]), dtype=np.int64)
    for lane in range(1 << columns):
        for d in range(columns):
            taken = lane >> d & 1
            left_sums[lane] += left[0 if taken else 1, d]
            cross_sums[lane] += cross[d] * taken
    return Lanes(
        np.ascontiguousarray(left_sums.T, dtype=kind),
        np.ascontiguousarray(cross_sums.T, dtype=kind),
    )
