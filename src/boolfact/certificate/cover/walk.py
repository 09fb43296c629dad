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

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.certificate.cover.arrays import Lanes, Layout, Scratch, Stack, Steps
from boolfact.certificate.cover.pieces import piece_values

__all__ = [
    "DEPTH",
    "DONE",
    "FOUND",
    "NODES",
    "UNFINISHED",
    "WORTH",
    "advance",
]

DONE, UNFINISHED, FOUND = 0, 1, 2
"""How `advance` returns: no set above the limit, budget used up, a set above it."""

DEPTH, NODES, WORTH = 0, 1, 2
"""Places in `state`: columns decided, sets looked at, and the worth of the set found."""

_TAKE, _SKIP = 0, 1

_FEW = 6
"""A lane in so many is few."""


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
