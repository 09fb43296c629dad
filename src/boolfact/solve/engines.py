"""The engines of a run: functions that improve its state until a stop, and say why they ended.

Column generation and local search find different rectangles. Whatever one finds goes into the
pool, the integer master recombines the pool, and what comes out starts new local searches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from boolfact.colgen.cover.grow import bound_by_cover
from boolfact.colgen.cover.proof import CoverProof, PartProof
from boolfact.colgen.integer.master import solve_integer_master
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.duals import restate
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.colgen.relaxation import Relaxation
from boolfact.column_search.search import search_columns
from boolfact.control.counters import Counter, labelled
from boolfact.control.ending import Ending
from boolfact.control.progress import Event
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.enumeration.search import MOST_RANK, enumerate_sets
from boolfact.local_search.population import Population
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task
from boolfact.solve.turns import search_in_turns

__all__ = [
    "Engine",
    "bound_by",
    "bound_error",
    "bound_error_and_close",
    "bound_error_by_columns",
    "bound_error_by_cover",
    "bound_error_by_enumeration",
    "bound_objective",
    "offer",
    "recombine",
    "search",
    "search_while_moving",
    "why_it_ended",
]

Engine = Callable[[Task, State, Stop, Reporter], Ending]

_MOST_SETS = 500
"""Rectangles of the pool, the newest ones, whose columns assigned cover begins with."""
_SMALL_GAP = 0.08
"""Of the error: with a larger gap too many sets of columns are left to be tried in a short time."""


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
    if state.samples is not None and stop.iteration_limit is None:
        ending = search_in_turns(task, state, stop, reporter, population)
    else:
        population.advance(stop, task.anywhere)
        ending = stop.reason or Ending.PROVED
    state.iterations += state.population.iterations - before
    state.keep(state.population.best, task.matrix)
    reporter.found(state, stop.elapsed())
    state.improved_at = reporter.improved_at
    return ending


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
        # A child asks its parent for the time only, not for its other reasons to end.
        if stop.now():
            return True
        now, improved = stop.elapsed(), reporter.improved_at
        return now - max(began, improved) > patience and now - improved > times * improved

    return search(task, state, stop.child(target=stop.target, until=stalled), reporter)


def bound_objective(task: Task, state: State, stop: Stop, reporter: Reporter) -> Ending:
    """Column generation for MLP(rho): rectangles for the pool, and a bound on the objective."""
    relaxation = MLP(task.matrix, task.k, task.rho, on=Quantity.OBJECTIVE)
    ending = bound_by(relaxation, task, state, stop, reporter)
    bound = state.bounds.get(Quantity.OBJECTIVE)
    if bound is not None and task.rho * task.k <= 1:
        state.prove(restate(bound, on=Quantity.ERROR))
        reporter.proved(state.bounds[Quantity.ERROR])
    return ending


def bound_error(task: Task, state: State, stop: Stop, reporter: Reporter) -> Ending:
    """Column generation for MLP(1/k), whose bounds hold for the error itself."""
    relaxation = MLP(task.matrix, task.k, Fraction(1, task.k), on=Quantity.ERROR)
    return bound_by(relaxation, task, state, stop, reporter, phase="error bound", label="error")


def bound_error_by_columns(
    task: Task, state: State, stop: Stop, reporter: Reporter, **options: Any
) -> Ending:
    """Search over columns: for small ranks the least error itself, for larger ones a bound.

    Further options are those of `boolfact.column_search.search.search_columns`.
    """
    if not state.error:
        return Ending.PROVED
    trace = Trace()
    with reporter.counting(trace):
        found = search_columns(
            task.matrix,
            task.k,
            factors=state.best,
            stop=stop,
            seed=task.seed,
            executor=task.executor,
            progress=reporter,
            trace=trace,
            **options,
        )
    if found.factors is not None:
        offer(task, state, found.factors, reporter)
    if found.bound is not None:
        state.prove(found.bound)
        reporter.proved(found.bound)
    state.trace.merge(Trace(trace.points, {labelled(Counter.NODES, "columns"): found.nodes}))
    return found.ending


def bound_error_by_cover(task: Task, state: State, stop: Stop, reporter: Reporter) -> Ending:
    """Assigned cover, the strongest bound on the error that we have, with blocks that grow."""
    if not state.error:
        return Ending.PROVED
    trace = Trace()
    with reporter.counting(trace):
        growth = bound_by_cover(
            task.matrix,
            task.k,
            factors=state.best,
            rectangles=(state.pool.A[-_MOST_SETS:], state.pool.B[-_MOST_SETS:]),
            stop=stop,
            seed=task.seed,
            executor=task.executor,
            progress=reporter,
            trace=trace,
            incumbent=state.error,
        )
    state.iterations += growth.iterations
    if growth.bound is not None:
        state.prove(growth.bound)
        reporter.proved(growth.bound)
    counters = {labelled(name, "cover"): amount for name, amount in trace.counters.items()}
    state.trace.merge(Trace(trace.points, counters))
    return growth.ending


def bound_error_by_enumeration(
    task: Task,
    state: State,
    stop: Stop,
    reporter: Reporter,
    *,
    small: float = _SMALL_GAP,
    **options: Any,
) -> Ending:
    """Close the gap that assigned cover leaves, if it is small: try all that is left.

    A gap is small up to this share of the error. Further options are those of
    `boolfact.enumeration.search.enumerate_sets`.
    """
    part = enumerable_part(task, state, small)
    if part is None:
        return Ending.PROVED if state.is_optimal else Ending.DONE
    bound = state.bounds[Quantity.ERROR]
    assert isinstance(bound.proof, CoverProof)
    found = enumerate_sets(
        task.matrix,
        task.k,
        part,
        transposed=bound.proof.transposed,
        factors=state.best,
        stop=stop,
        seed=task.seed,
        executor=task.executor,
        progress=reporter,
        **options,
    )
    if found.factors is not None:
        offer(task, state, found.factors, reporter)
    if found.bound is not None:
        state.prove(found.bound)
        reporter.proved(found.bound)
    state.trace.count(labelled(Counter.NODES, "choices"), found.choices)
    return found.ending


def enumerable_part(task: Task, state: State, small: float) -> PartProof | None:
    """The prices of assigned cover, if they are of the whole matrix and leave a small gap."""
    bound = state.bounds.get(Quantity.ERROR)
    if bound is None or state.is_optimal or task.k > MOST_RANK:
        return None
    part = bound.proof.whole if isinstance(bound.proof, CoverProof) else None
    # What was proved around a circle has too many columns to list its sets.
    if part is None or part.turn is not None:
        return None
    return part if state.error - bound.value <= small * state.error else None


def bound_error_and_close(task: Task, state: State, stop: Stop, reporter: Reporter) -> Ending:
    """Assigned cover as far as it goes, and then an enumeration in the time that it leaves.

    An enumeration has no iterations to count: where they are limited there is none.
    """
    ending = bound_error_by_cover(task, state, stop, reporter)
    if state.is_optimal or stop.now() or stop.iteration_limit is not None:
        return ending
    return bound_error_by_enumeration(task, state, stop, reporter)


def bound_by(
    relaxation: Relaxation,
    task: Task,
    state: State,
    stop: Stop,
    reporter: Reporter,
    *,
    phase: str | None = None,
    label: str | None = None,
) -> Ending:
    """Column generation for any relaxation, from the pool and into it.

    Parameters
    ----------
    relaxation : Relaxation
    task, state, stop, reporter
    phase : str, optional
        What the events are called; that of the loop by default.
    label : str, optional
        Of the counters, where the run has other relaxations too.
    """
    trace = Trace()

    def tell(event: Event) -> None:
        reporter(event if phase is None else replace(event, phase=phase))

    on_error = relaxation.on is Quantity.ERROR
    with reporter.counting(trace):
        columns = generate_columns(
            relaxation,
            pool=state.pool,
            stop=stop,
            seed=task.seed,
            executor=task.executor,
            progress=tell,
            trace=trace,
            incumbent=Fraction(state.error) if on_error else state.objective,
        )
    state.iterations += columns.iterations
    if columns.bound is not None:
        state.prove(columns.bound)
        reporter.proved(columns.bound)
    trace.record(Counter.MASTER_VALUE, columns.master_value)
    if label is not None:
        # The masters and pools of several relaxations do not make one curve.
        bounds = (point for point in trace.points if point.error_lower_bound is not None)
        trace = Trace(
            [TracePoint(p.seconds, error_lower_bound=p.error_lower_bound) for p in bounds],
            {labelled(name, label): amount for name, amount in trace.counters.items()},
        )
    state.trace.merge(trace)
    return columns.ending


def recombine(
    task: Task, state: State, stop: Stop, reporter: Reporter, rho: Fraction | None = None
) -> Ending:
    """The best choice of k rectangles of the pool, by MIP(rho); that of the task by default."""
    rho = task.rho if rho is None else rho
    bound = state.bounds.get(Quantity.OBJECTIVE)
    solution = solve_integer_master(
        task.matrix,
        state.pool,
        task.k,
        rho=rho,
        stop=stop,
        incumbent=state.best,
        bound=bound if bound is not None and bound.rho == rho else None,
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
