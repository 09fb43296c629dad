"""The choice of a master: one interface, four ways to solve it."""

from __future__ import annotations

from fractions import Fraction

from boolfact.colgen.mlp.interior import InteriorMaster
from boolfact.colgen.mlp.problem import MasterProblem, MasterState
from boolfact.colgen.relaxation import Master
from boolfact.control.executor import SERIAL, Executor

__all__ = ["MASTERS", "check_master", "make_master"]

MASTERS = ("auto", "interior", "smoothed", "simplex", "ipm")
"""By name.

``interior`` is our own interior point method, ``smoothed`` the first-order method, ``simplex``
and ``ipm`` are HiGHS on the dual.
"""

_MOST_ONES_FOR_INTERIOR = 30_000
"""Beyond this a Newton step takes seconds, and the first-order method gets further."""


def make_master(
    name: str,
    problem: MasterProblem,
    formulation: str = "rho",
    executor: Executor = SERIAL,
    start: MasterState | None = None,
) -> Master:
    """A master by name, from where another one was.

    ``auto`` takes ``interior`` as long as the ones of the matrix are few enough, ``smoothed``
    beyond that, and ``simplex`` for the exact formulation.
    """
    name = check_master(name, problem, formulation)
    if name in ("simplex", "ipm"):
        from boolfact.colgen.mlp.linear import LinearMaster

        return LinearMaster(problem, name, zero_prices=formulation == "exact")
    if name == "interior":
        return InteriorMaster(problem, executor, start)
    from boolfact.colgen.mlp.smoothed import SmoothedMaster

    return SmoothedMaster(problem, start)


def check_master(name: str, problem: MasterProblem, formulation: str = "rho") -> str:
    """The name of a master that fits; what does not fit is refused by name."""
    if formulation not in ("rho", "exact"):
        raise ValueError(f"formulation must be 'rho' or 'exact', got {formulation!r}")
    if formulation == "exact" and problem.rho != Fraction(1, problem.k):
        raise ValueError(f"formulation 'exact' needs rho = 1/{problem.k}, got {problem.rho}")
    if name == "auto":
        few = len(problem.w) <= _MOST_ONES_FOR_INTERIOR
        name = "simplex" if formulation == "exact" else "interior" if few else "smoothed"
    if name not in MASTERS:
        raise ValueError(f"unknown master {name!r}; expected one of {', '.join(MASTERS)}")
    if formulation == "exact" and name not in ("simplex", "ipm"):
        raise ValueError(f"formulation 'exact' needs master simplex or ipm, got {name!r}")
    return name
