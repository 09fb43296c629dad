"""Rectangles spelled out: which ones each covers, and which zeros charge them there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.prices import Prices

__all__ = ["Cells", "left_over", "spell_out", "sums_by_rectangle"]


class Cells(NamedTuple):
    """The covered ones ("cells") of some rectangles, one rectangle after the other.

    Attributes
    ----------
    start : ndarray, shape (rectangles + 1,)
        Cells of rectangle r are start[r] to start[r + 1].
    one : ndarray, shape (cells,)
        The one that each cell covers.
    line : ndarray, shape (cells,)
        The line, a row of a rectangle, that each cell is in.
    zero_start, zero : ndarray
        Columns of the zeros that each line covers.
    slot_start, slot : ndarray
        Places in the block of the other rows that the rectangle has there.
    """

    start: NDArray[np.int64]
    one: NDArray[np.int32]
    line: NDArray[np.int32]
    zero_start: NDArray[np.int64]
    zero: NDArray[np.int32]
    slot_start: NDArray[np.int64]
    slot: NDArray[np.int32]

    def followed_by(self, more: Cells) -> Cells:
        """These rectangles and then some more."""
        lines = np.int32(len(self.zero_start) - 1)
        return Cells(
            start=_run_on(self.start, more.start),
            one=np.concatenate([self.one, more.one]),
            line=np.concatenate([self.line, more.line + lines]),
            zero_start=_run_on(self.zero_start, more.zero_start),
            zero=np.concatenate([self.zero, more.zero]),
            slot_start=_run_on(self.slot_start, more.slot_start),
            slot=np.concatenate([self.slot, more.slot]),
        )


def _run_on(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([first, first[-1] + second[1:]])


def spell_out(layout: Layout, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> Cells:
    """Rectangles, rows in the order of the layout, as cells."""
    starts, ones, lines = [0], [], []
    zero_counts, zeros, slot_counts, slots = [], [], [], []
    offset = 0
    for a, b in zip(A, B, strict=True):
        taken = np.flatnonzero(a)
        covered = (layout.one_at[taken] >= 0) & b
        useful = covered.any(axis=1)
        # A row without a covered one has no cells, but its zeros charge those of other rows.
        rows, covered = taken[useful], covered[useful]
        at, columns = np.nonzero(covered)
        ones.append(layout.one_at[rows[at], columns])
        lines.append(offset + at)
        charged = layout.zeros[rows] & b
        zero_counts.append(charged.sum(axis=1))
        zeros.append(np.nonzero(charged)[1])
        beside = layout.block_of[rows][:, None] == layout.block_of[taken][None, :]
        beside &= rows[:, None] != taken[None, :]
        places = taken - layout.block_start[layout.block_of[taken]]
        slot_counts.append(beside.sum(axis=1))
        slots.append(places[np.nonzero(beside)[1]])
        offset += len(rows)
        starts.append(starts[-1] + len(at))

    def joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int32]:
        return np.concatenate([*parts, np.zeros(0, dtype=np.int64)]).astype(np.int32)

    return Cells(
        start=np.array(starts, dtype=np.int64),
        one=joined(ones),
        line=joined(lines),
        zero_start=np.append(0, np.cumsum(joined(zero_counts), dtype=np.int64)),
        zero=joined(zeros),
        slot_start=np.append(0, np.cumsum(joined(slot_counts), dtype=np.int64)),
        slot=joined(slots),
    )


def sums_by_rectangle(cells: Cells, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over the cells of each rectangle."""
    total = np.append(0.0, np.cumsum(values))
    return np.asarray(total[cells.start[1:]] - total[cells.start[:-1]])


def left_over(cells: Cells, prices: Prices) -> NDArray[np.float64]:
    """For every cell the price of its one less the charges of the zeros beside it."""
    out = np.empty(len(cells.one))
    _left_over(prices.p, prices.along, prices.across, cells, out)
    return out


@njit(cache=True, nogil=True)
def _left_over(
    p: NDArray[np.float64],
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    cells: Cells,
    out: NDArray[np.float64],
) -> None:
    zero_start, zero = cells.zero_start, cells.zero
    slot_start, slot = cells.slot_start, cells.slot
    for t in range(len(out)):
        e, u = cells.one[t], cells.line[t]
        x = p[e]
        for v in range(zero_start[u], zero_start[u + 1]):
            x -= along[e, zero[v]]
        for v in range(slot_start[u], slot_start[u + 1]):
            x -= across[e, slot[v]]
        out[t] = x
