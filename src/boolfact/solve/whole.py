"""The method `compact`: IP_exact on HiGHS, from the best start that is known."""

from __future__ import annotations

from boolfact.baselines.asso_plus_plus import asso_plus_plus
from boolfact.baselines.k_greedy import k_greedy
from boolfact.compact import solve_compact
from boolfact.control.counters import Counter
from boolfact.control.ending import Ending
from boolfact.solve.engines import offer
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["run_compact"]


def run_compact(task: Task, state: State, reporter: Reporter) -> Ending:
    """From the better of ASSO++ and k-greedy, as in the paper, or from a start that beats both."""
    matrix, k = task.matrix, task.k
    starts = [
        asso_plus_plus(matrix, k, seed=task.seed, stop=task.stop),
        k_greedy(matrix, k, seed=task.seed, stop=task.stop),
    ]
    start = min(starts, key=lambda factors: factors.error(matrix))
    if state.error < start.error(matrix):
        start = state.best
    result = solve_compact(matrix, k, start=start, stop=task.stop)
    state.trace.record(Counter.CLAIMED_BOUND, result.claimed_bound)
    state.trace.count(Counter.NODES, result.nodes)
    assert result.factors is not None
    offer(task, state, result.factors, reporter)
    # HiGHS proves in floating point: its bound is recorded as a claim, not as a bound.
    return Ending.DONE if result.is_claimed_optimal else task.stop.reason or Ending.STALLED
