"""Exact pricing by a walk through all sets of columns, for matrices with few columns.

The worth of a set b is a sum over blocks of rows, each with the best of its subsets. Without the
charges between different rows it is a sum over single ones, which is larger and quick to get:
most sets are done with after that. For the others blocks are evaluated one after the other until
the sum is no longer above the threshold. The last few columns are not walked: all their subsets
are evaluated side by side. Everything is a whole number.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.group_bound import group_bound
from boolfact.colgen.cover.minima import LANES, take_off
from boolfact.colgen.cover.plan import LOW, NEVER, Walk, plan_walk
from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.refine import make_space, refine_block
from boolfact.control.executor import Executor

__all__ = ["MOST_COLUMNS", "CubePricing", "price_by_walking"]

MOST_COLUMNS = 60
"""More sets than this many columns have could not be walked through in years."""
_KEPT = 64
"""Sets kept by each task, the best of those above the threshold."""
_TASKS = 256
"""Parts of the walk, whatever the number of workers."""
_WORK_PER_CALL = 40_000_000
"""Minima added up, in all lanes at once, in one call of the kernel: some hundredths of a second."""
_DEPTH, _MASK, _BEST, _LOOKED, _COUNT = 0, 1, 2, 3, 4
"""Places in the state of a subtree."""
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class CubePricing:
    """What a walk found.

    Attributes
    ----------
    upper_bound : int
        No rectangle is worth more, in units of 1 / scale; valid however the walk ended.
    is_complete : bool
        Whether all sets were looked at.
    B : ndarray of bool, shape (found, m)
        The best sets of columns above the threshold.
    worths : ndarray of int64, shape (found,)
        What they are worth, best first.
    walked : int
        Sets looked at.
    seconds : float
    has_all : bool
        Whether no set above the threshold is missing.
    """

    upper_bound: int
    is_complete: bool
    B: NDArray[np.bool_]
    worths: NDArray[np.int64]
    walked: int
    seconds: float
    has_all: bool = False


class _Subtree(NamedTuple):
    """A part of the walk; the kernel changes its arrays.

    Attributes
    ----------
    first : int
        Columns before this one are decided.
    bases : ndarray, shape (depth + 1, ones)
        What is left of each one, at each depth of the present path.
    phase : ndarray, shape (depth + 1,)
        At each depth, whether the column was not tried yet (0), taken (1), or skipped (2).
    state : ndarray, shape (5,)
        See `_DEPTH` and those after it.
    masks, worths : ndarray
        The sets that are kept.
    """

    first: int
    bases: NDArray[np.int32]
    phase: NDArray[np.int8]
    state: NDArray[np.int64]
    masks: NDArray[np.int64]
    worths: NDArray[np.int64]

    @classmethod
    def below(
        cls, walk: Walk, base: NDArray[np.int32], first: int, mask: int, kept: int
    ) -> _Subtree:
        """All sets that continue `mask`, which decides on the columns before `first`."""
        depth = walk.high - first
        bases = np.empty((depth + 1, len(base)), dtype=np.int32)
        bases[0] = base
        state = np.zeros(5, dtype=np.int64)
        state[_MASK] = mask
        return cls(
            first, bases, np.zeros(depth + 1, dtype=np.int8), state,
            np.zeros(kept, dtype=np.int64), np.zeros(kept, dtype=np.int64),
        )  # fmt: skip

    def run(self, walk: Walk, threshold: int, budget: int) -> bool:
        """Walk on for about `budget` minima; whether nothing is left."""
        return bool(_walk(self, walk, threshold, budget))

    def upper_bound(self) -> int:
        """No set of what is left is worth more: charges only grow."""
        if self.state[_DEPTH] < 0:
            return 0
        return int(np.maximum(self.bases[0], 0).sum(dtype=np.int64))


def price_by_walking(
    point: CoverPoint,
    threshold: int,
    executor: Executor,
    over: Callable[[], bool] = lambda: False,
    kept: int = _KEPT,
) -> CubePricing:
    """Look for sets of columns worth more than the threshold, among all of them.

    Parameters
    ----------
    point : CoverPoint
    threshold : int
        Sets worth at most this are not told apart; below 0 it is 0, the worth of no column.
    executor : Executor
        The walk is divided into tasks; the answer does not depend on the workers.
    over : callable
        Asked every tenth of a second or so whether to end.
    kept : int
        Sets kept by each of the tasks.
    """
    began = time.perf_counter()
    m = point.layout.shape[1]
    if m > MOST_COLUMNS:
        raise ValueError(f"a walk takes at most {MOST_COLUMNS} columns, got {m}")
    threshold = max(0, threshold)
    walk = plan_walk(point)
    trees = _open_subtrees(walk, threshold, kept)

    def run(tree: _Subtree) -> bool:
        while not over():
            if tree.run(walk, threshold, _WORK_PER_CALL):
                return True
        return False

    upper, complete, walked, has_all = threshold, True, 0, True
    for tree, finished in zip(trees, executor.map(run, trees), strict=True):
        walked += int(tree.state[_LOOKED])
        upper = max(upper, int(tree.state[_BEST]))
        has_all = has_all and int(tree.state[_COUNT]) < kept
        if not finished:
            complete = False
            upper = max(upper, tree.upper_bound())
    worths = np.concatenate([tree.worths[: tree.state[_COUNT]] for tree in trees] or [_NONE])
    masks = np.concatenate([tree.masks[: tree.state[_COUNT]] for tree in trees] or [_NONE])
    first = np.argsort(-worths, kind="stable")
    # With fewer columns than lanes have bits, the lowest bits stand for none.
    bits = (masks[first][:, None] >> (np.arange(m) + walk.high + LOW - m)[None, :]) & 1
    B = np.zeros((len(first), m), dtype=np.bool_)
    B[:, walk.order] = bits == 1
    seconds = time.perf_counter() - began
    return CubePricing(
        upper, complete, B, worths[first], walked, seconds, has_all=complete and has_all
    )


def _open_subtrees(walk: Walk, threshold: int, kept: int) -> list[_Subtree]:
    """The walk cut into parts: breadth-first until there are enough of them."""
    level = [(walk.p.copy(), 0)]
    first = 0
    while first < walk.high and len(level) < _TASKS:
        column = first
        below = []
        for base, mask in level:
            taken = base - walk.charges[column]
            skipped = base.copy()
            skipped[walk.starts[column] : walk.starts[column + 1]] = NEVER
            below += [(taken, mask | 1 << column), (skipped, mask)]
        first += 1
        level = [
            (base, mask)
            for base, mask in below
            if int(np.maximum(base, 0).sum(dtype=np.int64)) > threshold
        ]
    return [_Subtree.below(walk, base, first, mask, kept) for base, mask in level]


@njit(cache=True, nogil=True)
def _walk(tree: _Subtree, walk: Walk, threshold: int, budget: int) -> bool:
    """Take or skip the columns from `first` to `high`; evaluate all low ones at each end."""
    first, bases, phase, state, masks, worths = tree
    high, starts = walk.high, walk.starts
    depth_count = high - first
    prices = np.empty(bases.shape[1], np.int32)
    total = np.empty((1, LANES), np.int32)
    space = make_space(walk.charged)
    d = state[_DEPTH]
    mask = state[_MASK]
    work = 0
    while d >= 0 and work < budget:
        base = bases[d]
        column = first + d
        if phase[d] == 0 and d < depth_count and (high - column) % LOW == 0:
            work += len(base) * (high - column) // LOW
            if group_bound(base, walk, column) <= threshold:
                d -= 1
                continue
        if d == depth_count:
            state[_LOOKED] += LANES
            work += len(base)
            _add_up_lanes(base, walk, mask, prices, total)
            most = total.max()
            for q in range(len(walk.charged.rows) - 1):
                if most <= threshold:
                    break
                work += refine_block(walk.charged, q, base, walk.low, space, total)
                most = total.max()
            if most > threshold:
                for lane in range(LANES):
                    if total[0, lane] > threshold:
                        _keep(mask | (lane << high), total[0, lane], masks, worths, state)
            d -= 1
            continue
        if phase[d] == 2:
            d -= 1
            continue
        if phase[d] == 0:
            mask |= 1 << column
            potential = _take(base, walk.charges[column], bases[d + 1])
        else:
            mask &= ~(1 << column)
            potential = _skip(base, starts[column], starts[column + 1], bases[d + 1])
        phase[d] += 1
        work += len(base) // LANES
        # Charges only grow: nothing below this node is worth more than what is left now.
        if potential > threshold:
            d += 1
            phase[d] = 0
    state[_DEPTH], state[_MASK] = d, mask
    return d < 0


@njit(cache=True, nogil=True)
def _take(base: NDArray[np.int32], charge: NDArray[np.int32], after: NDArray[np.int32]) -> int:
    """What is left after a column's charges, one by one, and the sum of its positive parts."""
    none = np.int32(0)
    potential = np.int32(0)
    for e in range(len(base)):
        x = np.int32(base[e] - charge[e])
        after[e] = x
        potential = np.int32(potential + max(x, none))
    return int(potential)


