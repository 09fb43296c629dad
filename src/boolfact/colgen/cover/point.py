"""Prices in fixed point: worths are whole numbers, and what they prove is exact."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.prices import Prices
from boolfact.colgen.cover.worth import rectangle_worths

__all__ = ["CoverPoint", "rounded"]

_MOST_BITS = 16
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
    """

    layout: Layout
    p: NDArray[np.int32]
    along: NDArray[np.int32]
    across: NDArray[np.int32]
    scale: int

    @property
    def total(self) -> int:
        """The sum of all prices."""
        return int(self.p.sum(dtype=np.int64))

    def worths(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.int64]:
        """What each rectangle is worth, in units of 1 / scale."""
        return rectangle_worths(self.layout, self.p, self.along, self.across, A, B)

    def value(self, omega: int, k: int) -> Fraction:
        """What is proved for rank k if no rectangle is worth more than omega."""
        return Fraction(self.total - k * omega, self.scale)


def rounded(layout: Layout, prices: Prices) -> CoverPoint:
    """The prices in fixed point; charges are rounded down, so they keep within their weights.

    Raises
    ------
    ValueError
        If the weights are too large for 32 bits.
    """
    heaviest = float(layout.weights.sum())
    bits = _MOST_BITS
    while bits and heaviest * (1 << bits) >= _ROOM:
        bits -= 1
    scale = 1 << bits
    if heaviest * scale >= _ROOM:
        raise ValueError(f"the weights add up to {int(heaviest)}, which is too large to price")

    def whole(values: NDArray[np.float64]) -> NDArray[np.int32]:
        return np.floor(values * scale).astype(np.int32)

    # A zero without weight, or an entry that is no zero, charges nothing.
    along = np.where(layout.zeros[layout.one_row], whole(prices.along), 0).astype(np.int32)
    p = np.clip(np.rint(prices.p * scale), 0, layout.one_weights * scale).astype(np.int32)
    return CoverPoint(layout, p, along, whole(prices.across), scale)
