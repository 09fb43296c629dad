"""The circle of a part: the order in which columns go round, and what else cuts the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.reading import CertificateError, sequence, whole

__all__ = ["MOST_USUAL", "MOST_WEIGHT", "Circle", "Order", "read_circle"]

MOST_WEIGHT = 10**6
MOST_USUAL = 1000
"""How often is counted in thousandths."""

_FIELDS = ("order", "weights", "usual")


@dataclass(frozen=True, eq=False)
class Circle:
    """Columns in the order of the circle; whatever stands here costs time, not truth.

    Attributes
    ----------
    order : array (m,)
        Every column of the part once.
    weights : array (m,)
        Of each place, positive: the share of the target that its column has to bring.
    usual : array (m,)
        Of each place: how often its column is expected in a good rectangle, in thousandths.
    """

    order: NDArray[np.int64]
    weights: NDArray[np.int64]
    usual: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Order:
    """Columns in the order of a circle, for a search by size; any order will do.

    Attributes
    ----------
    order : array (m,)
        Every column of the part once.
    """

    order: NDArray[np.int64]


def read_circle(document: Any, m: int) -> Circle | Order:
    """Read the circle of a part of m columns; with its order alone, the search is by size.

    Raises
    ------
    CertificateError
    """
    if not isinstance(document, dict):
        raise CertificateError("circle must be an object")
    alone = set(document) == {"order"}
    wrong = {str(name) for name in set(document) ^ set(_FIELDS)}
    if wrong and not alone:
        raise CertificateError(
            "circle must have order alone, or order, weights and usual; not so: "
            + ", ".join(sorted(wrong))
        )
    order = _numbers(document, "order", m, 0, m - 1)
    if len(np.unique(order)) != m:
        raise CertificateError("order of the circle has a column twice")
    if alone:
        return Order(order)
    weights = _numbers(document, "weights", m, 1, MOST_WEIGHT)
    return Circle(order, weights, _numbers(document, "usual", m, 0, MOST_USUAL))


def _numbers(document: Any, name: str, m: int, least: int, most: int) -> NDArray[np.int64]:
    """A whole number within limits for each place."""
    name_of_all = f"{name} of the circle"
    numbers = []
    for x in sequence(document[name], name_of_all, m):
        numbers.append(whole(x, f"a number in {name_of_all}", least))
        if numbers[-1] > most:
            raise CertificateError(f"a number in {name_of_all} must be at most {most}, got {x}")
    return np.array(numbers, dtype=np.int64)
