"""Prices of the ones and charges of the zeros, and the set they must lie in.

A one e has a price 0 <= p_e <= w_e. A zero z = (i, c) charges ones of its own row, and ones of
its own column in rows of its block; its charges are not negative and add up to at most w_z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout

__all__ = ["Prices", "even_prices", "move_inside"]


@dataclass(frozen=True, eq=False)
class Prices:
    """A point of the dual.

    Attributes
    ----------
    p : ndarray, shape (E,)
        Prices of the ones.
    along : ndarray, shape (E, m)
        along[e, c]: what the zero in column c of e's row charges e.
    across : ndarray, shape (E, slots)
        across[e, t]: what the zero in e's column and row t of e's block charges e.
    """

    p: NDArray[np.float64]
    along: NDArray[np.float64]
    across: NDArray[np.float64]

    def flat(self) -> NDArray[np.float64]:
        """As one array, which the loop of column generation can mix with another."""
        return np.concatenate([self.p, self.along.ravel(), self.across.ravel()])

    @classmethod
    def unflat(cls, layout: Layout, values: NDArray[np.float64]) -> Prices:
        """The way back from `flat`."""
        ones, m = len(layout.one_row), layout.shape[1]
        p, along, across = np.split(values, [ones, ones + ones * m])
        return cls(p.copy(), along.reshape(ones, m).copy(), across.reshape(ones, -1).copy())

    def moved(self, old: Layout, new: Layout) -> Prices:
        """The same prices in another layout of the same matrix.

        Charges across rows that are no longer in one block are lost.
        """
        n, _ = new.shape
        place = np.empty(n, dtype=np.int64)
        place[old.rows] = np.arange(n)
        before = place[new.rows]
        ones = old.one_at[before[new.one_row], new.one_column]
        across = np.zeros((len(ones), new.slots))
        first = new.block_start[new.block_of[new.one_row]]
        last = new.block_start[new.block_of[new.one_row] + 1]
        own = before[new.one_row]
        for slot in range(new.slots):
            inside = first + slot < last
            other = before[np.minimum(first + slot, n - 1)]
            same = inside & (old.block_of[other] == old.block_of[own])
            slots = other - old.block_start[old.block_of[own]]
            across[same, slot] = self.across[ones[same], slots[same]]
        return Prices(self.p[ones], self.along[ones], across)


def even_prices(layout: Layout) -> Prices:
    """Half of every weight as price; every zero charges the ones of its row alike."""
    count = np.diff(layout.row_start)[layout.one_row]
    zeros = layout.zeros[layout.one_row]
    along = np.where(zeros, layout.weights[layout.one_row] / count[:, None], 0.0)
    return Prices(0.5 * layout.one_weights, along, np.zeros((len(count), layout.slots)))


def move_inside(layout: Layout, prices: Prices) -> None:
    """Replace prices and charges, in place, by the nearest that are allowed."""
    np.clip(prices.p, 0.0, layout.one_weights, out=prices.p)
    _project(
        prices.along,
        prices.across,
        layout.weights,
        layout.zeros,
        layout.row_start,
        layout.one_at,
        layout.block_start,
        layout.block_of,
    )


@njit(cache=True, nogil=True)
def _project(
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    weights: NDArray[np.float64],
    zeros: NDArray[np.bool_],
    row_start: NDArray[np.int64],
    one_at: NDArray[np.int64],
    block_start: NDArray[np.int64],
    block_of: NDArray[np.int64],
) -> None:
    n, m = zeros.shape
    values = np.empty(n + m)
    for i in range(n):
        first, last = row_start[i], row_start[i + 1]
        low, high = block_start[block_of[i]], block_start[block_of[i] + 1]
        slot = i - low
        for c in range(m):
            if not zeros[i, c]:
                continue
            size = 0
            total = 0.0
            for e in range(first, last):
                x = max(along[e, c], 0.0)
                along[e, c] = x
                if x > 0.0:
                    values[size] = x
                    size += 1
                    total += x
            for r in range(low, high):
                e = one_at[r, c]
                if e >= 0:
                    x = max(across[e, slot], 0.0)
                    across[e, slot] = x
                    if x > 0.0:
                        values[size] = x
                        size += 1
                        total += x
            limit = weights[i, c]
            if total <= limit:
                continue
            shift = _shift(values[:size], total, limit)
            for e in range(first, last):
                along[e, c] = max(along[e, c] - shift, 0.0)
            for r in range(low, high):
                e = one_at[r, c]
                if e >= 0:
                    across[e, slot] = max(across[e, slot] - shift, 0.0)


@njit(cache=True, nogil=True)
def _shift(values: NDArray[np.float64], total: float, limit: float) -> float:
    """The number whose subtraction, cut off at 0, leaves values that add up to the limit."""
    shift = (total - limit) / len(values)
    while True:
        # From the left the number is approached from below, and met after a few steps.
        rest = 0.0
        count = 0
        for x in values:
            if x > shift:
                rest += x
                count += 1
        if count == 0:
            return shift
        better = (rest - limit) / count
        if better <= shift * (1 + 1e-14):
            return shift
        shift = better
