"""Search around a circle with blocks of two rows.

In a block a rectangle covers the one row, the other, or both, so a set of columns is worth there

    max( sum of x_e over row 0,  sum of x_e over row 1,  sum of y_e over both rows ),

of positive parts each: x_e is the price of e, if its column is taken, less the charges along its
row; y_e is x_e less what a zero of the other row charges in the column of e. Both are sums over the
columns taken, so the worth is sublinear, and the lemma of `boolfact.pricing.rotation` holds for it.

Numbers that belong to the same place of 16 blocks lie side by side: then no sum is made across a
vector. All x_e come first, and their sum is an upper bound: most sets are given up after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.point import CoverPoint
from boolfact.pricing.circle import Circle, Subtree
from boolfact.pricing.rotation import BEST, DEPTH, NODES, ROOT, UNIT, thresholds

__all__ = ["PairCircle", "Pairs", "make_pairs", "search_pairs_a_little"]

_WIDTH = 16
"""Blocks side by side."""
_PLACES = 4
"""Of the first of each: ones of row 0 that no zero charges across, those that one does, and the
same of row 1. What is left of the second and fourth after that charge comes at the end."""


class Pairs(NamedTuple):
    """Where the numbers of the blocks are, in groups of 16 blocks.

    Attributes
    ----------
    first : ndarray, shape (groups, 4)
        Where the x of each place begin.
    after : ndarray, shape (groups, 2)
        Where the y of rows 0 and 1 begin.
    long : ndarray, shape (groups, 4)
        How many times 16 numbers there are of each place.
    plain : int
        How many x there are in all groups; the y follow.
    """

    first: NDArray[np.int64]
    after: NDArray[np.int64]
    long: NDArray[np.int64]
    plain: int


def make_pairs(point: CoverPoint) -> tuple[Pairs, NDArray[np.int64]]:
    """Where the numbers are, and what every column brings to each of them, one column a row.

    Blocks may have one row or two.
    """
    layout = point.layout
    if layout.slots > 2:
        raise ValueError(f"blocks of at most two rows are priced so, got one of {layout.slots}")
    across = point.across.sum(axis=1, dtype=np.int64)
    row = layout.one_row - layout.block_start[layout.block_of[layout.one_row]]
    place = 2 * row + (across > 0)
    block = layout.block_of[layout.one_row]
    priced = point.p > 0
    count = np.zeros((len(layout.block_start) - 1, _PLACES), dtype=np.int64)
    np.add.at(count, (block[priced], place[priced]), 1)
    # Blocks of like size side by side, so little room is left empty.
    order = np.argsort(-count.sum(axis=1), kind="stable")
    groups = -(-len(order) // _WIDTH)
    group, lane = np.empty_like(order), np.empty_like(order)
    group[order], lane[order] = np.divmod(np.arange(len(order)), _WIDTH)
    long = np.zeros((groups, _PLACES), dtype=np.int64)
    np.maximum.at(long, group, count)
    ends = np.cumsum(_WIDTH * long.ravel())
    first = (ends - _WIDTH * long.ravel()).reshape(groups, _PLACES)
    plain = int(ends[-1])
    charged = _WIDTH * long[:, 1::2].ravel()
    after = (plain + np.cumsum(charged) - charged).reshape(groups, 2)
    m = layout.shape[1]
    brought = np.zeros((m, plain + int(charged.sum())), dtype=np.int64)
    used = np.zeros_like(count)
    for e in np.flatnonzero(priced):
        u, q = block[e], place[e]
        step = _WIDTH * used[u, q] + lane[u]
        used[u, q] += 1
        mine = [(int(first[group[u], q] + step), int(point.p[e]))]
        if q % 2:
            mine.append((int(after[group[u], q // 2] + step), int(point.p[e] - across[e])))
        for at, price in mine:
            brought[:, at] = -point.along[e].astype(np.int64)
            brought[layout.one_column[e], at] = price
    return Pairs(first, after, long, plain), brought


class PairCircle(Circle):
    """A circle whose subtrees take the best rows of each pair.

    Parameters
    ----------
    pairs : Pairs
    columns, order, weights, usual
        As for `Circle`.
    """

    def __init__(
        self,
        pairs: Pairs,
        columns: NDArray[np.int64],
        order: NDArray[np.intp],
        weights: NDArray[np.float64],
        usual: NDArray[np.float64],
    ) -> None:
        super().__init__(columns, order, weights, usual)
        self._pairs = pairs

    def subtree(self, start: int) -> Subtree:
        """The whole search that begins at `start`."""
        plain = super().subtree(start)
        return _PairTree(
            plain.start, plain.steps, plain.weights, plain.sums, plain.phase, plain.control,
            plain.found, self._pairs,
        )  # fmt: skip


@dataclass(eq=False)
class _PairTree(Subtree):
    """A part of the search."""

    pairs: Pairs

    def walk(self, budget: int) -> bool:
        """Go on for some nodes; whether nothing is left."""
        return bool(
            _search(
                self.steps, self.weights, self.sums, self.phase, self.control, self.found,
                self.pairs, budget,
            )
        )  # fmt: skip


def search_pairs_a_little() -> None:
    """Have the kernel compiled, or loaded."""
    place = np.zeros((1, _PLACES), dtype=np.int64)
    pairs = Pairs(place, np.zeros((1, 2), dtype=np.int64), place, _WIDTH)
    columns, even = np.ones((2, _WIDTH), dtype=np.int64), np.ones(2)
    PairCircle(pairs, columns, np.arange(2), even, 0 * even).subtree(0).run(0, 10)


@njit(cache=True, nogil=True)
def _search(
    steps: NDArray[Any],
    weights: NDArray[np.int64],
    sums: NDArray[Any],
    phase: NDArray[np.int8],
    control: NDArray[np.int64],
    found: NDArray[np.bool_],
    pairs: Pairs,
    budget: int,
) -> bool:
    """As `boolfact.pricing.rotation.search`, but for the worth."""
    _, m, n = steps.shape
    shares = np.empty(m + 1, np.int64)
    thresholds(weights, control[BEST] + control[UNIT], shares)
    parts = np.zeros((6, _WIDTH), sums.dtype)
    d = control[DEPTH]
    nodes = 0
    while d >= control[ROOT]:
        if phase[d] >= 2:
            d -= 1
            continue
        if nodes == budget:
            break
        step = steps[phase[d], d]
        phase[d] += 1
        nodes += 1
        worth = _advance(sums[d], step, sums[d + 1], 0, pairs.plain)
        if worth < shares[d + 1]:
            continue
        _advance(sums[d], step, sums[d + 1], pairs.plain, n)
        worth = _worth(sums[d + 1], pairs, parts)
        if worth < shares[d + 1]:
            continue
        if d + 1 == m:
            for r in range(m):
                found[r] = phase[r] % 2 == 1
            control[BEST] = worth
            thresholds(weights, control[BEST] + control[UNIT], shares)
            continue
        d += 1
        phase[d] = 0
    control[DEPTH] = d
    control[NODES] += nodes
    return d < control[ROOT]


@njit(cache=True, nogil=True)
def _advance(
    before: NDArray[Any], step: NDArray[Any], after: NDArray[Any], first: int, last: int
) -> Any:
    """One more column for some of the numbers; the sum of their positive parts."""
    kind = before.dtype.type
    zero = kind(0)
    worth = kind(0)
    for i in range(first, last):
        x = kind(before[i] + step[i])
        after[i] = x
        worth = kind(worth + max(x, zero))
    return worth


@njit(cache=True, nogil=True)
def _worth(x: NDArray[Any], pairs: Pairs, parts: NDArray[Any]) -> np.int64:
    """The best rows of each pair."""
    kind = x.dtype.type
    zero = kind(0)
    total = np.int64(0)
    for g in range(len(pairs.first)):
        for q in range(6):
            at = pairs.first[g, q] if q < 4 else pairs.after[g, q - 4]
            long = pairs.long[g, q] if q < 4 else pairs.long[g, 2 * (q - 4) + 1]
            for lane in range(_WIDTH):
                parts[q, lane] = zero
            for _ in range(long):
                for lane in range(_WIDTH):
                    parts[q, lane] = kind(parts[q, lane] + max(x[at + lane], zero))
                at += _WIDTH
        for lane in range(_WIDTH):
            alone = max(parts[0, lane] + parts[1, lane], parts[2, lane] + parts[3, lane])
            both = parts[0, lane] + parts[4, lane] + parts[2, lane] + parts[5, lane]
            total += max(alone, both)
    return total
