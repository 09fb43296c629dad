"""The proof by prices of the ones: a dual of MLP(rho) and a bound on every rectangle's worth.

For whole numbers D (the scale) and p_ij >= 0 on the ones of the reduced matrix with
p_ij <= D w_ij, and a number omega that bounds the worth of every rectangle R,

    sum_{ones in R} p - D rho (weight of the zeros in R)  <=  omega,

linear programming duality gives (sum p - k omega) / D <= MIP(rho) for every solution of rank k;
and MIP(rho) <= error where rho <= 1/k, since a covered zero then costs at most k rho <= 1.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.kinds.checker import Checked, Request
from boolfact.certificate.reading import (
    MOST_WHOLE,
    CertificateError,
    Reduced,
    fraction,
    read_quantity,
    sequence,
    whole,
)
from boolfact.certificate.verdict import Check, ProvedBound, State, rounded_up
from boolfact.control.progress import Event, Progress
from boolfact.model.bound import Quantity
from boolfact.results.format import decimal

__all__ = ["check_mlp"]

_FIELDS = {
    "kind",
    "on",
    "relaxation",
    "rho",
    "scale",
    "p",
    "omega_bound",
    "bound",
    "rounded",
}
"""Whatever else an entry says, the proof does not take it into account, so it must not be there."""


def check_mlp(request: Request) -> Checked:
    """Add up the figures in exact arithmetic, then prove omega by a search in whole numbers."""
    claim = _read(request.entry, request.k, request.reduced)
    what = "the error" if claim.on is Quantity.ERROR else f"MIP({claim.rho})"
    value = claim.bound_from(claim.omega_bound)
    rounded = rounded_up(value, claim.on, claim.rho)
    hence = "" if rounded == value else f", hence {decimal(rounded)},"
    figures = Check(
        f"{request.name}: figures",
        State.PASSED,
        f"{what} >= {decimal(value)}{hence} follows from omega <= {claim.shown_omega}",
    )
    check, omega = _check_omega(f"{request.name}: omega", claim, request.seconds, request.progress)
    if check.state is State.FAILED:
        return Checked((figures, check))
    bounds = [claim.proved(omega, confirmed=True)]
    if check.state is State.NOT_CHECKED:
        bounds.append(claim.proved(claim.omega_bound, confirmed=False))
    return Checked((figures, check), tuple(bounds))


@dataclass(frozen=True, eq=False)
class _Claim:
    """The fields of an entry, read and found consistent with each other."""

    on: Quantity
    rho: Fraction
    k: int
    scale: int
    total: int
    omega_bound: int
    H: NDArray[np.int64]

    def bound_from(self, omega: int) -> Fraction:
        """The bound that follows if no rectangle is worth more than omega."""
        return Fraction(self.total - self.k * omega, self.scale)

    def proved(self, omega: int, *, confirmed: bool) -> ProvedBound:
        return ProvedBound(self.on, self.rho, self.k, self.bound_from(omega), confirmed)

    @property
    def shown_omega(self) -> str:
        return decimal(Fraction(self.omega_bound, self.scale), up=True)


def _read(entry: dict[str, Any], k: int, reduced: Reduced) -> _Claim:
    """The dual lies in its box, and the figures follow from the dual and omega."""
    if unknown := set(entry) - _FIELDS:
        raise CertificateError(f"fields that kind mlp does not have: {', '.join(sorted(unknown))}")
    on = read_quantity(entry)
    rho = fraction(entry.get("rho"), "rho")
    if rho <= 0:
        raise CertificateError(f"rho must be positive, got {rho}")
    # A zero covered k times costs k rho in MIP(rho) but 1 in the error.
    if on is Quantity.ERROR and rho * k > 1:
        raise CertificateError(f"a bound on the error needs rho <= 1/{k}, got {rho}")
    scale = whole(entry.get("scale"), "scale", 1)
    if (rho * scale).denominator != 1:
        raise CertificateError(f"scale times rho must be whole, got {scale} and {rho}")
    p = _read_dual(entry.get("p"), scale, reduced)
    omega = whole(entry.get("omega_bound"), "omega_bound")
    H = _pricing_matrix(p, int(rho * scale), reduced)
    claim = _Claim(on, rho, k, scale, sum(p.values()), omega, H)
    value = claim.bound_from(omega)
    if fraction(entry.get("bound"), "bound") != value:
        raise CertificateError(
            f"bound must be (sum of p - k omega_bound) / scale = {value}, got {entry['bound']}"
        )
    rounded = rounded_up(value, on, rho)
    if fraction(entry.get("rounded"), "rounded") != rounded:
        raise CertificateError(f"rounded must be {rounded}, got {entry['rounded']}")
    return claim


def _read_dual(value: Any, scale: int, reduced: Reduced) -> dict[tuple[int, int], int]:
    n, m = reduced.values.shape
    p: dict[tuple[int, int], int] = {}
    for triple in sequence(value, "p"):
        i, j, x = (whole(part, "an entry of p") for part in sequence(triple, "a triple of p", 3))
        if i >= n or j >= m or reduced.values[i, j] != 1:
            raise CertificateError(f"p has an entry at ({i}, {j}), which is not a one")
        if (i, j) in p:
            raise CertificateError(f"p has two entries at ({i}, {j})")
        if x > int(reduced.weights[i, j]) * scale:
            raise CertificateError(
                f"p is {x} at ({i}, {j}), above weight times scale "
                f"= {int(reduced.weights[i, j]) * scale}"
            )
        p[i, j] = x
    return p


def _pricing_matrix(
    p: dict[tuple[int, int], int], zero_price: int, reduced: Reduced
) -> NDArray[np.int64]:
    """What each entry adds to the worth of a rectangle, in units of 1 / scale."""
    zeros = int(reduced.weights[reduced.values == 0].astype(object).sum())
    if max(zero_price * max(1, zeros), sum(p.values())) >= MOST_WHOLE:
        raise CertificateError("the figures are too large")
    H = np.where(reduced.values == 0, -zero_price * reduced.weights, 0)
    for (i, j), x in p.items():
        H[i, j] = x
    return H


def _check_omega(name: str, claim: _Claim, seconds: float, progress: Progress) -> tuple[Check, int]:
    """Whether no rectangle is worth more than claimed, and the omega that was proved."""
    # Numba is imported only when there is something to prove.
    from boolfact.certificate.search import Answer, prove_at_most

    start = time.monotonic()

    def report(nodes: int, done: int, places: int) -> None:
        progress(Event("verify", time.monotonic() - start, iterations=nodes))

    try:
        attempt = prove_at_most(claim.H, claim.omega_bound, deadline=start + seconds, report=report)
    except OverflowError as reason:
        # Summing what is positive is a bound that needs no search.
        return Check(name, State.NOT_CHECKED, f"omega not confirmed: {reason}"), claim.total
    limit, effort = claim.shown_omega, f"{attempt.nodes:,} nodes, {attempt.seconds:.1f} s"
    if attempt.answer is Answer.PROVED:
        message = f"no rectangle is worth more than {limit} ({effort})"
        return Check(name, State.PASSED, message), claim.omega_bound
    if attempt.answer is Answer.REFUTED:
        worth = decimal(Fraction(attempt.value, claim.scale))
        message = f"a rectangle is worth {worth}, more than {limit}"
        return Check(name, State.FAILED, message), attempt.value
    proved = decimal(Fraction(attempt.upper_bound, claim.scale), up=True)
    weaker = decimal(claim.bound_from(attempt.upper_bound))
    message = (
        f"omega <= {limit} not confirmed in the time given: proved only omega <= {proved}, "
        f"a bound of {weaker} ({effort})"
    )
    return Check(name, State.NOT_CHECKED, message), attempt.upper_bound
