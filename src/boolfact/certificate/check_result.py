"""Checking a whole result: its error, its objective, and its bounds against the certificate."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from boolfact.certificate.check_certificate import verify_certificate
from boolfact.certificate.large import recomputed
from boolfact.certificate.verdict import Check, ProvedBound, State, Verification
from boolfact.control.progress import Progress
from boolfact.model.matrix import MISSING, BinaryMatrix
from boolfact.model.packed import PackedMatrix, has_digest
from boolfact.model.rows import blocks_of
from boolfact.model.sparse import SparseMatrix
from boolfact.results.format import decimal, plain_number
from boolfact.results.result import Result
from boolfact.results.status import Status

__all__ = ["verify_result"]

_NOTHING = Fraction(0)


def verify_result(
    result: Result | str | os.PathLike[str],
    matrix: BinaryMatrix | PackedMatrix | SparseMatrix,
    *,
    time_limit: float | None = 60.0,
    progress: Progress | None = None,
) -> Verification:
    """Recompute everything a result claims, with code that shares nothing with the solver.

    Parameters
    ----------
    result : Result or path
        A result, or the folder that it was saved in.
    matrix : BinaryMatrix, PackedMatrix or SparseMatrix
        The data; large ones are best given in bits, or by their ones.
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
    if not _is_for(result, matrix):
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
                    f"{n:,} x {m:,} data and rank {result.k}",
                )
            ]
        )
    checks = [Check("data", State.PASSED, "the digest is that of the data")]
    if isinstance(matrix, BinaryMatrix):
        error, objective = _recomputed(result, matrix)
    else:
        error, objective = recomputed(result.A, result.B, matrix, result.rho)
    checks.append(_same("error", result.error, Fraction(error), result.error == error))
    # The objective is stored as the float nearest to it, which is one and no other.
    checks.append(
        _same("objective", result.objective, objective, result.objective == float(objective))
    )
    checks += _check_counts(result, matrix)
    bounds: tuple[ProvedBound, ...] = ()
    if result.certificate is not None:
        report = verify_certificate(
            result.certificate, matrix, time_limit=time_limit, progress=progress
        )
        checks += report.checks
        # A bound for rank k' holds for every smaller rank, and for no larger one.
        bounds = tuple(bound for bound in report.bounds if bound.k >= result.k)
    on_error = _Known.of((bound.for_error(), bound.confirmed) for bound in bounds)
    on_objective = _Known.of((bound.for_objective(result.rho), bound.confirmed) for bound in bounds)
    checks += _check_bound("error lower bound", result.error_lower_bound, Fraction(error), on_error)
    checks += _check_bound(
        "objective lower bound", result.objective_lower_bound, objective, on_objective
    )
    checks += _check_status(result, Fraction(error), on_error, objective, on_objective)
    return Verification.of(checks, bounds)


@dataclass(frozen=True)
class _Known:
    """What a certificate says of one quantity: what was proved again, and what it claims.

    Nothing is below 0, which needs no certificate.
    """

    sure: Fraction
    claimed: Fraction

    @classmethod
    def of(cls, bounds: Iterable[tuple[Fraction | None, bool]]) -> _Known:
        known = [(value, confirmed) for value, confirmed in bounds if value is not None]
        return cls(
            max((value for value, confirmed in known if confirmed), default=_NOTHING),
            max((value for value, _ in known), default=_NOTHING),
        )

    def supports(self, claim: Fraction) -> State:
        """Whether a claim follows exactly; no rounding is forgiven."""
        if claim <= max(self.sure, _NOTHING):
            return State.PASSED
        return State.NOT_CHECKED if claim <= self.claimed else State.FAILED


def _is_for(result: Result, matrix: BinaryMatrix | PackedMatrix | SparseMatrix) -> bool:
    if isinstance(matrix, BinaryMatrix):
        return has_digest(matrix, result.digest)
    return matrix.digest() == result.digest


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


