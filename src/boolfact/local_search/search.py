"""`local_search`: the lowest error that can be found in the time given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from boolfact.control.progress import Progress
from boolfact.control.stop import Stop, StopReason
from boolfact.local_search.population import Population
from boolfact.local_search.settings import PopulationSettings
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool

__all__ = ["LocalSearchResult", "local_search"]


@dataclass(frozen=True)
class LocalSearchResult:
    """What a local search found.

    `stop_reason` is None if it ended because the error is 0, which nothing can beat.
    """

    factors: Factors
    error: int
    iterations: int
    seconds: float
    stop_reason: StopReason | None


def local_search(
    matrix: BinaryMatrix,
    k: int,
    *,
    stop: Stop,
    seed: int | np.random.SeedSequence = 0,
    workers: int = 1,
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
        Threads.
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
    population = Population(
        matrix,
        k,
        seed=seed,
        start=start,
        pool=pool,
        workers=workers,
        progress=progress,
        settings=settings,
    )
    population.advance(stop)
    return LocalSearchResult(
        factors=population.best,
        error=population.best.error(matrix),
        iterations=population.iterations,
        seconds=stop.elapsed(),
        stop_reason=stop.reason,
    )
