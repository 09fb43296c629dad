"""Exchange: one rectangle after another is taken out and the best of a few new ones put in.

A trial costs a few passes over the rows and columns of one rectangle, where a child of a chain
(`boolfact.local_search.chain`) is a descent of all of them. So this is the walk for large
matrices, where a chain would try only a handful of children. From nothing it builds a greedy
solution, since an empty rectangle loses against any other.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.chain import Rules, descend
from boolfact.local_search.flips import costs_of_rectangle, fit_rectangle, settle_rectangle
from boolfact.local_search.grow import Reaches, grow_rectangle, reaches
from boolfact.local_search.problem import Problem, Work
from boolfact.local_search.seeds import (
    clear_rectangle,
    seed_at_a_one,
    seed_greedily,
    seed_rectangle,
)
from boolfact.local_search.xorshift import draw_below, draw_unit, draw_word

__all__ = ["run_exchange"]

_KINDS = 6
"""Ways of making a rectangle."""
_DOUBT = 8.0
"""Tries for which a kind is given credit before it won."""
_UNIFORM = 0.2
"""Share of the tries in which all kinds have the same chance."""


@njit(cache=True, nogil=True)
def _saving(
    problem: Problem, U: NDArray[np.int64], V: NDArray[np.int64], bit: np.int64
) -> np.int64:
    """What a rectangle saves beyond the others, as it stands."""
    costs = np.empty(U.shape[0], dtype=problem.rows.dtype)
    costs_of_rectangle(problem.columns, U, V, bit, costs)
    saving = np.int64(0)
    for i in range(U.shape[0]):
        if (U[i] & bit) != 0:
            saving -= np.int64(costs[i])
    return saving


@njit(cache=True, nogil=True)
def _thin(codes: NDArray[np.int64], bit: np.int64, state: NDArray[np.uint64]) -> None:
    """Take each row, or column, out of a rectangle with probability one half."""
    for i in range(codes.shape[0]):
        if (codes[i] & bit) != 0 and draw_word(state) >> np.uint64(63) != 0:
            codes[i] &= ~bit


@njit(cache=True, nogil=True)
def _copy_bit(source: NDArray[np.int64], target: NDArray[np.int64], bit: np.int64) -> None:
    """Give the target the rows, or columns, that a rectangle has in the source."""
    for i in range(source.shape[0]):
        target[i] = (target[i] & ~bit) | (source[i] & bit)


@njit(cache=True, nogil=True)
def _draw_kind(luck: NDArray[np.float64], state: NDArray[np.uint64]) -> int:
    """How to make a rectangle: more often as that won more often when it was tried.

    On a tall matrix a greedy choice of columns wins where one of rows never does, and the
    reverse; a kind without luck is still tried now and then.
    """
    wins, uses = luck
    share = (wins + 1.0) / (uses + _DOUBT)
    # At first an uncovered one is the best place to begin at.
    share[_KINDS - 1] += 2.0 / (uses[_KINDS - 1] + _DOUBT)
    share = (1.0 - _UNIFORM) * share / share.sum() + _UNIFORM / share.shape[0]
    left = draw_unit(state)
    for kind in range(_KINDS - 1):
        left -= share[kind]
        if left < 0:
            return kind
    return _KINDS - 1


@njit(cache=True, nogil=True)
def _try_rectangle(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    kind: int,
    material: NDArray[np.bool_],
    rules: Rules,
    reach: Reaches,
    work: Work,
) -> np.int64:
    """Another rectangle in the place of one: a new one, or half of the old one settled anew."""
    if kind == 0:
        _thin(V, bit, work.state)
    elif kind == 1:
        _thin(U, bit, work.state)
        fit_rectangle(problem.rows, V, U, bit)
    elif kind == 2:
        seed_greedily(problem.rows, U, V, bit, work.state)
    elif kind == 3:
        seed_greedily(problem.columns, V, U, bit, work.state)
    elif kind == 4:
        seed_rectangle(problem, U, V, bit, material, work)
    else:
        seed_at_a_one(problem, U, V, bit, work)
    if rules.dear or draw_below(work.state, 4) == 0:
        grow_rectangle(problem, U, V, bit, reach, work.halt)
    return settle_rectangle(problem, U, V, bit, work.halt)


@njit(cache=True, nogil=True)
def _best_rectangle(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    material: NDArray[np.bool_],
    rules: Rules,
    reach: Reaches,
    luck: NDArray[np.float64],
    work: Work,
) -> tuple[np.int64, int]:
    """Give a rectangle the best of a few forms. Returns what it saves then, and its kind."""
    first_U, first_V = U & bit, V & bit
    best_U, best_V = np.zeros_like(U), np.zeros_like(V)
    best, best_kind = np.int64(0), 0
    for _ in range(rules.tries):
        if work.halt[0]:
            break
        _copy_bit(first_U, U, bit)
        _copy_bit(first_V, V, bit)
        kind = _draw_kind(luck, work.state)
        luck[1, kind] += 1.0
        gain = _try_rectangle(problem, U, V, bit, kind, material, rules, reach, work)
        if gain > best:
            best, best_kind = gain, kind
            _copy_bit(U, best_U, bit)
            _copy_bit(V, best_V, bit)
    _copy_bit(best_U, U, bit)
    _copy_bit(best_V, V, bit)
    return best, best_kind


@njit(cache=True, nogil=True)
def _neighbour(
    U: NDArray[np.int64], first: np.int64, k: int, state: NDArray[np.uint64]
) -> np.int64:
    """Another rectangle: one that shares a random row with the first, or any."""
    bit = np.int64(1) << first
    i = draw_below(state, U.shape[0])
    u = draw_below(state, k)
    for _ in range(U.shape[0]):
        i = i + 1 if i + 1 < U.shape[0] else np.int64(0)
        if (U[i] & bit) != 0 and (U[i] & ~bit) != 0:
            for _ in range(k):
                if u != first and (U[i] >> u) & np.int64(1):
                    return u
                u = u + 1 if u + 1 < k else np.int64(0)
            break
    return u


@njit(cache=True, nogil=True)
def _first_unused(codes: NDArray[np.int64], k: int) -> np.int64:
    """The first rectangle without rows; k if there is none."""
    used = np.int64(0)
    for code in codes:
        used |= code
    for u in range(k):
        if (used >> np.int64(u)) & np.int64(1) == 0:
            return np.int64(u)
    return np.int64(k)


@njit(cache=True, nogil=True)
def run_exchange(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    material: NDArray[np.bool_],
    rules: Rules,
    work: Work,
) -> tuple[np.int64, int]:
    """Walk from the codes U, V, which end as the best met. Returns its error and the children.

    In each child one rectangle, empty ones first and then each in its turn, is replaced by the
    best of a few others, and often a neighbour of it as well: two rectangles that should be one
    and another hold each other where they are. A child may be slightly worse and still be
    accepted. After a round of all rectangles everything is descended from.
    """
    k = rules.k
    reach = reaches(problem.rows)
    error = np.int64(problem.base)
    if np.any(U != 0):
        error = descend(problem, U, V, rules, work)
    best = error
    here_U, here_V = U.copy(), V.copy()
    child_U, child_V = U.copy(), V.copy()
    slack = rules.slack * rules.unit
    luck = np.zeros((2, _KINDS))
    done = 0
    changed = False
    while done < rules.children and best > rules.target and work.halt[0] == 0:
        first = _first_unused(child_U, k)
        is_new = first < k
        if not is_new:
            first = np.int64(done % k)
        done += 1
        bit = np.int64(1) << first
        after = error + _saving(problem, child_U, child_V, bit)
        second, second_kind = first, -1
        if not is_new and draw_below(work.state, rules.replaced) > 0:
            second = _neighbour(child_U, first, k, work.state)
        other = np.int64(1) << second
        if second != first:
            clear_rectangle(child_U, child_V, bit)
            after += _saving(problem, child_U, child_V, other)
            clear_rectangle(child_U, child_V, other)
            saving, second_kind = _best_rectangle(
                problem, child_U, child_V, other, material, rules, reach, luck, work
            )
            after -= saving
        saving, first_kind = _best_rectangle(
            problem, child_U, child_V, bit, material, rules, reach, luck, work
        )
        after -= saving
        # What was cut short need not be worth anything.
        if work.halt[0] and after > error:
            break
        if after <= error - slack * np.log(draw_unit(work.state)):
            changed = changed or after != error
            if after < error:
                luck[0, first_kind] += 1.0
                if second_kind >= 0:
                    luck[0, second_kind] += 1.0
            error = after
            _copy_bit(child_U, here_U, bit | other)
            _copy_bit(child_V, here_V, bit | other)
        else:
            _copy_bit(here_U, child_U, bit | other)
            _copy_bit(here_V, child_V, bit | other)
        if changed and done % k == 0:
            error = descend(problem, here_U, here_V, rules, work)
            child_U[:] = here_U
            child_V[:] = here_V
            changed = False
        if error < best:
            best = error
            U[:] = here_U
            V[:] = here_V
    return best, done
