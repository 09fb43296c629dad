"""Isolated sets of ones: no two fit into one rectangle of ones.

Each of them needs a rectangle of its own, so the largest such set, of size i(X), bounds
the Boolean rank from below. Two ones (i, j) and (r, c) are in conflict when neither (i, c) nor
(r, j) is a zero; an isolated set is an independent set of this graph.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.control.stop import Stop
from boolfact.model.matrix import BinaryMatrix

__all__ = [
    "IsolationAnswer",
    "IsolationSearch",
    "allowed_entries",
    "conflicts",
    "critical_ones",
    "is_isolated",
    "isolated_set",
]

FOUND, EXHAUSTED, RUNNING = 1, 2, 0
LARGEST_TABLE = 6_000
"""Conflicts are kept as a table; beyond this many ones it would take too much memory."""
_ALWAYS = 1 << 40
"""A step after all others: nothing is tabu then."""
_MEMBER = np.int16(1 << 14)
"""Above any number of conflicts in a table of that size, so members are never picked again."""
_TENURES = (7, 40, 15)
"""Dense conflicts want long tenures, sparse ones short: rounds use them in turn."""
_KICK = 0.002
"""Share of the steps that swap two for one although one for one would do, against circling."""
_STEPS_PER_ROUND = 30_000
"""Before a fresh start."""


def allowed_entries(matrix: BinaryMatrix) -> NDArray[np.bool_]:
    """Where an exact cover may put something: ones and missing entries."""
    return matrix.ones | (matrix.weights == 0)


def critical_ones(matrix: BinaryMatrix) -> NDArray[np.int64]:
    """Ones that stand for all others, as pairs (row, column) in the order of columns.

    If row r has entries allowed only where row i has, and column c only where column j has,
    then whatever is in conflict with the one (r, c) is in conflict with the one (i, j), and a
    maximal rectangle that covers (r, c) covers (i, j). So (i, j) can be left out: some largest
    isolated set does without it, and covering the others with maximal rectangles covers it.
    """
    allowed = allowed_entries(matrix)
    ones = (matrix.ones & (matrix.weights > 0)).astype(np.float64)
    standing_for = _below(allowed).T @ ones @ _below(allowed.T)
    rows, columns = np.nonzero((standing_for == 1) & (ones > 0))
    order = np.lexsort((rows, columns))
    return np.column_stack([rows, columns])[order].astype(np.int64)


def _below(allowed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Entry (r, i): row r is contained in row i; of equal rows the first is below the others."""
    table = allowed.astype(np.float64)
    inside = table @ table.T == table.sum(axis=1)[:, None]
    equal = inside & inside.T
    return (inside & ~(equal & np.tri(len(table), k=-1, dtype=np.bool_))).astype(np.float64)


