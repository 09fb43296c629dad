"""Rectangles spelled out: which ones each covers, and which zeros charge them there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.packed import Packed

__all__ = ["Cells", "add_up", "left_over", "spell_out", "sums_by_rectangle"]


class Cells(NamedTuple):
    """The covered ones ("cells") of some rectangles, one rectangle after the other.

    Attributes
    ----------
    start : ndarray, shape (rectangles + 1,)
        Cells of rectangle r are start[r] to start[r + 1].
    runs : ndarray, shape (rectangles + 1,)
        Its runs are runs[r] to runs[r + 1]: its cells in one block, or all in blocks of one row.
    ends : ndarray, shape (runs + 1,)
        Cells of run v are ends[v] to ends[v + 1].
    one : ndarray, shape (cells,)
        The one that each cell covers.
    B : ndarray of float32, shape (rectangles, m)
        Columns of the rectangles. Charges are 0 where there is no zero, so all may be added up.
    beside : ndarray, shape (runs,)
        The rows of the rectangle in the block of each run, as bits.
    """

    start: NDArray[np.int64]
    runs: NDArray[np.int64]
    ends: NDArray[np.int64]
    one: NDArray[np.int32]
    B: NDArray[np.float32]
    beside: NDArray[np.int64]

    def followed_by(self, more: Cells) -> Cells:
        """These rectangles and then some more."""
        return Cells(
            start=_run_on(self.start, more.start),
            runs=_run_on(self.runs, more.runs),
            ends=_run_on(self.ends, more.ends),
            one=np.concatenate([self.one, more.one]),
            B=np.vstack([self.B, more.B]),
            beside=np.concatenate([self.beside, more.beside]),
        )


def _run_on(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([first, first[-1] + second[1:]])


def spell_out(layout: Layout, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> Cells:
    """Rectangles, rows in the order of the layout, as cells."""
    none = np.zeros(0, dtype=np.int64)
    run_counts, cell_counts, ones, beside = [], [none], [none], [none]
    # Where every row is a block, no row charges another one, and there is but one run.
    several = layout.slots > 1
    run_of = layout.block_of if several else np.zeros_like(layout.block_of)
    run_count = int(run_of[-1]) + 1
    place = np.arange(layout.shape[0]) - layout.block_start[layout.block_of]
    for a, b in zip(A, B, strict=True):
        covered = layout.one_at[(layout.one_at >= 0) & b & a[:, None]]
        cells = np.bincount(run_of[layout.one_row[covered]], minlength=run_count)
        used = np.flatnonzero(cells)
        # A row without a covered one has no cells, but its zeros charge those of other rows.
        bits = np.zeros(run_count, dtype=np.int64)
        if several:
            taken = np.flatnonzero(a)
            np.bitwise_or.at(bits, run_of[taken], np.left_shift(1, place[taken]))
        run_counts.append(len(used))
        cell_counts.append(cells[used])
        ones.append(covered)
        beside.append(bits[used])
    runs = np.append(0, np.cumsum(np.array(run_counts, dtype=np.int64)))
    ends = np.append(0, np.cumsum(np.concatenate(cell_counts)))
    return Cells(
        start=ends[runs],
        runs=runs,
        ends=ends,
        one=np.concatenate(ones).astype(np.int32),
        B=B.astype(np.float32),
        beside=np.concatenate(beside),
    )


def sums_by_rectangle(cells: Cells, values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Sums over the cells of each rectangle."""
    total = np.append(0.0, np.cumsum(values, dtype=np.float64))
    return np.asarray(total[cells.start[1:]] - total[cells.start[:-1]])


def left_over(cells: Cells, packed: Packed) -> NDArray[np.float32]:
    """For every cell the price of its one less the charges of the zeros beside it."""
    out = np.empty(len(cells.one), dtype=np.float32)
    _left_over(cells, packed.p, packed.charges, out)
    return out


def add_up(cells: Cells, u: NDArray[np.float32], like: Packed) -> Packed:
    """How far shares cover each one, alone and together with each zero that may charge it."""
    out = Packed(np.zeros_like(like.p), np.zeros_like(like.charges))
    _add_up(cells, u, out.p, out.charges)
    return out


# Sums in any order: that is what makes vectors possible.
@njit(cache=True, nogil=True, fastmath=True)
def _left_over(
    cells: Cells,
    p: NDArray[np.float32],
    charges: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    width = charges.shape[1]
    inside = np.zeros(width, np.float32)
    for r in range(len(cells.B)):
        inside[: cells.B.shape[1]] = cells.B[r]
        for v in range(cells.runs[r], cells.runs[r + 1]):
            _mark(inside, cells.B.shape[1], cells.beside[v])
            for t in range(cells.ends[v], cells.ends[v + 1]):
                e = cells.one[t]
                charge = np.float32(0)
                for c in range(width):
                    charge += charges[e, c] * inside[c]
                out[t] = p[e] - charge


@njit(cache=True, nogil=True, fastmath=True)
def _add_up(
    cells: Cells,
    u: NDArray[np.float32],
    cover: NDArray[np.float32],
    charged: NDArray[np.float32],
) -> None:
    width = charged.shape[1]
    inside = np.zeros(width, np.float32)
    for r in range(len(cells.B)):
        inside[: cells.B.shape[1]] = cells.B[r]
        for v in range(cells.runs[r], cells.runs[r + 1]):
            _mark(inside, cells.B.shape[1], cells.beside[v])
            for t in range(cells.ends[v], cells.ends[v + 1]):
                x = u[t]
                if x == 0:
                    continue
                e = cells.one[t]
                cover[e] += x
                for c in range(width):
                    charged[e, c] += x * inside[c]


@njit(cache=True, nogil=True)
def _mark(inside: NDArray[np.float32], first: int, bits: int) -> None:
    """Write bits as numbers, from place `first` on; there is room for all."""
    for c in range(first, len(inside)):
        inside[c] = bits >> (c - first) & 1
