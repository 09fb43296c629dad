"""Stabilisation: price between the best prices so far and those of the restricted master.

Prices of a restricted master jump about; a point on the way from the prices with the best
bound, met or guessed, to them gives rectangles that stay useful. If it gives none that cuts
off the master's prices, those are priced themselves (a mispricing, which costs one pricing).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Stabiliser"]


class Stabiliser:
    """Holds the centre, the prices with the best Lagrangian value so far.

    The value may rest on heuristic pricing: it decides where to price, never what is proved.

    Parameters
    ----------
    weight : float
        Of the centre, from 0 (price at the master's prices) up to, not including, 1.

    Examples
    --------
    >>> stabiliser = Stabiliser(0.5)
    >>> stabiliser.update(np.array([[2.0]]), 10.0)
    True
    >>> stabiliser.point(np.array([[1.0]]))
    array([[1.5]])
    """

    def __init__(self, weight: float = 0.5) -> None:
        if not 0 <= weight < 1:
            raise ValueError(f"weight must be at least 0 and below 1, got {weight}")
        self.weight = weight
        self.centre: NDArray[np.float64] | None = None
        self.value = -np.inf

    def point(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where to price, given the master's prices."""
        if self.centre is None or not self.weight:
            return p
        return self.weight * self.centre + (1 - self.weight) * p

    def update(self, p: NDArray[np.float64], value: float) -> bool:
        """Take p as the new centre if its value is better."""
        if value <= self.value:
            return False
        self.centre, self.value = p.copy(), value
        return True

    def revise(self, value: float) -> None:
        """Lower the centre's value: a rectangle was found that the guess had missed."""
        self.value = min(self.value, value)
