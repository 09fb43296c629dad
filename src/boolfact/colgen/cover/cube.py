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

from boolfact.colgen.cover.point import CoverPoint
from boolfact.control.executor import Executor

__all__ = [
    "MOST_COLUMNS",
    "CubePricing",
    "Walk",
    "evaluate_lanes",
    "group_bound",
    "plan_walk",
    "price_by_walking",
    "refine_block",
]

MOST_COLUMNS = 60
"""More sets than this many columns have could not be walked through in years."""
_LOW = 5
_LANES = 1 << _LOW
_KEPT = 64
"""Sets kept by each task, the best of those above the threshold."""
_TASKS = 256
"""Parts of the walk, whatever the number of workers."""
_WORK_PER_CALL = 4_000_000
"""Ones evaluated, 32 sets at a time, in one call of the kernel: some hundredths of a second."""
_NEVER = -(1 << 30)
"""Below every price that a point may have, and with all charges still inside 32 bits."""
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
    """

    upper_bound: int
    is_complete: bool
    B: NDArray[np.bool_]
    worths: NDArray[np.int64]
    walked: int
    seconds: float


class Walk(NamedTuple):
    """The columns in the order of the walk, and what the kernels need to know of them.

    Columns are walked in groups of five, which end with the low ones. Columns that harm each
    other most are in one group: the bound adds up over groups, so what is in one group counts.

    Attributes
    ----------
    order : ndarray, shape (m,)
        The column at each place of the walk.
    own : ndarray, shape (ones,)
        The place of each one's column.
    p : ndarray, shape (ones,)
    charges : ndarray, shape (m, ones)
        What taking the column at each place charges each one.
    members, starts : ndarray
        The ones of the column at place c are members[starts[c] : starts[c + 1]].
    tables : ndarray, shape (groups, ones, 32)
        What each choice of the columns of a group takes off each one; groups are counted from
        the end, where they are full.
    high : int
        The places before this one are walked, the low ones after it evaluated side by side.
    row_start, block_start, across
        As in the layout and the point.
    refine : ndarray
        Blocks of several rows, in the order in which to evaluate them.
    """

    order: NDArray[np.int64]
    own: NDArray[np.int64]
    p: NDArray[np.int32]
    charges: NDArray[np.int32]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    tables: NDArray[np.int32]
    high: int
    row_start: NDArray[np.int64]
    block_start: NDArray[np.int64]
    across: NDArray[np.int32]
    refine: NDArray[np.int64]


def plan_walk(point: CoverPoint) -> Walk:
    """Put the columns in order, and tabulate the choices in each group."""
    layout = point.layout
    m = layout.shape[1]
    order = _grouped_order(point)
    place = np.empty(m, dtype=np.int64)
    place[order] = np.arange(m)
    own = place[layout.one_column]
    charges = np.ascontiguousarray(point.along.T[order])
    members = np.argsort(own, kind="stable")
    tables = np.zeros((-(-m // _LOW), len(own), _LANES), dtype=np.int32)
    lanes = np.arange(_LANES)
    for group, table in enumerate(tables):
        for bit in range(_LOW):
            column = m - _LOW * (group + 1) + bit
            taken = (lanes >> bit) & 1 == 1
            if column < 0:
                # There is no such column: whatever takes it is worth nothing.
                table[:, taken] = _NEVER
                continue
            table[:, taken] -= charges[column][:, None]
            table[np.ix_(own == column, ~taken)] = _NEVER
    return Walk(
        order=order,
        own=own,
        p=point.p,
        charges=charges,
        members=members,
        starts=np.searchsorted(own[members], np.arange(m + 1)),
        tables=tables,
        high=max(0, m - _LOW),
        row_start=layout.row_start,
        block_start=layout.block_start,
        across=point.across,
        refine=_order_to_refine(point),
    )


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
    def below(cls, walk: Walk, base: NDArray[np.int32], first: int, mask: int) -> _Subtree:
        """All sets that continue `mask`, which decides on the columns before `first`."""
        depth = walk.high - first
        bases = np.empty((depth + 1, len(base)), dtype=np.int32)
        bases[0] = base
        state = np.zeros(5, dtype=np.int64)
        state[_MASK] = mask
        return cls(
            first, bases, np.zeros(depth + 1, dtype=np.int8), state,
            np.zeros(_KEPT, dtype=np.int64), np.zeros(_KEPT, dtype=np.int64),
        )  # fmt: skip

    def run(self, walk: Walk, threshold: int, budget: int) -> bool:
        """Walk on for about `budget` evaluations; whether nothing is left."""
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
    """
    began = time.perf_counter()
    m = point.layout.shape[1]
    if m > MOST_COLUMNS:
        raise ValueError(f"a walk takes at most {MOST_COLUMNS} columns, got {m}")
    threshold = max(0, threshold)
    walk = plan_walk(point)
    budget = max(1, _WORK_PER_CALL // (len(point.p) * (1 + (1 << point.layout.slots) // 4)))
    trees = _open_subtrees(walk, threshold)

    def run(tree: _Subtree) -> bool:
        while not over():
            if tree.run(walk, threshold, budget):
                return True
        return False

    upper, complete, walked = threshold, True, 0
    for tree, finished in zip(trees, executor.map(run, trees), strict=True):
        walked += int(tree.state[_LOOKED])
        upper = max(upper, int(tree.state[_BEST]))
        if not finished:
            complete = False
            upper = max(upper, tree.upper_bound())
    worths = np.concatenate([tree.worths[: tree.state[_COUNT]] for tree in trees] or [_NONE])
    masks = np.concatenate([tree.masks[: tree.state[_COUNT]] for tree in trees] or [_NONE])
    first = np.argsort(-worths, kind="stable")
    # With fewer columns than lanes have bits, the lowest bits stand for none.
    bits = (masks[first][:, None] >> (np.arange(m) + walk.high + _LOW - m)[None, :]) & 1
    B = np.zeros((len(first), m), dtype=np.bool_)
    B[:, walk.order] = bits == 1
    return CubePricing(upper, complete, B, worths[first], walked, time.perf_counter() - began)


def _open_subtrees(walk: Walk, threshold: int) -> list[_Subtree]:
    """The walk cut into parts: breadth-first until there are enough of them."""
    level = [(walk.p.copy(), 0)]
    first = 0
    while first < walk.high and len(level) < _TASKS:
        column = first
        below = []
        for base, mask in level:
            taken = base - walk.charges[column]
            skipped = base.copy()
            skipped[walk.own == column] = _NEVER
            below += [(taken, mask | 1 << column), (skipped, mask)]
        first += 1
        level = [
            (base, mask)
            for base, mask in below
            if int(np.maximum(base, 0).sum(dtype=np.int64)) > threshold
        ]
    return [_Subtree.below(walk, base, first, mask) for base, mask in level]


def _grouped_order(point: CoverPoint) -> NDArray[np.int64]:
    """Dearest columns first, each followed by those that it harms, and that harm it, most."""
    layout = point.layout
    m = layout.shape[1]
    own = layout.one_column
    harm = np.zeros((m, m))
    lost = np.minimum(point.along, np.maximum(point.p, 0)[:, None])
    np.add.at(harm, own, lost)
    harm = harm + harm.T
    price = np.bincount(own, weights=point.p, minlength=m)
    free = np.ones(m, dtype=np.bool_)
    order: list[int] = []
    # The first group may be short: the groups are full from the end on.
    size = m % _LOW or _LOW
    while len(order) < m:
        group = [int(np.argmax(np.where(free, price, -1.0)))]
        free[group[0]] = False
        while len(group) < size:
            worst = int(np.argmax(np.where(free, harm[group].sum(axis=0), -1.0)))
            free[worst] = False
            group.append(worst)
        order += group
        size = _LOW
    return np.array(order, dtype=np.int64)


def _order_to_refine(point: CoverPoint) -> NDArray[np.int64]:
    """Blocks of several rows, those first in which rows charge each other most."""
    layout = point.layout
    sizes = np.diff(layout.block_start)
    block = layout.block_of[layout.one_row]
    charged = np.bincount(block, weights=point.across.sum(axis=1), minlength=len(sizes))
    several = np.flatnonzero((sizes > 1) & (charged > 0))
    return several[np.argsort(-charged[several], kind="stable")]


@njit(cache=True, nogil=True)
def _walk(tree: _Subtree, walk: Walk, threshold: int, budget: int) -> bool:
    """Take or skip the columns from `first` to `high`; evaluate all low ones at each end."""
    first, bases, phase, state, masks, worths = tree
    charges, members, starts, high = walk.charges, walk.members, walk.starts, walk.high
    row_start, block_start = walk.row_start, walk.block_start
    across, refine = walk.across, walk.refine
    ones = bases.shape[1]
    depth_count = high - first
    # What is left of each live one, in every lane; the live ones in order; ends of rows.
    left = np.empty((ones, _LANES), np.int32)
    live = np.empty(ones, np.int64)
    ends = np.zeros(len(row_start), np.int64)
    block_sum = np.empty((len(block_start) - 1, _LANES), np.int64)
    total = np.empty(_LANES, np.int64)
    low = walk.tables[0]
    turned = np.ascontiguousarray(low.T)
    d = state[_DEPTH]
    mask = state[_MASK]
    work = 0
    while d >= 0 and work < budget:
        base = bases[d]
        column = first + d
        if phase[d] == 0 and d < depth_count and (high - column) % _LOW == 0:
            work += 1
            if group_bound(base, walk, column) <= threshold:
                d -= 1
                continue
        if d == depth_count:
            state[_LOOKED] += _LANES
            work += 1
            if len(refine):
                evaluate_lanes(
                    base, low, row_start, block_start, left, live, ends, block_sum, total
                )
            else:
                _add_up_lanes(base, turned, total)
            most = total.max()
            if most > threshold:
                for q in range(len(refine)):
                    u = refine[q]
                    refine_block(
                        block_start[u], block_start[u + 1], across, left, live, ends,
                        block_sum[u], total,
                    )  # fmt: skip
                    if q % 2 == 1 or q == len(refine) - 1:
                        most = total.max()
                        if most <= threshold:
                            break
                if most > threshold:
                    for lane in range(_LANES):
                        if total[lane] > threshold:
                            _keep(mask | (lane << high), total[lane], masks, worths, state)
            d -= 1
            continue
        if phase[d] == 2:
            d -= 1
            continue
        after = bases[d + 1]
        if phase[d] == 0:
            mask |= 1 << column
            potential = _take(base, charges[column], after)
        else:
            mask &= ~(1 << column)
            potential = _skip(base, members[starts[column] : starts[column + 1]], after)
        phase[d] += 1
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
def _skip(base: NDArray[np.int32], members: NDArray[np.int64], after: NDArray[np.int32]) -> int:
    """What is left without the ones of a column, and the sum of its positive parts."""
    none = np.int32(0)
    potential = np.int32(0)
    for e in range(len(base)):
        x = base[e]
        after[e] = x
        potential = np.int32(potential + max(x, none))
    for e in members:
        potential = np.int32(potential - max(base[e], none))
        after[e] = _NEVER
    return int(potential)


@njit(cache=True, nogil=True)
def group_bound(base: NDArray[np.int32], walk: Walk, column: int) -> int:
    """No set that continues this one, from `column` on, is worth more.

    What is left of a one that is taken already is divided evenly among the groups to come. The
    positive part of a sum is at most the sum of the positive parts, so each group may choose
    its own columns against its own share, and the best choices add up to a bound.
    """
    m, own, tables = len(walk.order), walk.own, walk.tables
    groups = (m - column) // _LOW
    bound = 0
    here = np.empty(_LANES, np.int32)
    none = np.int32(0)
    for group in range(groups):
        begin = m - _LOW * (group + 1)
        here[:] = 0
        for e in range(len(base)):
            b = base[e]
            if b <= 0:
                continue
            c = own[e]
            if c < column:
                share = np.int32((b + groups - 1) // groups)
                for lane in range(_LANES):
                    x = np.int32(share + tables[group, e, lane])
                    here[lane] = np.int32(here[lane] + max(x, none))
            elif begin <= c < begin + _LOW:
                for lane in range(_LANES):
                    x = np.int32(b + tables[group, e, lane])
                    here[lane] = np.int32(here[lane] + max(x, none))
        bound += here.max()
    return bound


@njit(cache=True, nogil=True)
def evaluate_lanes(
    base: NDArray[np.int32],
    low: NDArray[np.int32],
    row_start: NDArray[np.int64],
    block_start: NDArray[np.int64],
    left: NDArray[np.int32],
    live: NDArray[np.int64],
    ends: NDArray[np.int64],
    block_sum: NDArray[np.int64],
    total: NDArray[np.int64],
) -> None:
    """Every lane without the charges between rows: sums of positive parts, block by block."""
    total[:] = 0
    count = 0
    row_sum = np.empty(_LANES, np.int32)
    # Numba adds 32-bit integers as 64-bit ones unless it is told not to.
    none = np.int32(0)
    for u in range(len(block_start) - 1):
        row_sum[:] = 0
        for i in range(block_start[u], block_start[u + 1]):
            for e in range(row_start[i], row_start[i + 1]):
                b = base[e]
                if b > 0:
                    # Rows of arrays by name would keep LLVM from using vectors here.
                    for lane in range(_LANES):
                        x = max(np.int32(b + low[e, lane]), none)
                        left[count, lane] = x
                        row_sum[lane] = np.int32(row_sum[lane] + x)
                    live[count] = e
                    count += 1
            ends[i + 1] = count
        for lane in range(_LANES):
            block_sum[u, lane] = row_sum[lane]
            total[lane] += row_sum[lane]


@njit(cache=True, nogil=True)
def _add_up_lanes(
    base: NDArray[np.int32], turned: NDArray[np.int32], total: NDArray[np.int64]
) -> None:
    """Every lane where all blocks are single rows: only the sum matters."""
    none = np.int32(0)
    for lane in range(_LANES):
        change = turned[lane]
        here = np.int32(0)
        for e in range(len(base)):
            here = np.int32(here + max(np.int32(base[e] + change[e]), none))
        total[lane] = here


@njit(cache=True, nogil=True)
def refine_block(
    first: int,
    last: int,
    across: NDArray[np.int32],
    left: NDArray[np.int32],
    live: NDArray[np.int64],
    ends: NDArray[np.int64],
    known: NDArray[np.int64],
    total: NDArray[np.int64],
) -> None:
    """Replace a block's sum by its best subset of rows, charges between them included."""
    rows = np.empty(last - first, np.int64)
    size = 0
    for i in range(first, last):
        if ends[i + 1] > ends[i]:
            rows[size] = i
            size += 1
    if size < 2:
        return
    best = np.zeros(_LANES, np.int32)
    here = np.empty(_LANES, np.int32)
    none = np.int32(0)
    for subset in range(1, 1 << size):
        here[:] = 0
        for r in range(size):
            if not subset >> r & 1:
                continue
            i = rows[r]
            for t in range(ends[i], ends[i + 1]):
                e = live[t]
                charge = none
                for s in range(size):
                    if subset >> s & 1:
                        charge = np.int32(charge + across[e, rows[s] - first])
                for lane in range(_LANES):
                    here[lane] = np.int32(here[lane] + max(np.int32(left[t, lane] - charge), none))
        for lane in range(_LANES):
            best[lane] = max(best[lane], here[lane])
    for lane in range(_LANES):
        total[lane] += best[lane] - known[lane]


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
