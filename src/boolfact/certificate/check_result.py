"""Checking a whole result: its error, its objective, and its bounds against the certificate."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from boolfact.certificate.check_certificate import verify_certificate
from boolfact.certificate.verdict import Check, ProvedBound, State, Verification
from boolfact.control.progress import Progress
from boolfact.model.matrix import MISSING, BinaryMatrix
from boolfact.results.result import Result, Status

__all__ = ["verify_result"]

_SAVED_DECIMALS = 9


def verify_result(
    result: Result | str | os.PathLike[str],
    matrix: BinaryMatrix,
    *,
    time_limit: float | None = 60.0,
    progress: Progress | None = None,
) -> Verification:
    """Recompute everything a result claims, with code that shares nothing with the solver.

    Parameters
    ----------
    result : Result or path
        A result, or the folder that it was saved in.
    matrix : BinaryMatrix
        The data.
    time_limit : float, optional
        Seconds for proving the bounds of the certificate again; None for no limit.
    progress : callable, optional

    Returns
    -------
    Verification

    Examples
    --------
    >>> import boolfact
    >>> X = boolfact.as_matrix([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    >>> result = boolfact.factorize(X, 2, time_limit=5)
    >>> verify_result(result, X).ok
    True
    """
    if not isinstance(result, Result):
        result = Result.load(result)
    n, m = matrix.shape
    if result.digest != matrix.digest():
        return Verification.of(
            [Check("data", State.FAILED, "the result is for other data: the digests differ")]
        )
    if result.A.shape != (n, result.k) or result.B.shape != (result.k, m):
        return Verification.of(
            [
                Check(
                    "data",
                    State.FAILED,
                    f"factors {result.A.shape} and {result.B.shape} do not fit "
                    f"{n} x {m} data and rank {result.k}",
                )
            ]
        )
    checks = [Check("data", State.PASSED, "the digest is that of the data")]
    error, objective = _recomputed(result, matrix)
    checks.append(_same("error", result.error, Fraction(error)))
    checks.append(_same("objective", result.objective, objective))
    bounds: tuple[ProvedBound, ...] = ()
    if result.certificate is not None:
        report = verify_certificate(
            result.certificate, matrix, time_limit=time_limit, progress=progress
        )
        checks += report.checks
        # A bound for rank k' holds for every smaller rank, and for no larger one.
        bounds = tuple(bound for bound in report.bounds if bound.k >= result.k)
    rho = result.rho
    checks += _check_bound(
        "lower bound",
        result.objective_lower_bound,
        objective,
        [(bound.for_objective(rho), bound.confirmed) for bound in bounds],
    )
    checks += _check_bound(
        "error lower bound",
        result.error_lower_bound,
        Fraction(error),
        [(bound.for_error(), bound.confirmed) for bound in bounds],
    )
    checks += _check_status(result, error, objective)
    return Verification.of(checks, bounds)


def _recomputed(result: Result, matrix: BinaryMatrix) -> tuple[int, Fraction]:
    """Error and MIP(rho) objective, entry by entry."""
    error, uncovered, zero_covers = 0, 0, 0
    for i in range(matrix.shape[0]):
        covers = result.B[np.flatnonzero(result.A[i])].sum(axis=0)
        for j in np.flatnonzero((matrix.values[i] == 1) | (covers > 0)):
            value, weight, times = matrix.values[i, j], int(matrix.weights[i, j]), int(covers[j])
            if value == MISSING:
                continue
            if value == 1 and times == 0:
                error += weight
                uncovered += weight
            elif value == 0:
                error += weight
                zero_covers += weight * times
    return error, uncovered + result.rho * zero_covers


def _matches(claimed: float, exact: Fraction) -> bool:
    """Whether a number is the exact one, up to the rounding of floats and of saved files."""
    near = float(exact)
    return claimed in (exact, near, round(near, _SAVED_DECIMALS))


def _same(name: str, claimed: float, exact: Fraction) -> Check:
    if _matches(claimed, exact):
        return Check(name, State.PASSED, f"recomputed from A and B: {_text(exact)}")
    return Check(name, State.FAILED, f"it is {_text(exact)}, not {claimed}")


def _check_bound(
    name: str,
    claimed: float | None,
    reached: Fraction,
    proved: Iterable[tuple[Fraction | None, bool]],
) -> list[Check]:
    """Whether a claimed bound follows from those of the certificate."""
    if claimed is None:
        return []
    if not math.isfinite(claimed):
        return [Check(name, State.FAILED, f"{claimed} is not a bound")]
    if claimed > reached and not _matches(claimed, reached):
        return [
            Check(name, State.FAILED, f"{claimed} is above {_text(reached)}, which A and B reach")
        ]
    if claimed <= 0:
        return [Check(name, State.PASSED, f"{_number(claimed)}: nothing is below 0")]
    known = [(value, confirmed) for value, confirmed in proved if value is not None]
    sure = max((value for value, confirmed in known if confirmed), default=Fraction(0))
    hoped = max((value for value, _ in known), default=Fraction(0))
    if claimed <= sure or _matches(claimed, sure):
        return [Check(name, State.PASSED, f"{_number(claimed)} is proved")]
    if claimed <= hoped or _matches(claimed, hoped):
        best = max(sure, Fraction(0))
        return [
            Check(
                name,
                State.NOT_CHECKED,
                f"{_number(claimed)} not confirmed: proved only {_text(best)}",
            )
        ]
    why = "no certificate proves it" if not known else f"the certificate proves {_text(hoped)}"
    return [Check(name, State.FAILED, f"{_number(claimed)} is not proved: {why}")]


def _check_status(result: Result, error: int, objective: Fraction) -> list[Check]:
    """A status that says optimal must have a bound that meets the solution."""
    bound: float | None
    if result.status is Status.OPTIMAL:
        what, reached, bound = "the error", Fraction(error), result.error_lower_bound
    elif result.status is Status.OBJECTIVE_OPTIMAL:
        what, reached, bound = "the objective", objective, result.objective_lower_bound
    else:
        return []
    if reached == 0 or (bound is not None and (bound >= reached or _matches(bound, reached))):
        return [Check("status", State.PASSED, f"the bound meets {what}")]
    return [
        Check(
            "status",
            State.FAILED,
            f"{result.status.value}, but the bound on {what} is "
            f"{bound} and {what} is {_text(reached)}",
        )
    ]


def _text(value: Fraction) -> str:
    return _number(float(value))


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.6f}"
