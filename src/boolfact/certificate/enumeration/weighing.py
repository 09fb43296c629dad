"""What sets of columns are worth, one by one and two together.

A group of sets covers in each row one of the unions of its sets, or nothing. Its worth is the sum
over the ones that it covers of the price less the charges of all zeros that it covers, where that
is positive. J is the most that it can be worth. Blocks share no charge, so J is a sum over blocks.

In a block the rows choose one after the other, by branch and bound. Further rows only add charges
to the ones of the rows before, and a row adds no more than what it is worth by itself. So the rows
so far, and each row to come by itself, are worth no less than what can be reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.certificate.cover.part import Duals

__all__ = ["APART", "Scales", "make_scales", "pair_deficits", "worths_by_block"]

APART = 65535
"""In the table of deficits: two sets that fall short of what is needed by themselves."""
_MOST_NODES = 100_000
"""For one group and block: then what the rows are worth by themselves must do."""


class Scales(NamedTuple):
    """Prices and charges; rows are in the order of blocks, ones in the order of rows.

    Attributes
    ----------
    price, column : array (E,)
    row_start : array (n + 1,)
        The ones of row i are row_start[i], ..., row_start[i + 1] - 1.
    block_start : array (Q + 1,)
        The rows of block q, in the same way.
    own_start, own : array (E + 1,), array (.., 2)
        Charges on one e by zeros of its row: column and amount.
    into_start, into : array (E + 1,), array (.., 3)
        Charges on one e by zeros of other rows: row, column and amount.
    from_start, charged : array (n + 1,), array (.., 3)
        The same by the row of the zero: column of the zero, the one and the amount.
    """

    price: NDArray[np.int64]
    column: NDArray[np.int64]
    row_start: NDArray[np.int64]
    block_start: NDArray[np.int64]
    own_start: NDArray[np.int64]
    own: NDArray[np.int64]
    into_start: NDArray[np.int64]
    into: NDArray[np.int64]
    from_start: NDArray[np.int64]
    charged: NDArray[np.int64]


def make_scales(duals: Duals) -> Scales:
    """Lay out the duals of a point."""
    rows = [i for block in duals.blocks for i in block]
    place = np.empty(len(rows), dtype=np.int64)
    place[rows] = np.arange(len(rows))
    order = np.argsort(place[duals.ones[:, 0]], kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    row, column, price = duals.ones[order].T
    row = place[row]
    zero_row, zero_column, one, amount = duals.charges.T
    zero_row, one = place[zero_row], rank[one]
    inside = zero_row == row[one]
    own_start, own = _by_name(one[inside], len(price), zero_column[inside], amount[inside])
    zero_row, zero_column, one, amount = (
        x[~inside] for x in (zero_row, zero_column, one, amount)
    )  # fmt: skip
    into_start, into = _by_name(one, len(price), zero_row, zero_column, amount)
    from_start, charged = _by_name(zero_row, len(rows), zero_column, one, amount)
    return Scales(
        np.ascontiguousarray(price),
        np.ascontiguousarray(column),
        np.searchsorted(row, np.arange(len(rows) + 1)).astype(np.int64),
        np.cumsum([0, *(len(block) for block in duals.blocks)], dtype=np.int64),
        own_start, own, into_start, into, from_start, charged,
    )  # fmt: skip


def _by_name(
    names: NDArray[np.int64], count: int, *fields: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the fields of each name begin, and the fields in the order of their names."""
    order = np.argsort(names, kind="stable")
    starts = np.searchsorted(names[order], np.arange(count + 1)).astype(np.int64)
    return starts, np.ascontiguousarray(np.column_stack(fields)[order])


