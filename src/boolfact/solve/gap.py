"""A limit on the gap: a run ends once its error is proved to be near enough to the least."""

from __future__ import annotations

from dataclasses import dataclass

from boolfact.control.ending import Ending
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop

__all__ = ["GapLimit"]


@dataclass(frozen=True)
class GapLimit:
    """Ends a run once (error - proved bound) / error is at most this.

    Examples
    --------
    >>> stop = Stop()
    >>> watch = GapLimit(0.1, stop)
    >>> watch(100, 89.5), stop.now()
    (None, False)
    >>> watch(100, 90.0), stop.now(), stop.reason
    (None, True, <Ending.GAP_LIMIT: 'gap limit'>)
    """

    limit: float
    stop: Stop

    def __call__(self, error: float, error_lower_bound: float | None) -> None:
        """Take note of the best error and of the bound on the error, where there is one."""
        if error_lower_bound is not None and error - error_lower_bound <= self.limit * error:
            self.stop.finish(Ending.GAP_LIMIT)

    def watching(self, progress: Progress) -> Progress:
        """The same listener, with an eye on what passes."""

        def tell(event: Event) -> None:
            if event.error is not None:
                self(event.error, event.error_lower_bound)
            progress(event)

        return tell
