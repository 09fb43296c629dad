"""`reproduce`: run what is missing of a study and write its tables and pictures."""

from __future__ import annotations

import datetime
import importlib.util
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from boolfact.datasets import list_datasets
from boolfact.io.write import write_whole
from boolfact.reproduce.cells import Budget, Cell, Store
from boolfact.reproduce.render import Entry, as_csv, as_markdown
from boolfact.reproduce.schedule import Say, run_cells
from boolfact.reproduce.studies import PAPER_ROWS, STUDIES, Figures, Study

__all__ = ["Reproduction", "reproduce"]

T = TypeVar("T")


@dataclass(frozen=True)
class Reproduction:
    """The entries of a table, the files written, and those that could not be."""

    entries: list[Entry]
    markdown: str
    files: list[Path]
    unwritten: list[Path] = field(default_factory=list)


def reproduce(
    study: str,
    folder: str | os.PathLike[str],
    *,
    datasets: Sequence[str] | None = None,
    ranks: Sequence[int] | None = None,
    methods: Sequence[str] | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    workers: int = 1,
    executor: Any = None,
    say: Say = print,
) -> Reproduction:
    """Run a table or figure of the paper.

    Every finished cell is kept in `folder` and not run again with the same time limit and
    seed, so an interrupted study goes on where it was.

    Parameters
    ----------
    study : str
        ``table1``, ``table2``, ``table3``, ``table4`` or ``figure1``.
    folder : path
        Gets STUDY.csv, STUDY.md, for a figure STUDY.png, and a file per cell in STUDY-cells.
    datasets, ranks, methods : sequence, optional
        Some of the study's, or other datasets and ranks; all of the study's by default.
    time_limit : float, optional
        Seconds per cell, the study's own by default: 60 for table1, 300 for figure1, whose
        curves end when they are proved, else 10. The paper used 1200.
    seed : int
    workers : int
        Cells at a time, each in a process of its own with one thread; never more than there
        are cores.
    executor : distributed.Client, optional
        A cluster that runs the cells instead, as many at a time as it has threads.
    say : callable
        Told which cell is run, and what could not be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = reproduce("table4", folder, datasets=["votes"], ranks=[2], methods=["k_greedy"])
    1/1 votes-k2-k_greedy
    >>> done.entries[0].ours, done.entries[0].paper, done.entries[0].difference
    (2929, 2929, 0)
    """
    if study not in STUDIES:
        raise ValueError(f"study must be one of {', '.join(STUDIES)}, got {study!r}")
    plan = STUDIES[study]
    budget = Budget(plan.time_limit if time_limit is None else time_limit, seed)
    cells = plan.cells(_datasets(plan, datasets), _ranks(plan, ranks), _methods(plan, methods))
    target = Path(folder)
    store = Store(target / f"{study}-cells", lambda cell, known: _tried(plan, cell, known))
    figures = run_cells(cells, store, budget, say, workers, executor)
    entries = plan.entries(cells, figures)
    markdown = as_markdown(plan.title, _remark(plan, budget), entries)
    done = Reproduction(entries, markdown, [])
    writers = _writers(target, plan, cells, figures, done, say)
    for path, write in writers:
        try:
            write(path)
            done.files.append(path)
        except OSError as error:
            # What was found is in hand, and is worth more than the file.
            say(f"{path} could not be written: {error.strerror or error}")
            done.unwritten.append(path)
    return done


def _tried(plan: Study, cell: Cell, known: dict[str, Any]) -> None:
    """Make a table of one cell that was read from a file, to see whether it has its figures."""
    figures = {cell.name: known}
    as_markdown("", "", plan.entries([cell], figures))
    if plan.is_figure:
        from boolfact.reproduce.curves import curves_csv

        curves_csv([cell], figures)


def _chosen(what: str, own: Sequence[T], given: Sequence[T] | None) -> list[T]:
    """Those of the study, or those given: none at all would write an empty table."""
    if given is not None and not given:
        raise ValueError(f"{what} must name at least one, got none")
    return list(own if given is None else given)


def _datasets(plan: Study, given: Sequence[str] | None) -> list[str]:
    chosen = _chosen("datasets", plan.datasets, given)
    for name in chosen:
        if name not in list_datasets():
            known = ", ".join(list_datasets())
            raise ValueError(f"datasets must be bundled ones ({known}), got {name!r}")
    return chosen


def _ranks(plan: Study, given: Sequence[int] | None) -> list[int]:
    if given is not None and not plan.ranks:
        raise ValueError(f"{plan.name} has no ranks to choose from")
    chosen = _chosen("ranks", plan.ranks, given)
    for k in chosen:
        if k < 1:
            raise ValueError(f"ranks must be at least 1, got {k}")
    return chosen


def _methods(plan: Study, given: Sequence[str] | None) -> list[str]:
    chosen = _chosen("methods", plan.methods, given)
    known = set(plan.methods) | ({*PAPER_ROWS} if plan.name == "table4" else set())
    for name in chosen:
        if name not in known:
            raise ValueError(
                f"methods of {plan.name} must be some of {', '.join(plan.methods) or 'none'}, "
                f"got {name!r}"
            )
    return chosen


def _remark(plan: Study, budget: Budget) -> str:
    return (
        f"{plan.remark} Written {datetime.date.today().isoformat()}; {budget.time_limit:g} s per "
        f"cell (the paper: 1200 s), seed {budget.seed}, one thread per cell on "
        f"{platform.machine()} with {os.cpu_count()} cores."
    )


def _writers(
    target: Path, plan: Study, cells: Sequence[Cell], figures: Figures, done: Reproduction, say: Say
) -> Iterator[tuple[Path, Callable[[Path], object]]]:
    """The files of a study, and what writes each."""
    yield target / f"{plan.name}.csv", lambda path: write_whole(path, as_csv(done.entries))
    yield target / f"{plan.name}.md", lambda path: write_whole(path, done.markdown)
    if not plan.is_figure:
        return
    from boolfact.reproduce.curves import curves_csv, draw_curves

    points = target / f"{plan.name}-points.csv"
    yield points, lambda path: write_whole(path, curves_csv(cells, figures))
    if importlib.util.find_spec("matplotlib") is None:
        say("no picture: matplotlib is not installed; pip install 'boolfact[plot]'")
        return
    yield target / f"{plan.name}.png", lambda path: draw_curves(path, cells, figures)
