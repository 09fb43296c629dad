"""What is known of an answer: proved, bounded, or nothing beyond the answer itself."""

from __future__ import annotations

import enum
from fractions import Fraction

__all__ = ["Status", "status_of"]


class Status(enum.Enum):
    """What is known of an answer; `boolfact.control.ending.Ending` says why the run ended."""

    OPTIMAL = "optimal"
    """The error is proved to be the least possible."""
    OBJECTIVE_OPTIMAL = "objective optimal"
    """The MIP(rho) objective is proved to be the least possible; the error may not be."""
    BOUNDED = "bounded"
    """A lower bound above 0 is proved, on the error or on the objective, and is not reached."""
    HEURISTIC = "heuristic"
    """Nothing is proved."""


def status_of(
    error: int,
    objective: Fraction,
    error_lower_bound: Fraction | None,
    objective_lower_bound: Fraction | None,
) -> Status:
    """The status that exact figures and proved bounds give.

    Examples
    --------
    >>> status_of(125, Fraction(127), Fraction(43), Fraction(127))
    <Status.OBJECTIVE_OPTIMAL: 'objective optimal'>
    >>> status_of(125, Fraction(127), None, Fraction(0))
    <Status.HEURISTIC: 'heuristic'>
    """
    # Nothing is below 0, so an error of 0 needs no proof, and a bound of 0 says nothing.
    on_error, on_objective = error_lower_bound or 0, objective_lower_bound or 0
    if on_error >= error:
        return Status.OPTIMAL
    if on_objective >= objective:
        return Status.OBJECTIVE_OPTIMAL
    return Status.BOUNDED if max(on_error, on_objective) > 0 else Status.HEURISTIC
