"""A quantity and the lower bound that is proved on it: a gap belongs to one such pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from boolfact.model.bound import Quantity, float_below

__all__ = ["Pair", "pair"]


@dataclass(frozen=True)
class Pair:
    """What was reached of one quantity, and what is proved of the same quantity.

    Attributes
    ----------
    quantity : Quantity
    value : Fraction
        Of the solution.
    lower_bound : Fraction or None
        Proved for every solution of the rank.
    """

    quantity: Quantity
    value: Fraction
    lower_bound: Fraction | None

    @property
    def gap(self) -> Fraction | None:
        """(value - lower_bound) / value, 0 for a value of 0; None without a bound."""
        if self.lower_bound is None:
            return None
        if self.value == 0:
            return Fraction(0)
        return max(Fraction(0), (self.value - self.lower_bound) / self.value)


def pair(quantity: Quantity, value: float, lower_bound: float | None, parts: int = 1) -> Pair:
    """The pair behind stored floats, of a quantity that is a multiple of 1 / parts.

    A value is stored as the nearest float and a bound as the nearest float below, so a multiple
    that would be stored as this float is the one that was meant.

    Examples
    --------
    >>> pair(Quantity.OBJECTIVE, 40.85, float_below(Fraction(817, 20)), 20).gap
    Fraction(0, 1)
    """
    near = Fraction(round(Fraction(value) * parts), parts)
    exact = near if float(near) == value else Fraction(value)
    if lower_bound is None:
        return Pair(quantity, exact, None)
    above = Fraction(math.ceil(Fraction(lower_bound) * parts), parts)
    meant = above if float_below(above) == lower_bound else Fraction(lower_bound)
    return Pair(quantity, exact, meant)
