"""The walk itself: every column in turn goes into some of the k rectangles, or into none.

With the columns before it decided, row i gains `sums[code, i]` if it belongs to the rectangles of
`code`; the gain of the whole is the sum over rows of the best code. A branch ends where the gain
of the columns so far is below the threshold.

Rectangles that have no column yet are alike: a column may only go into the first of them, or the
first two, and so on. Codes are kept for the rectangles that have columns.

Where a circle has shifts (`boolfact.column_search.circle`), a code of q rectangles gains what the
shifts for q come to besides. A code may be filled up with rectangles that have no column: what the
best number of these adds to a code is in `lift`.

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

__all__ = ["DEPTH", "FOUND", "MANY", "NODES", "Branch", "make_branch", "walk", "walk_a_little"]

DEPTH, NODES, FOUND = 0, 1, 2
"""Places in the state of a branch."""
MANY = 4
"""From this many rectangles on it is faster to weigh all choices for a column together; with
shifts, which make single choices dearer, from one fewer."""
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
    lift : ndarray, shape (m + 1, k + 1, k + 1, n)
        By columns decided, rectangles that have columns, and rectangles of a code among them: what
        the shifts add. Empty, of shape (0, 1, 1, n), without shifts.
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
    lift: NDArray[np.signedinteger]
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
    shifts: NDArray[np.signedinteger] | None = None,
) -> Branch:
    """Everything below the choices that are decided for the first columns.

    `shifts`, of shape (m, k, n), has what is added to codes of 1 to k rectangles column by column;
    over all columns it adds up to 0.
    """
    m, n = columns.shape
    top = len(decided)
    positive = np.maximum(columns, 0).sum(axis=1, dtype=np.int64)
    lift = np.zeros((0, 1, 1, n), dtype=columns.dtype)
    if shifts is not None:
        most = shifts.max(axis=1).astype(np.int64)
        either = np.maximum(most, most + columns)
        positive = np.maximum(either, 0).sum(axis=1, dtype=np.int64)
        lift = np.zeros((m + 1, k + 1, k + 1, n), dtype=columns.dtype)
        _fill_lift(shifts, lift)
    branch = Branch(
        columns=columns,
        positive=positive,
        lift=lift,
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
    least = np.ones(2, dtype=np.int64)
    shifts = np.array([[[1]], [[-1]]], dtype=kind)
    walk(make_branch(columns, least, 1, decided=none, bottom=2, room=1, shifts=shifts), 10)


@njit(cache=True, nogil=True)
def _fill_lift(shifts: NDArray[np.signedinteger], lift: NDArray[np.signedinteger]) -> None:
    """Add up the shifts, and take the best number of rectangles without a column."""
    m, k, n = shifts.shape
    total = np.zeros((k + 1, n), np.int64)
    for depth in range(m):
        for q in range(k):
            for i in range(n):
                total[q + 1, i] += shifts[depth, q, i]
        for used in range(k + 1):
            for q in range(used + 1):
                row = lift[depth + 1, used, q]
                for i in range(n):
                    row[i] = total[q, i]
                for more in range(q + 1, q + k - used + 1):
                    for i in range(n):
                        row[i] = max(row[i], total[more, i])


@njit(cache=True, nogil=True)
def walk(branch: Branch, budget: int) -> bool:
    """Walk on for at most `budget` nodes; whether nothing is left.

    It also pauses when there is no more room for what it found.
    """
    columns, positive, lift, thresholds, k, top, bottom, sums = branch[:8]
    choice, used, slot, gain, below, state, found = branch[8:]
    n = columns.shape[1]
    shifted = len(lift) > 0
    size = np.zeros(1 << k, np.int64)
    for code in range(1, 1 << k):
        size[code] = size[code >> 1] + (code & 1)
    within = np.zeros((1 << k, n), columns.dtype)
    touching = np.zeros((1 << k, n), columns.dtype)
    best = np.zeros(n, columns.dtype)
    work = np.zeros(n, columns.dtype)
    together = k >= MANY or (shifted and k == MANY - 1)
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
            _begin_tables(sums[slot[depth]], within, 1 << used[depth])
            if shifted:
                _lift_codes(within, lift[depth + 1, used[depth]], size, 1 << used[depth])
            _weigh(
                columns[depth], used[depth], used[depth] < k, below[depth], within, touching, work
            )
            if not shifted:
                below[depth, 0, 0] = gain[depth]
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
        if chosen and count == 2 and not shifted:
            total = _add_to_two(
                sums[slot[depth]], sums[depth + 1], columns[depth], chosen, known, best
            )
        elif chosen:
            _add(sums[slot[depth]], sums[depth + 1], columns[depth], chosen, known, 1 << count)
            if not shifted:
                total = _most(sums[depth + 1], best, 1 << count)
        if shifted:
            held = sums[depth + 1] if chosen else sums[slot[depth]]
            total = _most_lifted(held, lift[depth + 1, count], size, best, work, 1 << count)
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
def _begin_tables(
    sums: NDArray[np.signedinteger], within: NDArray[np.signedinteger], codes: int
) -> None:
    """The sums of the codes, to be made into tables."""
    n = sums.shape[1]
    for code in range(codes):
        for i in range(n):
            within[code, i] = sums[code, i]


@njit(cache=True, nogil=True)
def _lift_codes(
    within: NDArray[np.signedinteger],
    lift: NDArray[np.signedinteger],
    size: NDArray[np.int64],
    codes: int,
) -> None:
    """Add to each code what the shifts add to it."""
    n = within.shape[1]
    for code in range(codes):
        more = lift[size[code]]
        for i in range(n):
            within[code, i] += more[i]


@njit(cache=True, nogil=True)
def _weigh(
    column: NDArray[np.signedinteger],
    used: int,
    may_begin: bool,
    below: NDArray[np.int64],
    within: NDArray[np.signedinteger],
    touching: NDArray[np.signedinteger],
    work: NDArray[np.signedinteger],
) -> None:
    """What is gained by each choice for the column; where rectangles begin, at most that.

    `within` has the sums of the codes, and becomes the best of a code inside each set of
    rectangles; `touching` becomes that of a code with a rectangle of the set. Arrays are plain
    arguments, and every loop is over rows: that is what is vectorised.
    """
    n = len(column)
    codes = 1 << used
    for rank in range(used):
        bit = 1 << rank
        for i in range(n):
            touching[bit, i] = within[bit, i]
        for code in range(codes):
            if code & bit:
                for i in range(n):
                    touching[bit, i] = max(touching[bit, i], within[code, i])
    for rank in range(used):
        bit = 1 << rank
        for code in range(codes):
            if code & bit:
                for i in range(n):
                    within[code, i] = max(within[code, i], within[code ^ bit, i])
    below[0, 0] = _total(within[codes - 1])
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
def _total(values: NDArray[np.signedinteger]) -> int:
    total = np.int32(0)
    for i in range(len(values)):
        total = np.int32(total + np.int32(values[i]))
    return total  # type: ignore[return-value]


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
    return _total(work)


@njit(cache=True, nogil=True)
def _add(
    before: NDArray[np.signedinteger],
    after: NDArray[np.signedinteger],
    column: NDArray[np.signedinteger],
    chosen: int,
    known: int,
    codes: int,
) -> None:
    """Sums by code with one more column.

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


