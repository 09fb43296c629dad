"""The choice of a master: one interface, four ways to solve it."""

from __future__ import annotations

from fractions import Fraction

from boolfact.colgen.mlp.interior import InteriorMaster
from boolfact.colgen.mlp.problem import Master, Problem

__all__ = ["MASTERS", "make_master"]

MASTERS = ("auto", "interior", "smoothed", "simplex", "ipm")
"""By name.

``interior`` is our own interior point method, ``smoothed`` the first-order method, ``simplex``
and ``ipm`` are HiGHS on the dual.
"""

_MOST_ONES_FOR_INTERIOR = 30_000
"""Beyond this a Newton step takes seconds, and the first-order method gets further."""


def make_master(name: str, problem: Problem, formulation: str = "rho", workers: int = 1) -> Master:
    """A master by name.

    ``auto`` takes ``interior`` as long as the ones of the matrix are few enough, ``smoothed``
    beyond that, and ``simplex`` for the exact formulation.
    """
    if formulation not in ("rho", "exact"):
        raise ValueError(f"formulation must be 'rho' or 'exact', got {formulation!r}")
    if formulation == "exact" and problem.rho != Fraction(1, problem.k):
        raise ValueError(f"formulation 'exact' needs rho = 1/{problem.k}, got {problem.rho}")
    if name == "auto":
        few = len(problem.w) <= _MOST_ONES_FOR_INTERIOR
        name = "simplex" if formulation == "exact" else "interior" if few else "smoothed"
    if name in ("simplex", "ipm"):
        from boolfact.colgen.mlp.linear import LinearMaster

        return LinearMaster(problem, name, zero_prices=formulation == "exact")
    if formulation == "exact":
        raise ValueError(f"formulation 'exact' needs master simplex or ipm, got {name!r}")
    if name == "interior":
        return InteriorMaster(problem, workers)
    if name == "smoothed":
        from boolfact.colgen.mlp.smoothed import SmoothedMaster

        return SmoothedMaster(problem)
    raise ValueError(f"unknown master {name!r}; expected one of {', '.join(MASTERS)}")
