"""The walk itself: every column in turn goes into some of the k rectangles, or into none.

With the columns before it decided, row i gains `sums[code, i]` if it belongs to the rectangles of
`code`; the gain of the whole is the sum over rows of the best code. A branch ends where the gain
of the columns so far is below the threshold.

Rectangles that have no column yet are alike: a column may only go into the first of them, or the
first two, and so on. Codes are kept for the rectangles that have columns.

With many rectangles the gains of all choices for a column are computed together. A row that is
to gain from a choice has a code with a rectangle of the choice; a row that is not, a code with
none. The best of either kind, for all choices, takes about k 2^k steps; trying each choice with
each code takes 4^k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["DEPTH", "FOUND", "NODES", "Branch", "make_branch", "walk", "walk_a_little"]

DEPTH, NODES, FOUND = 0, 1, 2
"""Places in the state of a branch."""
_MANY = 4
"""From this many rectangles on it is faster to weigh all choices for a column together."""
_NONE = -(1 << 60)
"""A threshold that everything passes."""


class Branch(NamedTuple):
    """A part of the search that can be left and entered again; the kernel changes its arrays.

    Attributes
    ----------
    columns : ndarray, shape (m, n)
        What each entry gains if it is covered, column by column in the order of the walk.
    positive : ndarray, shape (m,)
        The most that a column gains by itself.
    thresholds : ndarray, shape (m,)
        What the columns up to this one must gain together.
    k : int
    top, bottom : int
        Columns before `top` are decided; sets of choices for the columns before `bottom` that
        pass all thresholds are reported.
    sums : ndarray, shape (m + 1, 2^k, n)
    choice, used, slot, gain : ndarray, shape (m + 1,)
        At each depth: the rectangles chosen for the column, the rectangles that have columns,
        where the sums are, and what is gained.
    below : ndarray, shape (m + 1, 2, 2^k)
        At each depth: what is gained by each choice among the rectangles that have columns, and
        by each with a rectangle that had none.
    state : ndarray, shape (3,)
    found : ndarray, shape (room, m)
    """

    columns: NDArray[np.signedinteger]
    positive: NDArray[np.int64]
    thresholds: NDArray[np.int64]
    k: int
    top: int
    bottom: int
    sums: NDArray[np.signedinteger]
    choice: NDArray[np.int64]
    used: NDArray[np.int64]
    slot: NDArray[np.int64]
    gain: NDArray[np.int64]
    below: NDArray[np.int64]
    state: NDArray[np.int64]
    found: NDArray[np.int64]


def make_branch(
    columns: NDArray[np.signedinteger],
    thresholds: NDArray[np.int64],
    k: int,
    *,
    decided: NDArray[np.int64],
    bottom: int,
    room: int,
) -> Branch:
    """Everything below the choices that are decided for the first columns."""
    m, n = columns.shape
    top = len(decided)
    branch = Branch(
        columns=columns,
        positive=np.maximum(columns, 0).sum(axis=1, dtype=np.int64),
        thresholds=thresholds,
        k=k,
        top=top,
        bottom=bottom,
        sums=np.zeros((bottom + 1, 1 << k, n), dtype=columns.dtype),
        choice=np.zeros(m + 1, dtype=np.int64),
        used=np.zeros(m + 1, dtype=np.int64),
        slot=np.zeros(m + 1, dtype=np.int64),
        gain=np.zeros(m + 1, dtype=np.int64),
        below=np.zeros((m + 1, 2, 1 << k), dtype=np.int64),
        state=np.zeros(3, dtype=np.int64),
        found=np.zeros((room, m), dtype=np.int64),
    )
    for depth in range(top):
        # Down one column at a time, each with the only choice that is left.
        branch.choice[depth] = decided[depth] - 1
        branch.state[DEPTH] = depth
        walk(branch._replace(top=depth, bottom=m, thresholds=np.full(m, _NONE)), 1)
    branch.choice[top] = -1
    branch.state[:] = (top, 0, 0)
    return branch


def walk_a_little(kind: type[np.signedinteger]) -> None:
    """Have the kernel compiled, or loaded, for sums of this kind."""
    columns, none = np.ones((2, 1), dtype=kind), np.zeros(0, dtype=np.int64)
    walk(make_branch(columns, np.ones(2, dtype=np.int64), 1, decided=none, bottom=2, room=1), 10)


@njit(cache=True, nogil=True)
def walk(branch: Branch, budget: int) -> bool:
    """Walk on for at most `budget` nodes; whether nothing is left.

    It also pauses when there is no more room for what it found.
    """
    columns, positive, thresholds, k, top, bottom, sums = branch[:7]
    choice, used, slot, gain, below, state, found = branch[7:]
    n = columns.shape[1]
    within = np.zeros((1 << k, n), columns.dtype)
    touching = np.zeros((1 << k, n), columns.dtype)
    best = np.zeros(n, columns.dtype)
    together = k >= _MANY
    depth = state[DEPTH]
    last = (1 << k) - 1
    nodes = 0
    while depth >= top:
        if nodes >= budget or state[FOUND] == len(found):
            break
        # Together columns gain no more than each by itself.
        if choice[depth] == last or gain[depth] + positive[depth] < thresholds[depth]:
            depth -= 1
            continue
        # A branch may begin with the only choice that is left for its first column.
        if together and (choice[depth] < 0 or (depth == top and nodes == 0)):
            below[depth, 0, 0] = gain[depth]
            _weigh(
                sums[slot[depth]], columns[depth], used[depth], used[depth] < k, below[depth],
                within, touching, best,
            )  # fmt: skip
        choice[depth] += 1
        chosen = choice[depth]
        # Of the rectangles without a column, the first ones.
        fresh = chosen >> used[depth]
        if fresh & (fresh + 1):
            continue
        nodes += 1
        known = (1 << used[depth]) - 1
        count = used[depth]
        while chosen >> count:
            count += 1
        if together and below[depth, 1 if fresh else 0, chosen & known] < thresholds[depth]:
            continue
        total = gain[depth]
        if chosen:
            total = _add(
                sums[slot[depth]], sums[depth + 1], columns[depth], best,
                chosen, known, 1 << count,
            )  # fmt: skip
        if total < thresholds[depth]:
            continue
        used[depth + 1], gain[depth + 1] = count, total
        slot[depth + 1] = depth + 1 if chosen else slot[depth]
        if depth + 1 == bottom:
            found[state[FOUND], :bottom] = choice[:bottom]
            state[FOUND] += 1
            continue
        depth += 1
        choice[depth] = -1
    state[DEPTH] = depth
    state[NODES] += nodes
    return bool(depth < top)


@njit(cache=True, nogil=True)
def _weigh(
    sums: NDArray[np.signedinteger],
    column: NDArray[np.signedinteger],
    used: int,
    may_begin: bool,
    below: NDArray[np.int64],
    within: NDArray[np.signedinteger],
    touching: NDArray[np.signedinteger],
    work: NDArray[np.signedinteger],
) -> None:
    """What is gained by each choice for the column.

    `within` becomes the best sum of a code inside each set of rectangles, `touching` that of a
    code with a rectangle of the set. Arrays are plain arguments, and every loop is over rows:
    that is what is vectorised.
    """
    n = len(column)
    codes = 1 << used
    for code in range(codes):
        for i in range(n):
            within[code, i] = sums[code, i]
    for rank in range(used):
        # The best code with this rectangle, beside the best within.
        bit = 1 << rank
        for i in range(n):
            touching[bit, i] = sums[bit, i]
        for code in range(codes):
            if code & bit:
                for i in range(n):
                    touching[bit, i] = max(touching[bit, i], sums[code, i])
                for i in range(n):
                    within[code, i] = max(within[code, i], within[code ^ bit, i])
    for chosen in range(1, codes):
        rest = chosen & (chosen - 1)
        if rest:
            for i in range(n):
                touching[chosen, i] = max(touching[rest, i], touching[chosen ^ rest, i])
        below[0, chosen] = _gained(touching[chosen], within[(codes - 1) & ~chosen], column, work)
    if may_begin:
        # With a rectangle that had no column, every code can gain from the column.
        for chosen in range(codes):
            below[1, chosen] = _gained(
                within[codes - 1], within[(codes - 1) & ~chosen], column, work
            )


@njit(cache=True, nogil=True)
def _gained(
    touching: NDArray[np.signedinteger],
    outside: NDArray[np.signedinteger],
    column: NDArray[np.signedinteger],
    work: NDArray[np.signedinteger],
) -> int:
    """The sum over rows of the better of: a code that has the column, and one that has not."""
    n = len(column)
    for i in range(n):
        work[i] = touching[i] + column[i]
    for i in range(n):
        work[i] = max(work[i], outside[i])
    total = np.int32(0)
    for i in range(n):
        total = np.int32(total + np.int32(work[i]))
    return total  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def _add(
    before: NDArray[np.signedinteger],
    after: NDArray[np.signedinteger],
    column: NDArray[np.signedinteger],
    best: NDArray[np.signedinteger],
    chosen: int,
    known: int,
    codes: int,
) -> int:
    """Sums by code with one more column, and what the best codes gain.

    Arrays are plain arguments, and every loop is over rows: that is what is vectorised.
    """
    n = len(column)
    for code in range(1, codes):
        # A rectangle that had no column adds nothing to what the others gained.
        old = code & known
        if code & chosen:
            for i in range(n):
                after[code, i] = before[old, i] + column[i]
        else:
            for i in range(n):
                after[code, i] = before[old, i]
    for i in range(n):
        best[i] = max(after[1, i], after[0, i])
    for code in range(2, codes):
        for i in range(n):
            best[i] = max(best[i], after[code, i])
    total = np.int32(0)
    for i in range(n):
        total += np.int32(best[i])
    return total  # type: ignore[return-value]
