"""Kernels of the walk through all sets of columns of an assigned cover.

The first columns are taken or skipped one after the other, depth first; the last few are
walked for all their sets at once, one lane per set. For every one e there are kept

    left_e    price, less the charges of its own row's zeros in the columns taken; the price
              once more off if its column was skipped, which leaves nothing,
    cross_er  charges on e from the zeros of row r of its block, in the columns taken.

The sum of the positive parts of `left` bounds the worth of every set below a node: charges
only grow, ones only go. At a set that is complete it is a bound as well, and the worth is
reached from it piece by piece: a piece is some rows of a block, and its value is the best
over the subsets of its rows, with the charges between them. Larger pieces replace smaller ones,
and the value can only fall, so one may stop as soon as the sum is within the limit.

Everything is a whole number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "DEPTH",
    "DONE",
    "FOUND",
    "NODES",
    "UNFINISHED",
    "WORTH",
    "Lanes",
    "Layout",
    "Scratch",
    "Stack",
    "Steps",
    "advance",
    "piece_values",
]

DONE, UNFINISHED, FOUND = 0, 1, 2
"""How `advance` returns: no set above the limit, budget used up, a set above it."""

DEPTH, NODES, WORTH = 0, 1, 2
"""Places in `state`: columns decided, sets looked at, and the worth of the set found."""

_TAKE, _SKIP = 0, 1

_FEW = 6
"""A lane in so many is few."""


class Layout(NamedTuple):
    """Where things are; rows are in the order of blocks, ones in the order of rows.

    Attributes
    ----------
    first_one : array (n + 1,)
        The ones of row i are first_one[i], ..., first_one[i + 1] - 1.
    block : array (n,)
        The first row of the block of row i.
    slot : array (E,)
        cross_er is at slot[e] + r - (first row of the block).
    pieces : array (P, 2)
        First row and end of each piece, in the order in which they are tried.
    gains : array (P,)
        How much each piece has taken off so far.
    """

    first_one: NDArray[np.int64]
    block: NDArray[np.int64]
    slot: NDArray[np.int64]
    pieces: NDArray[np.int64]
    gains: NDArray[np.int64]


class Steps(NamedTuple):
    """What a column of the first ones adds: `left` if taken or skipped, `cross` if taken."""

    left: NDArray[Any]  # (2, columns, E)
    cross: NDArray[Any]  # (columns, slots)


class Lanes(NamedTuple):
    """What each set of the last columns adds."""

    left: NDArray[Any]  # (E, lanes)
    cross: NDArray[Any]  # (slots, lanes)


class Stack(NamedTuple):
    """A node of each depth, and the choice to try next there."""

    left: NDArray[Any]  # (columns + 1, E)
    cross: NDArray[Any]  # (columns + 1, slots)
    choice: NDArray[np.int64]  # (columns + 1,)


class Scratch(NamedTuple):
    """Space for one node: values per row and lane, and `left` and `cross` of one piece."""

    rows: NDArray[Any]  # (n, lanes)
    total: NDArray[Any]  # (lanes,)
    best: NDArray[Any]  # (2, lanes)
    left: NDArray[Any]  # (ones of a piece, lanes)
    cross: NDArray[Any]  # (rows of a piece, ones of a piece, lanes)
    live: NDArray[np.int64]  # (lanes,)
    names: NDArray[np.int64]  # (2, ones of a piece)
    slots: NDArray[np.int64]  # (ones of a piece,)


@njit(cache=True, nogil=True)
def advance(
    layout: Layout,
    steps: Steps,
    lanes: Lanes,
    stack: Stack,
    scratch: Scratch,
    state: NDArray[np.int64],
    limit: int,
    budget: int,
) -> int:
    """Go on with the walk from where it stopped.

    Parameters
    ----------
    layout, steps, lanes, stack, scratch
        See the classes.
    state : array (3,)
        See `DEPTH`, `NODES`, `WORTH`.
    limit : int
        Sets worth more are looked for.
    budget : int
        Numbers to touch, about, before returning.
    """
    last = steps.left.shape[1]
    depth = state[DEPTH]
    work = 0
    answer = DONE
    while depth >= 0:
        if work >= budget:
            answer = UNFINISHED
            break
        if depth == last:
            used, lane = _best_lane(
                layout, lanes, scratch, stack.left[depth], stack.cross[depth], limit
            )
            work += used
            state[NODES] += scratch.total.shape[0]
            if lane >= 0:
                state[WORTH] = scratch.total[lane]
                answer = FOUND
                break
            depth -= 1
            continue
        choice = stack.choice[depth]
        if choice > _SKIP:
            depth -= 1
            continue
        stack.choice[depth] += 1
        highest = _step(stack.left[depth], steps.left[choice, depth], stack.left[depth + 1])
        work += stack.left.shape[1]
        if highest > limit:
            if choice == _TAKE:
                _add(stack.cross[depth], steps.cross[depth], stack.cross[depth + 1])
            else:
                stack.cross[depth + 1] = stack.cross[depth]
            work += stack.cross.shape[1]
            depth += 1
            if depth < last:
                stack.choice[depth] = _TAKE
    state[DEPTH] = depth
    return answer


@njit(cache=True, nogil=True)
def _step(before: NDArray[Any], change: NDArray[Any], after: NDArray[Any]) -> int:
    """Add, and sum up what is positive."""
    highest = 0
    for e in range(len(before)):
        after[e] = before[e] + change[e]
        highest += max(after[e], 0)
    return highest


@njit(cache=True, nogil=True)
def _add(before: NDArray[Any], change: NDArray[Any], after: NDArray[Any]) -> None:
    for u in range(len(before)):
        after[u] = before[u] + change[u]


@njit(cache=True, nogil=True)
def _best_lane(
    layout: Layout,
    lanes: Lanes,
    scratch: Scratch,
    left: NDArray[Any],
    cross: NDArray[Any],
    limit: int,
) -> tuple[int, int]:
    """The work done, and a lane whose worth is above the limit, -1 if there is none.

    Its worth is scratch.total[lane] then, for every piece has been tried.
    """
    rows, total = scratch.rows, scratch.total
    work = _row_values(layout.first_one, left, lanes.left, rows, total)
    for u in range(len(layout.pieces)):
        low, high = layout.pieces[u]
        alive = _live_lanes(total, limit, scratch.live)
        if alive == 0:
            return work, -1
        if not _worth_a_try(rows, low, high, scratch.live[:alive]):
            continue
        work += piece_values(layout, u, lanes, left, cross, scratch, alive)
        best = scratch.best[0]
        for s in range(alive):
            lane = scratch.live[s]
            before = 0
            for i in range(low, high):
                before += rows[i, lane]
                rows[i, lane] = 0
            rows[low, lane] = best[s]
            total[lane] -= before - best[s]
            layout.gains[u] += before - best[s]
    for lane in range(len(total)):
        if total[lane] > limit:
            return work, lane
    return work, -1


@njit(cache=True, nogil=True)
def _row_values(
    first_one: NDArray[np.int64],
    left: NDArray[Any],
    change: NDArray[Any],
    rows: NDArray[Any],
    total: NDArray[Any],
) -> int:
    """The value of each row by itself, in each lane, and their sum."""
    size = len(total)
    total[:] = 0
    work = 0
    for i in range(len(first_one) - 1):
        rows[i, :] = 0
        for e in range(first_one[i], first_one[i + 1]):
            start = left[e]
            if start > 0:
                work += size
                for s in range(size):
                    rows[i, s] += max(start + change[e, s], 0)
        for s in range(size):
            total[s] += rows[i, s]
    return work


@njit(cache=True, nogil=True)
def _live_lanes(total: NDArray[Any], limit: int, live: NDArray[np.int64]) -> int:
    """The lanes above the limit; all lanes, if these are not few, but none if there is none.

    Picking lanes out costs more than it saves where many are alive.
    """
    count = 0
    for lane in range(len(total)):
        if total[lane] > limit:
            live[count] = lane
            count += 1
    if count * _FEW <= len(total):
        return count
    for lane in range(len(total)):
        live[lane] = lane
    return len(total)


@njit(cache=True, nogil=True)
def _worth_a_try(rows: NDArray[Any], low: int, high: int, live: NDArray[np.int64]) -> bool:
    """Whether more than one row of the piece has a value: else there is nothing to take off."""
    count = 0
    for i in range(low, high):
        for lane in live:
            if rows[i, lane] > 0:
                count += 1
                break
    return count > 1


@njit(cache=True, nogil=True)
def piece_values(
    layout: Layout,
    u: int,
    lanes: Lanes,
    left: NDArray[Any],
    cross: NDArray[Any],
    scratch: Scratch,
    alive: int,
) -> int:
    """The best value of any subset of the rows of piece u, for each live lane.

    Goes to scratch.best[0]; returns the work done. Rows without anything left are out; rows
    that charge no other row are in; the others are walked through in the order of a Gray code,
    so each subset differs from the last one by one row.
    """
    low, high = layout.pieces[u]
    row_of, one_of = scratch.names
    ones = _name_ones(layout.first_one, low, high, left, row_of, one_of)
    inside = np.zeros(high - low, dtype=np.bool_)
    for q in range(ones):
        inside[row_of[q]] = True
    _gather_left(one_of[:ones], left, lanes.left, scratch.live[:alive], scratch.left)
    choosing = np.empty(high - low, dtype=np.int64)
    count = 0
    for r in range(high - low):
        if inside[r]:
            # The place of a charge of row r on one e.
            for q in range(ones):
                scratch.slots[q] = layout.slot[one_of[q]] + low + r - layout.block[low]
            if _gather_charges(
                scratch.slots[:ones], cross, lanes.cross, scratch.live[:alive], scratch.cross[r]
            ):
                choosing[count] = r
                count += 1
    _best_subsets(
        scratch.left, scratch.cross, row_of[:ones], choosing[:count], inside, scratch.best, alive
    )
    return ones * alive * (high - low + (1 << count))


@njit(cache=True, nogil=True)
def _name_ones(
    first_one: NDArray[np.int64],
    low: int,
    high: int,
    left: NDArray[Any],
    row_of: NDArray[np.int64],
    one_of: NDArray[np.int64],
) -> int:
    """The ones of a piece of which something is left."""
    count = 0
    for i in range(low, high):
        for e in range(first_one[i], first_one[i + 1]):
            if left[e] > 0:
                row_of[count], one_of[count] = i - low, e
                count += 1
    return count


@njit(cache=True, nogil=True)
def _gather_left(
    one_of: NDArray[np.int64],
    left: NDArray[Any],
    change: NDArray[Any],
    live: NDArray[np.int64],
    out: NDArray[Any],
) -> None:
    every = len(live) == change.shape[1]
    for q in range(len(one_of)):
        e = one_of[q]
        start = left[e]
        if every:
            for s in range(len(live)):
                out[q, s] = start + change[e, s]
        else:
            for s in range(len(live)):
                out[q, s] = start + change[e, live[s]]


@njit(cache=True, nogil=True)
def _gather_charges(
    slots: NDArray[np.int64],
    cross: NDArray[Any],
    change: NDArray[Any],
    live: NDArray[np.int64],
    out: NDArray[Any],
) -> bool:
    """The charges of one row on the ones of a piece; whether there can be any.

    Nothing charges more than the last lane, which takes every column.
    """
    every = len(live) == change.shape[1]
    found = False
    for q in range(len(slots)):
        at = slots[q]
        start = cross[at]
        found = found or start + change[at, -1] > 0
        if every:
            for s in range(len(live)):
                out[q, s] = start + change[at, s]
        else:
            for s in range(len(live)):
                out[q, s] = start + change[at, live[s]]
    return found


@njit(cache=True, nogil=True)
def _best_subsets(
    rest: NDArray[Any],
    charges: NDArray[Any],
    row_of: NDArray[np.int64],
    choosing: NDArray[np.int64],
    inside: NDArray[np.bool_],
    best: NDArray[Any],
    alive: int,
) -> None:
    """For each lane, to best[0]: the most that any subset of the rows to choose from leaves."""
    inside[choosing] = False
    best[0, :alive] = 0
    _sum_up(rest, row_of, inside, best[1], alive)
    for s in range(alive):
        best[0, s] = best[1, s]
    for code in range(1, 1 << len(choosing)):
        v = 0
        while not code >> v & 1:
            v += 1
        r = choosing[v]
        inside[r] = not inside[r]
        best[1, :alive] = 0
        if inside[r]:
            _take_off(rest, charges, r, row_of, inside, best, alive)
        else:
            _give_back(rest, charges, r, row_of, inside, best, alive)
        for s in range(alive):
            best[0, s] = max(best[0, s], best[1, s])


@njit(cache=True, nogil=True)
def _sum_up(
    rest: NDArray[Any],
    row_of: NDArray[np.int64],
    inside: NDArray[np.bool_],
    value: NDArray[Any],
    alive: int,
) -> None:
    """What is positive in the rows that are in."""
    value[:alive] = 0
    for q in range(len(row_of)):
        if inside[row_of[q]]:
            for s in range(alive):
                value[s] += max(rest[q, s], 0)


@njit(cache=True, nogil=True)
def _take_off(
    rest: NDArray[Any],
    charges: NDArray[Any],
    r: int,
    row_of: NDArray[np.int64],
    inside: NDArray[np.bool_],
    best: NDArray[Any],
    alive: int,
) -> None:
    """Row r joins: take its charges off, and add up to best[1] what is left."""
    for q in range(len(row_of)):
        if inside[row_of[q]]:
            for s in range(alive):
                rest[q, s] -= charges[r, q, s]
                best[1, s] += max(rest[q, s], 0)
        else:
            for s in range(alive):
                rest[q, s] -= charges[r, q, s]


@njit(cache=True, nogil=True)
def _give_back(
    rest: NDArray[Any],
    charges: NDArray[Any],
    r: int,
    row_of: NDArray[np.int64],
    inside: NDArray[np.bool_],
    best: NDArray[Any],
    alive: int,
) -> None:
    """Row r leaves: give its charges back, and add up to best[1] what is left."""
    for q in range(len(row_of)):
        if inside[row_of[q]]:
            for s in range(alive):
                rest[q, s] += charges[r, q, s]
                best[1, s] += max(rest[q, s], 0)
        else:
            for s in range(alive):
                rest[q, s] += charges[r, q, s]
