"""Local search, column generation, and both together: they share one pool of rectangles.

Column generation and local search find different rectangles. Whatever one finds goes into the
pool, the integer master recombines the pool, and what comes out starts new local searches.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from boolfact.baselines.asso_plus_plus import asso_plus_plus
from boolfact.baselines.k_greedy import k_greedy
from boolfact.colgen.bounds import DualBound, better_bound
from boolfact.colgen.generate import generate_columns
from boolfact.colgen.integer import solve_integer_master
from boolfact.factors import Factors
from boolfact.local_search import Population
from boolfact.progress import Event
from boolfact.rectangles import RectanglePool
from boolfact.result import Trace, TracePoint
from boolfact.stop import Stop
from boolfact.task import Outcome, Task

__all__ = ["run_auto", "run_column_generation", "run_local_search"]

MAX_LOCAL_RANK = 64
_SLICE = 1.0
"""Seconds of local search between two looks at whether it still gets anywhere."""
_UNASKED_ONES = 60_000
"""Ones in the reduced matrix above which bounds are proved only if asked for."""
_SECOND_RHO = Fraction(19, 20)
"""Solved besides rho = 1, as in the paper: it often finds a lower error."""

_MOST_COLUMNS_FOR_ASSO = 2000
"""Beyond this the association rules, one for each pair of columns, take too long."""


def run_local_search(task: Task) -> Outcome:
    """Local search in the error until a limit is reached."""
    run = _Run(task)
    run.search(task.stop)
    return run.outcome()


def run_column_generation(task: Task) -> Outcome:
    """The procedure of the paper, with bounds: columns, integer master, polish.

    Starts from k-greedy; a tenth of the time is kept for the integer master, and a twentieth
    for the local search that polishes its solutions.
    """
    run = _Run(task)
    seconds = task.stop.remaining()
    if task.matrix.shape[1] <= _MOST_COLUMNS_FOR_ASSO:
        stop = _share(task, 0.1, seconds)
        run.offer(asso_plus_plus(task.matrix, task.k, seed=task.seed, stop=stop))
    run.offer(k_greedy(task.matrix, task.k, seed=task.seed))
    run.generate(task.rho, _share(task, 0.85, seconds))
    run.recombine(task.rho, _share(task, 0.1, seconds))
    if task.rho == 1:
        run.recombine(_SECOND_RHO, _share(task, 0.05, seconds))
    if task.bound == "error":
        run.bound_error(_share(task, 1.0, seconds))
    if not run.is_optimal():
        run.search(_share(task, 0.05, seconds))
    return run.outcome()


def run_auto(task: Task) -> Outcome:
    """Local search first; then column generation for bounds and rectangles; then both results
    recombined and searched on, until time is over, optimality is proved, or nothing moves.
    """
    run = _Run(task)
    seconds = task.stop.remaining()
    if task.k > MAX_LOCAL_RANK:
        run.offer(k_greedy(task.matrix, task.k, seed=task.seed))
    run.search_while_moving(_share(task, 0.3, seconds), patience=1.0)
    if _wants_bounds(task) and not run.is_optimal():
        share = 0.2 if task.bound == "error" else 0.35
        run.generate(task.rho, _share(task, share, seconds))
        if not run.is_optimal():
            run.recombine(task.rho, _share(task, 0.05, seconds))
        # The bound on the error takes time of its own: when asked for, or when there is enough.
        if task.bound == "error" or (task.bound == "auto" and run.is_solved):
            share = 0.35 if task.bound == "error" else 0.2
            run.bound_error(_share(task, share, seconds))
    if not run.is_optimal():
        run.search_while_moving(task.stop, patience=10.0)
    return run.outcome()


def _wants_bounds(task: Task) -> bool:
    if task.bound == "auto":
        return int(task.matrix.ones.sum()) <= _UNASKED_ONES
    return task.bound != "none"


def _share(task: Task, share: float, seconds: float) -> Stop:
    """A stop for one phase: part of the time, or the whole iteration limit where there is one.

    An iteration limit goes with answers that do not depend on the clock, so that time only
    ends the run as a whole then.
    """
    limit = task.stop.iteration_limit
    time_limit = None if limit is not None or math.isinf(seconds) else share * seconds
    return task.stop.child(time_limit, limit, task.stop.target)


class _Run:
    """What is known so far: the best factors, the pool, the proved bounds."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.pool = RectanglePool(*task.matrix.shape)
        self.best = Factors.empty(task.matrix.shape, task.k)
        self.error = task.matrix.ones_weight
        self.population: Population | None = None
        self.objective_bound: DualBound | None = None
        self.error_bound: DualBound | None = None
        self.is_solved = False
        self.iterations = 0
        if task.k <= MAX_LOCAL_RANK:
            self.population = Population(
                task.matrix,
                task.k,
                seed=task.seed,
                pool=self.pool,
                workers=task.workers,
                progress=self._listen,
            )

    def offer(self, factors: Factors) -> None:
        """Take note of a solution, put its rectangles into the pool, let the search have it."""
        self.pool.extend(factors.rectangles)
        self._keep(factors)
        if self.population is not None:
            self.population.offer([factors])

    def search(self, stop: Stop) -> None:
        """Local search until the stop."""
        if self.population is None or self.error == 0:
            return
        before = self.population.iterations
        self.population.advance(stop)
        self.iterations += self.population.iterations - before
        self.task.stop.reason = stop.reason
        self._keep(self.population.best)

    def search_while_moving(self, stop: Stop, patience: float) -> None:
        """Local search until the stop, or until it found nothing for long.

        Long is `patience` seconds, and as long again as the last improvement took to come.
        With an iteration limit the clock has no say.
        """
        if stop.iteration_limit is not None or self.population is None:
            self.search(stop)
            return
        began = improved = stop.elapsed()
        while not stop.reached(self.error) and self.error > 0:
            error = self.error
            self.search(stop.child(_SLICE, target=stop.target))
            now = stop.elapsed()
            if self.error < error:
                improved = now
            elif now - improved > max(patience, improved - began):
                self.task.stop.reason = None
                return
        self.task.stop.reason = stop.reason

    def generate(self, rho: Fraction, stop: Stop) -> None:
        """Column generation for MLP(rho): rectangles for the pool and a proved bound."""
        task = self.task
        columns = generate_columns(
            task.matrix,
            task.k,
            rho=rho,
            pool=self.pool,
            stop=stop,
            seed=task.seed,
            workers=task.workers,
            progress=self._listen,
            trace=task.trace,
            incumbent=self.best.objective(task.matrix, rho),
        )
        self.iterations += columns.iterations
        self.objective_bound = better_bound(self.objective_bound, columns.bound)
        self.is_solved = columns.reason in ("optimal", "incumbent")
        task.trace.counters["master value"] = columns.master_value
        if columns.bound is not None and columns.bound.error_bound is not None:
            self.error_bound = better_bound(self.error_bound, columns.bound)

    def bound_error(self, stop: Stop) -> None:
        """Column generation for MLP(1/k), whose bounds hold for the error itself."""
        task, rho = self.task, Fraction(1, self.task.k)
        trace = Trace()
        columns = generate_columns(
            task.matrix,
            task.k,
            rho=rho,
            pool=self.pool,
            stop=stop,
            seed=task.seed,
            workers=task.workers,
            progress=self._listen_for_error,
            trace=trace,
            # The error is whole: a bound above error - 1 already proves it.
            incumbent=self.error - 1 + rho,
        )
        self.iterations += columns.iterations
        self.error_bound = better_bound(self.error_bound, columns.bound)
        for point in trace.points:
            if point.lower_bound is not None:
                task.trace.add(TracePoint(point.seconds, error_lower_bound=point.lower_bound))
        for name, amount in trace.counters.items():
            task.trace.count(f"error bound: {name}", amount)
        task.trace.counters["error bound: master value"] = columns.master_value

    def recombine(self, rho: Fraction, stop: Stop) -> None:
        """The best choice of k rectangles of the pool, by MIP(rho)."""
        task, bound = self.task, self.objective_bound
        same = bound is not None and bound.point.rho == rho
        solution = solve_integer_master(
            task.matrix,
            self.pool,
            task.k,
            rho=rho,
            stop=stop,
            incumbent=self.best,
            lower_bound=bound.objective_bound if bound is not None and same else None,
            dual=bound.point if bound is not None and same else None,
            seed=task.seed,
        )
        name = f"integer master objective, rho {rho}"
        task.trace.counters[name] = float(solution.objective)
        self.offer(solution.factors.padded(task.k))

    def is_optimal(self) -> bool:
        """Whether the error is proved to be the least possible."""
        if self.error == 0:
            return True
        proved = self.error_bound.error_bound if self.error_bound is not None else None
        return proved is not None and proved >= self.error

    def outcome(self) -> Outcome:
        """The best so far with its bounds."""
        return Outcome(
            self.best, self.objective_bound, self.error_bound, self.task.stop.reason,
            self.iterations,
        )  # fmt: skip

    def _keep(self, factors: Factors) -> None:
        """Keep the lower error; of equal ones, the lower objective."""
        matrix, rho = self.task.matrix, self.task.rho
        error = factors.error(matrix)
        if error > self.error:
            return
        if error < self.error or factors.objective(matrix, rho) < self.best.objective(matrix, rho):
            self.best, self.error = factors, error

    def _listen_for_error(self, event: Event) -> None:
        """Bounds of this phase are bounds on the error: never show them as the other kind."""
        self._listen(
            replace(
                event, phase="error bound", lower_bound=None, error_lower_bound=event.lower_bound
            )
        )

    def _listen(self, event: Event) -> None:
        """Pass events on, completed by what the run as a whole knows, and trace them."""
        bound = self.objective_bound
        known = None if bound is None else float(bound.objective_bound)
        if event.lower_bound is not None:
            known = max(0.0, event.lower_bound, known or 0.0)
        error = min(self.error, self.error if event.error is None else event.error)
        if event.error is not None:
            self.task.trace.add(TracePoint(event.seconds, error=error, columns=len(self.pool)))
        self.task.progress(replace(event, error=error, lower_bound=known))