@njit(cache=True, nogil=True)
def _skip(base: NDArray[np.int32], begin: int, end: int, after: NDArray[np.int32]) -> int:
    """What is left without the ones of a column, and the sum of its positive parts."""
    none = np.int32(0)
    potential = np.int32(0)
    for e in range(len(base)):
        x = base[e]
        after[e] = x
        potential = np.int32(potential + max(x, none))
    for e in range(begin, end):
        potential = np.int32(potential - max(base[e], none))
        after[e] = NEVER
    return int(potential)


@njit(cache=True, nogil=True)
def _add_up_lanes(
    base: NDArray[np.int32],
    walk: Walk,
    mask: int,
    prices: NDArray[np.int32],
    total: NDArray[np.int32],
) -> None:
    """Every set of the low columns without the charges between rows: sums of positive parts."""
    none = np.int32(0)
    left = np.int32(0)
    for e in range(len(base)):
        x = max(base[e], none)
        prices[e] = x
        left = np.int32(left + x)
    total[0, :] = left
    for c in range(walk.high):
        if mask >> c & 1:
            take_off(walk.tables[0], prices, walk.starts[c], walk.starts[c + 1], total, 0)
    take_off(walk.tables[0], prices, walk.starts[walk.high], len(base), total, 0)


@njit(cache=True, nogil=True)
def _keep(
    mask: int,
    worth: int,
    masks: NDArray[np.int64],
    worths: NDArray[np.int64],
    state: NDArray[np.int64],
) -> None:
    """Note a set; where there is no room, in place of the least one."""
    state[_BEST] = max(state[_BEST], worth)
    kept = state[_COUNT]
    if kept < len(masks):
        masks[kept], worths[kept] = mask, worth
        state[_COUNT] = kept + 1
        return
    least = worths.argmin()
    if worth > worths[least]:
        masks[least], worths[least] = mask, worth
