"""Progress: solvers report events, whoever listens decides what to show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Event", "Progress", "silent"]


@dataclass(frozen=True)
class Event:
    """One report of a solver; fields that do not apply are None.

    `error_lower_bound` is proved for the error, `objective_lower_bound` for the MIP(rho) objective.
    `guess` is what a bound may become and is proved by nothing: it is for those who watch a method.
    `nodes` counts what pricing looked at; `tree_nodes` and `open_nodes` are those of a branch and
    bound.
    """

    phase: str
    seconds: float
    error: int | None = None
    objective: float | None = None
    objective_lower_bound: float | None = None
    error_lower_bound: float | None = None
    columns: int | None = None
    iterations: int | None = None
    master: float | None = None
    nodes: int | None = None
    tree_nodes: int | None = None
    open_nodes: int | None = None
    guess: float | None = None
    message: str = ""


Progress = Callable[[Event], None]


def silent(event: Event) -> None:
    """Ignore the event: the default listener."""
