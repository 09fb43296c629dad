"""Rectangles spelled out: which ones each covers, and which zeros charge them there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.prices import Prices

__all__ = ["Cells", "spell_out", "worths"]


@dataclass(frozen=True, eq=False)
class Cells:
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


def spell_out(layout: Layout, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> Cells:
    """Rectangles, rows in the order of the layout, as cells."""
    starts, ones, lines = [0], [], []
    zero_counts, zeros, slot_counts, slots = [], [], [], []
    offset = 0
    for a, b in zip(A, B, strict=True):
        rows = np.flatnonzero(a)
        covered = (layout.one_at[rows] >= 0) & b
        useful = covered.any(axis=1)
        rows, covered = rows[useful], covered[useful]
        at, columns = np.nonzero(covered)
        ones.append(layout.one_at[rows[at], columns])
        lines.append(offset + at)
        charged = layout.zeros[rows] & b
        zero_counts.append(charged.sum(axis=1))
        zeros.append(np.nonzero(charged)[1])
        same = layout.block_of[rows][:, None] == layout.block_of[rows][None, :]
        np.fill_diagonal(same, False)
        places = rows - layout.block_start[layout.block_of[rows]]
        slot_counts.append(same.sum(axis=1))
        slots.append(places[np.nonzero(same)[1]])
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


def worths(cells: Cells, prices: Prices) -> NDArray[np.float64]:
    """What each rectangle is worth at these prices."""
    left = np.empty(len(cells.one))
    left_over(
        prices.p, prices.along, prices.across,
        cells.one, cells.line, cells.zero_start, cells.zero, cells.slot_start, cells.slot, left,
    )  # fmt: skip
    np.maximum(left, 0.0, out=left)
    sums = np.append(0.0, np.cumsum(left))
    return np.asarray(sums[cells.start[1:]] - sums[cells.start[:-1]])


@njit(cache=True, nogil=True)
def left_over(
    p: NDArray[np.float64],
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    one: NDArray[np.int32],
    line: NDArray[np.int32],
    zero_start: NDArray[np.int64],
    zero: NDArray[np.int32],
    slot_start: NDArray[np.int64],
    slot: NDArray[np.int32],
    out: NDArray[np.float64],
) -> None:
    """For every cell the price of its one less the charges of the zeros beside it."""
    for t in range(len(one)):
        e, u = one[t], line[t]
        x = p[e]
        for v in range(zero_start[u], zero_start[u + 1]):
            x -= along[e, zero[v]]
        for v in range(slot_start[u], slot_start[u + 1]):
            x -= across[e, slot[v]]
        out[t] = x
