"""When to stop: time limit, iteration limit, target error and interruption in one object."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from boolfact.control.ending import Ending
from boolfact.control.signals import Requests, handled, program_requests

__all__ = ["Stop"]

_LEAST_SECONDS = 1e-9
"""Of a stop that travels when its time is over: it is over on arrival, too."""


class Stop:
    """The one object that every loop asks whether to go on.

    Parameters
    ----------
    time_limit : float, optional
        Seconds from now; None for no limit.
    iteration_limit : int, optional
        Largest number of iterations; with it (and without a binding time limit) a run is
        reproducible.
    target : int, optional
        Stop as soon as the error is at most this.

    Attributes
    ----------
    reason : Ending or None
        What `now` or `reached` last said to stop for; None before that.

    Examples
    --------
    >>> stop = Stop(iteration_limit=10, target=5)
    >>> stop.reached(error=7, iterations=3)
    False
    >>> stop.reached(error=5, iterations=3), stop.reason
    (True, <Ending.TARGET: 'target reached'>)
    """

    def __init__(
        self,
        time_limit: float | None = None,
        iteration_limit: int | None = None,
        target: int | None = None,
    ) -> None:
        if time_limit is not None and not time_limit > 0:
            raise ValueError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
        if iteration_limit is not None and iteration_limit < 1:
            raise ValueError(f"iteration_limit must be at least 1, got {iteration_limit!r}")
        self.time_limit = time_limit
        self.iteration_limit = iteration_limit
        self.target = target
        self.reason: Ending | None = None
        self._start = time.perf_counter()
        self._deadline = math.inf if time_limit is None else self._start + time_limit
        self._interrupted = threading.Event()
        self._finished: list[Ending] = []
        self._parent: Stop | None = None
        self._until: Callable[[], bool] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """In another process the time that is left counts from its arrival there.

        An interruption does not follow it: whoever sent the work takes no more of it.
        """
        left = self.remaining()
        seconds = None if math.isinf(left) else max(left, _LEAST_SECONDS)
        return Stop, (seconds, self.iteration_limit, self.target)

    def restart(self) -> None:
        """Count the time from now on: what came before was no part of the run."""
        self._start = time.perf_counter()
        self._deadline = math.inf if self.time_limit is None else self._start + self.time_limit

    def elapsed(self) -> float:
        """Seconds since this object was made, or started again."""
        return time.perf_counter() - self._start

    def remaining(self) -> float:
        """Seconds left, infinite without a time limit, never negative."""
        own = max(0.0, self._deadline - time.perf_counter())
        return own if self._parent is None else min(own, self._parent.remaining())

    @property
    def interrupted(self) -> bool:
        """Whether the user asked to stop."""
        return self._interrupted.is_set()

    def interrupt(self) -> None:
        """Ask everybody who shares this object to stop soon and keep the best so far."""
        self._interrupted.set()

    def finish(self, reason: Ending) -> None:
        """Ask everybody who shares this object to stop soon: what was asked for is reached.

        Examples
        --------
        >>> stop = Stop()
        >>> stop.child().finish(Ending.GAP_LIMIT)
        >>> stop.ending()
        <Ending.GAP_LIMIT: 'gap limit'>
        """
        self._finished.append(reason)

    @property
    def is_endless(self) -> bool:
        """Whether only an interruption would end it."""
        limits = (self.iteration_limit, self.target, self._until)
        return math.isinf(self.remaining()) and all(limit is None for limit in limits)

    def end(self) -> None:
        """End the time of this one and of all its children, not that of its parent."""
        self._deadline = -math.inf

    def now(self) -> bool:
        """Whether time is over, the user interrupted, or the run is finished."""
        if self._interrupted.is_set():
            self.reason = Ending.INTERRUPTED
            return True
        if self._finished:
            self.reason = self._finished[0]
            return True
        if self._until is not None and self._until():
            self.end()
        if self.remaining() == 0:
            self.reason = Ending.TIME_LIMIT
            return True
        return False

    def reached(self, error: float | None = None, iterations: int | None = None) -> bool:
        """Whether to stop, given the error and the iterations so far."""
        if self.target is not None and error is not None and error <= self.target:
            self.reason = Ending.TARGET
            return True
        if (
            self.iteration_limit is not None
            and iterations is not None
            and iterations >= self.iteration_limit
        ):
            self.reason = Ending.ITERATION_LIMIT
            return True
        return self.now()

    def ending(self, error: float | None = None, iterations: int | None = None) -> Ending | None:
        """Why to stop, given the error and the iterations so far; None to go on."""
        return self.reason if self.reached(error, iterations) else None

    def child(
        self,
        time_limit: float | None = None,
        iteration_limit: int | None = None,
        target: int | None = None,
        until: Callable[[], bool] | None = None,
    ) -> Stop:
        """A stop for one phase: ends no later than this one and shares its interruption.

        With `until`, its time is also over as soon as that says so.

        Its time limit counts from now, while `elapsed` goes on counting from the beginning of
        the run, so all phases report on one clock.
        """
        stop = Stop(None, iteration_limit, target)
        stop.time_limit = time_limit
        stop._deadline = math.inf if time_limit is None else stop._start + time_limit
        stop._start = self._start
        stop._parent = self
        stop._until = until
        stop._interrupted = self._interrupted
        stop._finished = self._finished
        return stop

    def share(self, part: float, seconds: float | None = None) -> Stop:
        """A stop for one phase: part of the time, or all of the iteration limit if there is one.

        An iteration limit goes with answers that do not depend on the clock, so time ends only
        the run as a whole then. The target is that of the run.

        Parameters
        ----------
        part : float
            Of `seconds`, from now on.
        seconds : float, optional
            What is left by default; infinite for no limit of its own.

        Examples
        --------
        >>> Stop(time_limit=100).share(0.1).remaining() <= 10
        True
        >>> Stop(time_limit=100, iteration_limit=3).share(0.1).remaining() > 90
        True
        """
        seconds = self.remaining() if seconds is None else seconds
        by_clock = self.iteration_limit is None and math.isfinite(seconds)
        return self.child(part * seconds if by_clock else None, self.iteration_limit, self.target)

    @contextlib.contextmanager
    def listening(self) -> Iterator[Stop]:
        """Turn the first Ctrl-C, SIGTERM or SIGHUP into `interrupt`; a second one is an exception.

        It is KeyboardInterrupt, whichever of the signals it is; see `boolfact.control.signals` for
        what counts as a second one, and for handlers of other people. Signal handlers belong to
        the main thread; anywhere else this changes nothing.
        """
        around, requests = program_requests(), Requests()

        def handle(number: int, frame: FrameType | None) -> None:
            if requests.note(number) > 1:
                raise KeyboardInterrupt
            self._interrupted.set()

        if around is not None and around.requests.count:
            # It came after an earlier search of the same program.
            requests = around.requests
            self._interrupted.set()
        with handled(handle):
            try:
                yield self
            finally:
                if around is not None:
                    around.has_something = True
                    around.requests = requests
