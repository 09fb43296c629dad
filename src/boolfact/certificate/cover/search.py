"""The verifier's proof that no rectangle of an assigned cover is worth more than a limit.

For a set b of columns every block takes its best rows by itself, so the search is over b alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover import walk
from boolfact.certificate.cover.part import Duals
from boolfact.certificate.cover.walk import DONE, FOUND, NODES, UNFINISHED, WORTH
from boolfact.certificate.search import Answer, prove_at_most

__all__ = ["Finding", "prove_worth_at_most"]

Report = Callable[[int], None]

_WORK_BUDGET = 100_000_000
"""Numbers touched in one call of the kernel: about a tenth of a second."""
_FIRST_PART = 0.6
"""Of the time given: spent on the limit itself before weaker ones are tried."""
_WEAKER = (4.0, 2.0, 1.5, 1.25, 1.1)
"""Multiples of the limit that are proved one after the other if the limit takes too long."""
_FEW_COLUMNS = 24
"""Up to here single rows are walked, too, not searched around the circle."""
_MOST_COLUMNS = 60
"""More than these the walk could not pass through in any time."""
_LANE_COLUMNS = 5
"""The last columns, the sets of which are walked at once."""
_SMALL_PIECE = 4
"""Blocks are cut in halves until their pieces are no larger."""
_MOST_NUMBERS = 2**27
"""Tables with more are not made: they would take a gigabyte."""


@dataclass(frozen=True)
class Finding:
    """How far an attempt to prove worth <= limit came.

    `upper_bound` holds whatever the answer. REFUTED: some rectangle is worth `value`, more than
    the limit.
    """

    answer: Answer
    upper_bound: int
    value: int
    nodes: int
    seconds: float


def prove_worth_at_most(
    duals: Duals,
    limit: int,
    *,
    deadline: float = math.inf,
    report: Report | None = None,
) -> Finding:
    """Prove that no rectangle is worth more than `limit`, or find one that is.

    Parameters
    ----------
    duals : Duals
    limit : int
        Not negative: the empty rectangle is worth 0.
    deadline : float
        On the clock of `time.monotonic`. When time runs out, some of it goes into proving a
        larger limit, which becomes `upper_bound`.
    report : callable, optional
        Called now and then with the number of sets looked at.
    """
    start = time.monotonic()
    if duals.total <= limit:
        return Finding(Answer.PROVED, limit, 0, 0, 0.0)
    columns = len(np.unique(duals.ones[:, 1]))
    single = all(len(block) == 1 for block in duals.blocks)
    if single and columns > _FEW_COLUMNS:
        return _around_the_circle(duals, limit, deadline, report)
    if columns > _MOST_COLUMNS or _numbers(duals) > _MOST_NUMBERS:
        return Finding(Answer.OPEN, duals.total, 0, 0, 0.0)
    tree = _Walk(duals)
    first = start + _FIRST_PART * (deadline - start) if deadline < math.inf else deadline
    code = tree.search(limit, first, report)
    answer, upper = Answer.OPEN, duals.total
    if code == DONE:
        answer, upper = Answer.PROVED, limit
    elif code == FOUND:
        answer = Answer.REFUTED
    else:
        upper = _weaker_bound(tree, limit, upper, deadline, report)
    return Finding(answer, upper, tree.worth, tree.nodes, time.monotonic() - start)


def _weaker_bound(
    tree: _Walk, limit: int, upper: int, deadline: float, report: Report | None
) -> int:
    """The least of some larger limits that can be proved in time."""
    for factor in _WEAKER:
        weaker = math.ceil(limit * factor)
        if limit < weaker < upper:
            if tree.search(weaker, deadline, report) != DONE:
                break
            upper = weaker
    return upper


def _around_the_circle(duals: Duals, limit: int, deadline: float, report: Report | None) -> Finding:
    """Single rows: each one is worth the positive part of a sum over the columns.

    With a row of H per one, its price at its own column and its charges at the zeros of its row,
    the worth of b is the largest a'Hb.
    """
    E, m = len(duals.ones), duals.shape[1]
    if E * m > _MOST_NUMBERS:
        return Finding(Answer.OPEN, duals.total, 0, 0, 0.0)
    H = np.zeros((E, m), dtype=np.int64)
    H[np.arange(E), duals.ones[:, 1]] = duals.ones[:, 2]
    np.subtract.at(H, (duals.charges[:, 2], duals.charges[:, 1]), duals.charges[:, 3])

    def tell(nodes: int, done: int, places: int) -> None:
        if report is not None:
            report(nodes)

    attempt = prove_at_most(H, limit, deadline=deadline, report=tell)
    return Finding(
        attempt.answer, attempt.upper_bound, attempt.value, attempt.nodes, attempt.seconds
    )


def _numbers(duals: Duals) -> int:
    """How many numbers the tables of the walk hold, about."""
    sizes = np.ones(duals.shape[0], dtype=np.int64)
    for block in duals.blocks:
        sizes[block] = len(block)
    slots = int(sizes[duals.ones[:, 0]].sum()) + len(duals.ones)
    return slots * (4 * duals.shape[1] + 2 * 2**_LANE_COLUMNS)


class _Walk:
    """The tables of the walk, and the walk.

    Columns without a price are worth nothing and charge at most, so no best set needs them.
    """

    def __init__(self, duals: Duals) -> None:
        ones = duals.ones
        rows = np.concatenate([np.array(block, dtype=np.int64) for block in duals.blocks])
        place = np.empty(len(rows), dtype=np.int64)
        place[rows] = np.arange(len(rows))
        sizes = np.array([len(block) for block in duals.blocks])
        ends = np.cumsum(sizes)
        order = np.argsort(place[ones[:, 0]], kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        ones = ones[order]
        row = place[ones[:, 0]]
        block = np.repeat(ends - sizes, sizes)
        # A one of a single row needs no slot: there is no other row to charge it.
        widths = np.where(sizes > 1, sizes, 0)[np.repeat(np.arange(len(sizes)), sizes)][row]
        slot = np.cumsum(widths) - widths
        charges = np.column_stack(
            [
                place[duals.charges[:, 0]],
                duals.charges[:, 1],
                rank[duals.charges[:, 2]],
                duals.charges[:, 3],
            ]
        )
        self.kind = _kind(ones, charges)
        columns = self.columns = _by_charges(ones, charges)
        left, cross = _tables(ones, row, charges, columns, block, slot, int(widths.sum()))
        pieces = np.array(_pieces(ends - sizes, ends), dtype=np.int64).reshape(-1, 2)
        self.layout = walk.Layout(
            np.searchsorted(row, np.arange(len(rows) + 1)),
            block,
            slot,
            pieces,
            np.zeros(len(pieces), dtype=np.int64),
        )
        last = max(0, len(columns) - _LANE_COLUMNS)
        self.steps = walk.Steps(
            np.ascontiguousarray(left[:, :last], dtype=self.kind),
            np.ascontiguousarray(cross[:last], dtype=self.kind),
        )
        self.lanes = _lanes(left[:, last:], cross[last:], self.kind)
        self.prices = ones[:, 2].astype(self.kind)
        self._reorder()
        self.nodes = 0
        self.worth = 0

    def search(self, limit: int, deadline: float, report: Report | None) -> int:
        """Look for a set worth more than the limit; UNFINISHED if time is over."""
        last, E = self.steps.left.shape[1:]
        slots = self.steps.cross.shape[1]
        stack = walk.Stack(
            np.zeros((last + 1, E), dtype=self.kind),
            np.zeros((last + 1, slots), dtype=self.kind),
            np.zeros(last + 1, dtype=np.int64),
        )
        stack.left[0] = self.prices
        scratch = self._scratch()
        state = np.zeros(4, dtype=np.int64)
        before = self.nodes
        code = UNFINISHED
        while code == UNFINISHED:
            if time.monotonic() >= deadline:
                return UNFINISHED
            code = int(
                walk.advance(
                    self.layout,
                    self.steps,
                    self.lanes,
                    stack,
                    scratch,
                    state,
                    limit,
                    _WORK_BUDGET,
                )
            )
            self._reorder()
            self.nodes = before + int(state[NODES])
            if report is not None:
                report(self.nodes)
        if code == FOUND:
            self.worth = int(state[WORTH])
            assert self.worth > limit
        return code

    def _scratch(self) -> walk.Scratch:
        lanes, n = self.lanes.left.shape[1], len(self.layout.block)
        low, high = self.layout.pieces.T
        first = self.layout.first_one
        rows = int((high - low).max(initial=0))
        ones = int((first[high] - first[low]).max(initial=0))
        return walk.Scratch(
            np.zeros((n, lanes), dtype=self.kind),
            np.zeros(lanes, dtype=self.kind),
            np.zeros((2, lanes), dtype=self.kind),
            np.zeros((ones, lanes), dtype=self.kind),
            np.zeros((rows, ones, lanes), dtype=self.kind),
            np.zeros(lanes, dtype=np.int64),
            np.zeros((2, ones), dtype=np.int64),
            np.zeros(ones, dtype=np.int64),
        )

    def _reorder(self) -> None:
        """Of pieces of one size, first those that took most off; small ones before large ones."""
        pieces, gains = self.layout.pieces, self.layout.gains
        size = np.ceil(np.log2(pieces[:, 1] - pieces[:, 0]))
        order = np.lexsort((-gains, size))
        pieces[:], gains[:] = pieces[order], gains[order]


def _kind(ones: NDArray[np.int64], charges: NDArray[np.int64]) -> type[np.signedinteger]:
    """Half the memory, where it is enough for every sum."""
    lowest = 2 * ones[:, 2]
    np.add.at(lowest, charges[:, 2], charges[:, 3])
    most = max(int(ones[:, 2].sum()), int(lowest.max(initial=0)))
    return np.int32 if most < 2**31 else np.int64


def _by_charges(ones: NDArray[np.int64], charges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Columns with a price; first those that charge most, so that worths fall early."""
    columns = np.unique(ones[:, 1])
    weight = np.zeros(int(max(ones[:, 1].max(), charges[:, 1].max(initial=0))) + 1)
    np.add.at(weight, charges[:, 1], charges[:, 3].astype(np.float64))
    return columns[np.argsort(-weight[columns], kind="stable")]


