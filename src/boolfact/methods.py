"""The methods users choose from, by name."""

from __future__ import annotations

from boolfact.baselines.registry import BASELINES
from boolfact.task import Method, Outcome, Task

__all__ = ["METHODS"]


def _auto(task: Task) -> Outcome:
    from boolfact.auto import run_auto

    return run_auto(task)


def _colgen(task: Task) -> Outcome:
    from boolfact.auto import run_column_generation

    return run_column_generation(task)


def _local(task: Task) -> Outcome:
    from boolfact.auto import run_local_search

    return run_local_search(task)


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
    **{name: _baseline(name) for name in BASELINES},
}
"""By name; the engines, which need Numba and HiGHS, are imported when a method runs."""
