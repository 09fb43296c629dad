"""The proving side of `auto`: a list of steps that share the time of the run.

A relaxation joins by an engine in `boolfact.solve.engines` and a step in `STEPS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from boolfact.colgen.cover.grow import circle_groups
from boolfact.control.ending import Ending
from boolfact.model.bound import Quantity
from boolfact.solve.beside import News
from boolfact.solve.engines import (
    Engine,
    bound_error,
    bound_error_and_close,
    bound_error_by_columns,
    bound_objective,
    offer,
    recombine,
)
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["STEPS", "Done", "Step", "prove"]


@dataclass
class Done:
    """How the steps before this one went: seconds by name, infinite for one that was cut short."""

    seconds: float
    """Of the run as a whole, of which shares are given."""
    took: dict[str, float] = field(default_factory=dict)


def _always(task: Task, state: State, share: float, done: Done) -> bool:
    return True


@dataclass(frozen=True)
class Step:
    """One engine on the proving side.

    Attributes
    ----------
    name : str
    engine : Engine
    shares : mapping of str to float
        Its part of the time of the run, for each `bound` that a user can ask for; a step that
        is not named there is left out.
    is_worth_it : callable
        Whether to try, given the state, the seconds of its share, and the steps before it.
    """

    name: str
    engine: Engine
    shares: Mapping[str, float]
    is_worth_it: Callable[[Task, State, float, Done], bool] = _always


_NEARLY_ALL = 0.95
"""Of the time left: the rest is for the search to take in what the proof found."""

_LEFT_FOR_COVER = 0.5
"""Of the time, at least, that assigned cover has where nothing else proves the error."""

_LEAST_PATTERNS = 2
"""Up to this rank a search over columns proves more than any relaxation, and has all the time."""

_FEW_PATTERNS = 3
"""Up to this rank it mostly ends, and has most of the time."""

_SOME_PATTERNS, _SOME_COLUMNS = 4, 24
"""Up to this rank, and on the shorter side so many, it is worth a try: it may prove more than any
relaxation."""

_TINY = 12
"""With no more columns than this it is worth a try for one pattern more."""

_MANY_COLUMNS = 44
"""With more columns the others are slow, or have to divide them, and MLP(1/k) may prove more."""

_MANY_PATTERNS = 5
"""From this rank on, MLP(1/k) proves less than assigned cover around circles."""


def _not_optimal(task: Task, state: State, share: float, done: Done) -> bool:
    return not state.is_optimal


def _least_patterns(task: Task, state: State, share: float, done: Done) -> bool:
    return not state.is_optimal and task.k <= _LEAST_PATTERNS


def _few_patterns(task: Task, state: State, share: float, done: Done) -> bool:
    return not state.is_optimal and _LEAST_PATTERNS < task.k <= _FEW_PATTERNS


def _not_by_columns(task: Task, state: State, share: float, done: Done) -> bool:
    # Weights may be too large for a search over columns: then it proves nothing.
    by_columns = _is_left_to_columns(task) and Quantity.ERROR in state.bounds
    return not state.is_optimal and not by_columns


def _is_left_to_columns(task: Task) -> bool:
    # Where iterations are counted, other proofs take no time from it.
    return task.k <= _LEAST_PATTERNS and task.stop.iteration_limit is None


def _some_patterns(task: Task, state: State, share: float, done: Done) -> bool:
    columns = min(task.matrix.shape)
    short = task.k <= _SOME_PATTERNS and columns <= _SOME_COLUMNS
    short = short or (task.k == _SOME_PATTERNS + 1 and columns <= _TINY)
    return not state.is_optimal and task.k > _FEW_PATTERNS and short


def _mlp_may_prove_more(task: Task, state: State, share: float, done: Done) -> bool:
    if state.is_optimal or min(task.matrix.shape) <= _MANY_COLUMNS or _is_left_to_columns(task):
        return False
    left = _LEFT_FOR_COVER * done.seconds
    return task.k < _MANY_PATTERNS or not circle_groups(task.matrix, left)


STEPS: tuple[Step, ...] = (
    # The objective comes first where it is asked for; elsewhere its rectangles help the others.
    Step("objective", bound_objective, {"auto": 0.08, "objective": 0.35, "error": 0.05}),
    Step(
        "integer master",
        recombine,
        {"auto": 0.03, "objective": 0.05, "error": 0.03},
        _not_optimal,
    ),
    Step("error by MLP", bound_error, {"auto": 0.08, "error": 0.1}, _mlp_may_prove_more),
    Step(
        "error by columns, to the end",
        bound_error_by_columns,
        {"auto": 0.9, "error": 0.9},
        _least_patterns,
    ),
    Step("error by columns", bound_error_by_columns, {"auto": 0.6, "error": 0.7}, _few_patterns),
    Step(
        "error by columns, briefly",
        bound_error_by_columns,
        {"auto": 0.12, "error": 0.12},
        _some_patterns,
    ),
    Step("error", bound_error_and_close, {"auto": 0.55, "error": 0.6}, _not_by_columns),
)
"""In order. What is left of the time is for the search."""


def prove(
    task: Task,
    state: State,
    reporter: Reporter,
    news: News = lambda: None,
    *,
    seconds: float,
    steps: tuple[Step, ...] = STEPS,
    to_the_end: bool = False,
) -> None:
    """Take the steps one after the other, each beginning with the best that is known anywhere.

    Parameters
    ----------
    task, state, reporter
    news : callable
        The best of a search that goes on beside; None if there is none.
    seconds : float
        Of which the steps have shares.
    steps : tuple of Step
    to_the_end : bool
        Whether the last step has all the time that is left, but for a moment: where the search
        goes on beside, it loses nothing by that.
    """
    done = Done(seconds)
    for step in steps:
        part = step.shares.get(task.bound)
        if part is None or not step.is_worth_it(task, state, part * seconds, done):
            continue
        better = news()
        if better is not None:
            offer(task, state, better, reporter)
        began = task.stop.elapsed()
        share = task.stop.share(part, seconds)
        if to_the_end and step is steps[-1]:
            share = task.stop.share(_NEARLY_ALL, task.stop.remaining())
        ending = step.engine(task, state, share, reporter)
        whole = ending in (Ending.PROVED, Ending.INCUMBENT)
        done.took[step.name] = task.stop.elapsed() - began if whole else math.inf
