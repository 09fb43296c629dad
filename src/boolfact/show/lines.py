"""Progress as plain lines, for files, pipes and terminals that can do no more."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

from boolfact.control.executor import beating
from boolfact.control.progress import Event, Progress
from boolfact.results.format import shown_bound, shown_value

__all__ = ["Lines", "elapsed", "lasting", "line_progress"]

_SECONDS_BETWEEN_LINES = 1.8
_SECONDS_BETWEEN_BEATS = 0.2
"""Together at most two seconds from one line to the next."""

_BEFORE = ("starting", "compiling", "loading")
"""Phases before the clock of the run begins."""


@contextlib.contextmanager
def line_progress(
    *, time_limit: float | None = None, objective: bool = False, verbose: bool = False
) -> Iterator[Progress]:
    """A listener that prints a line on standard error every two seconds, heard of or not."""
    lines = Lines(time_limit=time_limit, objective=objective, verbose=verbose)
    with beating(lines.beat, _SECONDS_BETWEEN_BEATS):
        yield lines.update


class Lines:
    """What was heard last of a run, as a line from time to time.

    Parameters
    ----------
    time_limit : float, optional
        Seconds that the run may take, told beside those that it took.
    objective : bool
        Tell of the objective and the bound on it.
    verbose : bool
        Tell of everything, also of what is guessed.
    clock : callable
    """

    def __init__(
        self,
        *,
        time_limit: float | None = None,
        objective: bool = False,
        verbose: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._time_limit, self._verbose = time_limit, verbose
        self._objective = objective or verbose
        self._clock = clock
        self._last, self._heard = Event("starting", 0.0), clock()
        self._printed: float | None = None
        self._one_at_a_time = threading.Lock()

    def update(self, event: Event) -> None:
        """Take in an event; the first one and every new message are told at once."""
        with self._one_at_a_time:
            is_new = event.message not in ("", self._last.message)
            self._last, self._heard = event, self._clock()
            if is_new or self._printed is None or self._is_due(self._printed):
                self._print()

    def beat(self) -> None:
        """Tell again what is known if nothing was told for long."""
        with self._one_at_a_time:
            if self._is_due(self._heard if self._printed is None else self._printed):
                self._print()

    def _is_due(self, since: float) -> bool:
        return self._clock() - since >= _SECONDS_BETWEEN_LINES

    def _print(self) -> None:
        self._printed = self._clock()
        seconds = self._last.seconds + self._printed - self._heard
        print(self._line(seconds), file=lasting(sys.stderr), flush=True)

    def _line(self, seconds: float) -> str:
        event = self._last
        parts = [f"{elapsed(seconds, self._time_limit, event.phase):>14}  {event.phase:<18}"]
        figures = [
            ("error", event.error, shown_value),
            ("proved at least", event.error_lower_bound, shown_bound),
        ]
        if self._objective:
            figures += [
                ("objective", event.objective, shown_value),
                ("objective proved at least", event.objective_lower_bound, shown_bound),
            ]
        if self._verbose:
            figures += [
                ("master", event.master, shown_value),
                ("guessed bound", event.guess, shown_bound),
                ("columns", event.columns, shown_value),
                ("iterations", event.iterations, shown_value),
                ("nodes", event.nodes, shown_value),
            ]
        figures += [
            ("tree nodes", event.tree_nodes, shown_value),
            ("open nodes", event.open_nodes, shown_value),
        ]
        parts += [f"{name} {shown(value)}" for name, value, shown in figures if value is not None]
        if event.message:
            parts.append(event.message)
        return "  ".join(parts).rstrip()


def elapsed(seconds: float, time_limit: float | None, phase: str = "") -> str:
    """Seconds taken, of those allowed; what comes before the run is not limited.

    Examples
    --------
    >>> elapsed(2.04, 60.0), elapsed(2.04, None), elapsed(2.04, 60.0, "compiling")
    ('2.0 of 60 s', '2.0 s', '2.0 s')
    """
    if time_limit is None or phase in _BEFORE:
        return f"{seconds:.1f} s"
    return f"{seconds:.1f} of {time_limit:g} s"


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


def lasting(stream: TextIO) -> TextIO:
    """The stream, whose end does no harm."""
    return cast(TextIO, _Lasting(stream))
