"""What two sets of columns are worth together.

Some rectangles of a factorisation are a group. Give every one that they cover to the group, and
charge it with all zeros that the group covers: no charge counts twice, so the proof of assigned
cover holds for groups in place of rectangles. With J(T) the most that a group with the sets T of
columns can be worth, and T_1, T_2, ... any division of the k sets into groups,

    error >= sum(p) - J(T_1) - J(T_2) - ...

J is at most the sum of what the sets are worth by themselves, and falls short of it by a *deficit*
where they overlap: a one that both cover counts once.

In each row a group of two sets u and v covers nothing, u, v, or both. Rows of different blocks
share no charge, so J is a sum over blocks, each with its best choice for every row: branch and
bound over at most 4^rows choices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.point import CoverPoint

__all__ = ["JointData", "joint_data", "pair_deficits"]

_CHOICES = 4
"""For a row: nothing, the first set, the second, both."""


class JointData(NamedTuple):
    """Sets of columns, and the prices and charges at which they are weighed.

    Attributes
    ----------
    sets : ndarray, shape (N,)
        Columns as bits.
    worths : ndarray, shape (N,)
        What each is worth by itself.
    in_blocks : ndarray, shape (N, blocks)
        The same, block by block.
    left : ndarray, shape (N, E)
        What is left of each price after the charges along its row, if the set is taken.
    p : ndarray, shape (E,)
    along : ndarray, shape (m, E)
    across : ndarray, shape (E, slots)
    one_column, row_start, block_start : ndarray
        As in `boolfact.colgen.cover.layout.Layout`.
    zeros : ndarray, shape (n,)
        The zeros of each row, columns as bits.
    """

    sets: NDArray[np.int64]
    worths: NDArray[np.int64]
    in_blocks: NDArray[np.int64]
    left: NDArray[np.int32]
    p: NDArray[np.int32]
    along: NDArray[np.int32]
    across: NDArray[np.int32]
    one_column: NDArray[np.int64]
    row_start: NDArray[np.int64]
    block_start: NDArray[np.int64]
    zeros: NDArray[np.int64]


def joint_data(point: CoverPoint, B: NDArray[np.bool_]) -> JointData:
    """Lay out some sets of columns for `pair_deficits`."""
    layout = point.layout
    m = layout.shape[1]
    bits = np.int64(1) << np.arange(m, dtype=np.int64)
    in_blocks = _worths_in_blocks(point, B)
    return JointData(
        sets=B.astype(np.int64) @ bits,
        worths=in_blocks.sum(axis=1),
        in_blocks=in_blocks,
        left=np.ascontiguousarray(point.p - B.astype(np.int32) @ point.along.T, dtype=np.int32),
        p=point.p,
        along=np.ascontiguousarray(point.along.T),
        across=point.across,
        one_column=layout.one_column,
        row_start=layout.row_start,
        block_start=layout.block_start,
        zeros=layout.zeros.astype(np.int64) @ bits,
    )


def _worths_in_blocks(point: CoverPoint, B: NDArray[np.bool_]) -> NDArray[np.int64]:
    """What each set is worth in each block."""
    layout = point.layout
    starts = layout.block_start
    out = np.zeros((len(B), len(starts) - 1), dtype=np.int64)
    sets = np.ascontiguousarray(B)
    for q in range(out.shape[1]):
        _block_worths(
            sets, point.p, point.along, point.across, layout.one_column, layout.row_start,
            int(starts[q]), int(starts[q + 1]), out[:, q],
        )  # fmt: skip
    return out


@njit(cache=True, nogil=True)
def _block_worths(
    B: NDArray[np.bool_],
    p: NDArray[np.int32],
    along: NDArray[np.int32],
    across: NDArray[np.int32],
    one_column: NDArray[np.int64],
    row_start: NDArray[np.int64],
    first: int,
    last: int,
    out: NDArray[np.int64],
) -> None:
    """For each set the best subset of the rows of one block, in the order of a Gray code."""
    rows = last - first
    begin, end = row_start[first], row_start[last]
    rest = np.zeros(end - begin, np.int64)
    row_of = np.zeros(end - begin, np.int64)
    for i in range(first, last):
        for e in range(row_start[i], row_start[i + 1]):
            row_of[e - begin] = i - first
    inside = np.zeros(rows, np.bool_)
    for u in range(len(B)):
        for e in range(begin, end):
            x = np.int64(0)
            if B[u, one_column[e]]:
                x = np.int64(p[e])
                for c in range(B.shape[1]):
                    if B[u, c]:
                        x -= along[e, c]
            rest[e - begin] = x
        inside[:] = False
        best = np.int64(0)
        for code in range(1, 1 << rows):
            r = 0
            while not code >> r & 1:
                r += 1
            inside[r] = not inside[r]
            sign = -1 if inside[r] else 1
            value = np.int64(0)
            for t in range(end - begin):
                # A zero of row r in a column of the set charges the ones of that column.
                rest[t] += sign * across[begin + t, r] if B[u, one_column[begin + t]] else 0
                if inside[row_of[t]] and rest[t] > 0:
                    value += rest[t]
            best = max(best, value)
        out[u] = best


@njit(cache=True, nogil=True)
def pair_deficits(
    data: JointData,
    u: int,
    first: int,
    last: int,
    room: int,
    unit: int,
    out: NDArray[np.uint16],
) -> int:
    """By how much set u and each set from `first` to `last` are worth less together.

    Parameters
    ----------
    data : JointData
        Sorted by worth, best first.
    u, first, last : int
    room : int
        How far the worths of two sets and their deficit may fall short of twice the best worth;
        pairs beyond it are left alone.
    unit : int
        Deficits are written down in this unit, rounded down.
    out : ndarray of uint16
        For every set. What is not written stays.

    Returns
    -------
    int
        Choices for rows that were tried.
    """
    E = data.left.shape[1]
    codes = np.zeros(_CHOICES, np.int64)
    left = np.zeros((_CHOICES, E), np.int32)
    cheap = np.zeros(len(data.block_start) - 1, np.int64)
    best = data.worths[0]
    nodes = 0
    for v in range(first, last):
        rest = room - (best - data.worths[u]) - (best - data.worths[v])
        if rest < 0:
            break
        _take_both(data, u, v, codes, left)
        deficit = _without_charges(data, u, v, codes, left, cheap)
        for q in range(len(cheap)):
            if deficit > rest:
                break
            # Worth no more than this, the block makes the pair fall too short: how far is all one.
            enough = cheap[q] - (rest - deficit) - 1
            least = max(data.in_blocks[u, q], data.in_blocks[v, q], enough)
            if cheap[q] > least:
                worth, tried = _best_choice(data, q, codes, left, least)
                nodes += tried
                if worth < cheap[q]:
                    deficit += cheap[q] - worth
        if deficit <= rest:
            out[v] = deficit // unit
    return nodes


@njit(cache=True, nogil=True)
def _take_both(
    data: JointData, u: int, v: int, codes: NDArray[np.int64], left: NDArray[np.int32]
) -> None:
    """What is left of each price with one set, the other, and both: charges in common once."""
    codes[1], codes[2] = data.sets[u], data.sets[v]
    codes[3] = codes[1] | codes[2]
    common = codes[1] & codes[2]
    for e in range(len(data.p)):
        left[1, e] = data.left[u, e]
        left[2, e] = data.left[v, e]
        left[3, e] = data.left[u, e] + data.left[v, e] - data.p[e]
    for c in range(len(data.along)):
        if common >> c & 1:
            for e in range(len(data.p)):
                left[3, e] += data.along[c, e]


@njit(cache=True, nogil=True)
def _without_charges(
    data: JointData,
    u: int,
    v: int,
    codes: NDArray[np.int64],
    left: NDArray[np.int32],
    cheap: NDArray[np.int64],
) -> np.int64:
    """An upper bound for each block, without charges between rows, and the deficit from that."""
    deficit = np.int64(0)
    for q in range(len(cheap)):
        total = np.int64(0)
        for i in range(data.block_start[q], data.block_start[q + 1]):
            total += _row_most(data, i, codes, left)
        apart = data.in_blocks[u, q] + data.in_blocks[v, q]
        cheap[q] = min(total, apart)
        deficit += apart - cheap[q]
    return deficit


@njit(cache=True, nogil=True)
def _row_most(
    data: JointData, i: int, codes: NDArray[np.int64], left: NDArray[np.int32]
) -> np.int64:
    """The most that a row is worth by itself with any of its choices."""
    most = np.int64(0)
    for choice in range(1, _CHOICES):
        most = max(most, _row_worth(data, i, codes, left, choice))
    return most


@njit(cache=True, nogil=True)
def _row_worth(
    data: JointData, i: int, codes: NDArray[np.int64], left: NDArray[np.int32], choice: int
) -> np.int64:
    worth = np.int64(0)
    for e in range(data.row_start[i], data.row_start[i + 1]):
        if codes[choice] >> data.one_column[e] & 1:
            worth += max(left[choice, e], 0)
    return worth


@njit(cache=True, nogil=True)
def _best_choice(
    data: JointData, q: int, codes: NDArray[np.int64], left: NDArray[np.int32], least: int
) -> tuple[np.int64, int]:
    """The most that block q is worth, at least `least`, and how many choices were tried.

    Rows choose one after the other, those of most worth first. What the rows so far are worth
    only falls with further rows, which add no more than what they are worth by themselves.
    """
    first, last = data.block_start[q], data.block_start[q + 1]
    rows = last - first
    most = np.zeros(rows, np.int64)
    for i in range(rows):
        most[i] = _row_most(data, first + i, codes, left)
    order = np.argsort(-most)
    after = np.zeros(rows + 1, np.int64)
    for d in range(rows - 1, -1, -1):
        after[d] = after[d + 1] + most[order[d]]
    if after[0] <= least:
        return np.int64(least), 0
    begin, end = data.row_start[first], data.row_start[last]
    rest = np.zeros((rows + 1, end - begin), np.int32)
    value = np.zeros(rows + 1, np.int64)
    choice = np.full(rows + 1, _CHOICES, np.int64)
    taken = np.zeros(rows, np.int64)
    best, depth, tried = np.int64(least), 0, 0
    while depth >= 0:
        choice[depth] -= 1
        if choice[depth] < 0:
            depth -= 1
            continue
        tried += 1
        rest[depth + 1] = rest[depth]
        worth = value[depth] + _choose(
            data, first, order, taken, depth, codes, left, choice[depth], rest[depth + 1]
        )
        if worth + after[depth + 1] <= best:
            continue
        if depth + 1 == rows:
            best = worth
            continue
        depth += 1
        value[depth], choice[depth] = worth, _CHOICES
    return best, tried


@njit(cache=True, nogil=True)
def _choose(
    data: JointData,
    first: int,
    order: NDArray[np.int64],
    taken: NDArray[np.int64],
    depth: int,
    codes: NDArray[np.int64],
    left: NDArray[np.int32],
    choice: int,
    rest: NDArray[np.int32],
) -> np.int64:
    """Give the row at this depth its choice; by how much the worth of the block changes."""
    i = order[depth]
    begin = data.row_start[first]
    columns = codes[choice]
    change = np.int64(0)
    taken[depth] = columns
    for d in range(depth):
        # Zeros of the new row charge the ones of the rows before it, column by column.
        other = order[d]
        hit = taken[d] & columns & data.zeros[first + i]
        if hit:
            for e in range(data.row_start[first + other], data.row_start[first + other + 1]):
                if hit >> data.one_column[e] & 1 and rest[e - begin] > 0:
                    x = rest[e - begin]
                    rest[e - begin] = max(x - data.across[e, i], 0)
                    change -= x - rest[e - begin]
    for e in range(data.row_start[first + i], data.row_start[first + i + 1]):
        c = data.one_column[e]
        x = np.int32(0)
        if columns >> c & 1:
            x = left[choice, e]
            for d in range(depth):
                if taken[d] >> c & 1:
                    x -= data.across[e, order[d]]
        rest[e - begin] = max(x, 0)
        change += rest[e - begin]
    return change
