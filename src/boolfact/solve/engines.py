"""The engines of a run: functions that improve its state until a stop, and say why they ended.

Column generation and local search find different rectangles. Whatever one finds goes into the
pool, the integer master recombines the pool, and what comes out starts new local searches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from boolfact.colgen.integer.master import solve_integer_master
from boolfact.colgen.loop import ColumnGeneration, generate_columns
from boolfact.control.counters import Counter, labelled
from boolfact.control.ending import Ending
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.local_search.population import Population
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors
from boolfact.solve.declared import MlpProof, declared_bounds
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = [
    "Engine",
    "bound_error",
    "bound_objective",
    "offer",
    "recombine",
    "search",
    "search_while_moving",
    "why_it_ended",
]

Engine = Callable[[Task, State, Stop, Reporter], Ending]


def offer(task: Task, state: State, factors: Factors, reporter: Reporter) -> None:
    """A solution from outside, for the state and for whoever watches."""
    state.offer(factors, task.matrix)
    reporter.found(state, task.stop.elapsed())
    state.improved_at = reporter.improved_at


def search(task: Task, state: State, stop: Stop, reporter: Reporter) -> Ending:
    """Local search until the stop."""
    if state.population is None or state.error == 0:
        return Ending.DONE
    before = state.population.iterations
    population = Population(
        task.matrix, task.k, state=state.population, pool=state.pool, progress=reporter
    )
    population.advance(stop, task.executor)
    state.iterations += state.population.iterations - before
    state.keep(state.population.best, task.matrix)
    reporter.found(state, stop.elapsed())
    state.improved_at = reporter.improved_at
    return stop.reason or Ending.PROVED


def search_while_moving(
    task: Task, state: State, stop: Stop, reporter: Reporter, *, patience: float, times: float
) -> Ending:
    """Local search until the stop, or until it found nothing for long.

    Long is `patience` seconds of this search, and `times` as long as the best so far took to
    come. With an iteration limit the clock has no say.
    """
    if stop.iteration_limit is not None:
        return search(task, state, stop, reporter)
    began = stop.elapsed()

    def stalled() -> bool:
        now, improved = stop.elapsed(), reporter.improved_at
        return now - max(began, improved) > patience and now - improved > times * improved

    return search(task, state, stop.child(target=stop.target, until=stalled), reporter)


def bound_objective(task: Task, state: State, stop: Stop, reporter: Reporter) -> Ending:
    """Column generation for MLP(rho): rectangles for the pool, and a bound on the objective."""
    incumbent = state.objective
    columns, trace = _generate(task, state, stop, reporter, task.rho, incumbent)
    if columns.bound is not None:
        for bound in declared_bounds(columns.bound):
            state.prove(bound)
            reporter.proved(bound)
    state.trace.merge(trace)
    state.trace.record(Counter.MASTER_VALUE, columns.master_value)
    return _ending(columns)


def bound_error(task: Task, state: State, stop: Stop, reporter: Reporter) -> Ending:
    """Column generation for MLP(1/k), whose bounds hold for the error itself."""
    rho = Fraction(1, task.k)
    # The error is whole: a bound above error - 1 already proves it.
    incumbent = state.error - 1 + rho
    listener = _for_the_error(reporter)
    columns, trace = _generate(task, state, stop, reporter, rho, incumbent, listener)
    if columns.bound is not None:
        for bound in declared_bounds(columns.bound):
            if bound.on is Quantity.ERROR:
                state.prove(bound)
                reporter.proved(bound)
    points = [
        TracePoint(point.seconds, error_lower_bound=point.objective_lower_bound)
        for point in trace.points
        if point.objective_lower_bound is not None
    ]
    counters = {**trace.counters, Counter.MASTER_VALUE: columns.master_value}
    on = Quantity.ERROR.value
    state.trace.merge(
        Trace(points, {labelled(name, on): amount for name, amount in counters.items()})
    )
    return _ending(columns)


def recombine(
    task: Task, state: State, stop: Stop, reporter: Reporter, rho: Fraction | None = None
) -> Ending:
    """The best choice of k rectangles of the pool, by MIP(rho); that of the task by default."""
    rho = task.rho if rho is None else rho
    bound = state.bounds.get(Quantity.OBJECTIVE)
    same = bound if bound is not None and bound.rho == rho else None
    solution = solve_integer_master(
        task.matrix,
        state.pool,
        task.k,
        rho=rho,
        stop=stop,
        incumbent=state.best,
        objective_lower_bound=None if same is None else same.rounded,
        dual=same.proof.dual.point if same and isinstance(same.proof, MlpProof) else None,
        climbing=True,
        seed=task.seed,
    )
    name = labelled(Counter.INTEGER_MASTER_OBJECTIVE, f"rho={rho}")
    state.trace.record(name, float(solution.objective))
    offer(task, state, solution.factors.padded(task.k), reporter)
    return stop.ending() or Ending.DONE


def why_it_ended(task: Task, state: State, last: Ending) -> Ending:
    """Why a run ended, given why its last engine did.

    Where only the share of that engine was over, and not the time of the run, the run did all
    it does.
    """
    if state.is_optimal:
        return Ending.PROVED
    if last.is_limit and last is not Ending.TIME_LIMIT:
        return last
    return task.stop.ending(state.error) or Ending.DONE


def _generate(
    task: Task,
    state: State,
    stop: Stop,
    reporter: Reporter,
    rho: Fraction,
    incumbent: Fraction,
    progress: Progress | None = None,
) -> tuple[ColumnGeneration, Trace]:
    """Column generation from the pool, and into it."""
    trace = Trace()
    with reporter.counting(trace):
        columns = generate_columns(
            task.matrix,
            task.k,
            rho=rho,
            pool=state.pool,
            stop=stop,
            seed=task.seed,
            workers=task.workers,
            progress=progress or reporter,
            trace=trace,
            incumbent=incumbent,
        )
    state.iterations += columns.iterations
    return columns, trace


def _for_the_error(reporter: Reporter) -> Progress:
    """Bounds of this phase are bounds on the error: never show them as the other kind."""

    def tell(event: Event) -> None:
        reporter(
            replace(
                event,
                phase="error bound",
                objective_lower_bound=None,
                error_lower_bound=event.objective_lower_bound,
            )
        )

    return tell


def _ending(columns: ColumnGeneration) -> Ending:
    known = {"optimal": Ending.PROVED, "incumbent": Ending.INCUMBENT, "stalled": Ending.STALLED}
    return known.get(columns.reason) or Ending(columns.reason)
