"""A proved lower bound, with the quantity that it is on.

A bound on the objective is not a bound on the error: which of the two a bound is on is declared
by whoever proved it, and never inferred.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

__all__ = ["Bound", "Proof", "Quantity", "better_bound", "float_below"]


class Quantity(enum.Enum):
    """What a bound is on."""

    ERROR = "error"
    """The weight of the observed entries in which the product differs from the data."""
    OBJECTIVE = "objective"
    """MIP(rho): uncovered ones, plus rho for each cover of each zero."""


class Proof(Protocol):
    """What proves a bound, in whole numbers."""

    def entry(self) -> dict[str, Any]:
        """Ready for JSON: its kind and everything that anybody needs to prove the bound again."""
        ...


@dataclass(frozen=True, eq=False)
class Bound:
    """A lower bound on one quantity of every factorisation of rank k.

    Attributes
    ----------
    on : Quantity
    value : Fraction
        As it was proved.
    k : int
        The rank.
    relaxation : str
        What proved it, for people: "MLP(1/5)", "assigned cover, blocks of 4".
    proof : Proof
        What proves it; its entry goes into the certificate.
    rho : Fraction, optional
        Of the objective; None for a bound on the error.
    node : object, optional
        The decisions of a search tree that the bound rests on; None if it holds everywhere.

    Examples
    --------
    >>> class Nothing:
    ...     def entry(self):
    ...         return {}
    >>> Bound(Quantity.ERROR, Fraction(7, 2), 5, "a guess", Nothing()).rounded
    Fraction(4, 1)
    """

    on: Quantity
    value: Fraction
    k: int
    relaxation: str
    proof: Proof
    rho: Fraction | None = None
    node: object = None

    def __post_init__(self) -> None:
        if (self.rho is None) != (self.on is Quantity.ERROR):
            raise ValueError(f"a bound on the {self.on.value} cannot have rho {self.rho}")

    @property
    def rounded(self) -> Fraction:
        """The least value at or above the bound that the quantity can have.

        Weights are whole, so the error is whole and the objective is a multiple of
        1 / (denominator of rho); neither is negative.
        """
        parts = 1 if self.rho is None else self.rho.denominator
        return max(Fraction(0), Fraction(math.ceil(self.value * parts), parts))


def better_bound(first: Bound | None, second: Bound | None) -> Bound | None:
    """The larger of two bounds on the same quantity; the first if they are equal."""
    if first is None or second is None:
        return second if first is None else first
    if first.node != second.node:
        raise ValueError("bounds at different nodes cannot be compared")
    if (first.on, first.rho, first.k) != (second.on, second.rho, second.k):
        raise ValueError(
            f"bounds on different quantities cannot be compared: {first.on.value} (rho "
            f"{first.rho}, k {first.k}) and {second.on.value} (rho {second.rho}, k {second.k})"
        )
    return second if second.value > first.value else first


def float_below(value: Fraction | int) -> float:
    """The largest float that is not above the value: how a lower bound is stored and printed.

    Examples
    --------
    >>> float_below(Fraction(1, 3)) <= Fraction(1, 3), float_below(125)
    (True, 125.0)
    """
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)