@njit(cache=True, nogil=True)
def _add_to_two(
    before: NDArray[np.signedinteger],
    after: NDArray[np.signedinteger],
    column: NDArray[np.signedinteger],
    chosen: int,
    known: int,
    best: NDArray[np.signedinteger],
) -> int:
    """`_add` and `_most` for two rectangles in one loop, which takes two thirds of the time."""
    kind = column.dtype.type
    none = kind(0)
    # All bits, or none: what a code that does not meet the choice adds is cut off.
    first, second = kind(-(chosen & 1)), kind(-(chosen >> 1 & 1))
    of_first, of_second, of_both = before[1 & known], before[2 & known], before[3 & known]
    to_first, to_second, to_both = after[1], after[2], after[3]
    for i in range(len(column)):
        x = kind(of_first[i] + kind(column[i] & first))
        y = kind(of_second[i] + kind(column[i] & second))
        z = kind(of_both[i] + column[i])
        to_first[i], to_second[i], to_both[i] = x, y, z
        best[i] = max(max(x, y), max(z, none))
    return _total(best)


@njit(cache=True, nogil=True)
def _most(sums: NDArray[np.signedinteger], best: NDArray[np.signedinteger], codes: int) -> int:
    """What the best codes gain; the empty one gains nothing."""
    n = len(best)
    for i in range(n):
        best[i] = max(sums[1, i], sums[0, i])
    for code in range(2, codes):
        for i in range(n):
            best[i] = max(best[i], sums[code, i])
    return _total(best)


@njit(cache=True, nogil=True)
def _most_lifted(
    sums: NDArray[np.signedinteger],
    lift: NDArray[np.signedinteger],
    size: NDArray[np.int64],
    best: NDArray[np.signedinteger],
    work: NDArray[np.signedinteger],
    codes: int,
) -> int:
    """What the best codes gain with their shifts."""
    for i in range(len(best)):
        best[i] = lift[0, i]
    for code in range(1, codes):
        _raise(best, sums[code], lift[size[code]], work)
    return _total(best)


@njit(cache=True, nogil=True)
def _raise(
    best: NDArray[np.signedinteger],
    held: NDArray[np.signedinteger],
    more: NDArray[np.signedinteger],
    work: NDArray[np.signedinteger],
) -> None:
    """The larger of `best` and a sum. Two loops, so that both are vectorised in narrow numbers."""
    for i in range(len(best)):
        work[i] = held[i] + more[i]
    for i in range(len(best)):
        best[i] = max(best[i], work[i])
