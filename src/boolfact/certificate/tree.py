"""Kernels of the verifier's search: is there a set of t columns worth more than a limit?

A set b of t columns is worth sum_i max(0, base_i + sum_{j in b} g_ij), where g >= 0 and base_i is
minus t times the price that row i pays for a column. The worth of a row is convex in its sum s,
so between the least and the greatest s it lies below its chord. The chords add up to a
constant plus sum_{j in b} c_j, and the t largest c_j bound every b at once.

No rounding error has to be accounted for, because there is none. Matrix entries are whole
numbers, slopes are rounded up to multiples of 1/unit, and unit is chosen so that every sum of
products is a multiple of 1/unit below 2**53/unit: float64 holds each of them exactly, in
whatever order they are added.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "BUDGET",
    "DONE",
    "FOUND",
    "FRAME",
    "MEMORY",
    "advance",
    "first_frame",
    "frame_size",
    "node_bound",
]

DONE, BUDGET, FOUND, MEMORY = 0, 1, 2, 3
"""How `advance` returns: nothing left, work budget used, a better set found, arena too small."""

FRAME = 7
_OFFSET, _ROWS, _COLUMNS, _TO_CHOOSE, _CHOSEN, _WAITING, _BRANCH = range(FRAME)
"""One open node: where it starts in the arena, its live rows, its free columns, how many of
them are still to be chosen, how many were chosen above it, whether its child with the branching
column is being searched, and the position of that column."""

_ROW_HEAD = 1
"""A row of a node in the arena: its base, then its entries in the free columns. The row is
preceded by the names of the free columns."""

# Sums are exact, so their order is free; there are no NaNs and the sign of a zero is nothing.
_EXACT_SUMS = {"reassoc", "contract", "nnan", "nsz"}


@njit(cache=True, nogil=True)
def frame_size(rows: int, columns: int) -> int:
    """Arena cells that a node takes."""
    return columns + rows * (columns + _ROW_HEAD)


@njit(cache=True, nogil=True)
def first_frame(
    G: NDArray[np.float64],
    price: NDArray[np.float64],
    t: int,
    frames: NDArray[np.int64],
    cells: NDArray[np.float64],
) -> None:
    """Write the root: all rows, all columns, t of them to choose."""
    n, m = G.shape
    frames[0, :] = 0
    frames[0, _ROWS], frames[0, _COLUMNS], frames[0, _TO_CHOOSE] = n, m, t
    for j in range(m):
        cells[j] = j
    for i in range(n):
        at = m + i * (m + _ROW_HEAD)
        cells[at] = -price[i] * t
        for j in range(m):
            cells[at + _ROW_HEAD + j] = G[i, j]


@njit(cache=True, nogil=True, fastmath=_EXACT_SUMS)
def _chords(
    cells: NDArray[np.float64],
    frame: NDArray[np.int64],
    unit: float,
    c: NDArray[np.float64],
) -> float:
    """Add up the chords of the live rows into c, forget dead rows, return the constant."""
    rows, columns, choose = frame[_ROWS], frame[_COLUMNS], frame[_TO_CHOOSE]
    first = frame[_OFFSET] + columns
    stride = columns + _ROW_HEAD
    constant = 0.0
    live = 0
    for j in range(columns):
        c[j] = 0.0
    for i in range(rows):
        at = first + i * stride
        entries = cells[at + _ROW_HEAD : at + stride]
        total, top = 0.0, 0.0
        for j in range(columns):
            total += entries[j]
            top = max(top, entries[j])
        base = cells[at]
        greatest = min(total, choose * top)
        if base + greatest <= 0.0:
            continue
        least = max(0.0, total - (columns - choose) * top)
        if base + least >= 0.0:
            constant += base
            for j in range(columns):
                c[j] += entries[j]
        else:
            # Rounded up, the slope still majorises: the chord starts at worth 0 for s = least.
            slope = (np.floor((base + greatest) / (greatest - least) * unit) + 1.0) / unit
            slope = min(slope, 1.0)
            constant -= slope * least
            for j in range(columns):
                c[j] += slope * entries[j]
        if live != i:
            cells[first + live * stride : first + (live + 1) * stride] = cells[at : at + stride]
        live += 1
    frame[_ROWS] = live
    return constant


@njit(cache=True, nogil=True)
def _rank_value(
    c: NDArray[np.float64], columns: int, rank: int, work: NDArray[np.float64]
) -> float:
    """The value at position `rank` (from 0) of c in falling order, by quickselect."""
    for j in range(columns):
        work[j] = c[j]
    low, high = 0, columns - 1
    while low < high:
        pivot = work[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while work[i] > pivot:
                i += 1
            while work[j] < pivot:
                j -= 1
            if i <= j:
                work[i], work[j] = work[j], work[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return work[rank]


@njit(cache=True, nogil=True)
def node_bound(
    cells: NDArray[np.float64],
    frame: NDArray[np.int64],
    unit: float,
    c: NDArray[np.float64],
    work: NDArray[np.float64],
) -> tuple[float, float, float]:
    """Bound a node with at least one column to choose and enough of them.

    Fills c; returns the bound, the least c among the best columns and the largest c outside.
    """
    columns, choose = frame[_COLUMNS], frame[_TO_CHOOSE]
    bound = _chords(cells, frame, unit, c)
    last_in = _rank_value(c, columns, choose - 1, work)
    above, ties, first_out = 0, 0, -np.inf
    for j in range(columns):
        if c[j] > last_in:
            bound += c[j]
            above += 1
        elif c[j] == last_in:
            ties += 1
        else:
            first_out = max(first_out, c[j])
    if above + ties > choose:
        first_out = last_in
    return bound + (choose - above) * last_in, last_in, first_out


@njit(cache=True, nogil=True)
def _take(cells: NDArray[np.float64], frame: NDArray[np.int64], j: int,
          chosen: NDArray[np.int64]) -> None:
    """Choose column j of a node: its entries move into the bases. The column itself stays."""
    columns = frame[_COLUMNS]
    first = frame[_OFFSET] + columns
    stride = columns + _ROW_HEAD
    for i in range(frame[_ROWS]):
        cells[first + i * stride] += cells[first + i * stride + _ROW_HEAD + j]
    chosen[frame[_CHOSEN]] = np.int64(cells[frame[_OFFSET] + j])
    frame[_CHOSEN] += 1
    frame[_TO_CHOOSE] -= 1


@njit(cache=True, nogil=True)
def _keep_columns(cells: NDArray[np.float64], frame: NDArray[np.int64],
                  kept: NDArray[np.int64], count: int) -> None:
    """Shrink a node in place to some of its free columns, given in rising order."""
    columns = frame[_COLUMNS]
    start = frame[_OFFSET]
    for u in range(count):
        cells[start + u] = cells[start + kept[u]]
    for i in range(frame[_ROWS]):
        old = start + columns + i * (columns + _ROW_HEAD)
        new = start + count + i * (count + _ROW_HEAD)
        cells[new] = cells[old]
        for u in range(count):
            cells[new + _ROW_HEAD + u] = cells[old + _ROW_HEAD + kept[u]]
    frame[_COLUMNS] = count


@njit(cache=True, nogil=True)
def _worth(cells: NDArray[np.float64], frame: NDArray[np.int64]) -> float:
    """What the chosen columns are worth."""
    columns = frame[_COLUMNS]
    first = frame[_OFFSET] + columns
    value = 0.0
    for i in range(frame[_ROWS]):
        value += max(0.0, cells[first + i * (columns + _ROW_HEAD)])
    return value


@njit(cache=True, nogil=True)
def _tighten(
    cells: NDArray[np.float64],
    frame: NDArray[np.int64],
    chosen: NDArray[np.int64],
    limit: float,
    unit: float,
    scratch: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
) -> tuple[int, float, float, int]:
    """Bound a node and settle columns until nothing changes.

    Returns DONE if nothing in the node is worth more than the limit, FOUND if the chosen
    columns are, BUDGET if it must be branched; then the bound, the bound without the branching
    column, and the work done.
    """
    c, work, kept = scratch
    effort = 0
    while True:
        columns, choose = frame[_COLUMNS], frame[_TO_CHOOSE]
        effort += frame_size(frame[_ROWS], columns)
        if choose == 0:
            value = _worth(cells, frame)
            return (FOUND if value > limit else DONE), value, value, effort
        if columns < choose:
            return DONE, limit, limit, effort
        bound, last_in, first_out = node_bound(cells, frame, unit, c, work)
        # Worths are whole numbers: a bound below limit + 1 leaves nothing above the limit.
        if bound < limit + 1.0:
            return DONE, bound, bound, effort
        count = 0
        for j in range(columns):
            if c[j] >= last_in and bound - c[j] + first_out < limit + 1.0:
                _take(cells, frame, j, chosen)
            elif c[j] >= last_in or bound - last_in + c[j] >= limit + 1.0:
                kept[count] = j
                count += 1
        if count == columns:
            best = np.argmax(c[:columns])
            frame[_BRANCH] = best
            return BUDGET, bound, bound - c[best] + first_out, effort
        _keep_columns(cells, frame, kept, count)


@njit(cache=True, nogil=True)
def _open_child(cells: NDArray[np.float64], frame: NDArray[np.int64],
                child: NDArray[np.int64], chosen: NDArray[np.int64]) -> bool:
    """Copy a node without its branching column, which is chosen; False if the arena is full."""
    rows, columns, branch = frame[_ROWS], frame[_COLUMNS], frame[_BRANCH]
    start = frame[_OFFSET]
    to = start + frame_size(rows, columns)
    if to + frame_size(rows, columns - 1) > len(cells):
        return False
    child[_OFFSET], child[_ROWS], child[_COLUMNS] = to, rows, columns - 1
    child[_TO_CHOOSE], child[_CHOSEN] = frame[_TO_CHOOSE] - 1, frame[_CHOSEN] + 1
    child[_WAITING] = 0
    chosen[frame[_CHOSEN]] = np.int64(cells[start + branch])
    for j in range(columns - 1):
        cells[to + j] = cells[start + j + (j >= branch)]
    for i in range(rows):
        old = start + columns + i * (columns + _ROW_HEAD)
        new = to + columns - 1 + i * (columns - 1 + _ROW_HEAD)
        cells[new] = cells[old] + cells[old + _ROW_HEAD + branch]
        for j in range(branch):
            cells[new + _ROW_HEAD + j] = cells[old + _ROW_HEAD + j]
        for j in range(branch, columns - 1):
            cells[new + _ROW_HEAD + j] = cells[old + _ROW_HEAD + j + 1]
    return True


@njit(cache=True, nogil=True)
def advance(
    frames: NDArray[np.int64],
    rest: NDArray[np.float64],
    cells: NDArray[np.float64],
    chosen: NDArray[np.int64],
    state: NDArray[np.int64],
    limit: float,
    unit: float,
    budget: int,
) -> int:
    """Go on with a depth-first search where it stopped; `state` is depth and nodes so far.

    `rest[d]` bounds what is still to be searched at depth d outside the child being searched.
    Depth -1 means that the whole tree was searched and holds nothing above the limit.
    """
    m = len(chosen)
    scratch = (np.empty(m), np.empty(m), np.empty(m, dtype=np.int64))
    kept = scratch[2]
    spent = 0
    depth = state[0]
    while depth >= 0:
        frame = frames[depth]
        if not frame[_WAITING]:
            if spent > budget:
                state[0] = depth
                return BUDGET
            verdict, bound, without, effort = _tighten(cells, frame, chosen, limit, unit, scratch)
            spent += effort
            state[1] += 1
            if verdict == FOUND:
                state[0] = depth
                state[2] = frame[_CHOSEN]
                return FOUND
            if verdict == DONE:
                depth -= 1
                continue
            frame[_WAITING] = 1
            rest[depth] = bound
            if not _open_child(cells, frame, frames[depth + 1], chosen):
                frame[_WAITING] = 0
                state[0] = depth
                return MEMORY
            rest[depth] = without
            rest[depth + 1] = bound
            depth += 1
        else:
            # The child with the column is done: become the child without it.
            frame[_WAITING] = 0
            count = 0
            for j in range(frame[_COLUMNS]):
                if j != frame[_BRANCH]:
                    kept[count] = j
                    count += 1
            _keep_columns(cells, frame, kept, count)
    state[0] = depth
    return DONE
