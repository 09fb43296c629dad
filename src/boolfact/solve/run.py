"""A run: the best factors, the pool and the bounds so far, and the engines that improve them.

Column generation and local search find different rectangles. Whatever one finds goes into the
pool, the integer master recombines the pool, and what comes out starts new local searches.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

from boolfact.colgen.integer.master import solve_integer_master
from boolfact.colgen.loop import ColumnGeneration, generate_columns
from boolfact.colgen.mlp.duals import restate
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.control.ending import Ending
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop, StopReason
from boolfact.control.trace import Trace, TracePoint
from boolfact.local_search import Population
from boolfact.model.bound import Bound, Quantity, better_bound, float_below
from boolfact.model.factors import Factors
from boolfact.model.rectangles import RectanglePool
from boolfact.solve.task import Outcome, Task

__all__ = ["MAX_LOCAL_RANK", "Run"]

MAX_LOCAL_RANK = 64


class Run:
    """What is known so far: the best factors, the pool, the proved bounds.

    Parameters
    ----------
    task : Task
    searches : bool
        Whether it has a local search of its own.
    """

    def __init__(self, task: Task, searches: bool = True) -> None:
        self.task = task
        self.pool = RectanglePool(*task.matrix.shape)
        self.best = Factors.empty(task.matrix.shape, task.k)
        self.error = task.matrix.ones_weight
        self.objective = float(self.error)
        self.population: Population | None = None
        self.objective_bound: Bound | None = None
        self.error_bound: Bound | None = None
        self.is_solved = False
        self.iterations = 0
        self.improved_at = 0.0
        self.traces = [task.trace]
        self._least_error = self.error
        self._shown_bound: float | None = None
        self._shown_error_bound: float | None = None
        self._one_at_a_time = threading.RLock()
        self._best_elsewhere: Callable[[], Factors] | None = None
        if searches and task.k <= MAX_LOCAL_RANK:
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

    def beside(self, prove: Callable[[Run], None], workers: int) -> None:
        """Let another run prove, in a thread of its own, while this one goes on searching.

        The other begins with what is known here, and has `workers` of the threads; what it
        finds is taken over when it is done.
        """
        own = self.task.workers - workers
        if self.population is None or own < 1:
            raise ValueError(f"expected a local search and over {workers} workers for two runs")
        stop = self.task.stop.child()
        task = replace(self.task, workers=workers, stop=stop, trace=Trace(), progress=self._listen)
        other = Run(task, searches=False)
        other.pool.extend(self.pool)
        other.best, other.error, other.objective = self.best, self.error, self.objective
        other._least_error = self.error
        other.traces = self.traces
        population = self.population
        other._best_elsewhere = lambda: population.best
        self.traces.append(task.trace)
        self.population.workers = own
        with ThreadPoolExecutor(1, thread_name_prefix="boolfact-bounds") as thread:
            proof = thread.submit(prove, other)
            try:
                target = self.task.stop.target
                self.search(self.task.stop.child(target=target, until=proof.done))
            finally:
                # At a target, or after an error, nobody waits for bounds any more.
                if not proof.done() and not self.task.stop.now():
                    stop.end()
            proof.result()
        self.population.workers = self.task.workers
        self._take_over(other)

    def _take_over(self, other: Run) -> None:
        """What another run has found, as if it had been found here."""
        # Of its thousands of rectangles those of its best solution are enough: the search draws
        # from the pool, and in trials did no better with all of them.
        self.offer(other.best)
        self.objective_bound = better_bound(self.objective_bound, other.objective_bound)
        self.error_bound = better_bound(self.error_bound, other.error_bound)
        self.is_solved = self.is_solved or other.is_solved
        self.iterations += other.iterations
        trace = self.task.trace
        for name, amount in other.task.trace.counters.items():
            trace.counters[name] = trace.counters.get(name, 0) + amount
        trace.points[:] = _merged(trace.points, other.task.trace.points)
        self.traces[:] = [kept for kept in self.traces if kept is not other.task.trace]

    def search(self, stop: Stop) -> None:
        """Local search until the stop."""
        if self.population is None or self.error == 0:
            return
        before = self.population.iterations
        self.population.advance(stop)
        self.iterations += self.population.iterations - before
        self._ended_by(stop)
        self._keep(self.population.best)

    def search_while_moving(self, stop: Stop, patience: float, times: float) -> None:
        """Local search until the stop, or until it found nothing for long.

        Long is `patience` seconds of this search, and `times` as long as the best so far took
        to come. With an iteration limit the clock has no say.
        """
        if stop.iteration_limit is not None:
            self.search(stop)
            return
        began = stop.elapsed()

        def stalled() -> bool:
            now, improved = stop.elapsed(), self.improved_at
            return now - max(began, improved) > patience and now - improved > times * improved

        self.search(stop.child(target=stop.target, until=stalled))

    def _ended_by(self, stop: Stop) -> None:
        """A phase ended; where only its own share of the time is over, the run goes on."""
        own = stop.reason is StopReason.TIME_LIMIT and self.task.stop.remaining() > 0
        self.task.stop.reason = None if own else stop.reason

    def _look_elsewhere(self) -> None:
        """Where a search goes on beside this run, begin with the best it has found."""
        if self._best_elsewhere is not None:
            self.offer(self._best_elsewhere())

    def generate(self, rho: Fraction, stop: Stop) -> None:
        """Column generation for MLP(rho): rectangles for the pool and a proved bound."""
        self._look_elsewhere()
        incumbent = self.best.objective(self.task.matrix, rho)
        relaxation = MLP(self.task.matrix, self.task.k, rho, on=Quantity.OBJECTIVE)
        columns = self._columns(relaxation, stop, incumbent, self._listen, self.task.trace)
        self.objective_bound = better_bound(self.objective_bound, columns.bound)
        self.is_solved = columns.ending in (Ending.PROVED, Ending.INCUMBENT)
        self.task.trace.counters["master value"] = columns.master_value
        if columns.bound is not None and rho * self.task.k <= 1:
            on_error = restate(columns.bound, on=Quantity.ERROR)
            self.error_bound = better_bound(self.error_bound, on_error)

    def bound_error(self, stop: Stop) -> None:
        """Column generation for MLP(1/k), whose bounds hold for the error itself."""
        self._look_elsewhere()
        task, trace = self.task, Trace()
        self.traces.append(trace)
        relaxation = MLP(task.matrix, task.k, Fraction(1, task.k), on=Quantity.ERROR)
        incumbent = Fraction(self.error)
        columns = self._columns(relaxation, stop, incumbent, self._listen_for_error, trace)
        self.error_bound = better_bound(self.error_bound, columns.bound)
        whole = self.task.trace
        for point in trace.points:
            if point.error_lower_bound is not None:
                whole.add(TracePoint(point.seconds, error_lower_bound=point.error_lower_bound))
        for name, amount in trace.counters.items():
            whole.count(f"error bound: {name}", amount)
        whole.counters["error bound: master value"] = columns.master_value

    def _columns(
        self, relaxation: MLP, stop: Stop, incumbent: Fraction, progress: Progress, trace: Trace
    ) -> ColumnGeneration:
        """Column generation from the pool, and into it."""
        task = self.task
        columns = generate_columns(
            relaxation,
            pool=self.pool,
            stop=stop,
            seed=task.seed,
            workers=task.workers,
            progress=progress,
            trace=trace,
            incumbent=incumbent,
        )
        self.iterations += columns.iterations
        return columns

    def recombine(self, rho: Fraction, stop: Stop) -> None:
        """The best choice of k rectangles of the pool, by MIP(rho)."""
        self._look_elsewhere()
        task, bound = self.task, self.objective_bound
        same = bound is not None and bound.rho == rho
        solution = solve_integer_master(
            task.matrix,
            self.pool,
            task.k,
            rho=rho,
            stop=stop,
            incumbent=self.best,
            bound=bound if same else None,
            climbing=True,
            seed=task.seed,
        )
        name = f"integer master objective, rho {rho}"
        task.trace.counters[name] = float(solution.objective)
        self.offer(solution.factors.padded(task.k))

    def is_optimal(self) -> bool:
        """Whether the error is proved to be the least possible."""
        if self.error == 0:
            return True
        return self.error_bound is not None and self.error_bound.rounded >= self.error

    def is_over(self) -> bool:
        """Whether nothing more is to be done: proved, at the target, or out of time."""
        return self.is_optimal() or self.task.stop.reached(self.error)

    def outcome(self) -> Outcome:
        """The best so far with its bounds."""
        if self.task.stop.reason is None:
            self.task.stop.now()
        return Outcome(
            self.best, self.objective_bound, self.error_bound, self.task.stop.reason,
            self.iterations,
        )  # fmt: skip

    def _keep(self, factors: Factors) -> None:
        """Keep the lower error; of equal ones, the lower objective."""
        matrix, rho = self.task.matrix, self.task.rho
        error, objective = factors.error(matrix), float(factors.objective(matrix, rho))
        if error > self.error:
            return
        self._note(error, self.task.stop.elapsed())
        if error < self.error or objective < self.objective:
            self.best, self.error, self.objective = factors, error, objective

    def _note(self, error: int, seconds: float) -> int:
        """The least error known, at that moment, to anybody; a lower one than before is traced.

        While a search is under way, what it reports is ahead of what is kept here.
        """
        with self._one_at_a_time:
            if error < self._least_error:
                self._least_error, self.improved_at = error, seconds
                self.task.trace.add(TracePoint(seconds, error=error, columns=len(self.pool)))
            return self._least_error

    def _listen_for_error(self, event: Event) -> None:
        """Name the phase by what it proves."""
        self._listen(replace(event, phase="error bound"))

    def _listen(self, event: Event) -> None:
        """Pass events on, completed by what the run as a whole knows, and trace them.

        Events come from two threads where bounds are proved beside the search.
        """
        with self._one_at_a_time:
            bound = self.objective_bound
            known = None if bound is None else float_below(bound.rounded)
            self._shown_bound = _higher(self._shown_bound, known, event.objective_lower_bound)
            self._shown_error_bound = _higher(self._shown_error_bound, event.error_lower_bound)
            error = self._note(self.error if event.error is None else event.error, event.seconds)
            nodes = sum(trace.counters.get("nodes", 0) for trace in self.traces)
            self.task.progress(
                replace(
                    event,
                    error=error,
                    # Of the same solution as the error.
                    objective=self.objective if error == self.error else None,
                    objective_lower_bound=self._shown_bound,
                    error_lower_bound=self._shown_error_bound,
                    nodes=int(nodes) or None,
                )
            )


def _merged(points: list[TracePoint], others: list[TracePoint]) -> list[TracePoint]:
    """Both in order of time, without the errors that were none better by then."""
    least: float = math.inf
    merged = []
    for point in sorted([*points, *others], key=lambda point: point.seconds):
        if point.error is not None:
            if point.error >= least:
                continue
            least = point.error
        merged.append(point)
    return merged


def _higher(*bounds: float | None) -> float | None:
    """The highest of the bounds that there are, and at least 0."""
    known = [max(0.0, bound) for bound in bounds if bound is not None]
    return max(known, default=None)
