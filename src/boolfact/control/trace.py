"""The history of a run: values and proved bounds over time, and what the engines counted."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

__all__ = ["Trace", "TracePoint"]


@dataclass(frozen=True)
class TracePoint:
    """Values known at a moment; each bound is proved, and belongs to the quantity it names.

    `objective` is that of the solution which has the error.
    """

    seconds: float
    error: int | None = None
    master: float | None = None
    objective_lower_bound: float | None = None
    error_lower_bound: float | None = None
    columns: int | None = None
    objective: float | None = None


@dataclass
class Trace:
    """Primal and dual values over time, and what the engines counted."""

    points: list[TracePoint] = field(default_factory=list)
    counters: dict[str, float] = field(default_factory=dict)

    def add(self, point: TracePoint) -> None:
        """Append a point."""
        self.points.append(point)

    def count(self, name: str, amount: float = 1) -> None:
        """Add to a counter; see `boolfact.control.counters`."""
        self.counters[str(name)] = self.counters.get(name, 0) + amount

    def record(self, name: str, value: float) -> None:
        """Keep a last value among the counters."""
        self.counters[str(name)] = value

    def merge(self, other: Trace) -> None:
        """Take in another history of the same run: points by time, counters added up.

        Of errors those are left out that were no better than one before them.
        """
        least: float = math.inf
        merged = []
        for point in sorted([*self.points, *other.points], key=lambda point: point.seconds):
            if point.error is not None:
                if point.error >= least:
                    continue
                least = point.error
            merged.append(point)
        self.points[:] = merged
        for name, amount in other.counters.items():
            self.count(name, amount)
