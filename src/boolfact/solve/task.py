"""What every engine of a run is given: the problem, its limits, and where to work."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from boolfact.control.executor import Executor
from boolfact.control.stop import Stop
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import Reduction

__all__ = ["SearchOptions", "Task"]


@dataclass(frozen=True)
class SearchOptions:
    """What only a branch and bound is asked.

    Attributes
    ----------
    on : Quantity
        What is minimised and proved.
    node_limit, gap_limit, target
        See `boolfact.exact.search.Limits`.
    checkpoint, resume : path, optional
        The file to write to now and then, and the one to go on from.
    checkpoint_seconds : float
        Between two files.
    about : dict
        What the search is about, for the checkpoint.
    """

    on: Quantity = Quantity.ERROR
    node_limit: int | None = None
    gap_limit: float | None = None
    target: Fraction | None = None
    checkpoint: str | os.PathLike[str] | None = None
    resume: str | os.PathLike[str] | None = None
    checkpoint_seconds: float = 120.0
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One problem, reduced, with the limits of the run.

    `bound` says which lower bounds are wanted: "auto", "none", "objective" or "error". `cluster`
    is for work that is a function of its arguments alone, where there is one. `reduction` says
    what the matrix was made of.
    """

    matrix: BinaryMatrix
    k: int
    rho: Fraction
    seed: int
    stop: Stop
    executor: Executor
    bound: str = "auto"
    search: SearchOptions = field(default_factory=SearchOptions)
    cluster: Executor | None = None
    reduction: Reduction | None = None

    @property
    def anywhere(self) -> Executor:
        """Where pieces of work go that may be done on other machines."""
        return self.executor if self.cluster is None else self.cluster

    @property
    def workers(self) -> int:
        """How much is done at the same time."""
        return self.executor.workers