def conflicts(matrix: BinaryMatrix, entries: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs of these ones fit into one rectangle."""
    crossing = allowed_entries(matrix)[np.ix_(entries[:, 0], entries[:, 1])]
    together: NDArray[np.bool_] = crossing & crossing.T
    np.fill_diagonal(together, False)
    return together


def is_isolated(matrix: BinaryMatrix, entries: NDArray[np.int64]) -> bool:
    """Whether these are distinct ones of which no two fit into one rectangle."""
    ones = matrix.ones & (matrix.weights > 0)
    distinct = len(np.unique(entries, axis=0)) == len(entries)
    return bool(
        distinct
        and ones[entries[:, 0], entries[:, 1]].all()
        and not conflicts(matrix, entries).any()
    )


@njit(cache=True, nogil=True)
def _pick(
    tight: NDArray[np.int16],
    free_from: NDArray[np.int64],
    step: int,
    wanted: int,
    rng: np.random.Generator,
) -> int:
    """A random vertex with that many conflicts with the set, and not tabu; or -1."""
    count = 0
    for v in range(len(tight)):
        count += (tight[v] == wanted) & (free_from[v] <= step)
    if count == 0:
        return -1
    left = rng.integers(0, count)
    for v in range(len(tight)):
        if tight[v] == wanted and free_from[v] <= step:
            if left == 0:
                return v
            left -= 1
    return -1


@njit(cache=True, nogil=True)
def tabu_search(
    conflict: NDArray[np.int16],
    chosen: NDArray[np.bool_],
    tight: NDArray[np.int16],
    best: NDArray[np.bool_],
    steps: int,
    tenure: int,
    rng: np.random.Generator,
) -> int:
    """Grow an independent set: add what fits, else swap one for one, now and then two for one.

    `chosen` is the set at work; `tight` counts the conflicts of a vertex with it and is
    raised by _MEMBER for its members; both are carried on from call to call. What leaves the
    set stays out for `tenure` steps, or up to twice as many. `best` is overwritten when a
    larger set is met. Returns the size of best.
    """
    n = len(chosen)
    free_from = np.zeros(n, dtype=np.int64)
    size = chosen.sum()
    best_size = best.sum()
    for step in range(steps):
        v = _pick(tight, free_from, _ALWAYS, 0, rng)
        if v < 0 and rng.random() > _KICK:
            v = _pick(tight, free_from, step, 1, rng)
        if v < 0:
            v = _pick(tight, free_from, step, 2, rng)
        if v < 0:
            v = _pick(tight, free_from, _ALWAYS, 1, rng)
        if v < 0:
            continue
        for u in range(n):
            if chosen[u] and conflict[v, u] != 0:
                chosen[u] = False
                size -= 1
                tight[u] -= _MEMBER
                free_from[u] = step + rng.integers(tenure, 2 * tenure)
                for w in range(n):
                    tight[w] -= conflict[u, w]
        chosen[v] = True
        size += 1
        tight[v] += _MEMBER
        for w in range(n):
            tight[w] += conflict[v, w]
        if size > best_size:
            best_size = size
            best[:] = chosen
    return best_size


@njit(cache=True, nogil=True)
def _supports(
    alive: NDArray[np.bool_], conflict: NDArray[np.bool_], v: int, first: int, last: int
) -> bool:
    """Whether some one that is alive in a column goes with v."""
    for u in range(first, last):  # noqa: SIM110 (Numba has no generators here)
        if alive[u] and not conflict[v, u]:
            return True
    return False


@njit(cache=True, nogil=True)
def propagate(
    alive: NDArray[np.bool_],
    conflict: NDArray[np.bool_],
    starts: NDArray[np.int64],
    missing: int,
) -> int:
    """Strike out ones that cannot be in a set with `missing` more members.

    Column j holds the ones starts[j] to starts[j + 1], and a set has at most one of each. So
    at most (columns with ones alive) - missing columns may stay without a member; a one that
    leaves more columns without is struck out. Returns how many may stay without, -1 if that
    is impossible already.
    """
    columns = len(starts) - 1
    counts = np.zeros(columns, dtype=np.int64)
    spare = -missing
    for j in range(columns):
        counts[j] = alive[starts[j] : starts[j + 1]].sum()
        if counts[j] > 0:
            spare += 1
    changed = True
    while changed and spare >= 0:
        changed = False
        for j in range(columns):
            if counts[j] == 0:
                continue
            for v in range(starts[j], starts[j + 1]):
                if not alive[v]:
                    continue
                lost = 0
                for i in range(columns):
                    if i != j and counts[i] > 0:
                        lost += not _supports(alive, conflict, v, starts[i], starts[i + 1])
                        if lost > spare:
                            break
                if lost > spare:
                    alive[v] = False
                    counts[j] -= 1
                    changed = True
            if counts[j] == 0:
                spare -= 1
                if spare < 0:
                    return -1
    return spare if spare >= 0 else -1


@njit(cache=True, nogil=True)
def _narrowest(alive: NDArray[np.bool_], starts: NDArray[np.int64]) -> int:
    """The column with the fewest ones alive, but some; -1 if there is none."""
    best, fewest = -1, 0
    for j in range(len(starts) - 1):
        count = alive[starts[j] : starts[j + 1]].sum()
        if count > 0 and (best < 0 or count < fewest):
            best, fewest = j, count
    return best


@njit(cache=True, nogil=True)
def search(
    conflict: NDArray[np.bool_],
    starts: NDArray[np.int64],
    target: int,
    alive: NDArray[np.bool_],
    levels: NDArray[np.int64],
    state: NDArray[np.int64],
    steps: int,
) -> int:
    """Look for an independent set of `target` members, depth first, for some steps more.

    Level d decides one column: levels[d] = (column, the next one to try in it, the one taken).
    After its last one the column is left without a member, after that the level is done.
    alive[d] are the ones still possible there. state = (depth, members taken, whether the
    level is new, nodes so far).
    """
    for _ in range(steps):
        depth = state[0]
        if depth < 0:
            return EXHAUSTED
        if state[2] == 1:
            state[2] = 0
            state[3] += 1
            if state[1] >= target:
                return FOUND
            levels[depth] = -1
            if propagate(alive[depth], conflict, starts, target - state[1]) >= 0:
                levels[depth, 0] = _narrowest(alive[depth], starts)
                levels[depth, 1] = starts[levels[depth, 0]]
        if levels[depth, 2] >= 0:
            levels[depth, 2] = -1
            state[1] -= 1
        if levels[depth, 0] < 0:
            state[0] -= 1
        else:
            _descend(conflict, starts, alive, levels, state)
    return RUNNING


@njit(cache=True, nogil=True)
def _descend(
    conflict: NDArray[np.bool_],
    starts: NDArray[np.int64],
    alive: NDArray[np.bool_],
    levels: NDArray[np.int64],
    state: NDArray[np.int64],
) -> None:
    """Open the next level: with the next one of the column, or at last with none of it."""
    depth = state[0]
    column, v = levels[depth, 0], levels[depth, 1]
    first, last = starts[column], starts[column + 1]
    while v < last and not alive[depth, v]:
        v += 1
    levels[depth, 1] = v + 1
    for u in range(alive.shape[1]):
        alive[depth + 1, u] = alive[depth, u] and not (first <= u < last)
    if v < last:
        for u in range(alive.shape[1]):
            if conflict[v, u]:
                alive[depth + 1, u] = False
        levels[depth, 2] = v
        state[1] += 1
    else:
        levels[depth, 0] = -1
    levels[depth + 1] = -1
    state[0] += 1
    state[2] = 1


@dataclass(frozen=True, eq=False)
class IsolationAnswer:
    """What the exact search knows of sets of its size.

    Attributes
    ----------
    decided : bool
        Whether it ran to its end; if not, it can go on.
    isolated : ndarray of int64, shape (size, 2), or None
        Rows and columns of a set, if there is one.
    """

    decided: bool
    isolated: NDArray[np.int64] | None = None


class IsolationSearch:
    """The exact search for an isolated set of a given size, in slices.

    Parameters
    ----------
    entries : ndarray of int64, shape (count, 2)
        Ones in the order of their columns, as `critical_ones` gives them.
    conflict : ndarray of bool, shape (count, count)
    target : int
    """

    def __init__(
        self, entries: NDArray[np.int64], conflict: NDArray[np.bool_], target: int
    ) -> None:
        self.entries, self.target = entries, target
        self._conflict = conflict
        columns, first = np.unique(entries[:, 1], return_index=True)
        self._starts = np.append(first, len(entries)).astype(np.int64)
        self._alive = np.ones((len(columns) + 2, len(entries)), dtype=np.bool_)
        self._levels = np.full((len(columns) + 2, 3), -1, dtype=np.int64)
        self._state = np.array([0, 0, 1, 0], dtype=np.int64)
        self._steps = 16

    @property
    def nodes(self) -> int:
        """Nodes looked at so far."""
        return int(self._state[3])

    def advance(self, stop: Stop) -> IsolationAnswer:
        """Go on until decided or stopped."""
        while True:
            began = time.perf_counter()
            status = search(
                self._conflict,
                self._starts,
                self.target,
                self._alive,
                self._levels,
                self._state,
                self._steps,
            )
            if status == FOUND:
                taken = self._levels[: self._state[0], 2]
                return IsolationAnswer(True, self.entries[taken[taken >= 0]])
            if status == EXHAUSTED:
                return IsolationAnswer(True)
            if stop.now():
                return IsolationAnswer(False)
            if time.perf_counter() - began < 0.05:
                self._steps *= 2


def isolated_set(
    entries: NDArray[np.int64],
    conflict: NDArray[np.bool_],
    *,
    stop: Stop,
    seed: int | np.random.SeedSequence = 0,
    enough: int | None = None,
    rounds: int = 300,
) -> NDArray[np.int64]:
    """A large isolated set by tabu search, restarted `rounds` times.

    Parameters
    ----------
    entries, conflict
        Ones and which pairs of them fit into one rectangle.
    stop : Stop
    seed : int or SeedSequence
    enough : int, optional
        A size that cannot be exceeded: stop there.
    rounds : int

    Returns
    -------
    ndarray of int64, shape (size, 2)
    """
    count = len(entries)
    best = np.zeros(count, dtype=np.bool_)
    if not count:
        return entries
    table = conflict.astype(np.int16)
    # A call takes at most about a tenth of a second; small graphs need few steps.
    per_round = min(_STEPS_PER_ROUND, 100 * count)
    steps = min(per_round, max(100, 20_000_000 // count))
    calls = -(-per_round // steps)
    most = min(len(np.unique(entries[:, 0])), len(np.unique(entries[:, 1])))
    enough = most if enough is None else min(enough, most)
    sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    for turn, child in enumerate(sequence.spawn(rounds)):
        rng = np.random.default_rng(child)
        tenure = _TENURES[turn % len(_TENURES)]
        chosen = np.zeros(count, dtype=np.bool_)
        tight = np.zeros(count, dtype=np.int16)
        for _ in range(calls):
            tabu_search(table, chosen, tight, best, steps, tenure, rng)
            if stop.now() or best.sum() >= enough:
                return entries[best]
    return entries[best]
