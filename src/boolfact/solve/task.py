"""What every engine of a run is given: the problem, its limits, and where to work."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from boolfact.control.executor import Executor
from boolfact.control.stop import Stop
from boolfact.model.matrix import BinaryMatrix

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """One problem, reduced, with the limits of the run.

    `bound` says which lower bounds are wanted: "auto", "none", "objective" or "error".
    """

    matrix: BinaryMatrix
    k: int
    rho: Fraction
    seed: int
    stop: Stop
    executor: Executor
    bound: str = "auto"

    @property
    def workers(self) -> int:
        """How much is done at the same time."""
        return self.executor.workers
