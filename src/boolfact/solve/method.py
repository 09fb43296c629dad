"""The methods users choose from, by name."""

from __future__ import annotations

from boolfact.baselines.registry import BASELINES
from boolfact.solve.task import Method, Outcome, Task

__all__ = ["METHODS"]


def _auto(task: Task) -> Outcome:
    from boolfact.solve.auto import run_auto

    return run_auto(task)


def _colgen(task: Task) -> Outcome:
    from boolfact.solve.auto import run_column_generation

    return run_column_generation(task)


def _local(task: Task) -> Outcome:
    from boolfact.solve.auto import run_local_search

    return run_local_search(task)


def _compact(task: Task) -> Outcome:
    """IP_exact from the better of ASSO++ and k-greedy, as in the paper."""
    from boolfact.compact import solve_compact

    starts = (
        BASELINES[name].run(task.matrix, task.k, task.seed, task.stop)
        for name in ("asso_plus_plus", "k_greedy")
    )
    start = min(starts, key=lambda factors: factors.error(task.matrix))
    result = solve_compact(task.matrix, task.k, start=start, stop=task.stop)
    task.trace.count("claimed_bound", result.claimed_bound)
    task.trace.count("nodes", result.nodes)
    assert result.factors is not None
    # HiGHS proves in floating point: its bound is recorded as a claim, not as a bound.
    reason = None if result.is_claimed_optimal else task.stop.reason
    return Outcome(result.factors, reason=reason)


def _baseline(name: str) -> Method:
    """The published heuristic of that name as a method."""

    def run(task: Task) -> Outcome:
        factors = BASELINES[name].run(task.matrix, task.k, task.seed, task.stop)
        return Outcome(factors, reason=task.stop.reason)

    return run


METHODS: dict[str, Method] = {
    "auto": _auto,
    "local": _local,
    "colgen": _colgen,
    "compact": _compact,
    **{name: _baseline(name) for name in BASELINES},
}
"""By name; the engines, which need Numba and HiGHS, are imported when a method runs."""
