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
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from boolfact.control.progress import Event, Progress, silent
from boolfact.model.labels import shown
from boolfact.results.format import shown_bound, shown_gap, shown_value

__all__ = ["Dashboard", "line_progress", "show_progress", "sparkline"]

_SECONDS_BETWEEN_LINES = 2.0
_REFRESHES_PER_SECOND = 8
_SPARK_WIDTH = 24
_TABLE_WIDTH = 60
"""What the table takes beside its two spark lines."""
_BLOCKS, _ASCII_BLOCKS = "▁▂▃▄▅▆▇█", "_.,-=+*#"


@contextlib.contextmanager
def show_progress(title: str = "", *, quiet: bool = False) -> Iterator[Progress]:
    """A listener for one run: live on a terminal, lines in a file or pipe, silent if quiet.

    It writes to standard error only and touches no signal: Ctrl-C reaches the solver.
    """
    if quiet:
        yield silent
    elif not _is_terminal(sys.stderr):
        yield line_progress()
    else:
        dashboard = Dashboard(title)
        # Printing is redirected only on standard error: standard output is the result's.
        with Live(
            dashboard,
            console=Console(file=_lasting(sys.stderr)),
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
        ):
            yield dashboard.update


class _Lasting:
    """A stream that may go away, like a terminal: then the view is lost, and not the run."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _lasting(stream: TextIO) -> TextIO:
    return cast(TextIO, _Lasting(stream))


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def line_progress() -> Progress:
    """A listener that prints a line on standard error every other second."""
    last = [-_SECONDS_BETWEEN_LINES]

    def show(event: Event) -> None:
        if not event.message and event.seconds - last[0] < _SECONDS_BETWEEN_LINES:
            return
        last[0] = event.seconds
        print(_line(event), file=_lasting(sys.stderr), flush=True)

    return show


def _line(event: Event) -> str:
    parts = [f"{event.seconds:7.1f} s  {event.phase:<18}"]
    for name, value, written in (
        ("error", event.error, shown_value),
        ("error bound", event.error_lower_bound, shown_bound),
        ("objective", event.objective, shown_value),
        ("objective bound", event.objective_lower_bound, shown_bound),
        ("master", event.master, shown_value),
        ("columns", event.columns, shown_value),
        ("iterations", event.iterations, shown_value),
        ("nodes", event.nodes, shown_value),
        ("tree nodes", event.tree_nodes, shown_value),
        ("open nodes", event.open_nodes, shown_value),
    ):
        if value is not None:
            parts.append(f"{name} {written(value)}")
    if event.message:
        parts.append(event.message)
    return "  ".join(parts)


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


class Dashboard:
    """What is known of one run, drawn anew at each refresh.

    The error stands beside the bound proved for the error, and the objective beside the bound
    proved for the objective; a gap is shown only within such a pair.
    """

    def __init__(self, title: str = "", clock: Callable[[], float] = time.perf_counter) -> None:
        self._title = shown(title)
        self._clock = clock
        self._started = clock()
        self._lock = threading.Lock()
        self._spinners = {False: Spinner("dots"), True: Spinner("line")}
        self._phase, self._message = "starting", ""
        self._figures: dict[str, float] = {}
        self._pairs = {"error": (_least(), _largest()), "objective": (_least(), _largest())}

    def update(self, event: Event) -> None:
        """Take in an event; called by the solver, from any thread."""
        with self._lock:
            self._phase = event.phase
            self._message = event.message or self._message
            error, objective = self._pairs["error"], self._pairs["objective"]
            error[0].add(event.seconds, event.error)
            error[1].add(event.seconds, event.error_lower_bound)
            objective[0].add(event.seconds, event.objective)
            objective[1].add(event.seconds, event.objective_lower_bound)
            for name in ("columns", "iterations", "master", "nodes", "tree_nodes", "open_nodes"):
                value = getattr(event, name)
                if value is not None:
                    self._figures[name.replace("_", " ")] = value

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        ascii_only = options.ascii_only
        with self._lock:
            parts: list[RenderableType] = [self._heading(ascii_only)]
            width = max(4, min(_SPARK_WIDTH, (options.max_width - _TABLE_WIDTH) // 2))
            parts.append(self._table(_ASCII_BLOCKS if ascii_only else _BLOCKS, width))
            if self._figures:
                figures = self._figures.items()
                texts = (f"{name} {shown_value(value)}" for name, value in figures)
                parts.append(Text("  " + "   ".join(texts)))
            if self._message:
                parts.append(Text("  " + self._message, overflow="ellipsis", no_wrap=True))
        parts.append(Text("  Ctrl-C stops and keeps the best result so far", style="dim"))
        yield Group(*parts)

    def _heading(self, ascii_only: bool) -> Table:
        grid = Table.grid(padding=(0, 1))
        title = Text(self._title, style="bold", overflow="ellipsis", no_wrap=True)
        elapsed = f"{self._clock() - self._started:.1f} s"
        grid.add_row(
            self._spinners[ascii_only], title, Text(self._phase, style="cyan"), Text(elapsed)
        )
        return grid

    def _table(self, blocks: str, width: int) -> Table:
        table = Table(box=None, padding=(0, 2), header_style="dim")
        table.add_column("")
        for name in ("best", "proved at least", "gap"):
            table.add_column(name, justify="right")
        table.add_column("over time", no_wrap=True)
        for name, (primal, dual) in self._pairs.items():
            if primal.best is not None or dual.best is not None:
                table.add_row(
                    name,
                    shown_value(primal.best),
                    shown_bound(dual.best),
                    shown_gap(primal.best, dual.best),
                    self._sparks(primal, dual, blocks, width),
                )
        return table

    def _sparks(self, primal: _History, dual: _History, blocks: str, width: int) -> Text:
        """Both on one scale: it is seen when they meet."""
        everything = primal.values + dual.values
        low, high = min(everything), max(everything)
        now = self._clock() - self._started
        times = [now * (i + 1) / width for i in range(width)]
        text = Text()
        for history, style in ((primal, "green"), (dual, "blue")):
            if history.values:
                line = sparkline([history.at(t) for t in times], low, high, blocks)
                text.append(("  " if text else "") + line, style=style)
        return text
