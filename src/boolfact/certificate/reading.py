"""Reading a certificate with suspicion: every field is checked before it is used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["CertificateError", "Claim", "Reduced", "read_claim", "read_reduced", "whole"]

_INT64_ROOM = 2**62


class CertificateError(Exception):
    """Something in a certificate is not as it must be."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """The data with duplicates merged, as the certificate says and the verifier recomputed."""

    values: NDArray[np.int8]
    weights: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Claim:
    """One bound of a certificate, its fields read and found consistent with each other."""

    on: str
    rho: Fraction
    k: int
    scale: int
    total: int
    omega_bound: int
    value: Fraction
    rounded: Fraction
    H: NDArray[np.int64]


def whole(value: Any, name: str, least: int = 0) -> int:
    """An integer that is not a bool and not too small."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise CertificateError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise CertificateError(f"{name} must be at least {least}, got {value}")
    return value


def _fraction(value: Any, name: str) -> Fraction:
    if not isinstance(value, str):
        raise CertificateError(f"{name} must be a fraction in quotes, got {value!r}")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise CertificateError(f"{name} must be a fraction in quotes, got {value!r}") from None


def _sequence(value: Any, name: str, size: int | None = None) -> list[Any]:
    if not isinstance(value, list | tuple) or (size is not None and len(value) != size):
        expected = "a list" if size is None else f"a list of {size}"
        raise CertificateError(f"{name} must be {expected}")
    return list(value)


def read_reduced(certificate: dict[str, Any], matrix: BinaryMatrix) -> Reduced:
    """Merge the rows and columns of the data as the maps say, if that changes no optimum.

    A row without ones is best left uncovered. Rows that are equal in value and proportional
    in weight have a common best code. Ones are what a bound needs, so none may be dropped.
    """
    n, m = matrix.shape
    rows = _read_map(certificate.get("row_map"), n, "row_map")
    columns = _read_map(certificate.get("column_map"), m, "column_map")
    weights = matrix.weights
    values = np.where(weights > 0, matrix.values, MISSING).astype(np.int8)
    for name, dropped in (("row", values[rows < 0]), ("column", values.T[columns < 0])):
        if (dropped == 1).any():
            raise CertificateError(f"a {name} that has a one was dropped")
    kept = np.ix_(rows >= 0, columns >= 0)
    values, weights = values[kept], weights[kept].astype(object)
    rows, columns = rows[rows >= 0], columns[columns >= 0]
    values, weights = _merge_rows(values, weights, rows, "rows")
    values, weights = _merge_rows(values.T, weights.T, columns, "columns")
    if int(weights.sum()) >= _INT64_ROOM:
        raise CertificateError("the weights are too large")
    return Reduced(np.ascontiguousarray(values.T), weights.T.astype(np.int64))


def _read_map(value: Any, size: int, name: str) -> NDArray[np.int64]:
    positions = [whole(x, f"an entry of {name}", -1) for x in _sequence(value, name, size)]
    used = {x for x in positions if x >= 0}
    if not used or used != set(range(len(used))):
        raise CertificateError(f"{name} must use every position from 0 up to its largest")
    return np.array(positions, dtype=np.int64)


def _merge_rows(
    values: NDArray[np.int8], weights: NDArray[Any], groups: NDArray[np.int64], name: str
) -> tuple[NDArray[np.int8], NDArray[Any]]:
    """One row for each group, in Python integers; all members must be alike."""
    _, first = np.unique(groups, return_index=True)
    model = first[groups]
    if (values != values[model]).any():
        raise CertificateError(f"merged {name} differ in value")
    sums = weights.sum(axis=1)
    if (weights * sums[model][:, None] != weights[model] * sums[:, None]).any():
        raise CertificateError(f"the weights of merged {name} are not proportional")
    merged = np.zeros((len(first), values.shape[1]), dtype=object)
    np.add.at(merged, groups, weights)
    return values[first], merged


def read_claim(entry: Any, k: int, reduced: Reduced) -> Claim:
    """One bound: its dual lies in its box, and its figures follow from the dual and omega."""
    if not isinstance(entry, dict):
        raise CertificateError("a bound must be an object")
    on = entry.get("on")
    if on not in ("objective", "error"):
        raise CertificateError(f"on must be 'objective' or 'error', got {on!r}")
    rho = _fraction(entry.get("rho"), "rho")
    if rho <= 0:
        raise CertificateError(f"rho must be positive, got {rho}")
    # A zero covered k times costs k rho in MIP(rho) but 1 in the error.
    if on == "error" and rho * k > 1:
        raise CertificateError(f"a bound on the error needs rho <= 1/{k}, got {rho}")
    scale = whole(entry.get("scale"), "scale", 1)
    if (rho * scale).denominator != 1:
        raise CertificateError(f"scale times rho must be whole, got {scale} and {rho}")
    p = _read_dual(entry.get("p"), scale, reduced)
    total = sum(p.values())
    omega = whole(entry.get("omega_bound"), "omega_bound")
    value = Fraction(total - k * omega, scale)
    if _fraction(entry.get("bound"), "bound") != value:
        raise CertificateError(
            f"bound must be (sum of p - k omega_bound) / scale = {value}, got {entry['bound']}"
        )
    parts = rho.denominator if on == "objective" else 1
    rounded = Fraction(math.ceil(value * parts), parts)
    if _fraction(entry.get("rounded"), "rounded") != rounded:
        raise CertificateError(f"rounded must be {rounded}, got {entry['rounded']}")
    H = _pricing_matrix(p, int(rho * scale), reduced)
    return Claim(on, rho, k, scale, total, omega, value, rounded, H)


def _read_dual(value: Any, scale: int, reduced: Reduced) -> dict[tuple[int, int], int]:
    n, m = reduced.values.shape
    p: dict[tuple[int, int], int] = {}
    for triple in _sequence(value, "p"):
        i, j, x = (whole(part, "an entry of p") for part in _sequence(triple, "a triple of p", 3))
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
    if max(zero_price * zeros, sum(p.values())) >= _INT64_ROOM:
        raise CertificateError("the figures are too large")
    H = np.where(reduced.values == 0, -zero_price * reduced.weights, 0)
    for (i, j), x in p.items():
        H[i, j] = x
    return H
