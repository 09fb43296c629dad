"""What a method is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from boolfact.control.progress import Progress, silent
from boolfact.control.stop import Stop, StopReason
from boolfact.control.trace import Trace
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

if TYPE_CHECKING:
    from boolfact.model.bound import Bound

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

    Each bound holds its own proof.
    """

    factors: Factors
    objective_bound: Bound | None = None
    error_bound: Bound | None = None
    reason: StopReason | None = None
    iterations: int = 0


Method = Callable[[Task], Outcome]
