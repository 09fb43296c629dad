"""Heuristic pricing: from a set of columns to better ones, by flips of one column at a time.

All flips of a set are evaluated side by side, with the kernels that exact pricing has for the
subsets of its last columns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.minima import LANES, take_off
from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.refine import Charged, charged_blocks, make_space, refine_block

__all__ = ["best_rows", "climb_all", "set_worths"]


def climb_all(
    point: CoverPoint,
    B: NDArray[np.bool_],
    steps: int = 60,
    over: Callable[[], bool] = lambda: False,
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Climb from each set of columns; where it ends, and what that is worth.

    `over` is asked after each of them whether to end: then only the first ones are given back.
    """
    layout = point.layout
    out = np.ascontiguousarray(B).copy()
    values = np.zeros(len(out), dtype=np.int64)
    charges = np.ascontiguousarray(point.along.T)
    charged = charged_blocks(point)
    for u in range(len(out)):
        values[u] = _climb(point.p, charges, layout.one_column, charged, out[u], steps)
        if over():
            return out[: u + 1], values[: u + 1]
    return out, values


def set_worths(
    point: CoverPoint, B: NDArray[np.bool_], over: Callable[[], bool] = lambda: False
) -> NDArray[np.int64]:
    """What each set of columns is worth with its best rows; of the first ones, if time is over."""
    return climb_all(point, B, 0, over)[1]


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
    charged: Charged,
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
    off = np.empty((ones, LANES), np.int32)
    space = make_space(charged)
    low = np.empty((len(charged.one), LANES), np.int32)
    total = np.empty((1, LANES), np.int32)
    value = -1
    while True:
        best, flip = value, -1
        # The last lane is the set as it is.
        for first in range(0, m, LANES - 1):
            last = min(m, first + LANES - 1)
            _flips(real, charges, own, b, first, last, base, off)
            total[0, :] = np.int32(base.sum())
            take_off(off, base, 0, ones, total, 0)
            for u in range(len(charged.one)):
                low[u] = off[charged.one[u]]
            for q in range(len(charged.rows) - 1):
                refine_block(charged, q, base, low, space, total)
            if value < 0:
                value = int(total[0, LANES - 1])
                best = value
            for c in range(first, last):
                if total[0, c - first] > best:
                    best, flip = int(total[0, c - first]), c
        if flip < 0 or steps == 0:
            return value
        steps -= 1
        sign = 1 if b[flip] else -1
        for e in range(ones):
            real[e] += sign * charges[flip, e]
        b[flip] = not b[flip]
        value = best


@njit(cache=True, nogil=True)
def _flips(
    real: NDArray[np.int32],
    charges: NDArray[np.int32],
    own: NDArray[np.int64],
    b: NDArray[np.bool_],
    first: int,
    last: int,
    base: NDArray[np.int32],
    off: NDArray[np.int32],
) -> None:
    """The most that a flip leaves of each one, and what each flip takes off that.

    Lane c - first flips column c; the lanes from last - first on flip nothing.
    """
    none = np.int32(0)
    for e in range(len(real)):
        is_inside = b[own[e]]
        is_flipped = first <= own[e] < last
        if not is_inside:
            base[e] = max(real[e], none) if is_flipped else none
            off[e, :] = base[e]
            if is_flipped:
                off[e, own[e] - first] = 0
            continue
        # Whoever leaves gives its charge back.
        most = real[e]
        for c in range(first, last):
            if b[c]:
                most = max(most, np.int32(real[e] + charges[c, e]))
        most = max(most, none)
        base[e] = most
        off[e, :] = np.int32(most - real[e])
        for c in range(first, last):
            change = charges[c, e]
            off[e, c - first] -= change if b[c] else -change
        if is_flipped:
            off[e, own[e] - first] = most


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
