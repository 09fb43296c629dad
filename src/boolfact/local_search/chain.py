"""One chain: from a factorisation to neighbours, by replacing a few rectangles at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.flips import descend_bits
from boolfact.local_search.problem import Problem, Work, covered_cost
from boolfact.local_search.refit import improve_rows, refit_codes
from boolfact.local_search.seeds import seed_rectangle
from boolfact.local_search.xorshift import draw_below, draw_unit

__all__ = ["Rules", "descend", "run_chain"]


# A child that the cheap descent leaves worse than its parent by more than a margin is given up.
# How much exact refits recover differs from one matrix to the next, so the margin learns:
# up to what an accepted child needed, slowly down while children are refitted in vain, but
# never below a few times the slack.
_FIRST_MARGIN = 0.2
_HEADROOM = 1.5
_DECAY = 0.98
_LEAST_SLACKS = 4.0


class Rules(NamedTuple):
    """How a chain walks.

    Attributes
    ----------
    k : int
        Rectangles.
    exact : bool
        Whether descents end with exact refits; otherwise with greedy ones and flips.
    children : int
        Neighbours to try.
    replaced : int
        At most this many rectangles are replaced in a child.
    slack : float
        Mean of the exponential variable by which a child may be worse and still be accepted,
        in units.
    target : int
        End as soon as the error is at most this.
    unit : float
        Typical weight of an entry: the scale of the slack and of temperatures.
    dear : bool
        Whether zeros cost more than ones, so rectangles are grown and not only settled.
    tries : int
        New rectangles of which an exchange takes the best (`boolfact.local_search.exchange`);
        0 for a chain of descents.
    """

    k: int
    exact: bool
    children: int
    replaced: int
    slack: float
    target: int
    unit: float = 1.0
    dear: bool = False
    tries: int = 0


@njit(cache=True, nogil=True)
def descend(
    problem: Problem, U: NDArray[np.int64], V: NDArray[np.int64], rules: Rules, work: Work
) -> np.int64:
    """Refit rows and columns in turn until the error no longer falls. Returns the error."""
    k = rules.k
    error = problem.base + covered_cost(problem.rows, U, V)
    # Exact refits break ties at random: one round without gain need not end a plateau.
    patience = 2 if rules.exact else 1
    stalled = 0
    while work.halt[0] == 0 and stalled < patience:
        if rules.exact:
            refit_codes(problem.rows, problem.columns, U, V, k, work)
            after = problem.base + refit_codes(problem.columns, problem.rows, V, U, k, work)
        else:
            saved = improve_rows(problem.rows, problem.columns, U, V, k, work.halt)
            saved += improve_rows(problem.columns, problem.rows, V, U, k, work.halt)
            after = error - saved
        if after < error:
            error = after
            stalled = 0
        else:
            stalled += 1
    return problem.base + covered_cost(problem.rows, U, V)


@njit(cache=True, nogil=True)
def _same(a: NDArray[np.int64], b: NDArray[np.int64]) -> bool:
    for i in range(a.shape[0]):  # noqa: SIM110 - Numba has no generator expressions
        if a[i] != b[i]:
            return False
    return True


@njit(cache=True, nogil=True)
def _flip_columns(
    problem: Problem, U: NDArray[np.int64], V: NDArray[np.int64], k: int, work: Work
) -> None:
    """Flip up to three bits of column codes and let every row answer with its best code.

    Moved in turn, rows and columns hold each other where they are; here the rows let go.
    """
    for _ in range(1 + draw_below(work.state, 3)):
        bit = np.int64(1) << draw_below(work.state, k)
        V[draw_below(work.state, V.shape[0])] ^= bit
    refit_codes(problem.rows, problem.columns, U, V, k, work)


@njit(cache=True, nogil=True)
def run_chain(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    material: NDArray[np.bool_],
    rules: Rules,
    work: Work,
) -> tuple[np.int64, int]:
    """Walk from the codes U, V, which end as the best met. Returns its error and the children.

    The walk accepts slightly worse children: it is a search over local optima, and a strict
    one would stay in the first deep one. A child that falls back to its parent is cheap,
    since exact refits are only spent on one that the cheap descent left promising.
    """
    error = descend(problem, U, V, rules, work)
    best = error
    here_U, here_V = U.copy(), V.copy()
    child_U, child_V = U.copy(), V.copy()
    slack = rules.slack * rules.unit
    margin = np.float64(_FIRST_MARGIN * error)
    done = 0
    while done < rules.children and best > rules.target and work.halt[0] == 0:
        done += 1
        child_U[:] = here_U
        child_V[:] = here_V
        if rules.exact and draw_below(work.state, 3) == 0:
            _flip_columns(problem, child_U, child_V, rules.k, work)
        else:
            for _ in range(1 + draw_below(work.state, rules.replaced)):
                bit = np.int64(1) << draw_below(work.state, rules.k)
                seed_rectangle(problem, child_U, child_V, bit, material, work)
        descend_bits(problem, child_U, child_V, rules.k, work.halt)
        after = problem.base + covered_cost(problem.rows, child_U, child_V)
        excess = after - error
        if excess > margin:
            continue
        if excess == 0 and _same(child_U, here_U) and _same(child_V, here_V):
            continue
        after = descend(problem, child_U, child_V, rules, work)
        if after < best:
            best = after
            U[:] = child_U
            V[:] = child_V
        if after <= error - slack * np.log(draw_unit(work.state)):
            error = after
            here_U[:] = child_U
            here_V[:] = child_V
            margin = max(margin, np.float64(_HEADROOM * excess))
        else:
            margin = max(_DECAY * margin, np.float64(_LEAST_SLACKS * slack))
    return best, done
