"""Prices and charges as the steps of the master use them: in single precision, row by row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.prices import Prices, move_inside

__all__ = ["Packed", "charge_weights", "pack", "unpack", "views"]

_MULTIPLE = 16
"""Rows of charges are filled up to this many numbers: whole vectors have no remainders."""


class Packed(NamedTuple):
    """A point of the dual.

    Attributes
    ----------
    p : ndarray of float32, shape (E,)
    charges : ndarray of float32, shape (E, width)
        Charges along the row, by column, then those across, by place in the block, then zeros.
    """

    p: NDArray[np.float32]
    charges: NDArray[np.float32]


def pack(layout: Layout, prices: Prices) -> Packed:
    """In single precision."""
    charges = _filled(layout, prices.along, prices.across)
    return Packed(prices.p.astype(np.float32), charges)


def views(layout: Layout, packed: Packed) -> Prices:
    """The same numbers under the names of `Prices`: what is changed there is changed here."""
    m = layout.shape[1]
    p: NDArray[Any] = packed.p
    charges: NDArray[Any] = packed.charges
    return Prices(p, charges[:, :m], charges[:, m : m + layout.slots])


def unpack(layout: Layout, packed: Packed) -> Prices:
    """In double precision, inside the boxes whatever rounding did."""
    seen = views(layout, packed)
    prices = Prices(*(x.astype(np.float64) for x in (seen.p, seen.along, seen.across)))
    move_inside(layout, prices)
    return prices


def charge_weights(layout: Layout) -> NDArray[np.float32]:
    """The weight of the zero behind each charge; 0 where there is none."""
    weights = np.where(layout.zeros, layout.weights, 0.0)[layout.one_row]
    return _filled(layout, weights, layout.across_weights)


def _filled(
    layout: Layout, along: NDArray[np.float64], across: NDArray[np.float64]
) -> NDArray[np.float32]:
    m = layout.shape[1]
    width = -(-(m + layout.slots) // _MULTIPLE) * _MULTIPLE
    out = np.zeros((len(along), width), dtype=np.float32)
    out[:, :m] = along
    out[:, m : m + layout.slots] = across
    return out
