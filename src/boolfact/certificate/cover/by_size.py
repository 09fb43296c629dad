"""The search by size: for every number of columns from every place, until time is over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover.choose import (
    DEPTH,
    DONE,
    FOUND,
    NODES,
    UNFINISHED,
    WORTH,
    Stack,
    advance,
)
from boolfact.certificate.cover.weigh import Weighed

__all__ = ["BySize"]

Report = Callable[[int], None]

_WORK_BUDGET = 300_000_000
"""Numbers touched in one call of the kernel: about a tenth of a second."""


class BySize:
    """The tables of a part of single rows, and the search through its sets of columns."""

    def __init__(self, weighed: Weighed) -> None:
        self.weighed = weighed
        self.nodes = 0
        self.worth = 0

    def search(self, limit: int, deadline: float, report: Report | None) -> int:
        """Look for a set worth more than the limit; UNFINISHED if time is over."""
        m = len(self.weighed.first) - 1
        for size in range(1, m + 1):
            if time.monotonic() >= deadline:
                return UNFINISHED
            steps = self.weighed.steps(size)
            stack = self._stack(size, steps.dtype)
            for start in range(m):
                code = self._search_from(start, size, steps, stack, limit + 1, deadline, report)
                if code != DONE:
                    return code
        return DONE

    def _search_from(
        self,
        start: int,
        size: int,
        steps: NDArray[Any],
        stack: Stack,
        target: int,
        deadline: float,
        report: Report | None,
    ) -> int:
        state = np.zeros(3, dtype=np.int64)
        # The first column chosen is the place itself.
        state[DEPTH] = 1
        stack.options[1, 0] = stack.next[1] = 0
        stack.end[1] = 1
        before = self.nodes
        code = UNFINISHED
        while code == UNFINISHED:
            if time.monotonic() >= deadline:
                return UNFINISHED
            code = int(
                advance(steps, self.weighed.first, start, size, target, stack, state, _WORK_BUDGET)
            )
            self.nodes = before + int(state[NODES])
            if report is not None:
                report(self.nodes)
        if code == FOUND:
            self.worth = int(state[WORTH])
            assert self.worth >= target
        return code

    def _stack(self, size: int, kind: np.dtype[Any]) -> Stack:
        m, E = self.weighed.charges.shape
        return Stack(
            sums=np.zeros((size + 1, E), dtype=kind),
            options=np.zeros((size + 1, m), dtype=np.int64),
            next=np.zeros(size + 1, dtype=np.int64),
            end=np.zeros(size + 1, dtype=np.int64),
            chosen=np.zeros(size + 1, dtype=np.int64),
            level=np.zeros(size + 1, dtype=np.int64),
            brought=np.zeros((2, m), dtype=np.int64),
        )
