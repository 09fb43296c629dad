"""Progress in plain lines on standard output, for `verbose=True`."""

from __future__ import annotations

from boolfact.control.progress import Event, Progress
from boolfact.results.format import shown_bound, shown_gap, shown_value

__all__ = ["verbose_progress"]

_SECONDS_BETWEEN_LINES = 2.0


def verbose_progress() -> Progress:
    """A listener that prints the error, and the bound on it, every other second.

    Examples
    --------
    >>> tell = verbose_progress()
    >>> tell(Event("local search", 0.1, error=130))
        0.1 s  local search: error 130
    >>> tell(Event("local search", 0.2, error=129))
    >>> tell(Event("column generation", 2.4, error=125, error_lower_bound=109.5))
        2.4 s  column generation: error 125, proved at least 109.50 (gap 12.4 %)
    """
    last = [-_SECONDS_BETWEEN_LINES]

    def show(event: Event) -> None:
        if not event.message and event.seconds - last[0] < _SECONDS_BETWEEN_LINES:
            return
        last[0] = event.seconds
        known = [event.message] if event.message else []
        if event.error is not None:
            known.append(f"error {shown_value(event.error)}")
        if event.error is not None and event.error_lower_bound is not None:
            gap = shown_gap(event.error, event.error_lower_bound)
            known.append(f"proved at least {shown_bound(event.error_lower_bound)} (gap {gap})")
        told = f": {', '.join(known)}" if known else ""
        print(f"{event.seconds:7.1f} s  {event.phase}{told}", flush=True)

    return show
