"""What a search by size adds up: prices and charges of single rows, by place on the circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover.circle import Order
from boolfact.certificate.cover.part import Duals

__all__ = ["Weighed", "weigh"]

_MOST_NUMBERS = 2**27
"""Tables with more are not made: they would take a gigabyte."""
_MOST_SUM = 2**60
"""What sums of 64 bits are kept below."""
_LANES = 8
"""The ones of a column are filled up with zeros to a multiple of this, for vectors."""


@dataclass(frozen=True, eq=False)
class Weighed:
    """Prices and charges in the order of places; columns without a price are left out.

    Attributes
    ----------
    first : array (m + 1,)
        The ones of place c are first[c], ..., first[c + 1] - 1.
    prices : array (E,)
    charges : array (m, E)
        What each place charges to each one.
    """

    first: NDArray[np.int64]
    prices: NDArray[np.int64]
    charges: NDArray[np.int64]

    def steps(self, size: int) -> NDArray[Any]:
        """What each place brings to each one, times the size; of a type in which it adds up.

        A sum of them over different places is at most `size` times the price, and no less than
        `size` times all the charges, the other way round. Of a column the positive parts are
        added up in the same type.
        """
        columns = np.add.reduceat(self.prices, self.first[:-1])
        largest = max(int(columns.max()), int(self.charges.sum(axis=0).max()))
        kind = np.int32 if size * largest < 2**31 else np.int64
        return (self.prices - size * self.charges).astype(kind)


def weigh(duals: Duals, order: Order) -> Weighed | None:
    """The tables of a part of single rows that has a price; None where they are too large.

    A column without a price only charges: without it no rectangle is worth less.
    """
    assert all(len(block) == 1 for block in duals.blocks)
    useful = order.order[np.isin(order.order, duals.ones[:, 1])]
    m = len(useful)
    place = np.full(duals.shape[1], -1, dtype=np.int64)
    place[useful] = np.arange(m)
    own = place[duals.ones[:, 1]]
    counts = np.bincount(own, minlength=m)
    first = np.append(0, np.cumsum(-(-counts // _LANES) * _LANES))
    # Sums over the ones of a set are at most this many times the size, and a few are added up.
    everything = duals.total + int(duals.charges[:, 3].sum())
    if 4 * m * everything >= _MOST_SUM or 4 * m * int(first[-1]) > _MOST_NUMBERS:
        return None
    sort = np.argsort(own, kind="stable")
    position = np.empty(len(own), dtype=np.int64)
    before = np.append(0, np.cumsum(counts))[own[sort]]
    position[sort] = first[own[sort]] + np.arange(len(own)) - before
    prices = np.zeros(first[-1], dtype=np.int64)
    prices[position] = duals.ones[:, 2]
    charges = np.zeros((m, len(prices)), dtype=np.int64)
    _, column, one, amount = duals.charges.T
    live = place[column] >= 0
    np.add.at(charges, (place[column[live]], position[one[live]]), amount[live])
    return Weighed(first, prices, charges)
