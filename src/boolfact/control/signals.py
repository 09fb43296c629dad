"""Requests to end: what Ctrl-C, SIGTERM and SIGHUP do, during a search and around it."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

__all__ = ["Requests", "ending_politely", "handled", "program_requests"]

_SAME_REQUEST = 1.0
"""Seconds within which a further SIGTERM or SIGHUP says nothing new.

Shells, `timeout` and service managers send them twice: to the process, and to its group.
"""

Handler = Callable[[int, FrameType | None], None]


class Requests:
    """Counts requests to end, and says which of them is to be obeyed at once.

    A further Ctrl-C always counts: a person pressed it again. A further SIGTERM or SIGHUP counts
    if it comes a second or more after the last request.

    Examples
    --------
    >>> requests = Requests()
    >>> requests.note(signal.SIGTERM), requests.note(signal.SIGTERM), requests.note(signal.SIGINT)
    (1, 1, 2)
    """

    def __init__(self) -> None:
        self.count = 0
        self._last = 0.0

    def note(self, number: int) -> int:
        """Take note of a signal; how many requests there were by now."""
        now = time.monotonic()
        is_echo = number != signal.SIGINT and now - self._last < _SAME_REQUEST
        if self.count == 0 or not is_echo:
            self.count += 1
        self._last = now
        return self.count


class _Program:
    """The handler of a program: before its first search a request ends it, afterwards a second.

    Between the end of a search and the last line that is printed, what was found must be saved.
    """

    def __init__(self) -> None:
        self.requests = Requests()
        self.has_something = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.requests.note(number) > 1 or not self.has_something:
            raise KeyboardInterrupt


def program_requests() -> _Program | None:
    """What handles requests to end around the searches of this program; None in a library."""
    found: Any = signal.getsignal(signal.SIGINT)
    if not isinstance(found, _Program):
        found = signal.getsignal(signal.SIGTERM)
    return found if isinstance(found, _Program) else None


@contextlib.contextmanager
def ending_politely() -> Iterator[None]:
    """Turn requests to end into KeyboardInterrupt, as Python does for Ctrl-C alone.

    Once a search was run, the first request is only noted: the program is about to save what it
    found, and to end. Where Ctrl-C is ignored, as for a job in the background of a script, it
    stays so.
    """
    with handled(_Program(), keep_ignored=True):
        yield


@contextlib.contextmanager
def handled(handle: Handler, *, keep_ignored: bool = False) -> Iterator[None]:
    """Handle requests to end, and leave the handlers as they were.

    A handler that somebody else set for SIGTERM or SIGHUP stays, and so does being deaf to it, as
    under nohup. Signal handlers belong to the main thread; anywhere else this changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with contextlib.ExitStack() as handlers:
        if not (keep_ignored and signal.getsignal(signal.SIGINT) is signal.SIG_IGN):
            handlers.enter_context(_set(signal.SIGINT, handle))
        # Windows has no SIGHUP.
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is None:
                continue
            found: Any = signal.getsignal(number)
            if found is signal.SIG_DFL or isinstance(found, _Program):
                handlers.enter_context(_set(number, handle))
        yield


@contextlib.contextmanager
def _set(number: signal.Signals, handle: Handler) -> Iterator[None]:
    previous = signal.signal(number, handle)
    try:
        yield
    finally:
        # None stands for a handler that Python did not set and cannot put back.
        signal.signal(number, signal.SIG_DFL if previous is None else previous)
