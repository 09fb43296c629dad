"""What the search around a circle adds up: every number is proved to fit before it is used.

A one e in column j brings p_e where j is taken, and loses its charges along the row at the
columns that are taken. What it loses to a zero of another row depends on the rows of the block
that are taken, too. So for every set a of rows of a block that holds the row of e, there is a
number

    x_ea = sum over the columns of what they bring to e  -  sum over rows i of a of cross_ei,

and the block is worth the largest sum over e of max(0, x_ea): the worth is a maximum of sums of
positive parts of linear functions of the columns, as `boolfact.certificate.cover.arcs` asks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover.circle import MOST_USUAL, Circle
from boolfact.certificate.cover.part import Duals

__all__ = ["Crossed", "Lifted", "lift"]

_MOST_NUMBERS = 2**27
"""Tables with more are not made: they would take a gigabyte."""
_MOST_SUM = 2**60
"""What sums of 64 bits are kept below, with room for rounding."""
_FINEST = 2**12
"""Numbers are multiplied until the largest is this: shifts are rounded to whole numbers."""
_LANES = 32
"""Rows of the tables are filled up with zeros to a multiple of this, for vectors."""


class Crossed(NamedTuple):
    """The blocks in which a zero of one row charges a one of another.

    A *member* is a one with such charges, a *link* one column that brings them.
    """

    first_row: NDArray[np.int64]
    """The rows of block u are first_row[u], ..., first_row[u + 1] - 1 of `first_one`."""
    first_one: NDArray[np.int64]  # (rows, 2)
    """First one, and end, of each row."""
    first_member: NDArray[np.int64]
    one: NDArray[np.int64]
    first_link: NDArray[np.int64]
    place: NDArray[np.int64]
    """Of each link, its column's place on the circle."""
    at: NDArray[np.int64]
    """Of each link: amounts[at + a] is what the set a of rows charges."""
    amounts: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Lifted:
    """What goes round the circle, with `unit` as the size of one.

    Attributes
    ----------
    steps : array (2, 2 m, E)
        What each place brings if its column is skipped, and if it is taken; twice around.
    weights : list of int
        Of each place.
    crossed : Crossed
    unit : int
        All sums that stand for worths are multiples of it.
    chunk : int
        So many numbers in a row add up within the type of `steps`.
    """

    steps: NDArray[Any]
    weights: list[int]
    crossed: Crossed
    unit: int
    chunk: int


class _Ordered(NamedTuple):
    """The duals in the order of blocks and rows; columns are places, -1 where nothing is priced."""

    row: NDArray[np.int64]
    place: NDArray[np.int64]
    price: NDArray[np.int64]
    ends: NDArray[np.int64]
    """The ones of row i are ends[i], ..., ends[i + 1] - 1."""
    block: NDArray[np.int64]
    blocks: NDArray[np.int64]
    """The rows of block u are blocks[u], ..., blocks[u + 1] - 1."""
    charges: NDArray[np.int64]
    """Row and place of the zero, the one, the amount."""


