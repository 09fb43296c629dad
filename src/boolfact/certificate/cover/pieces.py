"""The best value of some rows of a block, over all subsets of them, for every live lane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.certificate.cover.arrays import Lanes, Layout, Scratch

__all__ = ["piece_values"]


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
        _change(rest, charges, r, row_of, inside, best, alive)
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
def _change(
    rest: NDArray[Any],
    charges: NDArray[Any],
    r: int,
    row_of: NDArray[np.int64],
    inside: NDArray[np.bool_],
    best: NDArray[Any],
    alive: int,
) -> None:
    """Row r has joined or left: its charges go or come back, and best[1] is what is left."""
    sign = -1 if inside[r] else 1
    for q in range(len(row_of)):
        for s in range(alive):
            rest[q, s] += sign * charges[r, q, s]
        if inside[row_of[q]]:
            for s in range(alive):
                best[1, s] += max(rest[q, s], 0)
