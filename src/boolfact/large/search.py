"""The search for large data: patterns from samples of rows, refined on all of them.

A round draws a sample, searches it as a matrix of its own, and refines the patterns that it
found: first on more rows, then on all. The patterns of the best and of earlier rounds are there
to begin from. The sample grows when a round brings nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.control.executor import Executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.large.data import LargeData
from boolfact.large.refit import Solution, refine
from boolfact.large.sample import Sample, column_counts, draw_sample
from boolfact.local_search.population import Population
from boolfact.local_search.problem import MAX_RANK, codes_of, masks_of
from boolfact.local_search.refit import refit_rows
from boolfact.local_search.settings import PopulationSettings
from boolfact.model.factors import Factors
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import Reduction, reduce_matrix

__all__ = ["LargeSearch", "LargeSettings"]


@dataclass(frozen=True)
class LargeSettings:
    """How samples are drawn and searched.

    Attributes
    ----------
    sample_cells, most_cells : int
        Cells of the first samples, and of the largest.
    fewest_rows, most_columns : int
        Of a sample: with very many columns some are left out rather than rows.
    more : int
        How many times as many rows as the sample the patterns are refined on before all are.
    children : int
        Children of the local search after which it is asked whether it still improves.
    share : float
        Of the time that is left, at most this much for the search of one sample.
    pool : int
        Patterns of earlier rounds that are kept to build from.
    """

    sample_cells: int = 1 << 19
    most_cells: int = 1 << 22
    fewest_rows: int = 500
    most_columns: int = 1000
    more: int = 16
    children: int = 24
    share: float = 0.3
    pool: int = 200


_POPULATION = PopulationSettings(size=4, ahead=4, chain_work=2e8, anneal_work=2e8)
"""Short chains: a sample is left as soon as it has no more to teach."""


class LargeSearch:
    """A search that can be advanced in slices and fed with known solutions.

    Parameters
    ----------
    data : LargeData
    k : int
        Patterns, 1 to 64.
    seed : int
    progress : callable, optional
    settings : LargeSettings, optional

    Attributes
    ----------
    best : Solution
        Covers nothing at first.
    iterations : int
        Children that the searches of all samples tried, and at least one for each round.
    rounds : int
    """

    def __init__(
        self,
        data: LargeData,
        k: int,
        *,
        seed: int = 0,
        progress: Progress | None = None,
        settings: LargeSettings | None = None,
    ) -> None:
        if not 1 <= k <= MAX_RANK:
            raise ValueError(f"k must be from 1 to {MAX_RANK} for large data, got {k}")
        n, m = data.shape
        self.data, self.k = data, k
        self.settings = settings or LargeSettings()
        self.best = Solution(np.zeros(n, np.int64), np.zeros(m, np.int64), data.nothing)
        self.iterations = self.rounds = 0
        self._sequence = np.random.SeedSequence(seed)
        self._progress = progress or silent
        self._cells = self.settings.sample_cells
        self._patterns: dict[bytes, NDArray[np.bool_]] = {}
        self._counts: NDArray[np.int64] | None = None

    def offer(self, B: NDArray[np.bool_], *, stop: Stop, executor: Executor) -> None:
        """Begin from patterns found elsewhere, refined on all rows."""
        padded = np.zeros((self.k, self.data.shape[1]), dtype=np.bool_)
        padded[: len(B)] = B
        self._keep(
            refine(self.data, codes_of(padded.T), self.k, stop=stop, executor=executor), stop
        )

    def advance(self, stop: Stop, executor: Executor) -> int:
        """Go on, round after round, until the stop; returns the error of the best.

        The iteration limit counts the children of this call. Results do not depend on the
        executor.
        """
        if stop.is_endless:
            raise ValueError("stop needs a time limit, an iteration limit or a target")
        begun = self.iterations
        while self.best.error > 0:
            if stop.reached(self.best.error, self.iterations - begun):
                break
            left = None
            if stop.iteration_limit is not None:
                left = stop.iteration_limit - (self.iterations - begun)
            self._round(stop, executor, left)
        return self.best.error

    def _round(self, stop: Stop, executor: Executor, left: int | None) -> None:
        before = self.best.error
        seeds = self._sequence.spawn(2)
        rng = np.random.default_rng(seeds[0])
        self.rounds += 1
        sample = self._draw(rng)
        found, children = self._search_sample(sample, seeds[1], stop, executor, left)
        self.iterations += max(1, children)
        if stop.now() and self.best.error < self.data.nothing:
            return
        for B in found:
            self._patterns.setdefault(np.packbits(B).tobytes(), B)
        while len(self._patterns) > self.settings.pool:
            del self._patterns[next(iter(self._patterns))]
        V = codes_of(found.T)
        if not np.array_equal(V, self.best.V):
            V = self._refined_on_more(V, len(sample.rows), rng, stop, executor)
            self._keep(refine(self.data, V, self.k, stop=stop, executor=executor), stop)
        if self.best.error == before:
            self._cells = min(2 * self._cells, self.settings.most_cells)

    def _draw(self, rng: np.random.Generator) -> Sample:
        if self._counts is None:
            self._counts = column_counts(self.data)
        columns = min(int((self._counts > 0).sum()) or 1, self.settings.most_columns)
        rows = max(self.settings.fewest_rows, self._cells // columns)
        return draw_sample(self.data, rows, columns, self._counts, rng)

    def _search_sample(
        self,
        sample: Sample,
        seed: np.random.SeedSequence,
        stop: Stop,
        executor: Executor,
        left: int | None,
    ) -> tuple[NDArray[np.bool_], int]:
        """Patterns over all columns, shape (k, m), and how many children were tried."""
        reduction = reduce_matrix(sample.matrix)
        reduced, k = reduction.matrix, self.k
        if min(reduced.shape) <= k:
            return self._over_all_columns(sample, reduction.lift(Factors.reproducing(reduced)).B), 0
        population = Population(
            reduced,
            k,
            seed=seed,
            pool=self._pool_for(sample, reduction),
            settings=_POPULATION,
        )
        if self.best.V.any():
            population.offer([reduction.restrict(self._best_on(sample))])
        clock = None if left is not None else self._seconds(stop)
        within = stop.child(clock)
        children = self.settings.children
        while True:
            before = population.state.error
            quota = children if left is None else min(children, left - population.state.iterations)
            if quota < 1:
                break
            population.advance(within.child(iteration_limit=quota), executor)
            if population.state.error in (0, before) or within.now():
                break
        lifted = reduction.lift(population.state.best)
        return self._over_all_columns(sample, lifted.B), population.state.iterations

    def _seconds(self, stop: Stop) -> float | None:
        left = stop.remaining()
        return None if math.isinf(left) else self.settings.share * left

    def _over_all_columns(self, sample: Sample, B: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Patterns of the sample as patterns of the data; columns left out are in none yet."""
        out = np.zeros((self.k, self.data.shape[1]), dtype=np.bool_)
        out[: len(B), sample.columns] = B
        return out

    def _best_on(self, sample: Sample) -> Factors:
        """The best patterns with their best rows in the sample."""
        B = masks_of(self.best.V, self.k).T[:, sample.columns]
        return Factors(refit_rows(sample.matrix.ones, sample.matrix.weights, B), B)

    def _pool_for(self, sample: Sample, reduction: Reduction) -> RectanglePool:
        """The patterns of earlier rounds, each with the rows of the sample where it pays alone."""
        pool = RectanglePool(*reduction.matrix.shape)
        signed = np.where(sample.matrix.ones, 1.0, -1.0) * sample.matrix.weights
        for pattern in self._patterns.values():
            B = pattern[sample.columns][None]
            a = signed @ B[0] > 0
            rectangle = reduction.restrict(Factors(a[:, None], B)).rectangles[0]
            pool.add(*rectangle)
        return pool

    def _refined_on_more(
        self,
        V: NDArray[np.int64],
        n_sample: int,
        rng: np.random.Generator,
        stop: Stop,
        executor: Executor,
    ) -> NDArray[np.int64]:
        """Settle the patterns on many rows before all of them are read."""
        n = self.data.shape[0]
        many = self.settings.more * n_sample
        if 2 * many >= n:
            return V
        rows = np.sort(rng.choice(n, many, replace=False))
        return refine(self.data.take(rows), V, self.k, stop=stop, executor=executor).V

    def _keep(self, found: Solution, stop: Stop) -> None:
        if found.error < self.best.error:
            self.best = found
            self._progress(
                Event(
                    "large search",
                    stop.elapsed(),
                    error=found.error,
                    iterations=self.iterations,
                    message=f"round {self.rounds}",
                )
            )
