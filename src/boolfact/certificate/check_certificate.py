"""Checking a certificate, with code of its own: only the data model is shared with the solver."""

from __future__ import annotations

import hmac
import math
import time
from fractions import Fraction
from typing import Any

from boolfact.certificate.document import FORMAT, seal
from boolfact.certificate.reading import (
    CertificateError,
    Claim,
    Reduced,
    read_claim,
    read_reduced,
    whole,
)
from boolfact.certificate.verdict import Check, ProvedBound, State, Verification
from boolfact.control.progress import Event, Progress, silent
from boolfact.model.matrix import BinaryMatrix

__all__ = ["verify_certificate"]


def verify_certificate(
    certificate: dict[str, Any],
    matrix: BinaryMatrix,
    *,
    time_limit: float | None = 60.0,
    progress: Progress | None = None,
) -> Verification:
    """Prove the bounds of a certificate again.

    The figures are added up in exact arithmetic; that no rectangle is worth more than
    omega_bound is proved by a search of its own, in integers. What cannot be proved in the
    time given is reported as not checked, together with what was proved instead.

    Parameters
    ----------
    certificate : dict
        As made by `make_certificate` or read from certificate.json.
    matrix : BinaryMatrix
        The data that it claims to be about.
    time_limit : float, optional
        Seconds for all bounds together; None for no limit.
    progress : callable, optional
        Called with a `boolfact.control.progress.Event` now and then.

    Returns
    -------
    Verification
        `ok` if nothing failed, `complete` if everything was checked and passed.
    """
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit must be a positive number of seconds, got {time_limit!r}")
    start = time.monotonic()
    checks: list[Check] = []
    try:
        k = _check_frame(certificate, matrix)
        checks.append(_passed("certificate", "unchanged since it was sealed, and for this data"))
        reduced = read_reduced(certificate, matrix)
        n, m = reduced.values.shape
        checks.append(_passed("reduction", f"{matrix.shape[0]} x {matrix.shape[1]} to {n} x {m}"))
    except CertificateError as reason:
        name = "reduction" if checks else "certificate"
        return Verification.of([*checks, Check(name, State.FAILED, str(reason))])
    bounds: list[ProvedBound] = []
    entries = certificate["bounds"]
    for u, entry in enumerate(entries):
        # What one bound leaves of its share of the time is for the others.
        share = _share(time_limit, time.monotonic() - start, len(entries) - u)
        own_checks, own_bounds = _verify_bound(
            f"bound {u + 1}", entry, k, reduced, share, progress or silent
        )
        checks += own_checks
        bounds += own_bounds
    return Verification.of(checks, bounds)


def _check_frame(certificate: Any, matrix: BinaryMatrix) -> int:
    """The parts that do not depend on the bounds; returns k."""
    if not isinstance(certificate, dict):
        raise CertificateError("a certificate must be an object")
    if certificate.get("format") != FORMAT:
        raise CertificateError(f"format must be {FORMAT}, got {certificate.get('format')!r}")
    try:
        expected = seal(certificate)
    except (TypeError, ValueError):
        raise CertificateError("it holds something that JSON does not know") from None
    if not hmac.compare_digest(str(certificate.get("seal")), expected):
        raise CertificateError("it was changed after it was sealed")
    if certificate.get("digest") != matrix.digest():
        raise CertificateError("it is for other data: the digests differ")
    if certificate.get("shape") != list(matrix.shape):
        raise CertificateError(
            f"it is for shape {certificate.get('shape')}, the data has {list(matrix.shape)}"
        )
    if not isinstance(certificate.get("bounds"), list):
        raise CertificateError("bounds must be a list")
    return whole(certificate.get("k"), "k", 1)


def _share(time_limit: float | None, used: float, sharers: int) -> float:
    return math.inf if time_limit is None else max(0.0, time_limit - used) / sharers


def _verify_bound(
    name: str, entry: Any, k: int, reduced: Reduced, seconds: float, progress: Progress
) -> tuple[list[Check], list[ProvedBound]]:
    try:
        claim = read_claim(entry, k, reduced)
    except CertificateError as reason:
        return [Check(f"{name}: figures", State.FAILED, str(reason))], []
    what = "the error" if claim.on == "error" else f"MIP({claim.rho})"
    hence = "" if claim.rounded == claim.value else f", hence {_decimal(claim.rounded)},"
    figures = _passed(
        f"{name}: figures",
        f"{what} >= {_decimal(claim.value)}{hence} follows from omega <= {_omega(claim)}",
    )
    check, omega = _verify_omega(f"{name}: omega", claim, seconds, progress)
    if check.state is State.FAILED:
        return [figures, check], []
    bounds = [_proved(claim, omega, confirmed=True)]
    if check.state is State.NOT_CHECKED:
        bounds.append(_proved(claim, claim.omega_bound, confirmed=False))
    return [figures, check], bounds


def _verify_omega(name: str, claim: Claim, seconds: float, progress: Progress) -> tuple[Check, int]:
    """Whether no rectangle is worth more than claimed, and the bound that was proved."""
    # Numba is imported only when there is something to prove.
    from boolfact.certificate.search import Outcome, prove_at_most

    start = time.monotonic()

    def report(nodes: int, done: int, places: int) -> None:
        progress(Event("verify", time.monotonic() - start, iterations=nodes))

    try:
        proof = prove_at_most(claim.H, claim.omega_bound, deadline=start + seconds, report=report)
    except OverflowError as reason:
        # Summing what is positive is a bound that needs no search.
        omega = claim.total
        return Check(name, State.NOT_CHECKED, f"omega not confirmed: {reason}"), omega
    effort = f"{proof.nodes} nodes, {proof.seconds:.1f} s"
    if proof.outcome is Outcome.PROVED:
        return _passed(
            name, f"no rectangle is worth more than {_omega(claim)} ({effort})"
        ), claim.omega_bound
    if proof.outcome is Outcome.REFUTED:
        worth = Fraction(proof.value, claim.scale)
        return Check(
            name, State.FAILED, f"a rectangle is worth {_decimal(worth)}, more than {_omega(claim)}"
        ), proof.value
    weaker = Fraction(claim.total - claim.k * proof.upper_bound, claim.scale)
    proved = _decimal(Fraction(proof.upper_bound, claim.scale), up=True)
    return Check(
        name,
        State.NOT_CHECKED,
        f"omega <= {_omega(claim)} not confirmed in the time given: proved only omega <= "
        f"{proved}, a bound of {_decimal(weaker)} ({effort})",
    ), proof.upper_bound


def _proved(claim: Claim, omega: int, confirmed: bool) -> ProvedBound:
    value = Fraction(claim.total - claim.k * omega, claim.scale)
    parts = claim.rho.denominator if claim.on == "objective" else 1
    rounded = Fraction(math.ceil(value * parts), parts)
    return ProvedBound(claim.on, claim.rho, claim.k, value, rounded, confirmed)


def _passed(name: str, message: str) -> Check:
    return Check(name, State.PASSED, message)


def _omega(claim: Claim) -> str:
    return _decimal(Fraction(claim.omega_bound, claim.scale), up=True)


def _decimal(value: Fraction, *, up: bool = False) -> str:
    """For people: whole numbers as they are, others to six places, lower bounds rounded down."""
    if value.denominator == 1:
        return str(value.numerator)
    millionths = math.ceil(value * 10**6) if up else math.floor(value * 10**6)
    return f"{millionths / 10**6:.6f}"