def lift(duals: Duals, circle: Circle) -> Lifted | None:
    """The tables of a part that has a price; None where they or their numbers are too large."""
    # A column without a price only charges: without it no rectangle is worth less.
    useful = np.isin(circle.order, duals.ones[:, 1])
    order, weights = circle.order[useful], circle.weights[useful]
    m, E = len(order), len(duals.ones)
    sizes = np.ones(duals.shape[0], dtype=np.int64)
    for block in duals.blocks:
        sizes[block] = len(block)
    charging = duals.charges[:, 0]
    across = charging != duals.ones[duals.charges[:, 2], 0]
    if 4 * (E + _LANES) * m + int((2 ** sizes[charging[across]]).sum()) > _MOST_NUMBERS:
        return None
    ordered = _in_order(duals, order)
    brought = np.zeros((m, -(-E // _LANES) * _LANES), dtype=np.int64)
    brought[ordered.place, np.arange(E)] = ordered.price
    row, place, one, amount = ordered.charges.T
    along = row == ordered.row[one]
    np.subtract.at(brought, (place[along], one[along]), amount[along])
    crosses = np.zeros(brought.shape[1], dtype=np.int64)
    np.add.at(crosses, one[~along], amount[~along])
    largest, total = int(np.abs(brought).max()), int(np.abs(brought).sum() + crosses.sum())
    unit = 1
    while unit * largest < _FINEST:
        unit *= 2
    while True:
        # Shifts are at most twice what is brought, but for their rounding.
        if unit * total * 8 + 4 * brought.size >= _MOST_SUM:
            return None
        taken, skipped = _shifted(brought * unit, weights, circle.usual[useful] / MOST_USUAL)
        top = np.maximum(0, np.maximum(taken, skipped)).sum(axis=0)
        low = np.maximum(0, np.maximum(-taken, -skipped)).sum(axis=0)
        chunk = _chunk(top, max(int(low.max()), unit * int(crosses.max())), ordered)
        if chunk or unit == 1:
            break
        unit //= 2
    kind = np.int32 if chunk else np.int64
    steps = np.tile(np.stack([skipped, taken]).astype(kind), (1, 2, 1))
    crossed = _crossed(ordered, unit, kind)
    return Lifted(steps, weights.tolist(), crossed, unit, chunk or len(top))


def _in_order(duals: Duals, order: NDArray[np.int64]) -> _Ordered:
    n = duals.shape[0]
    rows = np.array([i for block in duals.blocks for i in block], dtype=np.int64)
    position = np.empty(n, dtype=np.int64)
    position[rows] = np.arange(n)
    place = np.full(duals.shape[1], -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    own = position[duals.ones[:, 0]]
    sort = np.lexsort((place[duals.ones[:, 1]], own))
    new = np.empty(len(sort), dtype=np.int64)
    new[sort] = np.arange(len(sort))
    row, column, one, amount = duals.charges.T
    charges = np.column_stack([position[row], place[column], new[one], amount])
    sizes = [len(block) for block in duals.blocks]
    return _Ordered(
        own[sort],
        place[duals.ones[sort, 1]],
        duals.ones[sort, 2],
        np.searchsorted(own[sort], np.arange(n + 1)),
        np.repeat(np.arange(len(sizes)), sizes),
        np.append(0, np.cumsum(sizes)),
        charges[charges[:, 1] >= 0],
    )


def _shifted(
    brought: NDArray[np.int64], weights: NDArray[np.int64], usual: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What a column brings if it is taken, and if it is not.

    To both a shift is added, such that usual sets bring their worth evenly along the circle. The
    shifts are rounded, which is free, but they add up to zero exactly.
    """
    frequent = brought * usual[:, None]
    share = weights / weights.sum()
    shift = np.rint(np.outer(share, frequent.sum(axis=0)) - frequent).astype(np.int64)
    shift[np.argmax(weights)] -= shift.sum(axis=0)
    return brought + shift, shift


def _crossed(ordered: _Ordered, unit: int, kind: type[np.signedinteger]) -> Crossed:
    """The charges across rows, added up for every set of rows of the block."""
    row, place, one, amount = ordered.charges.T
    across = row != ordered.row[one]
    links: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, j, e, x in zip(row[across], place[across], one[across], amount[across], strict=True):
        links.setdefault((int(e), int(j)), []).append((int(i), int(x) * unit))
    first_row, first_one, first_member = [0], [], [0]
    members: list[int] = []
    first_link, places, at = [0], [], []
    amounts = [np.zeros(0, dtype=np.int64)]
    count = 0
    # Ones are in the order of blocks, so the members of a block come together.
    last_block = -1
    for e, j in sorted(links):
        block = int(ordered.block[ordered.row[e]])
        low, high = int(ordered.blocks[block]), int(ordered.blocks[block + 1])
        if block != last_block:
            first_one += [[ordered.ends[i], ordered.ends[i + 1]] for i in range(low, high)]
            first_row.append(len(first_one))
            first_member.append(first_member[-1])
            last_block = block
        if not members or members[-1] != e:
            members.append(e)
            first_member[-1] += 1
            first_link.append(first_link[-1])
        first_link[-1] += 1
        places.append(j)
        at.append(count)
        sets = np.arange(2 ** (high - low))
        own = sets >> (ordered.row[e] - low) & 1
        amounts.append(own * sum((sets >> (i - low) & 1) * x for i, x in links[e, j]))
        count += len(sets)
    first_members, of, first_links, in_columns, sums = (
        np.array(x, dtype=np.int64) for x in (first_member, members, first_link, places, at)
    )
    return Crossed(
        np.array(first_row, dtype=np.int64),
        np.array(first_one, dtype=np.int64).reshape(-1, 2),
        first_members,
        of,
        first_links,
        in_columns,
        sums,
        np.concatenate(amounts).astype(kind),
    )


def _chunk(top: NDArray[np.int64], lowest: int, ordered: _Ordered) -> int:
    """How many positive parts may be added up in 32 bits, 0 if these do not suffice.

    No number exceeds its `top`, and none falls below -lowest, nor is more than that charged across
    rows. What a block loses by its rows is no more than the positive parts of its ones.
    """
    limit = 2**31
    sums = np.append(0, np.cumsum(top))
    blocks = sums[ordered.ends[ordered.blocks]]
    if max(lowest, int((blocks[1:] - blocks[:-1]).max())) >= limit:
        return 0
    chunk = len(top)
    while chunk >= _LANES:
        if np.add.reduceat(top, np.arange(0, len(top), chunk)).max() < limit:
            return chunk
        chunk = chunk // 2 // _LANES * _LANES
    return 0
