"""Reading a certificate with suspicion: every field is checked before it is used."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.bound import Quantity
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = [
    "MOST_WHOLE",
    "CertificateError",
    "Reduced",
    "fraction",
    "merged",
    "read_kind",
    "read_maps",
    "read_quantity",
    "read_reduced",
    "sequence",
    "whole",
]

MOST_WHOLE = 2**62
"""Sums must stay below this, or they would not fit into 64 bits."""

_OF_FRACTIONS = frozenset("0123456789/-")


class CertificateError(Exception):
    """Something in a certificate is not as it must be."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """The data with duplicates merged, as the certificate says and the verifier recomputed."""

    values: NDArray[np.int8]
    weights: NDArray[np.int64]


def whole(value: Any, name: str, least: int = 0) -> int:
    """An integer that is not a bool and not too small."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise CertificateError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise CertificateError(f"{name} must be at least {least}, got {value}")
    return value


def fraction(value: Any, name: str) -> Fraction:
    """A fraction written as text, for example "19/20"."""
    # Fraction("1e999999999") would be written out, digit by digit.
    if not isinstance(value, str) or not set(value) <= _OF_FRACTIONS:
        raise CertificateError(f"{name} must be a fraction in quotes, got {value!r}")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise CertificateError(f"{name} must be a fraction in quotes, got {value!r}") from None


def sequence(value: Any, name: str, size: int | None = None) -> list[Any]:
    """A list, of a given size if one is given."""
    if not isinstance(value, list | tuple) or (size is not None and len(value) != size):
        expected = "a list" if size is None else f"a list of {size}"
        raise CertificateError(f"{name} must be {expected}")
    return list(value)


def read_kind(entry: Any) -> str:
    """The declared kind of a bound."""
    if not isinstance(entry, dict):
        raise CertificateError("a bound must be an object")
    kind = entry.get("kind")
    if not isinstance(kind, str):
        raise CertificateError(f"kind must be a text, got {kind!r}")
    return kind


def read_quantity(entry: dict[str, Any]) -> Quantity:
    """What a bound is declared to be on."""
    on = entry.get("on")
    for quantity in Quantity:
        if on == quantity.value:
            return quantity
    raise CertificateError(f"on must be 'objective' or 'error', got {on!r}")


def read_reduced(certificate: dict[str, Any], matrix: BinaryMatrix) -> Reduced:
    """Merge the rows and columns of the data as the maps say, if that changes no optimum.

    A row without ones is best left uncovered. Rows that are equal in value and proportional
    in weight have a common best code. Ones are what a bound needs, so none may be dropped.
    """
    rows, columns = read_maps(certificate, matrix.shape)
    weights = matrix.weights
    values = np.where(weights > 0, matrix.values, MISSING).astype(np.int8)
    for name, dropped in (("row", values[rows < 0]), ("column", values.T[columns < 0])):
        if (dropped == 1).any():
            raise CertificateError(f"a {name} that has a one was dropped")
    return merged(values, weights, rows, columns)


def read_maps(
    document: dict[str, Any], shape: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The new position of every row and of every column, -1 where it is left out."""
    n, m = shape
    rows = _read_map(document.get("row_map"), n, "row_map")
    columns = _read_map(document.get("column_map"), m, "column_map")
    return rows, columns


def merged(
    values: NDArray[np.int8],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
) -> Reduced:
    """What the maps leave, with rows and columns of one position merged if they are alike."""
    kept = np.ix_(rows >= 0, columns >= 0)
    values, exact = values[kept], weights[kept].astype(object)
    rows, columns = rows[rows >= 0], columns[columns >= 0]
    values, exact = _merge_rows(values, exact, rows, "rows")
    values, exact = _merge_rows(values.T, exact.T, columns, "columns")
    if int(exact.sum()) >= MOST_WHOLE:
        raise CertificateError("the weights are too large")
    return Reduced(np.ascontiguousarray(values.T), exact.T.astype(np.int64))


def _read_map(value: Any, size: int, name: str) -> NDArray[np.int64]:
    positions = [whole(x, f"an entry of {name}", -1) for x in sequence(value, name, size)]
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
