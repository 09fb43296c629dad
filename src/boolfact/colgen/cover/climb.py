"""Heuristic pricing: from a set of columns to better ones, by flips of one column at a time.

All flips of a set are evaluated side by side, with the kernels that exact pricing has for the
subsets of its last columns.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.cube import evaluate_lanes, refine_block
from boolfact.colgen.cover.point import CoverPoint

__all__ = ["best_rows", "climb_all", "set_worths"]

_LANES = 32
_NEVER = -(1 << 30)


def climb_all(
    point: CoverPoint, B: NDArray[np.bool_], steps: int = 60
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Climb from each set of columns; where it ends, and what that is worth."""
    layout = point.layout
    out = np.ascontiguousarray(B).copy()
    values = np.zeros(len(out), dtype=np.int64)
    charges = np.ascontiguousarray(point.along.T)
    for u in range(len(out)):
        values[u] = _climb(
            point.p, charges, layout.one_column, layout.row_start, layout.block_start,
            point.across, out[u], steps,
        )  # fmt: skip
    return out, values


def set_worths(point: CoverPoint, B: NDArray[np.bool_]) -> NDArray[np.int64]:
    """What each set of columns is worth with its best rows."""
    return climb_all(point, B, steps=0)[1]


def best_rows(point: CoverPoint, B: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each set of columns, its best rows, in the order of the layout.

    Rows of their own block are always taken: they lose nothing, and a master decides itself how
    far it uses them.
    """
    layout = point.layout
    A = np.zeros((len(B), layout.shape[0]), dtype=np.bool_)
    charges = np.ascontiguousarray(point.along.T)
    for a, b in zip(A, B, strict=True):
        _choose_rows(
            point.p, charges, layout.one_column, layout.row_start, layout.block_start,
            point.across, b, a,
        )  # fmt: skip
    return A


@njit(cache=True, nogil=True)
def _climb(
    p: NDArray[np.int32],
    charges: NDArray[np.int32],
    own: NDArray[np.int64],
    row_start: NDArray[np.int64],
    block_start: NDArray[np.int64],
    across: NDArray[np.int32],
    b: NDArray[np.bool_],
    steps: int,
) -> int:
    """Flip the best column while that helps; with no steps, only evaluate."""
    m, ones = charges.shape
    real = p.copy()
    for c in range(m):
        if b[c]:
            for e in range(ones):
                real[e] -= charges[c, e]
    base = np.empty(ones, np.int32)
    low = np.zeros((ones, 32), np.int32)
    left = np.empty((ones, 32), np.int32)
    live = np.empty(ones, np.int64)
    ends = np.zeros(len(row_start), np.int64)
    block_sum = np.empty((len(block_start) - 1, 32), np.int64)
    total = np.empty(32, np.int64)
    value = -1
    while True:
        best, flip = value, -1
        # The last lane is the set as it is.
        for first in range(0, m, 31):
            last = min(m, first + 31)
            for e in range(ones):
                inside = b[own[e]]
                toggled = first <= own[e] < last
                base[e] = _NEVER
                if not inside and not toggled:
                    continue
                base[e] = 1
                line = low[e]
                if inside:
                    line[:] = real[e] - 1
                    for c in range(first, last):
                        line[c - first] += charges[c, e] if b[c] else -charges[c, e]
                    if toggled:
                        line[own[e] - first] = _NEVER
                else:
                    line[:] = _NEVER
                    line[own[e] - first] = real[e] - 1
            evaluate_lanes(base, low, row_start, block_start, left, live, ends, block_sum, total)
            for u in range(len(block_start) - 1):
                if block_start[u + 1] - block_start[u] > 1:
                    refine_block(
                        block_start[u], block_start[u + 1], across, left, live, ends,
                        block_sum[u], total,
                    )  # fmt: skip
            if value < 0:
                value = total[31]
                best = value
            for c in range(first, last):
                if total[c - first] > best:
                    best, flip = total[c - first], c
        if flip < 0 or steps == 0:
            return value
        steps -= 1
        sign = 1 if b[flip] else -1
        for e in range(ones):
            real[e] += sign * charges[flip, e]
        b[flip] = not b[flip]
        value = best


@njit(cache=True, nogil=True)
def _choose_rows(
    p: NDArray[np.int32],
    charges: NDArray[np.int32],
    own: NDArray[np.int64],
    row_start: NDArray[np.int64],
    block_start: NDArray[np.int64],
    across: NDArray[np.int32],
    b: NDArray[np.bool_],
    a: NDArray[np.bool_],
) -> None:
    m, ones = charges.shape
    real = p.copy()
    for c in range(m):
        if b[c]:
            for e in range(ones):
                real[e] -= charges[c, e]
    for u in range(len(block_start) - 1):
        first, last = block_start[u], block_start[u + 1]
        size = last - first
        if size == 1:
            for e in range(row_start[first], row_start[first + 1]):
                if b[own[e]] and real[e] > 0:
                    a[first] = True
            continue
        best, chosen = np.int64(-1), 0
        for subset in range(1 << size):
            worth = np.int64(0)
            for r in range(size):
                if not subset >> r & 1:
                    continue
                for e in range(row_start[first + r], row_start[first + r + 1]):
                    if b[own[e]] and real[e] > 0:
                        x = real[e]
                        for s in range(size):
                            if subset >> s & 1:
                                x -= across[e, s]
                        worth += max(x, 0)
            if worth > best:
                best, chosen = worth, subset
        for r in range(size):
            a[first + r] = chosen >> r & 1 == 1
