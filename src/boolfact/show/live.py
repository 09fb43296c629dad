"""Progress on the terminal: a live view where there is one, plain lines elsewhere."""

from __future__ import annotations

import bisect
import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from boolfact.control.progress import Event, Progress, silent
from boolfact.model.labels import shown
from boolfact.results.format import shown_bound, shown_gap, shown_value
from boolfact.show.lines import elapsed, lasting, line_progress

__all__ = ["Dashboard", "show_progress", "sparkline"]

_REFRESHES_PER_SECOND = 8
_SPARK_WIDTH = 24
_TABLE_WIDTH = 58
"""What the table takes beside its two spark lines."""
_LEAST_SPARK = 8
"""Below that they say nothing, and are left out."""
_BAR_SHARE = 6
"""The bar of the time takes so much of the width."""
_BLOCKS, _ASCII_BLOCKS = "▁▂▃▄▅▆▇█", "_.,-=+*#"


@contextlib.contextmanager
def show_progress(
    title: str = "",
    *,
    quiet: bool = False,
    time_limit: float | None = None,
    objective: bool = False,
    verbose: bool = False,
) -> Iterator[Progress]:
    """A listener for one run: live on a terminal, lines in a file or pipe, silent if quiet.

    It writes to standard error only and touches no signal: Ctrl-C reaches the solver.

    Parameters
    ----------
    title : str
    quiet : bool
    time_limit : float, optional
        Seconds that the run may take, shown beside those that it took.
    objective : bool
        Show the objective too, with the bound proved on it.
    verbose : bool
        Show the inner figures of the methods, guesses among them.
    """
    if quiet:
        yield silent
    elif not _is_terminal(sys.stderr):
        with line_progress(time_limit=time_limit, objective=objective, verbose=verbose) as listener:
            yield listener
    else:
        dashboard = Dashboard(title, time_limit=time_limit, objective=objective, verbose=verbose)
        # Printing is redirected only on standard error: standard output is the result's.
        with Live(
            dashboard,
            console=Console(file=lasting(sys.stderr)),
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
        ):
            yield dashboard.update


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def sparkline(
    values: Sequence[float | None], low: float, high: float, blocks: str = _BLOCKS
) -> str:
    """One character per value between low and high, a space where there is none.

    Examples
    --------
    >>> sparkline([None, 0, 5, 10], 0, 10)
    ' ▁▅█'
    """
    steps = len(blocks) - 1
    span = high - low
    return "".join(
        " " if v is None else blocks[round(steps * (v - low) / span) if span > 0 else 0]
        for v in values
    )


@dataclass
class _History:
    """A quantity over time; only its changes are kept."""

    better: Callable[[float, float], bool]
    seconds: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @property
    def best(self) -> float | None:
        return self.values[-1] if self.values else None

    def add(self, seconds: float, value: float | None) -> None:
        if value is None or not math.isfinite(value):
            return
        if not self.values or self.better(value, self.values[-1]):
            # Threads report in any order; time must not run backwards for the search below.
            self.seconds.append(max(seconds, self.seconds[-1] if self.seconds else 0.0))
            self.values.append(value)

    def at(self, seconds: float) -> float | None:
        """What was known at a moment."""
        place = bisect.bisect_right(self.seconds, seconds)
        return self.values[place - 1] if place else None


def _least() -> _History:
    return _History(lambda new, old: new < old)


def _largest() -> _History:
    return _History(lambda new, old: new > old)


_FIGURES: tuple[tuple[str, Callable[[float], str], bool], ...] = (
    ("iterations", shown_value, False),
    ("tree_nodes", shown_value, False),
    ("open_nodes", shown_value, False),
    ("columns", shown_value, True),
    ("master", shown_value, True),
    ("nodes", shown_value, True),
)
"""Fields of an event, how they are shown, and whether only those see them who ask for more."""


