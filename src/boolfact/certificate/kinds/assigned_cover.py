"""The proof by assigned cover: prices of ones, and charges of zeros on the ones of their block.

The rows are cut into blocks. For every one e there is a price 0 <= p_e <= D w_e, D the scale;
for every zero z and every one e of the same block a charge x_ze >= 0, no zero charging more
than D w_z in all. A rectangle R is worth

    sum over blocks, sum over ones e of the block in R of
        max(0, p_e - sum of x_ze over zeros z of the block in R).

If no rectangle is worth more than omega, every factorisation of rank k has an error of at least
(sum p - k omega) / D. For, give every covered one e to one rectangle R(e) that covers it. A
covered zero z costs at least the x_ze / D of those e of its block for which R(e) covers z. So D
times the error is at least the prices of the ones that are not covered and, for the others, the
charges on e within R(e); that is sum p less what the k rectangles are worth.

It holds for any rows and columns by themselves. Parts that share no cell add up. It holds for the
transposed matrix as well, whose parts they are where the entry says so.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from boolfact.certificate.cover.part import Part, read_part
from boolfact.certificate.kinds.checker import Checked, Request
from boolfact.certificate.reading import (
    MOST_WHOLE,
    CertificateError,
    Reduced,
    fraction,
    read_quantity,
    sequence,
)
from boolfact.certificate.verdict import Check, ProvedBound, State
from boolfact.control.progress import Event, Progress
from boolfact.model.bound import Quantity
from boolfact.results.format import decimal

__all__ = ["check_assigned_cover"]

_FIELDS = {"kind", "on", "relaxation", "transposed", "parts", "bound", "rounded"}


def check_assigned_cover(request: Request) -> Checked:
    """Add up the figures in exact arithmetic, then prove the omega of each part by a search."""
    claim = _read(request.entry, request.k, request.reduced)
    checks = [
        Check(
            f"{request.name}: figures",
            State.PASSED,
            f"the error >= {claim.value:,} follows from the omega of {_count(len(claim.parts))}",
        )
    ]
    start = time.monotonic()
    proved = 0
    for u, part in enumerate(claim.parts):
        name = f"{request.name}: omega"
        if len(claim.parts) > 1:
            name += f" of part {u + 1}"
        # What one part leaves of its share of the time is for the others.
        rest = request.seconds - (time.monotonic() - start)
        seconds = max(0.0, rest) / (len(claim.parts) - u)
        check, omega = _check_omega(name, part, request.k, seconds, request.progress)
        checks.append(check)
        proved += claim.share(part, omega)
    states = {check.state for check in checks}
    if State.FAILED in states:
        return Checked(tuple(checks))
    bounds = [claim.proved(proved, confirmed=True)]
    if State.NOT_CHECKED in states:
        bounds.append(claim.proved(claim.value, confirmed=False))
    return Checked(tuple(checks), tuple(bounds))


@dataclass(frozen=True, eq=False)
class _Claim:
    """The fields of an entry, read and found consistent with each other."""

    k: int
    parts: list[Part]

    @property
    def value(self) -> int:
        return sum(self.share(part, part.omega_bound) for part in self.parts)

    def share(self, part: Part, omega: int) -> int:
        """The least error on the cells of a part: weights are whole, and so is the error."""
        return max(0, math.ceil(part.bound_from(omega, self.k)))

    def proved(self, value: int, *, confirmed: bool) -> ProvedBound:
        return ProvedBound(Quantity.ERROR, None, self.k, Fraction(value), confirmed)


def _read(entry: dict[str, Any], k: int, reduced: Reduced) -> _Claim:
    if unknown := set(entry) - _FIELDS:
        raise CertificateError(
            f"fields that kind assigned_cover does not have: {', '.join(sorted(unknown))}"
        )
    if read_quantity(entry) is not Quantity.ERROR:
        raise CertificateError("an assigned cover bounds the error, not the objective")
    if k >= MOST_WHOLE:
        raise CertificateError("k is too large")
    transposed = entry.get("transposed")
    if not isinstance(transposed, bool):
        raise CertificateError(f"transposed must be true or false, got {transposed!r}")
    if transposed:
        # The error of a factorisation of the transpose is the same: B'A' in place of AB.
        reduced = Reduced(
            np.ascontiguousarray(reduced.values.T), np.ascontiguousarray(reduced.weights.T)
        )
    parts = []
    taken = np.zeros(reduced.values.shape, dtype=np.bool_)
    for u, document in enumerate(sequence(entry.get("parts"), "parts")):
        try:
            part = read_part(document, k, reduced)
        except CertificateError as reason:
            raise CertificateError(f"part {u + 1}: {reason}") from None
        cells = np.ix_(*part.cells)
        if taken[cells].any():
            raise CertificateError(f"part {u + 1} shares a cell with a part before it")
        taken[cells] = True
        parts.append(part)
    claim = _Claim(k, parts)
    for name in ("bound", "rounded"):
        if fraction(entry.get(name), name) != claim.value:
            raise CertificateError(
                f"{name} must be what the parts add up to, {claim.value}, got {entry[name]}"
            )
    return claim


def _count(parts: int) -> str:
    return "1 part" if parts == 1 else f"{parts:,} parts"


def _check_omega(
    name: str, part: Part, k: int, seconds: float, progress: Progress
) -> tuple[Check, int]:
    """Whether no rectangle is worth more than claimed, and the omega that was proved."""
    # Numba is imported only when there is something to prove.
    from boolfact.certificate.cover.search import prove_worth_at_most
    from boolfact.certificate.search import Answer

    start = time.monotonic()

    def report(nodes: int) -> None:
        progress(Event("verify", time.monotonic() - start, iterations=nodes))

    def shown(omega: int, *, up: bool = False) -> str:
        return decimal(Fraction(omega, part.scale), up=up)

    found = prove_worth_at_most(
        part.duals,
        part.omega_bound,
        circle=part.circle,
        deadline=start + seconds,
        report=report,
    )
    limit = shown(part.omega_bound, up=True)
    effort = f"{found.nodes:,} nodes, {found.seconds:.1f} s"
    if found.answer is Answer.PROVED:
        message = f"no rectangle is worth more than {limit} ({effort})"
        return Check(name, State.PASSED, message), part.omega_bound
    if found.answer is Answer.REFUTED:
        message = f"a rectangle is worth {shown(found.value)}, more than {limit}"
        return Check(name, State.FAILED, message), found.upper_bound
    weaker = decimal(part.bound_from(found.upper_bound, k))
    message = (
        f"omega <= {limit} not confirmed in the time given: proved only "
        f"omega <= {shown(found.upper_bound, up=True)}, a bound of {weaker} ({effort})"
    )
    return Check(name, State.NOT_CHECKED, message), found.upper_bound