@njit(cache=True, nogil=True)
def worths_by_block(scales: Scales, sets: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """What each set is worth in each block, to `out` of shape (sets, blocks)."""
    codes = np.zeros(2, np.int64)
    left = np.zeros((2, len(scales.price)), np.int64)
    for u in range(len(sets)):
        codes[1] = sets[u]
        _leave(scales, codes, left)
        for q in range(out.shape[1]):
            out[u, q] = _block_most(scales, q, codes, left, 0)


@njit(cache=True, nogil=True)
def pair_deficits(
    scales: Scales,
    sets: NDArray[np.int64],
    by_block: NDArray[np.int64],
    short: NDArray[np.int64],
    u: int,
    first: int,
    last: int,
    room: int,
    unit: int,
    out: NDArray[np.uint16],
) -> None:
    """By how much set u and each set from `first` to `last` are worth less together than apart.

    Parameters
    ----------
    scales : Scales
    sets : array (N,)
    by_block : array (N, Q)
        From `worths_by_block`.
    short : array (N,)
        By how much each falls short of the best.
    u, first, last : int
    room : int
        By how much two sets may fall short together, with their deficit; others are `APART`.
    unit : int
        Deficits are written down in this unit, rounded down.
    out : array of uint16, shape (N,)
    """
    codes = np.zeros(4, np.int64)
    left = np.zeros((4, len(scales.price)), np.int64)
    blocks = by_block.shape[1]
    cheap = np.zeros(blocks, np.int64)
    codes[1] = sets[u]
    for v in range(first, last):
        rest = room - short[u] - short[v]
        out[v] = APART
        if rest < 0:
            continue
        codes[2], codes[3] = sets[v], sets[u] | sets[v]
        _leave(scales, codes, left)
        deficit = 0
        for q in range(blocks):
            apart = by_block[u, q] + by_block[v, q]
            cheap[q] = min(apart, _rows_apart(scales, q, left))
            deficit += apart - cheap[q]
        for q in range(blocks):
            if deficit > rest:
                break
            # Either set by itself is a choice that they have together.
            known = max(by_block[u, q], by_block[v, q])
            # Worth no more than this, the block makes the two fall too short, by however much.
            known = max(known, cheap[q] - (rest - deficit) - 1)
            if cheap[q] > known:
                together = _block_most(scales, q, codes, left, known)
                deficit += cheap[q] - min(cheap[q], together)
        if deficit <= rest:
            out[v] = deficit // unit


@njit(cache=True, nogil=True)
def _leave(scales: Scales, codes: NDArray[np.int64], left: NDArray[np.int64]) -> None:
    """What the zeros of its own row leave of each price, for each choice of columns."""
    for choice in range(1, len(codes)):
        columns = codes[choice]
        for e in range(len(scales.price)):
            x = 0
            if columns >> scales.column[e] & 1:
                x = scales.price[e]
                for t in range(scales.own_start[e], scales.own_start[e + 1]):
                    if columns >> scales.own[t, 0] & 1:
                        x -= scales.own[t, 1]
            left[choice, e] = max(x, 0)


@njit(cache=True, nogil=True)
def _row_most(scales: Scales, i: int, left: NDArray[np.int64]) -> int:
    """The most that a row is worth by itself."""
    most = 0
    for choice in range(1, len(left)):
        worth = 0
        for e in range(scales.row_start[i], scales.row_start[i + 1]):
            worth += left[choice, e]
        most = max(most, worth)
    return most


@njit(cache=True, nogil=True)
def _rows_apart(scales: Scales, q: int, left: NDArray[np.int64]) -> int:
    """What the rows of a block are worth, each by itself."""
    total = 0
    for i in range(scales.block_start[q], scales.block_start[q + 1]):
        total += _row_most(scales, i, left)
    return total


@njit(cache=True, nogil=True)
def _block_most(
    scales: Scales, q: int, codes: NDArray[np.int64], left: NDArray[np.int64], known: int
) -> int:
    """The most that a block can be worth, or more where that takes too long; `known` at least."""
    first, last = scales.block_start[q], scales.block_start[q + 1]
    rows = last - first
    most = np.zeros(rows, np.int64)
    for i in range(rows):
        most[i] = _row_most(scales, first + i, left)
    order = np.argsort(-most)
    after = np.zeros(rows + 1, np.int64)
    for d in range(rows - 1, -1, -1):
        after[d] = after[d + 1] + most[order[d]]
    if rows == 1 or after[0] <= known:
        return max(after[0], known)
    begin = scales.row_start[first]
    rest = np.zeros((rows + 1, scales.row_start[last] - begin), np.int64)
    value = np.zeros(rows + 1, np.int64)
    choice = np.full(rows, len(codes), np.int64)
    covered = np.zeros(rows, np.int64)
    best, depth, nodes = known, 0, 0
    while depth >= 0:
        i = order[depth]
        covered[i] = 0
        choice[depth] -= 1
        if choice[depth] < 0:
            depth -= 1
            continue
        nodes += 1
        if nodes > _MOST_NODES:
            return after[0]
        rest[depth + 1] = rest[depth]
        worth = value[depth]
        if choice[depth] > 0:
            covered[i] = codes[choice[depth]]
            worth += _join(scales, first, i, covered, left[choice[depth]], rest[depth + 1])
        if worth + after[depth + 1] <= best:
            continue
        if depth + 1 == rows:
            best = worth
            continue
        depth += 1
        value[depth], choice[depth] = worth, len(codes)
    return best


@njit(cache=True, nogil=True)
def _join(
    scales: Scales,
    first: int,
    i: int,
    covered: NDArray[np.int64],
    left: NDArray[np.int64],
    rest: NDArray[np.int64],
) -> int:
    """Row i of a block joins those that have chosen: by how much their worth changes.

    `rest` is what is left of the prices of the block, below zero where more was charged.
    """
    begin = scales.row_start[first]
    change = 0
    for t in range(scales.from_start[first + i], scales.from_start[first + i + 1]):
        if covered[i] >> scales.charged[t, 0] & 1:
            e = scales.charged[t, 1] - begin
            before = rest[e]
            if before > 0:
                rest[e] = before - scales.charged[t, 2]
                change -= before - max(rest[e], 0)
    for e in range(scales.row_start[first + i], scales.row_start[first + i + 1]):
        x = left[e]
        if x > 0:
            for t in range(scales.into_start[e], scales.into_start[e + 1]):
                if covered[scales.into[t, 0] - first] >> scales.into[t, 1] & 1:
                    x -= scales.into[t, 2]
        rest[e - begin] = max(x, 0)
        change += rest[e - begin]
    return change
