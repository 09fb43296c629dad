"""The method `auto`: local search and column generation, which share one pool of rectangles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from boolfact.control.ending import Ending
from boolfact.solve.beside import search_beside
from boolfact.solve.engines import search_while_moving, why_it_ended
from boolfact.solve.opening import improve_many_patterns, open_with_heuristics, wants_opening
from boolfact.solve.provers import STEPS, Step, prove
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task
from boolfact.solve.turns import begin_samples

__all__ = ["AutoSettings", "run_auto"]


@dataclass(frozen=True)
class AutoSettings:
    """How `auto` shares its time.

    Attributes
    ----------
    opening_share : float
        For published heuristics, on large data and where zeros are dear.
    first_share, first_share_together : float
        For the first search; less of it where the search goes on beside the proof.
    first_patience, first_times : float
        The first search ends after this many seconds without a better solution, if that is
        also this many times as long as the best took to come: a proof needs a good solution
        more than the best one.
    last_patience, last_times : float
        The same for the last search, after which nothing follows.
    unasked_ones : int
        Ones in the reduced matrix above which bounds are proved only if asked for: column
        generation would hardly begin in a minute.
    unasked_cells : int
        The same for the cells of the reduced matrix.
    """

    opening_share: float = 0.3
    first_share: float = 0.3
    first_share_together: float = 0.2
    first_patience: float = 1.0
    first_times: float = 1.0
    last_patience: float = 10.0
    last_times: float = 10.0
    unasked_ones: int = 60_000
    unasked_cells: int = 1_000_000


def run_auto(
    task: Task,
    state: State,
    reporter: Reporter,
    settings: AutoSettings | None = None,
    steps: tuple[Step, ...] = STEPS,
) -> Ending:
    """Search first; then prove, with the search going on beside it; then search on.

    It ends when time is over, when optimality is proved, or when nothing moves.
    """
    settings = settings or AutoSettings()
    stop, seconds = task.stop, task.stop.remaining()
    if wants_opening(task, state) and not _is_over(task, state):
        open_with_heuristics(task, state, stop.share(settings.opening_share, seconds), reporter)
    if state.population is None and not _is_over(task, state):
        improve_many_patterns(task, state, reporter)
    begin_samples(task, state)
    # Column generation keeps one core busy, hardly two. Results must not depend on the
    # workers where an iteration limit asks for that: one after the other then.
    together = task.workers > 1 and stop.iteration_limit is None and state.population is not None
    first = settings.first_share_together if together else settings.first_share
    last = search_while_moving(
        task,
        state,
        stop.share(first, seconds),
        reporter,
        patience=settings.first_patience,
        times=settings.first_times,
    )
    if _wants_bounds(task, settings) and not _is_over(task, state):
        proof = partial(prove, seconds=seconds, steps=steps, to_the_end=together)
        if together:
            last = search_beside(task, state, reporter, proof, workers=max(1, task.workers // 2))
        else:
            proof(task, state, reporter)
    if not _is_over(task, state):
        last = search_while_moving(
            task,
            state,
            stop,
            reporter,
            patience=settings.last_patience,
            times=settings.last_times,
        )
    return why_it_ended(task, state, last)


def _is_over(task: Task, state: State) -> bool:
    """Whether nothing more is to be done: proved, at the target, or out of time."""
    return state.is_optimal or task.stop.ending(state.error) is not None


def _wants_bounds(task: Task, settings: AutoSettings) -> bool:
    if task.bound == "auto":
        few_cells = task.matrix.values.size <= settings.unasked_cells
        return few_cells and int(task.matrix.ones.sum()) <= settings.unasked_ones
    return task.bound != "none"
