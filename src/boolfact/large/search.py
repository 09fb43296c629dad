"""The search for large data: patterns from samples of rows, refined on all of them.

The first patterns come one after another from columns whose ones come together, on some rows.
Then come rounds of two kinds. Some draw a sample, search it as a matrix of its own, and refine
the patterns that they found: first on some rows, then on all. The patterns of the best and of
earlier rounds are there to begin from, and the sample grows when nothing comes of it. The others
take a pattern out of the best and put in one for what is not covered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.control.executor import Executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.large.associations import best_candidate
from boolfact.large.data import LargeData, Solution
from boolfact.large.refit import RowFit, count, refine, sweep
from boolfact.large.sample import Sample, column_counts, draw_sample
from boolfact.local_search.population import Population
from boolfact.local_search.problem import MAX_RANK, codes_of, masks_of
from boolfact.local_search.settings import PopulationSettings
from boolfact.model.factors import Factors
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import Reduction, keep_matrix, reduce_matrix

__all__ = ["LargeSearch", "LargeSettings"]


@dataclass(frozen=True)
class LargeSettings:
    """How samples are drawn and searched.

    Attributes
    ----------
    sample_cells, most_cells : int
        Cells of the first samples, and of the largest.
    sample_every : int
        One round in so many searches a sample; the others, which are cheaper, replace a pattern.
    fewest_rows, most_columns : int
        Of a sample: with very many columns some are left out rather than rows.
    some_entries : int
        Ones in the rows that patterns are settled on before all rows are.
    hopeful : float
        Patterns go on to all rows unless their error on some is this many times that of the best.
    children : int
        Children of the local search after which it is asked whether it still improves.
    first_share, share : float
        Of the time that is left, at most this much for the first patterns, and for the search of
        one sample.
    pool : int
        Patterns of earlier rounds that are kept to build from.
    """

    sample_cells: int = 1 << 19
    most_cells: int = 1 << 20
    sample_every: int = 4
    fewest_rows: int = 500
    most_columns: int = 1000
    some_entries: int = 1 << 21
    hopeful: float = 1.01
    children: int = 24
    first_share: float = 0.4
    share: float = 0.15
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
        self.data, self.k = data, k
        self.settings = settings or LargeSettings()
        self.best = data.nothing_covered()
        self.iterations = self.rounds = 0
        self._sequence = np.random.SeedSequence(seed)
        self._progress = progress or silent
        self._cells = self.settings.sample_cells
        self._setting_up = 0.0
        self._patterns: dict[bytes, NDArray[np.bool_]] = {}
        self._counts: NDArray[np.int64] | None = None

    def offer(self, factors: Factors, *, stop: Stop, executor: Executor) -> None:
        """Begin from a known solution, refined on all rows; the best is never worse than it."""
        known = factors.padded(self.k)
        U, V = codes_of(known.A), codes_of(known.B.T)
        counts = count(self.data, U, V, executor=executor)
        error = (
            self.data.missed_one_cost * counts.missed_ones
            + self.data.false_one_cost * counts.false_ones
        )
        self._keep(Solution(U, V, error), stop)
        self._keep(refine(self.data, V, self.k, stop=stop, executor=executor, U=U), stop)

    def advance(self, stop: Stop, executor: Executor, rounds: int | None = None) -> int:
        """Go on, round after round, until the stop; returns the error of the best.

        The iteration limit counts the children of this call; `rounds` is how many there are at
        most. Results do not depend on the executor.
        """
        if stop.is_endless:
            raise ValueError("stop needs a time limit, an iteration limit or a target")
        begun, last = self.iterations, None if rounds is None else self.rounds + rounds
        if self.rounds == 0 and not stop.now():
            self._begin(stop, executor)
        while self.best.error > 0 and self.rounds != last:
            if stop.reached(self.best.error, self.iterations - begun):
                break
            left = None
            if stop.iteration_limit is not None:
                left = stop.iteration_limit - (self.iterations - begun)
            self._round(stop, executor, left)
        return self.best.error

    def _begin(self, stop: Stop, executor: Executor) -> None:
        """One pattern after another, for what those before leave uncovered in some rows."""
        rng = np.random.default_rng(self._sequence.spawn(1)[0])
        within = stop
        if stop.iteration_limit is None and math.isfinite(stop.remaining()):
            # All rows are to be fitted to what was found by then.
            within = stop.child(self.settings.first_share * stop.remaining())
        some = self._some_rows(rng)
        V = np.zeros(self.data.shape[1], dtype=np.int64)
        U = np.zeros(some.shape[0], dtype=np.int64)
        for u in range(self.k):
            columns = None if within.now() else best_candidate(some, U, V, rng)
            if columns is None:
                break
            V = V | np.where(columns, _bit(u), 0)
            U = sweep(some, V, self.k, stop=within, executor=executor, U=U)[0].U
        self.iterations += 1
        if within.now():
            self._keep(refine(self.data, V, self.k, stop=stop, executor=executor), stop)
        else:
            self._settle(V, some, stop, executor)

    def _round(self, stop: Stop, executor: Executor, left: int | None) -> None:
        self.rounds += 1
        seeds = self._sequence.spawn(2)
        rng = np.random.default_rng(seeds[0])
        # To set up a sample takes a while in which nobody asks the stop.
        in_haste = stop.iteration_limit is None and stop.remaining() < 4 * self._setting_up
        is_sample = self.rounds % self.settings.sample_every == 1 and not in_haste
        if not is_sample and self.best.V.any():
            self.iterations += 1
            self._replace_one(rng, stop, executor)
            return
        before = self.best.error
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
            self._settle(V, self._some_rows(rng), stop, executor)
        if self.best.error == before:
            self._cells = min(2 * self._cells, self.settings.most_cells)

    def _replace_one(self, rng: np.random.Generator, stop: Stop, executor: Executor) -> None:
        """Take out a pattern, every other time the smallest, for one for what is not covered."""
        some = self._some_rows(rng)
        heights = self.best.heights(self.k)
        areas = [int(heights[u]) * int(((self.best.V & _bit(u)) != 0).sum()) for u in range(self.k)]
        u = int(np.argmin(areas)) if rng.random() < 0.5 else int(rng.integers(self.k))
        V = self.best.V & ~_bit(u)
        U = sweep(some, V, self.k, stop=stop, executor=executor)[0].U
        columns = None if stop.now() else best_candidate(some, U, V, rng)
        if columns is not None:
            self._settle(V | np.where(columns, _bit(u), 0), some, stop, executor)

    def _settle(
        self, V: NDArray[np.int64], some: LargeData, stop: Stop, executor: Executor
    ) -> None:
        """Refine patterns on some of the rows and, if they may be the best, on all."""
        if some.shape[0] < self.data.shape[0]:
            settled = refine(some, V, self.k, stop=stop, executor=executor)
            best, is_whole = sweep(some, self.best.V, self.k, stop=stop, executor=executor)
            if is_whole and settled.error > self.settings.hopeful * best.error:
                return
            V = settled.V
        self._keep(refine(self.data, V, self.k, stop=stop, executor=executor), stop)

    def _some_rows(self, rng: np.random.Generator) -> LargeData:
        """Enough rows to settle patterns on, or all if there are not many more."""
        n = self.data.shape[0]
        entries = self.data.rows.n_ones + self.data.rows.n_missing
        many = max(self.settings.fewest_rows, self.settings.some_entries * n // max(1, entries))
        if 2 * many >= n:
            return self.data.here()
        return self.data.take(np.sort(rng.choice(n, many, replace=False)))

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
        began = stop.elapsed()
        # Weighted rows were merged before.
        is_merged = sample.matrix.is_weighted
        reduction = keep_matrix(sample.matrix) if is_merged else reduce_matrix(sample.matrix)
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
        self._setting_up = stop.elapsed() - began
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
        V = np.zeros_like(self.best.V)
        V[sample.columns] = self.best.V[sample.columns]
        rows = self.data.take(sample.rows)
        whole = slice(0, rows.shape[0])
        U = np.zeros(rows.shape[0], dtype=np.int64)
        RowFit(rows, V, self.k).fit_block(rows, whole, U)
        return Factors(masks_of(U, self.k), masks_of(V[sample.columns], self.k).T)

    def _pool_for(self, sample: Sample, reduction: Reduction) -> RectanglePool:
        """The patterns of earlier rounds, each with the rows of the sample where it pays alone."""
        pool = RectanglePool(*reduction.matrix.shape)
        if not self._patterns:
            return pool
        kept, first = np.unique(reduction.column_map, return_index=True)
        columns = sample.columns[first[kept >= 0]]
        B = np.array([pattern[columns] for pattern in self._patterns.values()])
        reduced = reduction.matrix
        signed = np.where(reduced.ones, reduced.weights, -reduced.weights).astype(np.float64)
        pool.extend(zip((signed @ B.T.astype(np.float64) > 0).T, B, strict=True))
        return pool

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


def _bit(u: int) -> np.int64:
    return np.uint64(1 << u).astype(np.int64)
