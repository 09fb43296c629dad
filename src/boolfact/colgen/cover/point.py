"""Prices in fixed point: worths are whole numbers, and what they prove is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.prices import Prices
from boolfact.colgen.cover.worth import rectangle_worths
from boolfact.model.matrix import BinaryMatrix

__all__ = ["CoverPoint", "is_too_heavy", "rounded"]

_MOST_BITS = 16
"""Finer prices would not raise a bound: the error is whole, and masters are solved to 1e-3."""
_ROOM = 1 << 30
"""Every sum that the kernels form stays below this, well inside 32 bits."""


@dataclass(frozen=True, eq=False)
class CoverPoint:
    """Prices and charges as whole numbers, in units of 1 / scale.

    Attributes
    ----------
    layout : Layout
    p, along, across : ndarray of int32
        As in `Prices`.
    scale : int
    k : int or Fraction
        The rank for which the point proves something; a larger one while a slack is paid for.
    """

    layout: Layout
    p: NDArray[np.int32]
    along: NDArray[np.int32]
    across: NDArray[np.int32]
    scale: int
    k: int | Fraction

    @property
    def total(self) -> int:
        """The sum of all prices."""
        return int(self.p.sum(dtype=np.int64))

    def worths(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.int64]:
        """What each rectangle is worth, in units of 1 / scale."""
        return rectangle_worths(self.layout, self.p, self.along, self.across, A, B)

    def value(self, omega: int) -> Fraction:
        """What is proved if no rectangle is worth more than omega."""
        return Fraction(self.total - self.k * omega, self.scale)

    def largest_omega(self, value: Fraction, strictly: bool = False) -> int:
        """The largest omega that proves a bound of at least `value`, or strictly above it."""
        room = (self.total - value * self.scale) / self.k
        return math.ceil(room) - 1 if strictly else math.floor(room)


def rounded(layout: Layout, prices: Prices, k: int | Fraction) -> CoverPoint:
    """The prices in fixed point, inside their boxes whatever rounding did to them before.

    Raises
    ------
    ValueError
        If the weights are too large for 32 bits.
    """
    scale = _scale(layout)
    along_limit = np.where(layout.zeros, layout.weights, 0.0)[layout.one_row]
    along = _whole(prices.along, along_limit, scale)
    across = _whole(prices.across, layout.across_weights, scale)
    shrink = _shrink(layout, along, across, scale)
    if shrink is not None:
        along = np.floor(along * shrink[layout.one_row]).astype(np.int32)
        rows, columns = layout.across_rows, layout.one_column[:, None]
        across = np.floor(across * shrink[rows, columns]).astype(np.int32)
    p = np.rint(np.where(prices.p > 0, prices.p, 0.0) * scale)
    p = np.minimum(p, layout.one_weights * scale).astype(np.int32)
    return CoverPoint(layout, p, along, across, scale, k)


def is_too_heavy(matrix: BinaryMatrix) -> bool:
    """Whether the weights may leave no room for sums in 32 bits, in some blocks of the rows."""
    weights = matrix.weights.astype(np.float64)
    ones = np.where(matrix.ones, weights, 0.0)
    chargeable = ones.sum(axis=1, keepdims=True) + ones.sum(axis=0, keepdims=True)
    return bool(np.where(matrix.ones, weights, np.minimum(weights, chargeable)).sum() >= _ROOM)


def _scale(layout: Layout) -> int:
    heaviest = float(layout.weights.sum())
    if heaviest >= _ROOM:
        raise ValueError(f"the weights add up to {int(heaviest)}, which is too large to price")
    bits = _MOST_BITS
    while bits and heaviest * (1 << bits) >= _ROOM:
        bits -= 1
    return 1 << bits


def _whole(
    values: NDArray[np.float64], limit: NDArray[np.float64], scale: int
) -> NDArray[np.int32]:
    """Rounded down, between 0 and the limit; 0 for what is no number."""
    inside = np.minimum(np.where(values > 0, values, 0.0), limit)
    return np.floor(inside * scale).astype(np.int32)


def _shrink(
    layout: Layout, along: NDArray[np.int32], across: NDArray[np.int32], scale: int
) -> NDArray[np.float64] | None:
    """By how much the charges of each zero must fall; None if they are all within its weight."""
    spent = np.zeros(layout.shape)
    np.add.at(spent, layout.one_row, along)
    np.add.at(spent, (layout.across_rows, layout.one_column[:, None]), across)
    limit = layout.weights * scale
    over = layout.zeros & (spent > limit)
    if not over.any():
        return None
    # A little more than needed: the factor is a rounded number itself.
    return np.where(over, (1 - 1e-9) * limit / np.maximum(spent, 1.0), 1.0)
