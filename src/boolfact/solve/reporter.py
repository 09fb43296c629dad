"""What is shown of a run: events of all its engines, completed by what is known as a whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from boolfact.control.counters import Counter
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.bound import Bound, Quantity, float_below
from boolfact.solve.gap import GapLimit
from boolfact.solve.state import State

__all__ = ["Reporter"]


class Reporter:
    """Turns the events of engines into what is shown; the engines of a run share one.

    Shown errors never rise and shown bounds never fall. An objective is shown only with the
    error of the same solution. Events may come from several threads; whoever listens hears
    them one at a time.

    Parameters
    ----------
    state : State
        Of the run, at its beginning; errors are added to its trace when they fall, with the
        objective of the same solution as soon as it is known.
    progress : callable, optional
        Who listens.
    gap : GapLimit, optional
        Is told of every error and of every bound on it.

    Attributes
    ----------
    error : int
        The least error that any engine has told of.
    improved_at : float
        When it was told.
    """

    def __init__(
        self, state: State, progress: Progress = silent, gap: GapLimit | None = None
    ) -> None:
        self._gap = gap
        self.error, self.improved_at = state.error, state.improved_at
        self._kept = (state.error, state.objective)
        self._trace = state.trace
        self._progress = progress
        self._bounds: dict[Quantity, float] = {}
        self._nodes = 0
        self._counting: list[Trace] = []
        self._one_at_a_time = threading.RLock()
        for bound in state.bounds.values():
            self.proved(bound)

    def __call__(self, event: Event) -> None:
        """Pass an event on, completed by what the run as a whole knows, and trace it."""
        with self._one_at_a_time:
            self._raise(Quantity.OBJECTIVE, event.objective_lower_bound)
            self._raise(Quantity.ERROR, event.error_lower_bound)
            if event.error is not None:
                self._lower(event.error, event.seconds, event.columns)
            error, objective = self._kept
            self._progress(
                replace(
                    event,
                    error=self.error,
                    # While a search is under way, its error is ahead of what is kept.
                    # A search for the least objective tells of its own.
                    objective=event.objective
                    if event.objective is not None
                    else float(objective)
                    if error == self.error
                    else None,
                    objective_lower_bound=self._bounds.get(Quantity.OBJECTIVE),
                    error_lower_bound=self._bounds.get(Quantity.ERROR),
                    nodes=self._nodes_so_far() or None,
                )
            )

    def found(self, state: State, seconds: float) -> None:
        """Take note of the best solution of a state."""
        with self._one_at_a_time:
            kept = min(self._kept, (state.error, state.objective))
            is_new, self._kept = kept != self._kept, kept
            objective = float(state.objective)
            if state.error < self.error:
                self._lower(state.error, seconds, len(state.pool), objective)
            elif is_new and state.error == self.error:
                # Its error was told while the search was under way, its objective was not.
                self._trace.add(TracePoint(seconds, objective=objective))

    def proved(self, bound: Bound) -> None:
        """Take note of a bound."""
        with self._one_at_a_time:
            self._raise(bound.on, float_below(bound.rounded))

    @contextmanager
    def counting(self, trace: Trace) -> Iterator[None]:
        """Show the nodes that an engine counts in its trace, and go on from there afterwards."""
        with self._one_at_a_time:
            self._counting.append(trace)
        try:
            yield
        finally:
            with self._one_at_a_time:
                self._counting = [other for other in self._counting if other is not trace]
                self._nodes += int(trace.counters.get(Counter.NODES, 0))

    def _nodes_so_far(self) -> int:
        open_nodes = (trace.counters.get(Counter.NODES, 0) for trace in self._counting)
        return self._nodes + int(sum(open_nodes))

    def _raise(self, on: Quantity, bound: float | None) -> None:
        if bound is not None:
            self._bounds[on] = max(0.0, bound, self._bounds.get(on, 0.0))
            self._watch()

    def _lower(
        self, error: int, seconds: float, columns: int | None, objective: float | None = None
    ) -> None:
        if error < self.error:
            self.error, self.improved_at = error, seconds
            self._trace.add(TracePoint(seconds, error=error, columns=columns, objective=objective))
            self._watch()

    def _watch(self) -> None:
        if self._gap is not None:
            self._gap(self.error, self._bounds.get(Quantity.ERROR))
