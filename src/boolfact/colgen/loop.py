"""Column generation: solve a restricted master, price, take rectangles in, until proved.

The loop never mixes two kinds of bounds. A *guess* rests on heuristic pricing and only steers:
where to price, how far to solve the master. A *bound* rests on exact pricing in integers, at
prices in fixed point, and is valid whenever it is read.

It works with any relaxation; see `boolfact.colgen.relaxation`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.relaxation import Master, MasterSolution, Point, Prices, Relaxation
from boolfact.colgen.schedule import PoolLimit, ProofSchedule
from boolfact.colgen.settings import DEFAULTS, LoopSettings
from boolfact.colgen.stabilisation import Stabiliser
from boolfact.colgen.strategies import Strategy, find_strategy, select_columns
from boolfact.control.counters import Counter
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor, use_executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.control.threads import single_blas_thread
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.bound import Bound, Quantity, better_bound, float_below
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.heuristic import Priced

__all__ = ["ColumnGeneration", "generate_columns"]

Columns = list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]


@dataclass(frozen=True, eq=False)
class ColumnGeneration:
    """What column generation found.

    Attributes
    ----------
    master_value : float
        The least value of a restricted master so far: an upper bound on the relaxation, up to
        rounding. After a purge the last master may be a little above it.
    bound : Bound or None
        The best proved bound.
    is_optimal : bool
        Whether the bound proves master_value to be that of the relaxation, to a relative 1e-6.
    pool : RectanglePool
        The pool that was given, with what was generated, purged.
    q : ndarray, shape (len(pool),)
        The solution of the last restricted master.
    iterations : int
    trace : Trace
        Master values and proved bounds over time; counters of seconds, pricings and nodes.
    ending : Ending
        ``PROVED`` (the value of the relaxation), ``INCUMBENT``, ``STALLED`` (the master or the
        pricing could not get further), or what the stop says.
    state : object
        Where the master was, for `start` of a later run.
    """

    master_value: float
    bound: Bound | None
    is_optimal: bool
    pool: RectanglePool
    q: NDArray[np.float64]
    iterations: int
    trace: Trace
    ending: Ending
    state: Any = None


def generate_columns(
    relaxation: Relaxation,
    *,
    pool: RectanglePool | None = None,
    stop: Stop | None = None,
    seed: int = 0,
    strategy: str | Strategy = "auto",
    workers: int = 1,
    executor: Executor | None = None,
    progress: Progress = silent,
    trace: Trace | None = None,
    incumbent: Fraction | int | None = None,
    start: Any = None,
    settings: LoopSettings | None = None,
) -> ColumnGeneration:
    """Solve a relaxation by column generation.

    Parameters
    ----------
    relaxation : Relaxation
        For example `boolfact.colgen.mlp.relaxation.MLP`.
    pool : RectanglePool, optional
        Rectangles to begin with; it is changed in place. Empty by default.
    stop : Stop, optional
    seed : int
        Of the heuristic pricing.
    strategy : str or Strategy
        ``exact``, ``heur``, ``heur_multi``, ``orthogonal``, ``auto``.
    workers : int
        Threads of an executor of its own, where none is given.
    executor : Executor, optional
        Where pricing and the master run.
    progress : callable
        Told about once per second.
    trace : Trace, optional
        Added to.
    incumbent : Fraction or int, optional
        What is bounded, of a known solution: the loop ends once the rounded bound meets it.
    start : object, optional
        The `state` of an earlier run, with the pool that it left: the master goes on from there.
    settings : LoopSettings, optional

    Examples
    --------
    >>> from boolfact.colgen.mlp.relaxation import MLP
    >>> from boolfact.model.matrix import BinaryMatrix
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> result = generate_columns(MLP(X, 1))
    >>> round(result.master_value, 3), result.bound.rounded, result.ending.value
    (2.0, Fraction(2, 1), 'proved')
    """
    with single_blas_thread(), use_executor(executor, workers) as used:
        loop = _Loop(
            relaxation=relaxation,
            pool=RectanglePool(*relaxation.shape) if pool is None else pool,
            stop=Stop() if stop is None else stop,
            strategy=find_strategy(strategy),
            rng=np.random.default_rng(seed),
            trace=Trace() if trace is None else trace,
            progress=progress,
            executor=used,
            incumbent=None if incumbent is None else Fraction(incumbent),
            settings=DEFAULTS if settings is None else settings,
            master=relaxation.master(used, start),
        )
        return loop.run()


@dataclass
class _Loop:
    """The state of one column generation."""

    relaxation: Relaxation
    pool: RectanglePool
    stop: Stop
    strategy: Strategy
    rng: np.random.Generator
    trace: Trace
    progress: Progress
    executor: Executor
    incumbent: Fraction | None
    settings: LoopSettings
    master: Master
    solution: MasterSolution = field(init=False)
    value: float = math.inf
    bound: Bound | None = None
    iterations: int = 0
    bits: int | None = None

    def __post_init__(self) -> None:
        self.stabiliser = Stabiliser(self.strategy.centre)
        self.schedule = ProofSchedule(self.stop, self.settings)
        self.limit = PoolLimit(self.strategy.pool_limit, self.settings)
        self.tolerance = self.settings.first_tolerance
        self.last_event = self.stop.elapsed()
        self.last_nodes = 0

    def run(self) -> ColumnGeneration:
        """Restricted master, pricing, new columns; again until proved or stopped."""
        while True:
            self.iterations += 1
            if not self.solve_master():
                self.prove_at_last()
                return self.result(self.proved() or Ending.STALLED)
            self.report()
            if self.stop.reached(iterations=self.iterations):
                self.prove_at_last()
                return self.result(_ended_by(self.stop))
            columns, found = self.price_heuristically()
            solved = min(self.solution.gap, self.tolerance) <= self.settings.last_tolerance
            if self.strategy.exact == "always" or (solved and not columns):
                columns = self.price_exactly(self.solution.prices, found)
            elif (centre := self.centre_to_prove()) is not None:
                columns += self.price_exactly(
                    centre, found, self.schedule.node_limit(self.iterations)
                )
            if ending := self.proved() or (_ended_by(self.stop) if self.stop.now() else None):
                return self.result(ending)
            self.revise_guess(columns)
            added = self.pool.extend(columns)
            if not added and solved:
                if self.bits is not None:
                    return self.result(Ending.STALLED)
                # The rounding of the prices may be what is missing.
                self.bits = self.settings.fine_bits
            self.set_tolerance(added)
            self.purge(added)

    def solve_master(self) -> bool:
        """Solve the restricted master; a new one if it failed. Whether there is a solution."""
        with self.timed(Counter.SECONDS_MASTER):
            solution = self.master.solve(self.pool, self.tolerance, self.stop)
            if not solution.is_usable:
                self.trace.count(Counter.FAILED_MASTERS)
                self.master = self.relaxation.master(self.executor)
                solution = self.master.solve(self.pool, self.tolerance, self.stop)
        self.solution = solution
        if solution.is_usable:
            self.value = min(self.value, solution.value)
        return solution.is_usable

    def price_heuristically(self) -> tuple[Columns, Priced]:
        """Rectangles with negative reduced cost, sought at stabilised prices first."""
        solution, relaxation = self.solution, self.relaxation
        threshold = solution.mu * (1 + self.settings.negative) + self.settings.negative
        points = [solution.prices]
        if self.tolerance > self.settings.last_tolerance:
            points.insert(0, self.stabiliser.point(solution.prices))
        for prices in points:
            with self.timed(Counter.SECONDS_HEURISTIC_PRICING):
                found = relaxation.find_columns(
                    prices, self.strategy, self.pool, self.rng, self.executor
                )
            known = relaxation.worths(prices, self.pool.A, self.pool.B).max(initial=0.0)
            omega = max(float(known), float(found.values[0]) if len(found.values) else 0.0)
            self.stabiliser.update(prices, relaxation.value(prices, omega))
            own = relaxation.worths(solution.prices, found.A, found.B)
            priced = Priced(own, found.A, found.B)
            chosen = select_columns(self.strategy, priced, threshold)
            if chosen or prices is solution.prices:
                break
        return [(priced.A[u], priced.B[u]) for u in chosen], priced

    def price_exactly(
        self, prices: Prices, found: Priced | None, node_limit: int | None = None
    ) -> Columns:
        """Price at fixed-point prices, update the bound; the rectangles that beat the pool."""
        relaxation, exact = self.relaxation, self.strategy.exact
        point = relaxation.rounded(prices, self.bits)
        mu = int(point.worths(self.pool.A, self.pool.B).max(initial=0))
        needed = max(mu, self.omega_to_end(point))
        many = self.last_nodes > self.settings.many_nodes
        first_above = {"always": None, "first": mu}.get(exact, needed if many else None)
        with self.timed(Counter.SECONDS_EXACT_PRICING):
            result = relaxation.price_exactly(
                point,
                start=self.starts(found),
                cutoff=None if exact == "always" else needed,
                first_above=first_above,
                node_limit=node_limit,
                stop=self.stop,
                # What a search cut short has found depends on how its threads took turns.
                executor=self.executor if self.stop.iteration_limit is None else SERIAL,
            )
        self.last_nodes = result.nodes
        self.trace.count(Counter.EXACT_PRICINGS)
        self.trace.count(Counter.NODES, result.nodes)
        columns = [(result.a, result.b), *((a, b) for _, a, b in result.found)]
        rows, sets = zip(*columns, strict=True)
        worth = point.worths(np.array(rows), np.array(sets))
        # Whatever the search says: no bound may lie below what is known to be there.
        omega = max(int(result.upper_bound), mu, int(worth.max()), 0)
        self.bound = better_bound(self.bound, relaxation.bound(point, omega))
        return [column for column, value in zip(columns, worth, strict=True) if value > mu]

    def starts(self, found: Priced | None) -> Columns:
        """The best rectangles of the heuristic, for exact pricing to begin with."""
        if found is None:
            return []
        few = self.settings.starts
        return list(zip(found.A[:few], found.B[:few], strict=True))

    def revise_guess(self, columns: Columns) -> None:
        """Pricing at the centre may have missed these rectangles; its value must not ignore them.

        A value that is too high would keep the centre where it is for good.
        """
        centre = self.stabiliser.centre
        if centre is None or not columns:
            return
        rows, sets = zip(*columns, strict=True)
        omega = float(self.relaxation.worths(centre, np.array(rows), np.array(sets)).max())
        self.stabiliser.revise(self.relaxation.value(centre, omega))

    def value_to_prove(self) -> float:
        """The bound that proves the value of the master."""
        return self.value - self.settings.proved * max(1.0, abs(self.value))

    def omega_to_end(self, point: Point) -> int:
        """The largest omega at which the bound would end the loop."""
        if not math.isfinite(self.value):
            return 0
        omega = point.largest_omega(Fraction(self.value_to_prove()))
        if self.incumbent is None:
            return omega
        below = self.incumbent - self.relaxation.step
        return max(omega, point.largest_omega(below, strictly=True))

    def centre_to_prove(self) -> Prices | None:
        """The centre, if exact pricing there seems to end the loop, or if a bound is due."""
        needed = self.value_to_prove()
        if self.incumbent is not None:
            needed = min(needed, float(self.incumbent - self.relaxation.step))
        if not self.strategy.centre:
            return None
        due = self.schedule.is_due(self.stabiliser.value, self.value, needed)
        return self.stabiliser.centre if due else None

    def prove_at_last(self) -> None:
        """A bound at the end of the iterations, where it is the clock that has time left."""
        guess, centre = self.stabiliser.value, self.stabiliser.centre
        if centre is not None and self.schedule.is_new(guess) and not self.stop.now():
            self.price_exactly(centre, None, self.settings.nodes_at_last)

    def is_optimal(self) -> bool:
        """Whether the bound proves the value of the master."""
        if self.bound is None or not math.isfinite(self.value):
            return False
        return self.value - self.bound.value <= self.settings.proved * max(1.0, abs(self.value))

    def proved(self) -> Ending | None:
        """Why the loop may end now; None if it may not."""
        if (
            self.bound is not None
            and self.incumbent is not None
            and self.bound.rounded >= self.incumbent
        ):
            return Ending.INCUMBENT
        return Ending.PROVED if self.is_optimal() else None

    def set_tolerance(self, added: int) -> None:
        """Solve the next master to a share of the guessed gap; further if nothing came in."""
        s, value = self.settings, self.value
        gap = (value - self.stabiliser.value) / max(1.0, abs(value))
        wanted = s.share_of_gap * gap if added else s.after_nothing * self.tolerance
        self.tolerance = min(s.first_tolerance, max(s.last_tolerance, wanted))

    def purge(self, added: int) -> None:
        """Forget the rectangles of largest reduced cost once the pool is over its limit."""
        if not self.limit.is_over(len(self.pool)):
            return
        worth = self.relaxation.worths(self.solution.prices, self.pool.A, self.pool.B)
        keep = self.limit.keep(worth, added)
        self.master.purge(keep[: len(self.solution.q)])
        self.pool.purge(keep)
        self.limit.adapt(self.stabiliser.value, self.value)

    def report(self) -> None:
        """A point of the trace in each iteration, an event about once per second."""
        now, columns = self.stop.elapsed(), len(self.pool)
        master = self.value if math.isfinite(self.value) else None
        bound = None if self.bound is None else float_below(self.bound.value)
        on_error, on_objective = None, bound
        if self.relaxation.on is Quantity.ERROR:
            on_error, on_objective = bound, None
        self.trace.add(TracePoint(now, None, master, on_objective, on_error, columns))
        if now - self.last_event >= self.settings.seconds_between_events:
            self.last_event = now
            guess = self.stabiliser.value
            self.progress(
                Event(
                    "column generation",
                    now,
                    objective_lower_bound=on_objective,
                    error_lower_bound=on_error,
                    columns=columns,
                    iterations=self.iterations,
                    master=master,
                    guess=guess if math.isfinite(guess) else None,
                )
            )

    def result(self, ending: Ending) -> ColumnGeneration:
        """Everything found so far."""
        self.report()
        q = np.zeros(len(self.pool))
        if self.solution.is_usable:
            q[: len(self.solution.q)] = self.solution.q
        return ColumnGeneration(
            self.value,
            self.bound,
            self.is_optimal(),
            self.pool,
            q,
            self.iterations,
            self.trace,
            ending,
            self.master.state(),
        )

    @contextmanager
    def timed(self, counter: Counter) -> Iterator[None]:
        """Count the seconds of a phase."""
        began = perf_counter()
        try:
            yield
        finally:
            self.trace.count(counter, perf_counter() - began)


def _ended_by(stop: Stop) -> Ending:
    """What the stop says."""
    return stop.reason or Ending.DONE
