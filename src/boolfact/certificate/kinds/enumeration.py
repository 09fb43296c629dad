"""The proof by enumeration: prices that leave few sets of columns, no k of which are better.

An entry has points, each with prices and charges like a part of an assigned cover, but all of the
whole matrix. `boolfact.certificate.enumeration.search` says why it is enough then to list the sets
of columns that are worth enough at the first point, to leave out those that are not worth enough
at the others, and to compute the error of all choices of k of them.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover.part import Part, read_part
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
from boolfact.certificate.verdict import Check, ProvedBound, State
from boolfact.control.progress import Event
from boolfact.model.bound import Quantity
from boolfact.results.format import decimal

__all__ = ["check_enumeration"]

_FIELDS = {
    "kind", "on", "relaxation", "bound", "rounded", "transposed", "points", "sets", "choices",
}  # fmt: skip


def check_enumeration(request: Request) -> Checked:
    """Read the points, then list the sets again and try all choices of them."""
    claim = _read(request.entry, request.k, request.reduced)
    count = len(claim.points)
    points = "1 point" if count == 1 else f"{count:,} points"
    figures = Check(
        f"{request.name}: figures",
        State.PASSED,
        f"the error >= {claim.error:,} follows if no {request.k} of the sets of {claim.side} that "
        f"the prices of {points} leave have a smaller one",
    )
    check, proved = _search(f"{request.name}: search", claim, request)
    if check.state is State.FAILED:
        return Checked((figures, check))
    bounds = [] if proved is None else [claim.proved(proved, confirmed=True)]
    if check.state is State.NOT_CHECKED:
        bounds.append(claim.proved(claim.error, confirmed=False))
    return Checked((figures, check), tuple(bounds))


@dataclass(frozen=True, eq=False)
class _Claim:
    """The fields of an entry, read and found consistent with each other.

    `gains` has the weight of a one, minus that of a zero, 0 where an entry is missing.
    """

    k: int
    error: int
    transposed: bool
    points: list[Part]
    gains: NDArray[np.int64]

    @property
    def side(self) -> str:
        return "rows" if self.transposed else "columns"

    def proved(self, value: int, *, confirmed: bool) -> ProvedBound:
        return ProvedBound(Quantity.ERROR, None, self.k, Fraction(value), confirmed)


def _read(entry: dict[str, Any], k: int, reduced: Reduced) -> _Claim:
    if unknown := set(entry) - _FIELDS:
        raise CertificateError(
            f"fields that kind enumeration does not have: {', '.join(sorted(unknown))}"
        )
    if read_quantity(entry) is not Quantity.ERROR:
        raise CertificateError("an enumeration bounds the error, not the objective")
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
    points = []
    for u, document in enumerate(sequence(entry.get("points"), "points")):
        try:
            points.append(_read_point(document, k, reduced))
        except CertificateError as reason:
            raise CertificateError(f"point {u + 1}: {reason}") from None
    if not points:
        raise CertificateError("points must not be empty")
    if not points[0].duals.total:
        raise CertificateError("point 1: it has no price, and so leaves everything")
    for name in ("sets", "choices"):
        whole(entry.get(name), name)
    gains = np.where(reduced.values == 1, reduced.weights, -reduced.weights)
    gains[reduced.values < 0] = 0
    return _Claim(k, _read_bound(entry), transposed, points, gains)


def _read_point(document: Any, k: int, reduced: Reduced) -> Part:
    """Prices of all rows and columns as they are, so a set is the same one at every point."""
    point = read_part(document, k, reduced)
    if point.circle is not None:
        raise CertificateError("a point has no circle: all its sets are listed")
    for name, size in zip(("row_map", "column_map"), reduced.values.shape, strict=True):
        if list(document[name]) != list(range(size)):
            raise CertificateError(f"{name} must have 0, 1, ..., {size - 1} in this order")
    return point


def _read_bound(entry: dict[str, Any]) -> int:
    value = fraction(entry.get("bound"), "bound")
    if value.denominator != 1 or not 0 <= value < MOST_WHOLE:
        raise CertificateError(f"bound must be a whole number that is not negative, got {value}")
    if fraction(entry.get("rounded"), "rounded") != value:
        raise CertificateError(f"rounded must be the bound, {value}, got {entry['rounded']}")
    return int(value)


def _search(name: str, claim: _Claim, request: Request) -> tuple[Check, int | None]:
    """What became of the search, and the bound that it confirms."""
    # Numba is imported only when there is something to prove.
    from boolfact.certificate.enumeration.search import prove_error_at_least
    from boolfact.certificate.search import Answer

    start = time.monotonic()

    def report(nodes: int) -> None:
        request.progress(Event("verify", time.monotonic() - start, iterations=nodes))

    found = prove_error_at_least(
        claim.points, claim.gains, claim.k, claim.error,
        deadline=start + request.seconds, report=report,
    )  # fmt: skip
    first = claim.points[0]
    left = f"{found.listed:,} sets of {claim.side}"
    if len(claim.points) > 1:
        left += f", {found.sets:,} at all points"
    if found.answer is Answer.PROVED:
        message = (
            f"no factorisation has an error below {claim.error:,}: the first point leaves {left}, "
            f"and the errors of {found.choices:,} choices of {claim.k} of them were computed "
            f"({found.nodes:,} nodes, {time.monotonic() - start:.1f} s)"
        )
        return Check(name, State.PASSED, message), claim.error
    if found.answer is Answer.REFUTED:
        if found.worth is not None:
            worth, limit = (Fraction(x, first.scale) for x in (found.worth, first.omega_bound))
            message = (
                f"at point 1 a rectangle is worth {decimal(worth)}, more than "
                f"{decimal(limit, up=True)}"
            )
        else:
            message = f"a factorisation has an error of {found.error:,}, below {claim.error:,}"
        return Check(name, State.FAILED, message), None
    message = f"error >= {claim.error:,} not confirmed: {found.reason}"
    proved = None
    if found.omega_holds:
        proved = min(claim.error, max(0, math.ceil(first.bound_from(first.omega_bound, claim.k))))
        message += f"; proved only error >= {proved:,}, by the first point alone"
    return Check(name, State.NOT_CHECKED, message), proved
