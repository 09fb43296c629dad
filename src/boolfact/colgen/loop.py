"""Column generation: solve a restricted master, price, take rectangles in, until proved.

The loop never mixes two kinds of bounds. A *guess* rests on heuristic pricing and only steers:
where to price, how far to solve the master. A *bound* rests on exact pricing in integers, at
prices in fixed point, and is valid whenever it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.mlp.duals import DualBound, better_bound, round_dual
from boolfact.colgen.mlp.masters import make_master
from boolfact.colgen.mlp.problem import Master, MasterSolution, Problem, worths
from boolfact.colgen.stabilisation import Stabiliser
from boolfact.colgen.strategies import STRATEGIES, Strategy, find_columns, select_columns
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.control.threads import single_blas_thread
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.heuristic import Priced

__all__ = ["ColumnGeneration", "generate_columns"]

PROVED = 1e-6
"""z counts as proved if the bound is this near, relative to z."""

_FIRST_TOLERANCE = 0.1
_SHARE_OF_GAP = 0.3
_LAST_TOLERANCE = 1e-7
_NEGATIVE = 1e-7
_POOL_KEPT = 0.8
_POOL_GROWTH = 1.6
_STARTS = 20
_MANY_NODES = 20_000_000
_NODES_PER_ITERATION = 500_000
_NODES_AT_LAST = 20_000_000
_FIRST_PROOF = 0.02
_RESERVE = 0.3
_SCALE = 1 << 20
_FINE_BITS = 26
_SECONDS_BETWEEN_EVENTS = 1.0


Columns = list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]


class ExactPricer(Protocol):
    """What is asked of exact pricing: see `boolfact.pricing.exact.price_exact`."""

    def __call__(
        self,
        H: NDArray[np.int64],
        *,
        start: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]] = (),
        cutoff: int | None = None,
        first_above: int | None = None,
        node_limit: int | None = None,
        stop: Any = None,
        workers: int = 1,
    ) -> Any:
        """Price."""
        ...


@dataclass(frozen=True, eq=False)
class ColumnGeneration:
    """What column generation found.

    Attributes
    ----------
    master_value : float
        The least value of a restricted master so far: an upper bound on MLP(rho), up to
        rounding. After a purge the last master may be a little above it.
    bound : DualBound or None
        The best proved bound.
    is_optimal : bool
        Whether the bound proves master_value to be MLP(rho), to a relative 1e-6.
    pool : RectanglePool
        The pool that was given, with what was generated, purged.
    q : ndarray, shape (len(pool),)
        The solution of the last restricted master.
    iterations : int
    trace : Trace
        Master values and proved bounds over time; counters of seconds, pricings and nodes.
    reason : str
        ``optimal``, ``incumbent`` (the rounded bound meets it), ``stalled`` (the master or the
        pricing could not get further), or the reason of the stop.
    """

    master_value: float
    bound: DualBound | None
    is_optimal: bool
    pool: RectanglePool
    q: NDArray[np.float64]
    iterations: int
    trace: Trace
    reason: str


def generate_columns(
    matrix: BinaryMatrix,
    k: int,
    *,
    rho: Fraction | int = Fraction(1),
    pool: RectanglePool | None = None,
    stop: Stop | None = None,
    seed: int = 0,
    strategy: str | Strategy = "auto",
    master: str = "auto",
    formulation: str = "rho",
    workers: int = 1,
    progress: Progress = silent,
    trace: Trace | None = None,
    incumbent: Fraction | int | None = None,
    exact_pricer: ExactPricer | None = None,
) -> ColumnGeneration:
    """Solve MLP(rho), the linear relaxation of MIP(rho), by column generation.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced; see `boolfact.model.reduction`.
    k : int
        The rank.
    rho : Fraction or int
        The price of covering a zero once; 1/k gives bounds on the error.
    pool : RectanglePool, optional
        Rectangles to begin with; it is changed in place. Empty by default.
    stop : Stop, optional
    seed : int
        Of the heuristic pricing.
    strategy : str or Strategy
        ``exact``, ``heur``, ``heur_multi``, ``orthogonal``, ``auto``.
    master : str
        ``interior``, ``smoothed``, ``simplex``, ``ipm``, ``auto``.
    formulation : {"rho", "exact"}
        ``exact`` solves the relaxation of MIP_exact, whose zeros have prices of their own; its
        value is that of rho = 1/k, which must be given.
    workers : int
        Threads for pricing.
    progress : callable
        Told about once a second.
    trace : Trace, optional
        Added to.
    incumbent : Fraction or int, optional
        The objective of a known solution: the loop ends once the rounded bound meets it.
    exact_pricer : callable, optional
        Another exact pricing, for tests.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> result = generate_columns(X, 1)
    >>> round(result.master_value, 3), result.bound.objective_bound, result.reason
    (2.0, Fraction(2, 1), 'optimal')
    """
    run = _Run(
        problem=Problem(matrix, k, Fraction(rho)),
        pool=RectanglePool(*matrix.shape) if pool is None else pool,
        stop=Stop() if stop is None else stop,
        strategy=_strategy(strategy),
        rng=np.random.default_rng(seed),
        pricer=_default_pricer() if exact_pricer is None else exact_pricer,
        trace=Trace() if trace is None else trace,
        progress=progress,
        workers=workers,
        incumbent=None if incumbent is None else Fraction(incumbent),
    )
    run.master = make_master(master, run.problem, formulation, workers)
    with single_blas_thread():
        return run.loop()


@dataclass
class _Run:
    """The state of one column generation."""

    problem: Problem
    pool: RectanglePool
    stop: Stop
    strategy: Strategy
    rng: np.random.Generator
    pricer: ExactPricer
    trace: Trace
    progress: Progress
    workers: int
    incumbent: Fraction | None
    master: Master = field(init=False)
    solution: MasterSolution = field(init=False)
    value: float = math.inf
    bound: DualBound | None = None
    iterations: int = 0
    tolerance: float = _FIRST_TOLERANCE
    bits: int | None = None

    def __post_init__(self) -> None:
        self.stabiliser = Stabiliser(self.strategy.centre)
        self.pool_limit = self.strategy.pool_limit
        self.guess_at_purge = self.value_at_proof = -math.inf
        self.last_event = self.stop.elapsed()
        self.last_nodes = 0
        self.reserve = _RESERVE * self.stop.remaining()

    def loop(self) -> ColumnGeneration:
        """Restricted master, pricing, new columns; again until proved or stopped."""
        while True:
            self.iterations += 1
            with self.timed("master"):
                self.solution = self.master.solve(self.pool, self.tolerance, self.stop)
            self.value = min(self.value, self.solution.value)
            self.report()
            if self.stop.reached(iterations=self.iterations):
                self.prove_at_last()
                return self.result(self.stopped())
            columns, found = self.price_heuristically()
            solved = min(self.solution.gap, self.tolerance) <= _LAST_TOLERANCE
            if self.strategy.exact == "always" or (solved and not columns):
                columns = self.price_exactly(self.solution.p, found)
            elif (centre := self.centre_to_prove()) is not None:
                columns += self.price_exactly(centre, found, self.nodes_for_proof())
            if reason := self.proved() or (self.stop.now() and self.stopped()):
                return self.result(reason)
            self.revise_guess(columns)
            added = self.pool.extend(columns)
            if not added and solved:
                if self.bits is not None:
                    return self.result("stalled")
                # The rounding of the prices may be what is missing.
                self.bits = _FINE_BITS
            self.set_tolerance(added)
            self.purge(added)

    def price_heuristically(self) -> tuple[Columns, Priced]:
        """Rectangles with negative reduced cost, sought at stabilised prices first."""
        solution = self.solution
        threshold = solution.mu * (1 + _NEGATIVE) + _NEGATIVE
        own = self.problem.pricing_matrix(solution.p, solution.zero_prices)
        points = [solution.p]
        if self.tolerance > _LAST_TOLERANCE:
            points.insert(0, self.stabiliser.point(solution.p))
        for p in points:
            H = own if p is solution.p else self.problem.pricing_matrix(p, solution.zero_prices)
            with self.timed("heuristic pricing"):
                found = find_columns(self.strategy, H, self.pool, self.rng, self.workers)
            known = worths(H, self.pool.A, self.pool.B).max(initial=0.0)
            omega = max(float(known), float(found.values[0]) if len(found.values) else 0.0)
            self.stabiliser.update(p, float(p.sum()) - self.problem.k * omega)
            priced = Priced(worths(own, found.A, found.B), found.A, found.B)
            chosen = select_columns(self.strategy, priced, threshold)
            if chosen or p is solution.p:
                break
        return [(priced.A[u], priced.B[u]) for u in chosen], priced

    def price_exactly(
        self, p: NDArray[np.float64], found: Priced, node_limit: int | None = None
    ) -> Columns:
        """Price at fixed-point prices, update the bound; the rectangles that beat the pool."""
        problem, k = self.problem, self.problem.k
        point = round_dual(p, problem.matrix, problem.rho, self.bits)
        H = point.pricing_matrix(problem.matrix)
        if self.solution.zero_prices is not None:
            # A zero never costs more than rho * weight: what bounds this H bounds the other.
            cheaper = np.floor(self.solution.zero_prices * point.scale).astype(np.int64)
            H = np.where(problem.matrix.ones, H, np.maximum(H, -cheaper))
        mu = whole_worths(H, self.pool.A, self.pool.B).max(initial=0)
        needed = max(int(mu), (point.total - self.needed_total(point.scale)) // k)
        first = {"always": None, "first": int(mu)}.get(
            self.strategy.exact, needed if self.last_nodes > _MANY_NODES else None
        )
        start = list(zip(found.A[:_STARTS], found.B[:_STARTS], strict=True))
        with self.timed("exact pricing"):
            result = self.pricer(
                H,
                start=start,
                cutoff=None if self.strategy.exact == "always" else needed,
                first_above=first,
                node_limit=node_limit,
                stop=self.stop,
                # What a search cut short has found depends on how its threads took turns.
                workers=self.workers if self.stop.iteration_limit is None else 1,
            )
        self.last_nodes = result.nodes
        self.trace.count("exact pricings")
        self.trace.count("nodes", result.nodes)
        columns = [(result.a, result.b), *((a, b) for _, a, b in result.found)]
        rows, sets = zip(*columns, strict=True)
        worth = whole_worths(H, np.array(rows), np.array(sets))
        omega = max(int(result.upper_bound), int(mu), int(worth.max()), 0)
        self.bound = better_bound(self.bound, DualBound(point, omega, k))
        return [column for column, value in zip(columns, worth, strict=True) if value > mu]

    def revise_guess(self, columns: Columns) -> None:
        """Pricing at the centre may have missed these rectangles; its value must not ignore them.

        A value that is too high would keep the centre where it is for good.
        """
        centre = self.stabiliser.centre
        if centre is None or not columns:
            return
        rows, sets = zip(*columns, strict=True)
        H = self.problem.pricing_matrix(centre, self.solution.zero_prices)
        omega = float(worths(H, np.array(rows), np.array(sets)).max())
        self.stabiliser.revise(float(centre.sum()) - self.problem.k * omega)

    def needed_total(self, scale: int) -> int:
        """The smallest bound, in units of 1 / scale, that would end the loop."""
        value = self.value
        needed = math.ceil((value - PROVED * max(1.0, abs(value))) * scale)
        if self.incumbent is not None:
            step = Fraction(1, self.problem.rho.denominator)
            needed = min(needed, math.floor((self.incumbent - step) * scale) + 1)
        return needed

    def centre_to_prove(self) -> NDArray[np.float64] | None:
        """The centre, if exact pricing there seems to end the loop, or if a bound is due.

        It is due when the guessed gap has fallen to a third since the last time, and when the
        time is running out: what was gained since must not stay a guess.
        """
        guess = self.stabiliser.value
        if not self.strategy.centre or guess <= self.value_at_proof:
            return None
        ends = guess * _SCALE > self.needed_total(_SCALE)
        value = self.value
        due = value - guess < min(_FIRST_PROOF * value, (value - self.value_at_proof) / 3)
        if not ends and not due and not self.is_late():
            return None
        self.value_at_proof = guess
        return self.stabiliser.centre

    def is_late(self) -> bool:
        """Whether what is left of the time had better go into a bound."""
        return math.isfinite(self.reserve) and self.stop.remaining() <= self.reserve

    def nodes_for_proof(self) -> int | None:
        """How far exact pricing may go: not too far while there is time, to the end if late."""
        if not self.is_late():
            return _NODES_PER_ITERATION * self.iterations
        self.reserve = _RESERVE * self.stop.remaining()
        return None

    def prove_at_last(self) -> None:
        """A bound at the end of the iterations, where it is the clock that has time left."""
        guess, centre = self.stabiliser.value, self.stabiliser.centre
        if centre is not None and guess > self.value_at_proof and not self.stop.now():
            self.price_exactly(centre, _nothing_found(self.problem.matrix), _NODES_AT_LAST)

    def proved(self) -> str:
        """Why the loop may end now; empty if it may not."""
        if self.bound is None:
            return ""
        if self.incumbent is not None and self.bound.objective_bound >= self.incumbent:
            return "incumbent"
        value = self.value
        return "optimal" if value - self.bound.value <= PROVED * max(1.0, abs(value)) else ""

    def stopped(self) -> str:
        """The reason of the stop."""
        return str(self.stop.reason.value if self.stop.reason else "stopped")

    def set_tolerance(self, added: int) -> None:
        """Solve the next master to a share of the guessed gap; further if nothing came in."""
        value = self.value
        gap = (value - self.stabiliser.value) / max(1.0, abs(value))
        wanted = _SHARE_OF_GAP * gap if added else 0.1 * self.tolerance
        self.tolerance = min(_FIRST_TOLERANCE, max(_LAST_TOLERANCE, wanted))

    def purge(self, added: int) -> None:
        """Forget the rectangles of largest reduced cost once the pool is over its limit.

        The limit grows where the guess has not risen since the last purge: then rectangles
        were forgotten that were needed.
        """
        if self.pool_limit is None or len(self.pool) <= self.pool_limit:
            return
        H = self.problem.pricing_matrix(self.solution.p, self.solution.zero_prices)
        worth = worths(H, self.pool.A, self.pool.B)
        worth[len(worth) - added :] = np.inf
        keep = np.zeros(len(worth), dtype=np.bool_)
        keep[np.argsort(-worth, kind="stable")[: int(_POOL_KEPT * self.pool_limit)]] = True
        self.master.purge(keep[: len(self.solution.q)])
        self.pool.purge(keep)
        guess = self.stabiliser.value
        if guess < self.guess_at_purge + 0.2 * (self.value - self.guess_at_purge):
            self.pool_limit = int(_POOL_GROWTH * self.pool_limit)
        self.guess_at_purge = guess

    def report(self) -> None:
        """A point of the trace in each iteration, an event about once a second."""
        now = self.stop.elapsed()
        bound = None if self.bound is None else float(self.bound.value)
        value, columns = self.value, len(self.pool)
        self.trace.add(TracePoint(now, master=value, objective_lower_bound=bound, columns=columns))
        if now - self.last_event >= _SECONDS_BETWEEN_EVENTS:
            self.last_event = now
            guess = self.stabiliser.value
            self.progress(
                Event(
                    "column generation",
                    now,
                    objective_lower_bound=bound,
                    columns=columns,
                    iterations=self.iterations,
                    master=value,
                    message=f"guessed bound {guess:.3f}" if math.isfinite(guess) else "",
                )
            )

    def result(self, reason: str) -> ColumnGeneration:
        """Everything found so far."""
        self.report()
        q = np.zeros(len(self.pool))
        q[: len(self.solution.q)] = self.solution.q
        return ColumnGeneration(
            self.value,
            self.bound,
            self.proved() == "optimal",
            self.pool,
            q,
            self.iterations,
            self.trace,
            reason,
        )

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Count the seconds of a phase."""
        began = perf_counter()
        yield
        self.trace.count(f"seconds {what}", perf_counter() - began)


def whole_worths(
    H: NDArray[np.int64], A: NDArray[np.bool_], B: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """a'Hb for each rectangle, exactly: every sum stays within what a float64 holds exactly."""
    return worths(H.astype(np.float64), A, B).astype(np.int64)


def _strategy(strategy: str | Strategy) -> Strategy:
    if isinstance(strategy, Strategy):
        return strategy
    if strategy not in STRATEGIES:
        raise ValueError(f"unknown strategy {strategy!r}; expected one of {', '.join(STRATEGIES)}")
    return STRATEGIES[strategy]


def _nothing_found(matrix: BinaryMatrix) -> Priced:
    n, m = matrix.shape
    return Priced(np.zeros(0), np.zeros((0, n), dtype=np.bool_), np.zeros((0, m), dtype=np.bool_))


def _default_pricer() -> ExactPricer:
    from boolfact.pricing.exact import price_exact

    return price_exact
