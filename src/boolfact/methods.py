"""What a method is given and what it gives back; the names users choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from boolfact.factors import Factors
from boolfact.matrix import BinaryMatrix
from boolfact.progress import Progress, silent
from boolfact.result import Trace
from boolfact.stop import Stop, StopReason

__all__ = ["Method", "Outcome", "Task"]


@dataclass(frozen=True)
class Task:
    """One problem, reduced, with the limits and listeners of the run."""

    matrix: BinaryMatrix
    k: int
    rho: Fraction
    seed: int
    workers: int
    stop: Stop
    bound: str = "auto"
    progress: Progress = silent
    trace: Trace = field(default_factory=Trace)


@dataclass(frozen=True)
class Outcome:
    """Factors of the reduced matrix and the proved bounds.

    `objective_bound` and `error_bound` are dual bounds (`boolfact.colgen.bounds.DualBound`):
    each holds the dual point that proves it.
    """

    factors: Factors
    objective_bound: Any = None
    error_bound: Any = None
    reason: StopReason | None = None
    iterations: int = 0


Method = Callable[[Task], Outcome]
