"""The search around the circle of a part: from every place, until time is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import accumulate

import numpy as np

from boolfact.certificate.cover.arcs import (
    DONE,
    FOUND,
    NODES,
    UNFINISHED,
    WORTH,
    advance,
)
from boolfact.certificate.cover.lift import Lifted

__all__ = ["Around"]

Report = Callable[[int], None]

_WORK_BUDGET = 300_000_000
"""Numbers touched in one call of the kernel: less than a tenth of a second."""


class Around:
    """The tables of a part, and the search through its sets of columns."""

    def __init__(self, lifted: Lifted) -> None:
        self.lifted = lifted
        crossed = lifted.crossed
        m, E = len(lifted.weights), lifted.steps.shape[2]
        kind = lifted.steps.dtype
        sizes = np.diff(crossed.first_row)
        # Blocks that charge most are tried first; what they really take off is learnt on the way.
        self._gains = np.zeros(len(sizes), dtype=np.int64)
        self._order = np.argsort(-np.diff(crossed.first_member), kind="stable")
        self._scratch = np.zeros((3, 2 ** int(sizes.max(initial=0))), dtype=kind)
        self._sums = np.zeros((m + 1, E), dtype=kind)
        self.nodes = 0
        self.worth = 0

    def search(self, limit: int, deadline: float, report: Report | None) -> int:
        """Look for a set worth more than the limit; UNFINISHED if time is over."""
        for start in range(len(self.lifted.weights)):
            code = self._search_from(start, limit + 1, deadline, report)
            if code != DONE:
                return code
        return DONE

    def _search_from(self, start: int, target: int, deadline: float, report: Report | None) -> int:
        lifted = self.lifted
        m = len(lifted.weights)
        total = sum(lifted.weights)
        turned = lifted.weights[start:] + lifted.weights[:start]
        shares = [
            -(-part * target * lifted.unit // total) for part in accumulate(turned, initial=0)
        ]
        choice = np.zeros(m + 1, dtype=np.int8)
        taken = np.zeros(m, dtype=np.bool_)
        state = np.zeros(3, dtype=np.int64)
        before = self.nodes
        code = UNFINISHED
        while code == UNFINISHED:
            if time.monotonic() >= deadline:
                return UNFINISHED
            code = int(
                advance(
                    lifted.steps,
                    np.array(shares, dtype=np.int64),
                    lifted.crossed,
                    start,
                    lifted.chunk,
                    self._sums,
                    choice,
                    taken,
                    self._order,
                    self._gains,
                    self._scratch,
                    state,
                    _WORK_BUDGET,
                )
            )
            self.nodes = before + int(state[NODES])
            if report is not None:
                report(self.nodes)
        if code == FOUND:
            self.worth = int(state[WORTH]) // lifted.unit
            assert self.worth >= target
            assert self.worth * lifted.unit == int(state[WORTH])
        return code
