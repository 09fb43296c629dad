"""Where a new rectangle comes from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.flips import fit_rectangle, settle_rectangle
from boolfact.local_search.problem import Problem, Work
from boolfact.local_search.xorshift import draw_below, draw_unit

__all__ = [
    "clear_rectangle",
    "draw_uncovered",
    "seed_at_a_one",
    "seed_columns",
    "seed_greedily",
    "seed_rectangle",
]

_TRIES = 30
"""Rows looked at for one that has an uncovered one left."""

_DRAWS = 2000
"""Entries looked at for an uncovered one: enough where one in a few hundred is."""

_BLUR = 0.1
"""Share by which the worth of a row is blurred before rows are put in order: no two alike."""


@njit(cache=True, nogil=True)
def clear_rectangle(U: NDArray[np.int64], V: NDArray[np.int64], bit: np.int64) -> None:
    """Take every row and column out of a rectangle."""
    for i in range(U.shape[0]):
        U[i] &= ~bit
    for j in range(V.shape[0]):
        V[j] &= ~bit


@njit(cache=True, nogil=True)
def seed_columns(
    S: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    kind: np.int64,
    state: NDArray[np.uint64],
) -> None:
    """Give an empty rectangle some columns.

    Kind 0: the uncovered ones of a random row; 1: all ones of a random row; 2: the ones that
    two random rows share; 3: random columns.
    """
    n, m = S.shape
    i = draw_below(state, n)
    if kind == 0:
        # In a good solution few rows have an uncovered one: look for one of them.
        found = False
        for _ in range(_TRIES):
            for j in range(m):
                if S[i, j] < 0 and (U[i] & V[j]) == 0:
                    found = True
                    break
            if found:
                break
            i = draw_below(state, n)
        code = U[i]
        for j in range(m):
            if S[i, j] < 0 and (code & V[j]) == 0:
                V[j] |= bit
    elif kind == 1:
        for j in range(m):
            if S[i, j] < 0:
                V[j] |= bit
    elif kind == 2:
        other = draw_below(state, n)
        for j in range(m):
            if S[i, j] < 0 and S[other, j] < 0:
                V[j] |= bit
    else:
        for j in range(m):
            if draw_unit(state) < 0.2:
                V[j] |= bit


@njit(cache=True, nogil=True)
def seed_rectangle(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    material: NDArray[np.bool_],
    work: Work,
) -> np.int64:
    """Replace one rectangle by a new one, settled against the others. Returns its saving.

    The start is a random kind of `seed_columns`, on rows or on columns alike, or the columns
    of a rectangle in `material` (size, m).
    """
    state = work.state
    clear_rectangle(U, V, bit)
    kinds = 9 if material.shape[0] > 0 else 7
    kind = draw_below(state, kinds)
    if kind < 4:
        seed_columns(problem.rows, U, V, bit, kind, state)
    elif kind < 7:
        seed_columns(problem.columns, V, U, bit, kind - 4, state)
        fit_rectangle(problem.rows, V, U, bit)
    else:
        columns = material[draw_below(state, material.shape[0])]
        for j in range(V.shape[0]):
            if columns[j]:
                V[j] |= bit
    return settle_rectangle(problem, U, V, bit, work.halt)


@njit(cache=True, nogil=True)
def draw_uncovered(
    S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], state: NDArray[np.uint64]
) -> tuple[np.int64, np.int64]:
    """Row and column of a one that nobody covers, all alike; -1 twice if none was met."""
    n, m = S.shape
    for _ in range(_DRAWS):
        i, j = draw_below(state, n), draw_below(state, m)
        if S[i, j] < 0 and (U[i] & V[j]) == 0:
            return i, j
    return np.int64(-1), np.int64(-1)


@njit(cache=True, nogil=True)
def _seed_beside(
    S: NDArray[Any],
    turned: NDArray[Any],
    V: NDArray[np.int64],
    bit: np.int64,
    where: tuple[np.int64, np.int64],
    kind: np.int64,
    state: NDArray[np.uint64],
) -> None:
    """Columns for an empty rectangle that is to cover a given one.

    Kind 0: the column of the one; 1: the ones of its row; 2: those that a row shares with it
    which has a one in the same column.
    """
    i, j = where
    if kind == 0:
        V[j] |= bit
        return
    other = i
    if kind == 2:
        column = turned[j]
        at = draw_below(state, column.shape[0])
        for _ in range(column.shape[0]):
            at = at + 1 if at + 1 < column.shape[0] else np.int64(0)
            if column[at] < 0 and at != i:
                other = at
                break
    for q in range(V.shape[0]):
        if S[i, q] < 0 and S[other, q] < 0:
            V[q] |= bit


@njit(cache=True, nogil=True)
def seed_at_a_one(
    problem: Problem, U: NDArray[np.int64], V: NDArray[np.int64], bit: np.int64, work: Work
) -> None:
    """Give a rectangle the columns of a new one that begins at a random uncovered one.

    On sparse data most rows and columns have nothing to begin with; an uncovered one stands
    where there is something to gain.
    """
    clear_rectangle(U, V, bit)
    i, j = draw_uncovered(problem.rows, U, V, work.state)
    if i < 0:
        return
    kind = draw_below(work.state, 6)
    if kind < 3:
        _seed_beside(problem.rows, problem.columns, V, bit, (i, j), kind, work.state)
    else:
        _seed_beside(problem.columns, problem.rows, U, bit, (j, i), kind - 3, work.state)
        fit_rectangle(problem.rows, V, U, bit)


@njit(cache=True, nogil=True)
def _greedy_order(
    S: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    state: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """Rows by what their uncovered ones are worth, the most first, blurred by a tenth.

    Only those that have any: nothing is lost by leaving out the others.
    """
    n, m = S.shape
    zero = S.dtype.type(0)
    keys = np.empty(n)
    for i in range(n):
        row, code = S[i], U[i] & ~bit
        worth = zero
        for j in range(m):
            worth -= min(row[j], zero) if (code & V[j]) == 0 else zero
        keys[i] = -float(worth) * (1.0 + _BLUR * (2.0 * draw_unit(state) - 1.0))
    order = np.argsort(keys)
    return order[: np.searchsorted(keys[order], 0.0)]


@njit(cache=True, nogil=True)
def seed_greedily(
    S: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    state: NDArray[np.uint64],
) -> np.int64:
    """Build a rectangle anew: row after row is taken if that saves more in all.

    The columns always answer best. Rows that have most to save come first: in random order the
    first one, whichever it is, decides, and it is seldom one of a good rectangle. Returns what the
    rectangle saves with these rows and columns.
    """
    m = S.shape[1]
    clear_rectangle(U, V, bit)
    zero = S.dtype.type(0)
    sums = np.zeros(m, dtype=S.dtype)
    saving = np.int64(0)
    for i in _greedy_order(S, U, V, bit, state):
        row, code = S[i], U[i]
        with_row = np.int64(0)
        for j in range(m):
            cost = row[j] if (code & V[j]) == 0 else zero
            with_row -= np.int64(min(S.dtype.type(sums[j] + cost), zero))
        if with_row > saving:
            saving = with_row
            U[i] |= bit
            for j in range(m):
                sums[j] += row[j] if (code & V[j]) == 0 else zero
    for j in range(m):
        if sums[j] < 0:
            V[j] |= bit
    return saving
