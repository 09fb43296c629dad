"""The method `local`: local search in the error until a limit is reached."""

from __future__ import annotations

from boolfact.control.ending import Ending
from boolfact.solve.engines import search, why_it_ended
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["run_local"]


def run_local(task: Task, state: State, reporter: Reporter) -> Ending:
    """Local search alone."""
    return why_it_ended(task, state, search(task, state, task.stop, reporter))
