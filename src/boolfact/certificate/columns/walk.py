"""Kernel of the verifier's search over columns: the choices that gain enough all the way.

With some columns decided, a row that is in the rectangles of `code` has gained `sums[code]`, and
what the shifts for as many rectangles come to (`boolfact.certificate.columns.shifts`). One
more column goes into the rectangles `x`. Then the best that a row can do is the larger of

- the most over codes that meet x, and what the new column adds;
- the most over codes that are within the rest of the rectangles, the empty one among them.

Both are tables that all choices for the column have in common, so these are valued together, and
sums are made only for those that gain what they need.

Order within the rectangles does not matter. So they are in falling order of their columns, read as
binary numbers from the first column of the walk on: `tied` has bit r where rectangles r and r + 1
are alike so far, and then r + 1 may not have the next column without r.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["DEPTH", "DONE", "FOUND", "NODES", "UNFINISHED", "Walk", "advance", "make_walk"]

DONE, UNFINISHED, FOUND = 0, 1, 2
"""How `advance` returns: nothing gains the target, budget used up, choices that gain it."""

DEPTH, NODES = 0, 1
"""Places in `state`: how many columns are decided, and how many choices were valued."""

_UNVALUED = -1
"""In `at`: the choices for this column have no values yet."""
_OUT = -1
"""In `gains`: not allowed, or not enough. No gain is negative."""


class Walk(NamedTuple):
    """The search from one start, which `advance` goes on with.

    Attributes
    ----------
    columns : ndarray, shape (m, n)
        What each entry gains if it is covered, one column of the matrix a row.
    needed : ndarray, shape (m,)
        What the columns up to this one must gain together.
    sums : ndarray, shape (m + 1, 2^k, n)
        By number of columns that are in some rectangle, code and row.
    lifts : ndarray, shape (m, k, n)
        The shifts of the columns up to this one, by rectangles of a code less one.
    meeting, within : ndarray, shape (2^k, n)
        The most by row over codes that meet a set of rectangles, or are within it.
    value : ndarray, shape (n,)
        Room for one choice.
    gains : ndarray, shape (m + 1, 2^k)
        By depth and choice.
    at, tied, level : ndarray, shape (m + 1,)
        By depth: the choice taken, which rectangles are alike, and where the sums are.
    state : ndarray, shape (2,)
    """

    columns: NDArray[Any]
    needed: NDArray[np.int64]
    sums: NDArray[Any]
    lifts: NDArray[Any]
    meeting: NDArray[Any]
    within: NDArray[Any]
    value: NDArray[Any]
    gains: NDArray[np.int64]
    at: NDArray[np.int64]
    tied: NDArray[np.int64]
    level: NDArray[np.int64]
    state: NDArray[np.int64]


def make_walk(
    columns: NDArray[Any], needed: NDArray[np.int64], lifts: NDArray[Any], k: int
) -> Walk:
    """At the beginning: no column is decided, and all rectangles are alike."""
    m, n = columns.shape
    codes = 1 << k
    kind = columns.dtype
    walk = Walk(
        columns=columns,
        needed=needed,
        sums=np.zeros((m + 1, codes, n), dtype=kind),
        lifts=lifts,
        meeting=np.zeros((codes, n), dtype=kind),
        within=np.zeros((codes, n), dtype=kind),
        value=np.zeros(n, dtype=kind),
        gains=np.zeros((m + 1, codes), dtype=np.int64),
        at=np.zeros(m + 1, dtype=np.int64),
        tied=np.zeros(m + 1, dtype=np.int64),
        level=np.zeros(m + 1, dtype=np.int64),
        state=np.zeros(2, dtype=np.int64),
    )
    walk.at[0] = _UNVALUED
    walk.tied[0] = (1 << (k - 1)) - 1
    return walk


@njit(cache=True, nogil=True)
def advance(walk: Walk, budget: int) -> int:
    """Go on with the search where it stopped, for so many columns whose choices are valued."""
    columns, needed, sums, lifts, meeting, within, value = walk[:7]
    gains, at, tied, level, state = walk[7:]
    m = len(columns)
    codes = sums.shape[1]
    depth = state[DEPTH]
    valued = 0
    answer = DONE
    while depth >= 0:
        if at[depth] == _UNVALUED:
            if valued == budget:
                answer = UNFINISHED
                break
            valued += 1
            _tabulate(sums[level[depth]], lifts[depth], meeting, within)
            for x in range(codes):
                gains[depth, x] = _OUT
                if tied[depth] & (x >> 1) & ~x:
                    continue
                state[NODES] += 1
                if x > 0:
                    gain = _gain(meeting[x], within[codes - 1 - x], columns[depth], value)
                else:
                    gain = _total(within[codes - 1])
                if gain >= needed[depth]:
                    gains[depth, x] = gain
            at[depth] = codes
        x = at[depth] - 1
        while x >= 0 and gains[depth, x] == _OUT:
            x -= 1
        if x < 0:
            depth -= 1
            continue
        at[depth] = x
        if depth + 1 == m:
            answer = FOUND
            break
        level[depth + 1] = level[depth]
        if x > 0:
            level[depth + 1] += 1
            _add(sums[level[depth]], sums[level[depth + 1]], columns[depth], x)
        tied[depth + 1] = tied[depth] & ~(x ^ (x >> 1))
        depth += 1
        at[depth] = _UNVALUED
    state[DEPTH] = depth
    return answer


@njit(cache=True, nogil=True)
def _tabulate(
    held: NDArray[Any], lift: NDArray[Any], meeting: NDArray[Any], within: NDArray[Any]
) -> None:
    """For every set of rectangles, the most by row over codes that meet it or are within it."""
    codes, n = held.shape
    # First what each code has, the empty one nothing.
    for u in range(1, codes):
        size = -1
        for rank in range(16):
            size += u >> rank & 1
        for i in range(n):
            within[u, i] = held[u, i] + lift[size, i]
    lowest = 1
    while lowest < codes:
        for i in range(n):
            meeting[lowest, i] = within[codes - 1, i]
        for code in range(1, codes - 1):
            if code & lowest:
                for i in range(n):
                    meeting[lowest, i] = max(meeting[lowest, i], within[code, i])
        lowest <<= 1
    for u in range(1, codes):
        lowest = u & -u
        if u != lowest:
            for i in range(n):
                meeting[u, i] = max(meeting[lowest, i], meeting[u ^ lowest, i])
        bit = 1
        while bit <= u:
            if u & bit:
                for i in range(n):
                    within[u, i] = max(within[u, i], within[u ^ bit, i])
            bit <<= 1


@njit(cache=True, nogil=True)
def _total(value: NDArray[Any]) -> np.int64:
    """What all rows gain together."""
    total = np.int64(0)
    for i in range(len(value)):
        total += value[i]
    return total


@njit(cache=True, nogil=True)
def _gain(
    meets: NDArray[Any], rest: NDArray[Any], column: NDArray[Any], value: NDArray[Any]
) -> np.int64:
    """What all rows gain together. Two loops, so that both are vectorised in narrow numbers."""
    for i in range(len(column)):
        value[i] = meets[i] + column[i]
    total = np.int64(0)
    for i in range(len(column)):
        total += max(value[i], rest[i])
    return total


@njit(cache=True, nogil=True)
def _add(before: NDArray[Any], after: NDArray[Any], column: NDArray[Any], x: int) -> None:
    """The sums with one more column."""
    codes, n = before.shape
    for code in range(1, codes):
        if code & x:
            for i in range(n):
                after[code, i] = before[code, i] + column[i]
        else:
            for i in range(n):
                after[code, i] = before[code, i]
