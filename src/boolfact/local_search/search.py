"""`local_search`: the lowest error that can be found in the time given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from boolfact.control.ending import Ending
from boolfact.control.executor import Executor, use_executor
from boolfact.control.progress import Progress
from boolfact.control.stop import Stop
from boolfact.local_search.population import Population
from boolfact.local_search.settings import PopulationSettings
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool

__all__ = ["LocalSearchResult", "local_search"]


@dataclass(frozen=True)
class LocalSearchResult:
    """What a local search found.

    `ending` is PROVED if the error is 0, which nothing can beat.
    """

    factors: Factors
    error: int
    iterations: int
    seconds: float
    ending: Ending


def local_search(
    matrix: BinaryMatrix,
    k: int,
    *,
    stop: Stop,
    seed: int | np.random.SeedSequence = 0,
    workers: int = 1,
    executor: Executor | None = None,
    start: Iterable[Factors] = (),
    pool: RectanglePool | None = None,
    progress: Progress | None = None,
    settings: PopulationSettings | None = None,
) -> LocalSearchResult:
    """Search for k rectangles of least error: chains, recombination, restarts.

    Parameters
    ----------
    matrix : BinaryMatrix
        Usually reduced (`boolfact.model.reduction`), which makes every step cheaper.
    k : int
        Rectangles, 1 to 64.
    stop : Stop
        Time limit, iteration limit (children tried) or target error; at least one.
    seed : int or SeedSequence
        With an iteration limit, the same seed gives the same answer for any `workers`.
    workers : int
        Threads of an executor of its own, where none is given.
    executor : Executor, optional
        Where the chains run.
    start : iterable of Factors
        Known solutions to start from; the answer is never worse than the best of them.
    pool : RectanglePool, optional
        Rectangles of other methods to build from; good rectangles are added to it.
    progress : callable, optional
        Called with an `Event` at every improvement.
    settings : PopulationSettings, optional

    Returns
    -------
    LocalSearchResult

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> local_search(X, 2, stop=Stop(iteration_limit=100)).error
    0
    """
    population = Population(matrix, k, seed=seed, pool=pool, progress=progress, settings=settings)
    population.offer(start)
    with use_executor(executor, workers) as used:
        population.advance(stop, used)
    state = population.state
    return LocalSearchResult(
        factors=state.best,
        error=state.best.error(matrix),
        iterations=state.iterations,
        seconds=stop.elapsed(),
        ending=stop.reason or Ending.PROVED,
    )
