"""The problems by what is minimised: the one place where a search gets its relaxation."""

from __future__ import annotations

from fractions import Fraction

from boolfact.exact.problem import Problem
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool

__all__ = ["make_problem"]


def make_problem(
    on: Quantity, matrix: BinaryMatrix, k: int, rho: Fraction, pool: RectanglePool, seed: int
) -> tuple[Problem, str]:
    """The problem, and what bounds its nodes, for people.

    Parameters
    ----------
    on : Quantity
        What is minimised.
    matrix : BinaryMatrix
        Best reduced.
    k : int
    rho : Fraction
        Of the objective.
    pool : RectanglePool
        Rectangles to begin with.
    seed : int
    """
    # What they need (Numba, HiGHS) is imported when they are made.
    if on is Quantity.OBJECTIVE:
        from boolfact.exact.mip import MipProblem

        return MipProblem(matrix, k, rho, pool=pool, seed=seed), f"MLP({rho})"
    from boolfact.exact.error import ErrorProblem

    return ErrorProblem(matrix, k, pool=pool, seed=seed), "assigned cover"
