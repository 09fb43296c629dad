"""The proof by a search over columns: a circle of columns, each with its share of a gain.

Let W be the weight of all ones. A factorisation with an error below E gains T = W - E + 1 at least:
the ones that it covers weigh so much more than the zeros that it covers. The entry has an order of
the columns (of the rows, where transposed) and a share for each place, which together are at most
scale * T; and how often each is expected in a rectangle, in thousandths, from which shifts are
made. `boolfact.certificate.columns.search` says why it is enough then to follow, from every start,
the choices that gain their shares; if none of them comes to the end, no factorisation of rank k has
an error below E.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.columns.shifts import OFTEN
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

__all__ = ["check_column_search"]

_FIELDS = {
    "kind", "on", "relaxation", "bound", "rounded",
    "transposed", "order", "shares", "usual", "scale", "nodes",
}  # fmt: skip


def check_column_search(request: Request) -> Checked:
    """Read the circle, then search again from each of its starts."""
    claim = _read(request.entry, request.k, request.reduced)
    side = "rows" if claim.transposed else "columns"
    figures = Check(
        f"{request.name}: figures",
        State.PASSED,
        f"the error >= {claim.error:,} follows if no choice for the {side} gains {claim.target:,}",
    )
    check = _search(f"{request.name}: search", claim, request)
    if check.state is State.FAILED:
        return Checked((figures, check))
    confirmed = check.state is State.PASSED
    bound = ProvedBound(Quantity.ERROR, None, request.k, Fraction(claim.error), confirmed)
    return Checked((figures, check), (bound,))


@dataclass(frozen=True, eq=False)
class _Claim:
    """The fields of an entry, read and found consistent with each other.

    `columns` has what each entry gains if it is covered, one column a row, as they go round.
    """

    error: int
    target: int
    transposed: bool
    columns: NDArray[np.int64]
    shares: list[int]
    usual: list[int]
    scale: int


def _read(entry: dict[str, Any], k: int, reduced: Reduced) -> _Claim:
    if unknown := set(entry) - _FIELDS:
        raise CertificateError(
            f"fields that kind column_search does not have: {', '.join(sorted(unknown))}"
        )
    if read_quantity(entry) is not Quantity.ERROR:
        raise CertificateError("a search over columns bounds the error, not the objective")
    if k >= MOST_WHOLE:
        raise CertificateError("k is too large")
    transposed = entry.get("transposed")
    if not isinstance(transposed, bool):
        raise CertificateError(f"transposed must be true or false, got {transposed!r}")
    gains = np.where(reduced.values == 1, reduced.weights, -reduced.weights)
    gains[reduced.values < 0] = 0
    # The error of a factorisation of the transpose is the same: B'A' in place of AB.
    columns = gains if transposed else gains.T
    m = len(columns)
    order = [_small(x, "an entry of order", 0) for x in sequence(entry.get("order"), "order", m)]
    if sorted(order) != list(range(m)):
        raise CertificateError(f"order must have every whole number from 0 to {m - 1} once")
    shares = [_small(x, "a share", 1) for x in sequence(entry.get("shares"), "shares", m)]
    usual = [_small(x, "a frequency", 0) for x in sequence(entry.get("usual"), "usual", m)]
    if max(usual) > OFTEN:
        raise CertificateError(f"a frequency must be at most {OFTEN} thousandths")
    scale = _small(entry.get("scale"), "scale", 1)
    _small(entry.get("nodes"), "nodes", 0)
    error = _read_bound(entry)
    target = int(gains[gains > 0].sum()) - error + 1
    if sum(shares) > scale * target:
        raise CertificateError(
            f"the shares must add up to at most scale * {target}, the gain that an error below "
            f"{error} needs"
        )
    columns = np.ascontiguousarray(columns[order])
    return _Claim(error, target, transposed, columns, shares, usual, scale)


def _small(value: Any, name: str, least: int) -> int:
    number = whole(value, name, least)
    if number >= MOST_WHOLE:
        raise CertificateError(f"{name} is too large")
    return number


def _read_bound(entry: dict[str, Any]) -> int:
    value = fraction(entry.get("bound"), "bound")
    if value.denominator != 1 or not 0 <= value < MOST_WHOLE:
        raise CertificateError(f"bound must be a whole number that is not negative, got {value}")
    if fraction(entry.get("rounded"), "rounded") != value:
        raise CertificateError(f"rounded must be the bound, {value}, got {entry['rounded']}")
    return int(value)


def _search(name: str, claim: _Claim, request: Request) -> Check:
    """Whether no choice for the columns gains the target."""
    # Numba is imported only when there is something to prove.
    from boolfact.certificate.columns.search import Circle, is_too_large, prove_gain_below
    from boolfact.certificate.search import Answer

    m, n = claim.columns.shape
    if is_too_large(n, m, request.k):
        message = f"too large to be searched: {m} columns of {n} and {request.k} rectangles"
        return Check(name, State.NOT_CHECKED, message)
    start = time.monotonic()

    def report(nodes: int) -> None:
        request.progress(Event("verify", time.monotonic() - start, iterations=nodes))

    circle = Circle(claim.columns, claim.shares, claim.scale, claim.usual)
    found = prove_gain_below(
        circle, request.k, claim.target, deadline=start + request.seconds, report=report
    )
    if found.answer is Answer.PROVED:
        message = (
            f"no factorisation has an error below {claim.error:,}: "
            f"{found.nodes:,} nodes searched again"
        )
        return Check(name, State.PASSED, message)
    if found.answer is Answer.REFUTED:
        # All ones are uncovered if nothing is gained.
        error = claim.target - 1 + claim.error - found.gain
        message = f"a factorisation has an error of {error:,}, below {claim.error:,}"
        return Check(name, State.FAILED, message)
    message = (
        f"error >= {claim.error:,} not confirmed in the time given, and nothing proved instead: "
        f"{found.starts} of {m} starts done, {found.nodes:,} nodes"
    )
    return Check(name, State.NOT_CHECKED, message)
