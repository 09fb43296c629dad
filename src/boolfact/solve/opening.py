"""The opening of `auto` on large data: fast published heuristics for the search to begin with.

On large sparse data a local search takes a while to be as good as a heuristic that lists concepts
or association rules. So these come first where the search exchanges single rectangles
(`boolfact.local_search.exchange`), and also where there are more patterns than it can take.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boolfact.baselines.asso import asso_runs
from boolfact.baselines.asso_plus_plus import improve
from boolfact.baselines.grecond import grecond
from boolfact.baselines.k_greedy import k_greedy
from boolfact.control.stop import Stop
from boolfact.local_search.settings import PopulationSettings
from boolfact.local_search.weights import zeros_are_dear
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.solve.engines import offer
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["improve_many_patterns", "open_with_heuristics", "wants_opening"]

_MIDDLE_FIRST = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9)
_SURE_FIRST = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)

_FOR_CONCEPTS = 0.6
"""Of the time of the run: GreConD cut short is worth little, and whole it is hard to beat."""

_MOST_STARTS = 3
"""Solutions that the search begins with."""

_MOST_RULES = 1e8
"""Pairs of columns above which the association rules would take too long and too much memory."""


def wants_opening(task: Task, state: State) -> bool:
    """Whether to begin with heuristics."""
    return state.population is None or PopulationSettings().exchanges(task.matrix, task.k)


def open_with_heuristics(task: Task, state: State, stop: Stop, reporter: Reporter) -> None:
    """The heuristics in turn, the fastest first, until the stop; the best begin the search.

    The rectangles of all of them go to the pool.
    """
    found: list[tuple[int, int, Factors]] = []
    for factors in _heuristics(task, state, stop):
        state.pool.extend(factors.rectangles)
        found.append((factors.error(task.matrix), len(found), factors))
        state.keep(factors, task.matrix)
        reporter.found(state, task.stop.elapsed())
        if stop.now():
            break
    few = min(_MOST_STARTS, PopulationSettings().members(task.matrix.shape, task.k))
    for _, _, factors in sorted(found)[:few]:
        offer(task, state, factors, reporter)


def _heuristics(task: Task, state: State, stop: Stop) -> Iterator[Factors]:
    matrix, k = task.matrix, task.k
    yield grecond(matrix, k, stop=task.stop.share(_FOR_CONCEPTS))
    if state.population is None and not PopulationSettings().is_large(matrix.shape, k):
        yield k_greedy(matrix, k, seed=task.seed, stop=stop)
    if matrix.shape[1] ** 2 <= _MOST_RULES:
        yield from asso_runs(matrix, k, _thresholds(matrix), stop)


def _thresholds(matrix: BinaryMatrix) -> tuple[float, ...]:
    """Of ASSO, those first that win most often: time may end before the last."""
    return _SURE_FIRST if zeros_are_dear(matrix) else _MIDDLE_FIRST


def improve_many_patterns(task: Task, state: State, reporter: Reporter) -> None:
    """More patterns than the search can take: flips and replacements, as in ASSO++."""
    rng = np.random.default_rng(task.seed)
    offer(task, state, improve(task.matrix, state.best, rng, task.stop), reporter)