class Dashboard:
    """What is known of one run, drawn anew at each refresh.

    The error stands beside the bound proved for the error, and the objective beside the bound
    proved for the objective; a gap is shown only within such a pair.

    Parameters
    ----------
    title : str
    clock : callable
    time_limit, objective, verbose
        See `show_progress`.
    """

    def __init__(
        self,
        title: str = "",
        clock: Callable[[], float] = time.perf_counter,
        *,
        time_limit: float | None = None,
        objective: bool = False,
        verbose: bool = False,
    ) -> None:
        self._title = shown(title)
        self._clock = clock
        # The clock of the run: it begins anew when the kernels are compiled.
        self._seconds, self._heard = 0.0, clock()
        self._time_limit, self._verbose = time_limit, verbose
        self._lock = threading.Lock()
        self._spinners = {False: Spinner("dots"), True: Spinner("line")}
        self._phase, self._message = "starting", ""
        self._figures: dict[str, str] = {}
        self._pairs = {"error": (_least(), _largest())}
        if objective or verbose:
            self._pairs["objective"] = (_least(), _largest())

    def update(self, event: Event) -> None:
        """Take in an event; called by the solver, from any thread."""
        with self._lock:
            self._phase = event.phase
            self._message = event.message or self._message
            self._seconds, self._heard = event.seconds, self._clock()
            for name, (primal, dual) in self._pairs.items():
                primal.add(event.seconds, getattr(event, name))
                dual.add(event.seconds, getattr(event, f"{name}_lower_bound"))
            for name, shown, is_inner in _FIGURES:
                value = getattr(event, name)
                if value is not None and (self._verbose or not is_inner):
                    self._figures[name.replace("_", " ")] = shown(value)
            if event.guess is not None and self._verbose:
                self._figures["guessed bound"] = shown_bound(event.guess)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        ascii_only = options.ascii_only
        with self._lock:
            parts: list[RenderableType] = [self._heading(ascii_only, options.max_width)]
            width = min(_SPARK_WIDTH, (options.max_width - _TABLE_WIDTH) // 2)
            parts.append(self._table(_ASCII_BLOCKS if ascii_only else _BLOCKS, width))
            if self._figures:
                figures = (f"{name} {value}" for name, value in self._figures.items())
                parts.append(Padding(Text("   ".join(figures)), (0, 0, 0, 2)))
            if self._message:
                parts.append(Text("  " + self._message, overflow="ellipsis", no_wrap=True))
        parts.append(Text("  Ctrl-C stops and keeps the best result so far", style="dim"))
        yield Group(*parts)

    def _heading(self, ascii_only: bool, width: int) -> Table:
        """What runs, and how much of its time is gone; a long title gives way."""
        grid = Table.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        for _ in range(3):
            grid.add_column(no_wrap=True)
        seconds = self._now()
        phase, time_taken = self._phase, elapsed(seconds, self._time_limit, self._phase)
        bar: RenderableType = ""
        taken = len(phase) + len(time_taken) + 6
        if self._time_limit:
            length = max(4, width // _BAR_SHARE)
            bar = ProgressBar(self._time_limit, min(seconds, self._time_limit), width=length)
            taken += length
        title = Text(self._title, style="bold", overflow="ellipsis", no_wrap=True)
        title.truncate(max(8, width - taken), overflow="ellipsis")
        spinner = self._spinners[ascii_only]
        grid.add_row(spinner, title, Text(phase, style="cyan"), Text(time_taken), bar)
        return grid

    def _now(self) -> float:
        return self._seconds + self._clock() - self._heard

    def _table(self, blocks: str, width: int) -> Table:
        table = Table(box=None, padding=(0, 2), header_style="dim")
        table.add_column("", no_wrap=True)
        for name in ("best", "proved at least", "gap"):
            table.add_column(name, justify="right", no_wrap=True)
        if width >= _LEAST_SPARK:
            table.add_column("over time", no_wrap=True)
        for name, (primal, dual) in self._pairs.items():
            if primal.best is not None or dual.best is not None:
                table.add_row(
                    name,
                    shown_value(primal.best),
                    shown_bound(dual.best),
                    shown_gap(primal.best, dual.best),
                    *([self._sparks(primal, dual, blocks, width)] if width >= _LEAST_SPARK else []),
                )
        return table

    def _sparks(self, primal: _History, dual: _History, blocks: str, width: int) -> Text:
        """Both on one scale: it is seen when they meet."""
        everything = primal.values + dual.values
        low, high = min(everything), max(everything)
        now = self._now()
        times = [now * (i + 1) / width for i in range(width)]
        text = Text()
        for history, style in ((primal, "green"), (dual, "blue")):
            if history.values:
                line = sparkline([history.at(t) for t in times], low, high, blocks)
                text.append(("  " if text else "") + line, style=style)
        return text
