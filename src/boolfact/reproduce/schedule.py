"""Which cells run, one after the other or several at a time in processes of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from boolfact.control.cluster import ClusterExecutor, cluster_behind
from boolfact.reproduce.cells import Budget, Cell, Store
from boolfact.reproduce.processes import processes

__all__ = ["Say", "run_cells"]

Say = Callable[[str], None]


def run_cells(
    cells: Iterable[Cell],
    store: Store,
    budget: Budget,
    say: Say,
    workers: int = 1,
    executor: Any = None,
) -> dict[str, dict[str, Any]]:
    """The figures of all cells by name; those done before are read, the others run.

    Parameters
    ----------
    cells : iterable of Cell
    store : Store
        Gets every cell as soon as it is done.
    budget : Budget
    say : callable
        Told which cell is begun, and which one could not be kept.
    workers : int
        Cells at a time, never more than there are cores. A cell has one thread either way.
    executor : distributed.Client, optional
        A cluster that runs the cells instead, one for each of its threads at a time.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    wanted = list(cells)
    figures = {cell.name: store.load(cell, budget) for cell in wanted}
    missing = [cell for cell in wanted if figures[cell.name] is None]
    places = {cell.name: position for position, cell in enumerate(wanted, start=1)}

    def begin(cell: Cell) -> None:
        say(f"{places[cell.name]}/{len(wanted)} {cell.name}")

    at_a_time = min(workers, _cores(), len(missing))
    run = _in_turn(missing, budget, begin)
    if executor is not None:
        run = _on_a_cluster(missing, budget, begin, executor)
    elif at_a_time > 1:
        run = _side_by_side(missing, budget, begin, at_a_time)
    for cell, known in run:
        figures[cell.name] = known
        try:
            store.save(cell, budget, known)
        except OSError as error:
            # The table still has its figures, and other cells may have room.
            say(f"{cell.name} is not kept for another run: {error.strerror or error}")
    return {name: known for name, known in figures.items() if known is not None}


def _cores() -> int:
    """Those that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


Done = tuple[Cell, dict[str, Any]]


def _in_turn(cells: list[Cell], budget: Budget, begin: Callable[[Cell], None]) -> Iterator[Done]:
    for cell in cells:
        begin(cell)
        with threadpool_limits(1):
            known = cell.work(budget)
        yield cell, known


def _side_by_side(
    cells: list[Cell], budget: Budget, begin: Callable[[Cell], None], at_a_time: int
) -> Iterator[Done]:
    with processes(at_a_time) as pool:
        yield from _as_they_come(cells, budget, begin, pool.submit, at_a_time)


def _on_a_cluster(
    cells: list[Cell], budget: Budget, begin: Callable[[Cell], None], client: Any
) -> Iterator[Done]:
    with ClusterExecutor(cluster_behind(client)) as executor:
        yield from _as_they_come(cells, budget, begin, executor.submit, executor.workers)


def _as_they_come(
    cells: list[Cell],
    budget: Budget,
    begin: Callable[[Cell], None],
    submit: Callable[..., Future[dict[str, Any] | None]],
    at_a_time: int,
) -> Iterator[Done]:
    waiting = iter(cells)
    running: dict[Future[dict[str, Any] | None], Cell] = {}
    while True:
        for cell in waiting:
            begin(cell)
            running[submit(_work, cell, budget)] = cell
            if len(running) == at_a_time:
                break
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            cell = running.pop(future)
            try:
                known = future.result()
            except BrokenProcessPool as error:
                raise OSError(
                    f"a process ended without a word while {cell.name} and others were run, "
                    "perhaps for want of memory; finished cells are kept: run it again to go on"
                ) from error
            if known is None:
                raise KeyboardInterrupt
            yield cell, known


def _work(cell: Cell, budget: Budget) -> dict[str, Any] | None:
    """The figures of a cell, None if it was interrupted."""
    try:
        with threadpool_limits(1):
            return cell.work(budget)
    except KeyboardInterrupt:
        return None
