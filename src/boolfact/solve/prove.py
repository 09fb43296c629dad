"""The method `exact`: search until the best is proved to be the best, or a limit is reached."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from boolfact.baselines.k_greedy import k_greedy
from boolfact.colgen.cover.proof import CoverProof, cover_bound
from boolfact.column_search.proof import ColumnProof, bound_of
from boolfact.column_search.search import MOST_PATTERNS
from boolfact.control.counters import Counter
from boolfact.control.ending import Ending
from boolfact.control.trace import TracePoint
from boolfact.enumeration.kept import kept_state, restored_state
from boolfact.exact.checkpoint import Checkpoint, read_checkpoint, resume
from boolfact.exact.error import ErrorProblem
from boolfact.exact.problems import make_problem
from boolfact.exact.proof import tree_bound
from boolfact.exact.search import Limits, Search
from boolfact.model.bound import Bound, Quantity, float_below
from boolfact.solve.engines import (
    bound_error_by_columns,
    bound_error_by_cover,
    bound_error_by_enumeration,
    offer,
    search,
    search_while_moving,
)
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["ProveSettings", "run_exact"]


@dataclass(frozen=True)
class ProveSettings:
    """How `exact` shares its time.

    Attributes
    ----------
    first_share : float
        For the first local search, at most.
    first_seconds : float
        The same where time has no limit.
    first_patience, first_times : float
        It ends after this many seconds without a better solution, if that is also this many
        times as long as the best took to come.
    first_iterations : int
        Of the first search where nodes are limited: the clock has no say then.
    columns_rank : int
        Up to this rank the error is proved by a search over columns alone.
    columns_share, columns_seconds : float
        Of the time, and at most, for a search over columns where the rank is larger; as long as
        it moves. It rarely comes as far as assigned cover then.
    root_share, root_seconds : float
        For the bound on the error before anything is split.
    enumeration_gap : float
        Of the error: a gap up to which an enumeration is tried. Where it is too large to be
        closed, further prices and lower levels still prove more than the first nodes of a tree.
    enumeration_share : float
        Of the time that is left then, for it.
    """

    first_share: float = 0.15
    first_seconds: float = 60.0
    first_patience: float = 1.0
    first_times: float = 1.0
    first_iterations: int = 20
    columns_rank: int = 4
    columns_share: float = 0.03
    columns_seconds: float = 60.0
    root_share: float = 0.3
    root_seconds: float = 300.0
    enumeration_gap: float = 0.2
    enumeration_share: float = 0.9


def run_exact(
    task: Task, state: State, reporter: Reporter, settings: ProveSettings | None = None
) -> Ending:
    """Local search first; then the tree, which proves; its best solution is the answer.

    The bound at the root of a search on the error is that of `auto`: assigned cover with blocks
    that grow. Where it leaves a small gap an enumeration may close it, and no tree is needed.
    """
    settings = settings or ProveSettings()
    options = task.search
    on_error = options.on is Quantity.ERROR
    limits = Limits(options.node_limit, options.gap_limit, options.target)
    if options.resume is None:
        _look_for_solutions(task, state, reporter, settings)
    problem, relaxation = make_problem(
        options.on, task.matrix, task.k, task.rho, state.pool, task.seed
    )
    searched = Search(problem, state.best)
    checkpoint = None
    if options.checkpoint is not None:
        checkpoint = Checkpoint(options.checkpoint, options.about, options.checkpoint_seconds)
    columns = enumeration = None
    if options.resume is not None:
        document = read_checkpoint(options.resume, options.about)
        resume(searched, document)
        columns, enumeration = document["columns"], document["enumeration"]
        if checkpoint is not None:
            checkpoint.columns, checkpoint.enumeration = columns, enumeration
        if columns is not None and columns["proof"] is not None:
            proof = ColumnProof.read(columns["proof"])
            state.prove(bound_of(proof, int(columns["proved"]), task.k))
        offer(task, state, searched.best, reporter)
    # An enumeration that was begun comes after the search over columns, and is gone on with.
    if on_error and task.k <= MOST_PATTERNS and searched.nodes == 0 and enumeration is None:
        ending = _search_columns(
            task, state, reporter, settings, limits, searched, checkpoint, columns
        )
        if ending is not None:
            return ending
    if on_error and limits.nodes is None and task.bound != "none" and searched.nodes == 0:
        known = _prove_without_splits(
            task, state, reporter, settings, searched, checkpoint, enumeration
        )
        if state.is_optimal:
            return Ending.PROVED
        if known is not None:
            searched.know(known.value, _as_leaf(known))
            whole = known.proof.whole if isinstance(known.proof, CoverProof) else None
            if isinstance(problem, ErrorProblem) and whole is not None:
                problem.begin_with(whole.point)

    def after_batch() -> None:
        _note(searched, task, state)
        if checkpoint is not None:
            checkpoint.now_and_then(searched)

    try:
        ending = searched.run(
            task.stop,
            task.anywhere,
            limits=limits,
            progress=reporter,
            after_batch=after_batch,
        )
    finally:
        if checkpoint is not None:
            checkpoint.write(searched)
    state.trace.count(Counter.TREE_NODES, searched.nodes)
    state.trace.count(Counter.NODES, searched.work)
    state.iterations += searched.nodes
    if on_error:
        offer(task, state, searched.best, reporter)
    else:
        # The least objective is what was asked for, whatever its error.
        state.adopt(searched.best, task.matrix)
    bound = tree_bound(searched, task.k, relaxation, None if on_error else task.rho)
    if bound is not None:
        state.prove(bound)
        reporter.proved(bound)
    return ending


def _search_columns(
    task: Task,
    state: State,
    reporter: Reporter,
    settings: ProveSettings,
    limits: Limits,
    searched: Search,
    checkpoint: Checkpoint | None,
    columns: dict[str, Any] | None,
) -> Ending | None:
    """Search over columns; why the run ends with that, None if a tree is to follow."""
    is_small = task.k <= settings.columns_rank
    stop = task.stop
    if not is_small:
        stop = stop.share(settings.columns_share)
        if limits.nodes is None:
            # A node limit goes with answers that do not depend on the clock.
            stop = stop.child(settings.columns_seconds, target=stop.target)

    def keep(known: dict[str, Any]) -> None:
        if checkpoint is not None:
            checkpoint.columns = known
            checkpoint.now_and_then(searched)

    def enough(error: int, proved: int) -> bool:
        if limits.target is not None and error <= limits.target:
            return True
        return limits.gap is not None and error - proved <= limits.gap * error

    try:
        ending = bound_error_by_columns(
            task, state, stop, reporter,
            to_the_end=is_small, node_limit=limits.nodes, enough=enough, resume=columns, keep=keep,
        )  # fmt: skip
    finally:
        searched.offer(state.best)
        if checkpoint is not None:
            checkpoint.write(searched)
    bound = state.bounds.get(Quantity.ERROR)
    proved = 0 if bound is None else int(bound.rounded)
    if state.error <= proved:
        return Ending.PROVED
    if enough(state.error, proved):
        reached = limits.target is not None and state.error <= limits.target
        return Ending.TARGET if reached else Ending.GAP_LIMIT
    if ending is Ending.ITERATION_LIMIT:
        return Ending.NODE_LIMIT
    return ending if is_small else task.stop.ending()


def _prove_without_splits(
    task: Task,
    state: State,
    reporter: Reporter,
    settings: ProveSettings,
    searched: Search,
    checkpoint: Checkpoint | None,
    enumeration: dict[str, Any] | None,
) -> Bound | None:
    """Assigned cover and an enumeration; the bound of the first, for the root of a tree."""

    def keep(known: dict[str, Any]) -> None:
        if checkpoint is not None:
            checkpoint.enumeration = known
            checkpoint.now_and_then(searched)

    if enumeration is None:
        _bound_the_root(task, state, reporter, settings)
    else:
        points, transposed, _ = restored_state(enumeration, task.matrix, task.k)
        state.prove(cover_bound(points[:1], task.k, transposed))
        reporter.proved(state.bounds[Quantity.ERROR])
    known = state.bounds.get(Quantity.ERROR)
    if known is None or not isinstance(known.proof, CoverProof):
        return None
    whole = known.proof.whole
    if enumeration is None and whole is not None and whole.turn is None:
        keep(kept_state(known.proof.parts, known.proof.transposed, None))
    try:
        share = task.stop.share(settings.enumeration_share, task.stop.remaining())
        bound_error_by_enumeration(
            task, state, share, reporter,
            small=settings.enumeration_gap, resume=enumeration, keep=keep,
        )  # fmt: skip
    finally:
        searched.offer(state.best)
        if checkpoint is not None:
            checkpoint.write(searched)
    return known


def _look_for_solutions(
    task: Task, state: State, reporter: Reporter, settings: ProveSettings
) -> None:
    """Local search in the error; its rectangles serve every objective."""
    offer(task, state, k_greedy(task.matrix, task.k, seed=task.seed), reporter)
    if task.search.node_limit is not None:
        limited = task.stop.child(iteration_limit=settings.first_iterations)
        search(task, state, limited, reporter)
        return
    seconds = task.stop.remaining()
    share = settings.first_seconds
    if math.isfinite(seconds):
        share = min(share, settings.first_share * seconds)
    search_while_moving(
        task,
        state,
        task.stop.child(share, target=task.stop.target),
        reporter,
        patience=settings.first_patience,
        times=settings.first_times,
    )


def _bound_the_root(task: Task, state: State, reporter: Reporter, settings: ProveSettings) -> None:
    seconds = task.stop.remaining()
    share = settings.root_seconds
    if math.isfinite(seconds):
        share = min(share, settings.root_share * seconds)
    bound_error_by_cover(task, state, task.stop.child(share), reporter)


def _as_leaf(bound: Bound) -> dict[str, object]:
    """A bound on the error that holds everywhere, as the proof of the root."""
    from boolfact.exact.error import cover_proof

    return cover_proof(bound)


def _note(searched: Search, task: Task, state: State) -> None:
    """What was proved by now, for the history of the run."""
    bound, now = float_below(searched.bound), task.stop.elapsed()
    point = TracePoint(now, error_lower_bound=bound)
    if searched.problem.on is Quantity.OBJECTIVE:
        point = TracePoint(now, objective_lower_bound=bound)
    last = state.trace.points[-1] if state.trace.points else None
    if last is None or replace(last, seconds=now) != point:
        state.trace.add(point)
