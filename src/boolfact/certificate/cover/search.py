"""The verifier's proof that no rectangle of an assigned cover is worth more than a limit.

For a set b of columns every block takes its best rows by itself, so the search is over b alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boolfact.certificate.cover.around import Around
from boolfact.certificate.cover.arrays import Stack
from boolfact.certificate.cover.by_size import BySize
from boolfact.certificate.cover.circle import Circle, Order
from boolfact.certificate.cover.lift import lift
from boolfact.certificate.cover.part import Duals
from boolfact.certificate.cover.tables import make_scratch, make_tables
from boolfact.certificate.cover.walk import (
    DONE,
    FOUND,
    NODES,
    UNFINISHED,
    WORTH,
    advance,
)
from boolfact.certificate.cover.weigh import weigh
from boolfact.certificate.search import Answer, prove_at_most

__all__ = ["Finding", "Walk", "is_too_large", "prove_worth_at_most"]

Report = Callable[[int], None]

_WORK_BUDGET = 300_000_000
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
    circle: Circle | Order | None = None,
    deadline: float = math.inf,
    report: Report | None = None,
) -> Finding:
    """Prove that no rectangle is worth more than `limit`, or find one that is.

    Parameters
    ----------
    duals : Duals
    limit : int
        Not negative: the empty rectangle is worth 0.
    circle : Circle or Order, optional
        How the columns go round, an order alone only with single rows; without it they are
        walked through, where they are few.
    deadline : float
        On the clock of `time.monotonic`. When time runs out, some of it goes into proving a
        larger limit, which becomes `upper_bound`.
    report : callable, optional
        Called now and then with the number of sets looked at.
    """
    start = time.monotonic()
    if duals.total <= limit:
        return Finding(Answer.PROVED, limit, 0, 0, 0.0)
    if isinstance(circle, Order):
        sizes = weigh(duals, circle)
        if sizes is None:
            return Finding(Answer.OPEN, duals.total, 0, 0, 0.0)
        return _settle(BySize(sizes), duals, limit, start, deadline, report)
    if circle is not None:
        lifted = lift(duals, circle)
        if lifted is None:
            return Finding(Answer.OPEN, duals.total, 0, 0, 0.0)
        return _settle(Around(lifted), duals, limit, start, deadline, report)
    columns = len(np.unique(duals.ones[:, 1]))
    single = all(len(block) == 1 for block in duals.blocks)
    if single and columns > _FEW_COLUMNS:
        return _around_the_circle(duals, limit, deadline, report)
    if is_too_large(duals, columns):
        return Finding(Answer.OPEN, duals.total, 0, 0, 0.0)
    return _settle(Walk(duals), duals, limit, start, deadline, report)


def _settle(
    tree: Walk | Around | BySize,
    duals: Duals,
    limit: int,
    start: float,
    deadline: float,
    report: Report | None,
) -> Finding:
    """Prove or refute the limit, or prove a weaker one when its part of the time is over."""
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


def is_too_large(duals: Duals, columns: int) -> bool:
    """Whether the tables of a walk through so many columns would be, or the walk itself."""
    return columns > _MOST_COLUMNS or _numbers(duals) > _MOST_NUMBERS


def _weaker_bound(
    tree: Walk | Around | BySize, limit: int, upper: int, deadline: float, report: Report | None
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


class Walk:
    """The tables of a part, and the walk through its sets of columns."""

    def __init__(self, duals: Duals, *, every_column: bool = False) -> None:
        self.tables = make_tables(duals, _LANE_COLUMNS, _SMALL_PIECE, every_column=every_column)
        self.scratch = make_scratch(self.tables)
        self.nodes = 0
        self.worth = 0

    def search(self, limit: int, deadline: float, report: Report | None) -> int:
        """Look for a set worth more than the limit; UNFINISHED if time is over."""
        tables = self.tables
        stack = self.stack()
        state = np.zeros(3, dtype=np.int64)
        before = self.nodes
        code = UNFINISHED
        while code == UNFINISHED:
            if time.monotonic() >= deadline:
                return UNFINISHED
            code = int(
                advance(
                    tables.layout,
                    tables.steps,
                    tables.lanes,
                    stack,
                    self.scratch,
                    state,
                    limit,
                    _WORK_BUDGET,
                )
            )
            self.reorder()
            self.nodes = before + int(state[NODES])
            if report is not None:
                report(self.nodes)
        if code == FOUND:
            self.worth = int(state[WORTH])
            assert self.worth > limit
        return code

    def stack(self) -> Stack:
        """The root: nothing is decided, every price is left."""
        prices = self.tables.prices
        last, slots = self.tables.steps.cross.shape
        left = np.zeros((last + 1, len(prices)), dtype=prices.dtype)
        left[0] = prices
        cross = np.zeros((last + 1, slots), dtype=prices.dtype)
        return Stack(left, cross, np.zeros(last + 1, dtype=np.int64))

    def reorder(self) -> None:
        """Of pieces of one level, first those that took most off; halves before the whole."""
        pieces, gains = self.tables.layout.pieces, self.tables.layout.gains
        # Halving lowers the logarithm, rounded up, by one.
        level = np.ceil(np.log2(pieces[:, 1] - pieces[:, 0]))
        order = np.lexsort((-gains, level))
        pieces[:], gains[:] = pieces[order], gains[order]