def _tables(
    ones: NDArray[np.int64],
    row: NDArray[np.int64],
    charges: NDArray[np.int64],
    columns: NDArray[np.int64],
    block: NDArray[np.int64],
    slot: NDArray[np.int64],
    slots: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each column: what taking and skipping it adds to `left`, and taking it to `cross`."""
    E, m = len(ones), len(columns)
    step = {int(c): d for d, c in enumerate(columns)}
    left = np.zeros((2, m, E), dtype=np.int64)
    cross = np.zeros((m, slots), dtype=np.int64)
    left[1, [step[int(j)] for j in ones[:, 1]], np.arange(E)] = -ones[:, 2]
    for r, c, e, x in charges:
        if int(c) not in step:
            continue
        if r == row[e]:
            left[0, step[int(c)], e] -= x
        else:
            cross[step[int(c)], slot[e] + r - block[r]] += x
    return left, cross


def _lanes(
    left: NDArray[np.int64], cross: NDArray[np.int64], kind: type[np.signedinteger]
) -> walk.Lanes:
    """Sums over every set of the last columns; bit d of the lane says whether d is in it."""
    _, columns, E = left.shape
    by_lane = np.zeros((1 << columns, E), dtype=np.int64)
    cross_by_lane = np.zeros((1 << columns, cross.shape[1]), dtype=np.int64)
    for lane in range(1 << columns):
        for d in range(columns):
            taken = lane >> d & 1
            by_lane[lane] += left[0 if taken else 1, d]
            cross_by_lane[lane] += cross[d] * taken
    return walk.Lanes(
        np.ascontiguousarray(by_lane.T, dtype=kind),
        np.ascontiguousarray(cross_by_lane.T, dtype=kind),
    )


def _pieces(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Blocks of more than one row, and their halves, quarters, ... down to small pieces."""
    pieces = []
    for low, high in zip(starts.tolist(), ends.tolist(), strict=True):
        todo = [(low, high)] if high - low > 1 else []
        while todo:
            low, high = todo.pop()
            pieces.append((low, high))
            if high - low > _SMALL_PIECE:
                middle = (low + high) // 2
                todo += [(low, middle), (middle, high)]
    return pieces
