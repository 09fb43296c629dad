"""Local search, column generation, and both together: they share one pool of rectangles."""

from __future__ import annotations

import math
from fractions import Fraction

from boolfact.baselines.asso_plus_plus import asso_plus_plus
from boolfact.baselines.k_greedy import k_greedy
from boolfact.control.stop import Stop
from boolfact.solve.run import MAX_LOCAL_RANK, Run
from boolfact.solve.task import Outcome, Task

__all__ = ["run_auto", "run_column_generation", "run_local_search"]

_UNASKED_ONES = 60_000
"""Ones in the reduced matrix above which bounds are proved only if asked for."""
_SECOND_RHO = Fraction(19, 20)
"""Solved besides rho = 1, as in the paper: it often finds a lower error."""
_TIMES_LONGER = 3
"""MLP(1/k) takes at least so many times as long as MLP(1)."""

_SECONDS_A_RANK = 1.5
"""With less than this, times k, MLP(1/k) proves nothing on a matrix that is not easy."""

_MOST_COLUMNS_FOR_ASSO = 2000
"""Beyond this the association rules, one for each pair of columns, take too long."""


def run_local_search(task: Task) -> Outcome:
    """Local search in the error until a limit is reached."""
    run = Run(task)
    run.search(task.stop)
    return run.outcome()


def run_column_generation(task: Task) -> Outcome:
    """The procedure of the paper, with bounds: columns, integer master, polish.

    Starts from ASSO++ and k-greedy; three quarters of the time are for columns, and of what is
    left the integer master may take half, once for each rho; a twentieth of the time goes to the
    local search that polishes its solutions.
    """
    run = Run(task)
    seconds = task.stop.remaining()
    if task.matrix.shape[1] <= _MOST_COLUMNS_FOR_ASSO:
        stop = _share(task, 0.1, seconds)
        run.offer(asso_plus_plus(task.matrix, task.k, seed=task.seed, stop=stop))
    run.offer(k_greedy(task.matrix, task.k, seed=task.seed))
    run.generate(task.rho, _share(task, 0.75, seconds))
    run.recombine(task.rho, _share(task, 0.5, task.stop.remaining()))
    if task.rho == 1:
        run.recombine(_SECOND_RHO, _share(task, 0.5, task.stop.remaining()))
    if task.bound == "error":
        run.bound_error(_share(task, 1.0, seconds))
    if not run.is_optimal():
        run.search(_share(task, 0.05, seconds))
    return run.outcome()


def run_auto(task: Task) -> Outcome:
    """Local search first; then column generation for bounds and rectangles, with the search
    going on beside it; then both results searched on, until time is over, optimality is
    proved, or nothing moves.
    """
    run = Run(task)
    seconds = task.stop.remaining()
    if task.k > MAX_LOCAL_RANK:
        run.offer(k_greedy(task.matrix, task.k, seed=task.seed))
    # Column generation keeps one core busy, hardly two. Results must not depend on the
    # workers where an iteration limit asks for that: one after the other then.
    together = task.workers > 1 and task.stop.iteration_limit is None and run.population is not None
    first = 0.2 if together else 0.3
    run.search_while_moving(_share(task, first, seconds), patience=1.0, times=1.0)
    if _wants_bounds(task) and not run.is_over():
        if together:
            run.beside(lambda other: _prove(other, seconds), workers=max(1, task.workers // 2))
        else:
            _prove(run, seconds)
    if not run.is_over():
        run.search_while_moving(task.stop, patience=10.0, times=10.0)
    return run.outcome()


def _prove(run: Run, seconds: float) -> None:
    """Column generation for the bounds, and the integer master over what it generated."""
    task = run.task
    began = task.stop.elapsed()
    run.generate(task.rho, _share(task, 0.2 if task.bound == "error" else 0.35, seconds))
    took = task.stop.elapsed() - began if run.is_solved else math.inf
    if not run.is_optimal():
        run.recombine(task.rho, _share(task, 0.05, seconds))
    if task.bound == "error":
        run.bound_error(_share(task, 0.35, seconds))
    elif task.bound == "auto" and not run.is_optimal():
        # Pricing is harder there: a share that is too short for it proves nothing at all.
        share = 0.15 * seconds
        by_clock = task.stop.iteration_limit is None
        if not by_clock or share > min(_TIMES_LONGER * took, _SECONDS_A_RANK * task.k):
            run.bound_error(_share(task, 0.15, seconds))


def _wants_bounds(task: Task) -> bool:
    if task.bound == "auto":
        return int(task.matrix.ones.sum()) <= _UNASKED_ONES
    return task.bound != "none"


def _share(task: Task, share: float, seconds: float) -> Stop:
    """A stop for one phase: part of the time, or the whole iteration limit where there is one.

    An iteration limit goes with answers that do not depend on the clock, so that time only
    ends the run as a whole then.
    """
    limit = task.stop.iteration_limit
    time_limit = None if limit is not None or math.isinf(seconds) else share * seconds
    return task.stop.child(time_limit, limit, task.stop.target)
