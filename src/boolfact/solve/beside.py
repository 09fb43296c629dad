"""Proving beside the search: two threads, two states, one reporter."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import replace

from boolfact.control.ending import Ending
from boolfact.control.executor import Executor, ThreadExecutor
from boolfact.control.gate import GatedExecutor
from boolfact.model.factors import Factors
from boolfact.solve.engines import search_while_moving
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["News", "Prover", "search_beside"]

News = Callable[[], Factors | None]
"""The best that is known elsewhere by now."""

Prover = Callable[[Task, State, Reporter, News], None]


def search_beside(
    task: Task,
    state: State,
    reporter: Reporter,
    prove: Prover,
    *,
    workers: int,
    patience: float = 10.0,
    times: float = 10.0,
) -> Ending:
    """Let a proof work on a copy of the state, in a thread of its own, while the search goes on.

    The proof begins with what is known, has `workers` of the workers, and hears of the best of
    the search whenever it asks. What it found is taken over when it is done. A search that found
    nothing for `patience` seconds, and for `times` as long as its best took to come, ends, and
    leaves its workers to the proof.
    """
    population, own = state.population, task.workers - workers
    if population is None or own < 1:
        raise ValueError(f"expected a local search and over {workers} workers for two engines")
    stop = task.stop.child()
    copied = state.without_search()
    with (
        task.executor.part(own) as for_search,
        task.executor.part(workers) as few,
        task.executor.part(task.workers) as all_of_them,
        task.executor.part(1) as thread,
    ):
        for_proof: Executor = few
        if isinstance(all_of_them, ThreadExecutor):
            for_proof = GatedExecutor(all_of_them, workers)
        aside = replace(task, stop=stop, executor=for_proof)
        proof = thread.submit(prove, aside, copied, reporter, lambda: population.best)
        try:
            until = task.stop.child(target=task.stop.target, until=proof.done)
            ending = search_while_moving(
                replace(task, executor=for_search), state, until, reporter,
                patience=patience, times=times,
            )  # fmt: skip
            if not proof.done() and task.stop.ending(state.error) is None:
                if isinstance(for_proof, GatedExecutor):
                    for_proof.open()
                wait([proof])
        finally:
            # At a target, or after an error, nobody waits for bounds any more.
            if not proof.done() and not task.stop.now():
                stop.end()
        proof.result()
    state.take_over(copied, task.matrix)
    reporter.found(state, task.stop.elapsed())
    state.improved_at = reporter.improved_at
    return ending