def _check_counts(
    result: Result, matrix: BinaryMatrix | PackedMatrix | SparseMatrix
) -> list[Check]:
    """The entries that the result says it counted, counted again a block of rows at a time."""
    if result.tally is None:
        return []
    observed = ones = missed = false = 0
    for part in blocks_of(matrix.shape):
        if isinstance(matrix, BinaryMatrix):
            values = np.where(matrix.weights[part] > 0, matrix.values[part], MISSING)
        else:
            values = matrix.values(part)
        covered = (result.A[part].astype(np.float32) @ result.B.astype(np.float32)) > 0
        observed += int((values != MISSING).sum())
        ones += int((values == 1).sum())
        missed += int(((values == 1) & ~covered).sum())
        false += int(((values == 0) & covered).sum())
    found = {"observed": observed, "ones": ones, "missed_ones": missed, "false_ones": false}
    for name, count in found.items():
        if getattr(result.tally, name) != count:
            claimed = getattr(result.tally, name)
            return [Check("counts", State.FAILED, f"{name} is {count:,}, not {claimed:,}")]
    told = f"{missed:,} ones missed and {false:,} zeros covered"
    return [Check("counts", State.PASSED, f"counted again from A and B: {told}")]


def _same(name: str, claimed: float, exact: Fraction, is_same: bool) -> Check:
    if is_same:
        return Check(name, State.PASSED, f"recomputed from A and B: {decimal(exact)}")
    return Check(name, State.FAILED, f"it is {exact}, not {claimed!r}")


def _check_bound(name: str, claimed: float | None, reached: Fraction, known: _Known) -> list[Check]:
    """Whether a claimed bound follows from those of the certificate."""
    if claimed is None:
        return []
    if not math.isfinite(claimed):
        return [Check(name, State.FAILED, f"{claimed} is not a bound")]
    shown = f"{plain_number(claimed):,}"
    exact = Fraction(claimed)
    state = known.supports(exact)
    if exact > reached:
        state, message = State.FAILED, f"{shown} is above {reached}, which A and B reach"
    elif exact <= 0:
        message = f"{shown}: nothing is below 0"
    elif state is State.PASSED:
        message = f"{shown} is proved"
    elif state is State.NOT_CHECKED:
        message = f"{shown} not confirmed: proved only {decimal(known.sure)}"
    elif known.claimed > 0:
        message = f"{shown} is not proved: the certificate proves {known.claimed}"
    else:
        message = f"{shown} is not proved: no certificate proves it"
    return [Check(name, state, message)]


def _check_status(
    result: Result, error: Fraction, on_error: _Known, objective: Fraction, on_objective: _Known
) -> list[Check]:
    """A status must follow from the fractions of the certificate; floats have no say."""
    if result.status is Status.OPTIMAL:
        return [_check_optimal(result.status, "error", error, on_error)]
    if result.status is Status.OBJECTIVE_OPTIMAL:
        return [_check_optimal(result.status, "objective", objective, on_objective)]
    if result.status is Status.BOUNDED:
        if max(on_error.sure, on_objective.sure) > 0:
            return [Check("status", State.PASSED, "bounded: a bound is proved")]
        if max(on_error.claimed, on_objective.claimed) > 0:
            return [Check("status", State.NOT_CHECKED, "bounded, but no bound was confirmed")]
        return [Check("status", State.FAILED, "bounded, but nothing is proved")]
    return []


def _check_optimal(status: Status, what: str, reached: Fraction, known: _Known) -> Check:
    state = known.supports(reached)
    if state is State.PASSED:
        message = f"{status.value}: the proved bound meets the {what}"
    elif state is State.NOT_CHECKED:
        message = f"{status.value}, but the bound that meets the {what} was not confirmed"
    else:
        message = (
            f"{status.value}, but the {what} is {reached} and the certificate proves "
            f"{known.claimed}"
        )
    return Check("status", state, message)
