"""The proof for large data: groups of columns that share none, each with a proof of its own.

Some rows and some columns of a factorisation of rank k are a factorisation of rank k of that
part. So its error there is at least the least error of the part, and parts that share no cell
add up. Each part names columns, and texts of 0 and 1; its rows are all rows of the data that are
equal to one of the texts on these columns. Equal rows count as one with the sum of their weights:
a best code of one is a best code of them all. The weights are added up here, from the data. Rows
that are equal to none of the texts, or have a missing entry there, are left out.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.kinds.checker import Checked, Checker, Request
from boolfact.certificate.reading import (
    MOST_WHOLE,
    CertificateError,
    Reduced,
    fraction,
    read_kind,
    read_quantity,
    sequence,
    whole,
)
from boolfact.certificate.verdict import Check, ProvedBound, State
from boolfact.control.progress import Progress
from boolfact.model.bound import Quantity
from boolfact.model.matrix import MISSING
from boolfact.model.rows import RowMatrix, blocks_of
from boolfact.results.format import decimal

__all__ = ["COLUMN_GROUPS", "GroupsRequest", "check_column_groups"]

COLUMN_GROUPS = "column_groups"

MOST_COLUMNS = 64
"""Of a part: its rows are the bits of a word."""

_FIELDS = {"kind", "on", "relaxation", "transposed", "parts", "bound", "rounded"}
_PART_FIELDS = {"columns", "rows", "proof"}


@dataclass(frozen=True, eq=False)
class GroupsRequest:
    """A bound to check on large data, see `boolfact.certificate.kinds.checker.Request`."""

    name: str
    entry: dict[str, Any]
    k: int
    rows: RowMatrix
    seconds: float
    progress: Progress


@dataclass(frozen=True, eq=False)
class _Part:
    columns: NDArray[np.int64]
    values: NDArray[np.int8]
    kind: str
    proof: dict[str, Any]
    value: Fraction


def check_column_groups(request: GroupsRequest, kinds: Mapping[str, Checker]) -> Checked:
    """Add up the weights of the rows of each part, then have it proved by the checker of its kind.

    Raises
    ------
    CertificateError
    """
    start = time.monotonic()
    transposed = request.entry.get("transposed")
    if not isinstance(transposed, bool):
        raise CertificateError(f"transposed must be true or false, got {transposed!r}")
    # The error of a factorisation of the transpose is the same: B'A' in place of AB.
    rows: RowMatrix = request.rows.T if transposed else request.rows  # type: ignore[attr-defined]
    parts = _read(request.entry, rows.shape[1], kinds)
    value = sum((part.value for part in parts), Fraction(0))
    side = "rows" if transposed else "columns"
    checks = [
        Check(
            f"{request.name}: figures",
            State.PASSED,
            f"the error >= {decimal(value)} follows from {len(parts):,} groups of {side} that "
            "share none",
        )
    ]
    sure = claimed = Fraction(0)
    for u, (part, heights) in enumerate(zip(parts, _heights(parts, rows), strict=True)):
        # What one part leaves of its share of the time is for the others.
        rest = request.seconds - (time.monotonic() - start)
        name = f"{request.name}, group {u + 1}"
        seconds = max(0.0, rest) / (len(parts) - u)
        data = _weighted(part, heights, rows)
        asked = Request(name, part.proof, request.k, data, seconds, request.progress)
        try:
            checked = kinds[part.kind](asked)
        except CertificateError as reason:
            raise CertificateError(f"group {u + 1}: {reason}") from None
        checks += checked.checks
        sure += _least_error(checked, request.k, only_sure=True)
        claimed += _least_error(checked, request.k, only_sure=False)
    states = {check.state for check in checks}
    if State.FAILED in states:
        return Checked(tuple(checks))
    if claimed != value:
        raise CertificateError(f"the groups prove {claimed}, not {value}")
    bounds = [ProvedBound(Quantity.ERROR, None, request.k, sure, confirmed=True)]
    if State.NOT_CHECKED in states:
        bounds.append(ProvedBound(Quantity.ERROR, None, request.k, claimed, confirmed=False))
    return Checked(tuple(checks), tuple(bounds))


def _read(entry: dict[str, Any], m: int, kinds: Mapping[str, Checker]) -> list[_Part]:
    if unknown := {str(name) for name in set(entry) - _FIELDS}:
        raise CertificateError(
            f"fields that kind {COLUMN_GROUPS} does not have: {', '.join(sorted(unknown))}"
        )
    if read_quantity(entry) is not Quantity.ERROR:
        raise CertificateError("groups of columns bound the error, not the objective")
    taken: set[int] = set()
    parts = []
    for u, document in enumerate(sequence(entry.get("parts"), "parts")):
        try:
            parts.append(_read_part(document, m, taken, kinds))
        except CertificateError as reason:
            raise CertificateError(f"group {u + 1}: {reason}") from None
    value = sum((part.value for part in parts), Fraction(0))
    for name in ("bound", "rounded"):
        if fraction(entry.get(name), name) != value:
            raise CertificateError(
                f"{name} must be what the groups add up to, {value}, got {entry[name]}"
            )
    return parts


def _read_part(document: Any, m: int, taken: set[int], kinds: Mapping[str, Checker]) -> _Part:
    """A part whose columns are in no part before it, nor twice in this one."""
    if not isinstance(document, dict):
        raise CertificateError("it must be an object")
    if unknown := {str(name) for name in set(document) - _PART_FIELDS}:
        raise CertificateError(f"fields that a group does not have: {', '.join(sorted(unknown))}")
    columns = [whole(j, "a column") for j in sequence(document.get("columns"), "columns")]
    for j in columns:
        if j >= m:
            raise CertificateError(f"it has column {j}, the data have {m}")
        if j in taken:
            raise CertificateError(f"column {j} is in the groups twice")
        taken.add(j)
    if not 1 <= len(columns) <= MOST_COLUMNS:
        raise CertificateError(f"it must have 1 to {MOST_COLUMNS} columns, got {len(columns)}")
    values = _read_rows(document.get("rows"), len(columns))
    proof = document.get("proof")
    kind = read_kind(proof)
    if kind not in kinds:
        raise CertificateError(
            f"kind must be one that can be checked ({', '.join(kinds)}), got {kind!r}"
        )
    assert isinstance(proof, dict)
    if read_quantity(proof) is not Quantity.ERROR:
        raise CertificateError("its proof must be on the error")
    value = fraction(proof.get("rounded"), "rounded")
    if value < 0 or value.denominator != 1:
        raise CertificateError(f"rounded must be whole and not negative, got {value}")
    return _Part(np.array(columns, dtype=np.int64), values, kind, proof, value)


def _read_rows(value: Any, width: int) -> NDArray[np.int8]:
    """Texts of 0 and 1, all different: a row twice would count twice."""
    texts = sequence(value, "rows")
    for text in texts:
        if not isinstance(text, str) or len(text) != width or not set(text) <= {"0", "1"}:
            raise CertificateError(f"a row must be a text of {width} signs, 0 or 1, got {text!r}")
    if not texts or len(set(texts)) < len(texts):
        raise CertificateError("rows must be there, and each of them once")
    return np.array([[int(sign) for sign in text] for text in texts], dtype=np.int8)


def _heights(parts: list[_Part], rows: RowMatrix) -> list[list[int]]:
    """For each row of each part, the weight of all rows of the data that are equal to it."""
    places = [{key: i for i, key in enumerate(_keys(part.values).tolist())} for part in parts]
    heights = [[0] * len(part.values) for part in parts]
    for block in blocks_of(rows.shape):
        values = rows.values(block)
        weights = np.ones(len(values), dtype=np.int64)
        if rows.row_weights is not None:
            weights = rows.row_weights[block]
        for part, place, height in zip(parts, places, heights, strict=True):
            mine = values[:, part.columns]
            is_whole = (mine != MISSING).all(axis=1)
            keys, group = np.unique(_keys(mine[is_whole]), return_inverse=True)
            sums = np.zeros(len(keys), dtype=np.int64)
            np.add.at(sums, group.reshape(-1), weights[is_whole])
            for key, total in zip(keys.tolist(), sums.tolist(), strict=True):
                where = place.get(key)
                if where is not None:
                    height[where] += total
    return heights


def _keys(values: NDArray[np.int8]) -> NDArray[np.uint64]:
    """Each row as the bits of a number."""
    keys = np.zeros(len(values), dtype=np.uint64)
    for j in range(values.shape[1]):
        keys |= (values[:, j] == 1).astype(np.uint64) << np.uint64(j)
    return keys


def _weighted(part: _Part, heights: list[int], rows: RowMatrix) -> Reduced:
    """The data of a part: an entry weighs its price, times its row, times its column."""
    widths = [1] * len(part.columns)
    if rows.column_weights is not None:
        widths = rows.column_weights[part.columns].tolist()
    dearest = max(rows.false_one_cost, rows.missed_one_cost)
    if dearest * sum(heights) * sum(widths) >= MOST_WHOLE:
        raise CertificateError("the weights are too large")
    prices = np.array([rows.false_one_cost, rows.missed_one_cost], dtype=np.int64)
    sizes = np.outer(np.array(heights, dtype=np.int64), np.array(widths, dtype=np.int64))
    weights = prices[part.values] * sizes
    return Reduced(np.where(weights > 0, part.values, MISSING).astype(np.int8), weights)


def _least_error(checked: Checked, k: int, *, only_sure: bool) -> Fraction:
    """The best that was proved of the error; 0 needs no proof."""
    known = [
        bound.for_error()
        for bound in checked.bounds
        if bound.k >= k and (bound.confirmed or not only_sure)
    ]
    return max((value for value in known if value is not None), default=Fraction(0))
