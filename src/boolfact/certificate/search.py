"""The verifier's own proof that no rectangle is worth more than a limit.

It settles max a'Hb <= limit over binary a and b, for a matrix H of whole numbers, and shares no
code with the solver. For a set b of columns the best rows are those with a positive sum, so
the search is over b alone; `boolfact.certificate.arcs` says why it is short.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.arcs import DEPTH, DONE, FOUND, NODES, UNFINISHED, advance

__all__ = ["Answer", "Attempt", "load_kernels", "prove_at_most"]

Report = Callable[[int, int, int], None]

_WORK_BUDGET = 30_000_000
"""Entries added up in one call of the kernel: a few hundredths of a second."""
_FIRST_PART = 0.6
"""Of the time given: spent on the limit itself before weaker ones are tried."""
_WEAKER = (4.0, 2.0, 1.5, 1.25, 1.1)
"""Multiples of the limit that are proved one after the other if the limit takes too long."""
_STARTS = 64
"""Rows from which the first search for a counterexample begins."""
_FORGET = 0.8
"""How fast a column is forgotten when the next one is to be unlike the last ones."""


class Answer(enum.Enum):
    """Whether no rectangle is worth more than the limit."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, eq=False)
class Attempt:
    """How far an attempt to prove max a'Hb <= limit came.

    `upper_bound` holds whatever the answer; `value` is the worth of the best rectangle that
    was met, (a, b). PROVED: upper_bound is the limit. REFUTED: value is above the limit.
    """

    answer: Answer
    upper_bound: int
    value: int
    a: NDArray[np.bool_]
    b: NDArray[np.bool_]
    nodes: int
    seconds: float


def prove_at_most(
    H: NDArray[np.int64],
    limit: int,
    *,
    deadline: float = math.inf,
    report: Report | None = None,
) -> Attempt:
    """Prove that no rectangle is worth more than `limit`, or find one that is.

    Parameters
    ----------
    H : ndarray of int64, shape (n, m)
    limit : int
        Not negative: the empty rectangle is worth 0.
    deadline : float
        On the clock of `time.monotonic`. When time runs out, some of it goes into proving a
        larger limit, which becomes `upper_bound`.
    report : callable, optional
        Called now and then with nodes, places on the circle done, and all of them.

    Raises
    ------
    OverflowError
        If sums of H do not fit into 64 bits.

    Examples
    --------
    >>> H = np.array([[3, -2], [-2, 1]])
    >>> prove_at_most(H, 3).answer, prove_at_most(H, 2).value
    (<Answer.PROVED: 'proved'>, 3)
    """
    if limit < 0:
        raise ValueError(f"limit must not be negative, got {limit}")
    H = np.ascontiguousarray(H, dtype=np.int64)
    if sum(abs(int(h)) for h in H.ravel()) >= 2**62:
        raise OverflowError("the numbers are too large for 64-bit arithmetic")
    start = time.monotonic()
    circle = _Circle(H)
    value, a, b = _good_rectangle(H)
    upper = int(H[H > 0].sum())
    answer = Answer.PROVED if upper <= limit else Answer.OPEN
    if value > limit:
        answer = Answer.REFUTED
    if answer is Answer.OPEN:
        first = start + _FIRST_PART * (deadline - start) if deadline < math.inf else deadline
        code = circle.search(limit + 1, first, report)
        if code == FOUND:
            answer, (a, b) = Answer.REFUTED, circle.found
            value = int(H[np.ix_(a, b)].sum())
            assert value > limit
        elif code == DONE:
            answer = Answer.PROVED
        else:
            upper = _weaker_bound(circle, limit, upper, deadline, report)
    if answer is Answer.PROVED:
        upper = limit
    return Attempt(answer, upper, value, a, b, circle.nodes, time.monotonic() - start)


def load_kernels() -> None:
    """Load, or compile, what a search needs: before the clock of many short searches starts."""
    for unit in (1, 2**31):
        # Small sums and large ones have a kernel each; 1 is too little for both of these to hold.
        circle = _Circle(np.array([[2, -1], [-1, 2]], dtype=np.int64) * unit)
        circle.search(3 * unit, math.inf, None)


def _weaker_bound(
    circle: _Circle, limit: int, upper: int, deadline: float, report: Report | None
) -> int:
    """The least of some larger limits that can be proved in time."""
    for factor in _WEAKER:
        weaker = math.ceil(limit * factor)
        if limit < weaker < upper:
            if circle.search(weaker + 1, deadline, report) != DONE:
                break
            upper = weaker
    return upper


class _Circle:
    """The columns of the shorter side of H in a circle, and the search from each place.

    Rows and columns without a positive entry are in no best rectangle that is worth anything,
    so they are left out.
    """

    def __init__(self, H: NDArray[np.int64]) -> None:
        self.turned = H.shape[0] < H.shape[1]
        self.H = np.ascontiguousarray(H.T) if self.turned else H
        positive = self.H > 0
        rows, useful = positive.any(axis=1), np.flatnonzero(positive.any(axis=0))
        columns = self.H[rows][:, useful].T
        order = _unlike_neighbours(columns)
        self.names = useful[order]
        columns = columns[order]
        # Half the memory, where it is enough for the largest sum.
        kind = np.int32 if 2 * int(np.abs(columns).sum()) < 2**31 else np.int64
        self.columns = columns.astype(kind)
        self.potential = np.maximum(columns, 0).sum(axis=1)
        self.nodes = 0
        self.found = np.zeros(H.shape[0], dtype=np.bool_), np.zeros(H.shape[1], dtype=np.bool_)

    def search(self, target: int, deadline: float, report: Report | None) -> int:
        """Look for a set of columns worth the target; UNFINISHED if time is over."""
        m = len(self.columns)
        for place in range(m):
            code = self._search_from(place, target, deadline, report)
            if code != DONE:
                return code
        return DONE

    def _search_from(self, place: int, target: int, deadline: float, report: Report | None) -> int:
        columns = np.roll(self.columns, -place, axis=0)
        m, n = columns.shape
        reach = np.zeros((m + 1, n), dtype=columns.dtype)
        reach[:m] = np.cumsum(np.maximum(columns, 0)[::-1], axis=0)[::-1]
        shares = _shares(np.roll(self.potential, -place), target)
        sums = np.zeros((m + 1, n), dtype=columns.dtype)
        stack = np.zeros((m + 1, 3), dtype=np.int64)
        state = np.zeros(2, dtype=np.int64)
        budget = max(1, _WORK_BUDGET // (n + 20))
        before = self.nodes
        code = UNFINISHED
        while code == UNFINISHED:
            if time.monotonic() >= deadline:
                return UNFINISHED
            code = int(advance(columns, reach, shares, sums, stack, state, budget))
            self.nodes = before + int(state[NODES])
            if report is not None:
                report(self.nodes, place, m)
        if code == FOUND:
            taken = np.roll(self.names, -place)[stack[: state[DEPTH], 2]]
            self.found = self._rectangle(taken)
        return code

    def _rectangle(self, taken: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        b = np.zeros(self.H.shape[1], dtype=np.bool_)
        b[taken] = True
        a = self.H[:, b].sum(axis=1) > 0
        return (b, a) if self.turned else (a, b)


def _shares(potential: NDArray[np.int64], target: int) -> NDArray[np.int64]:
    """What the first r columns must be worth: in proportion to what they could be worth.

    Worths are whole, so a share may be rounded up.
    """
    total = int(potential.sum())
    parts = [0]
    for value in potential:
        parts.append(parts[-1] + int(value))
    return np.array([-(-part * target // total) for part in parts], dtype=np.int64)


def _unlike_neighbours(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """An order in which a column is unlike those before it.

    Like columns in a row would be worth much together, so few prefixes could be cut.
    """
    m = len(columns)
    lengths = np.sqrt((columns.astype(np.float64) ** 2).sum(axis=1))
    unit = columns / np.maximum(lengths, 1.0)[:, None]
    likeness = np.einsum("ui,vi->uv", unit, unit)
    free = np.ones(m, dtype=np.bool_)
    recent = np.zeros(m)
    order = []
    for _ in range(m):
        u = int(np.argmin(np.where(free, recent, np.inf)))
        free[u] = False
        order.append(u)
        recent = _FORGET * recent + likeness[u]
    return np.array(order, dtype=np.int64)


def _good_rectangle(H: NDArray[np.int64]) -> tuple[int, NDArray[np.bool_], NDArray[np.bool_]]:
    """A rectangle found by alternation from rows: most wrong limits fall to it at once."""
    n, m = H.shape
    best = 0, np.zeros(n, dtype=np.bool_), np.zeros(m, dtype=np.bool_)
    starts = np.unique(H > 0, axis=0)
    for b in starts[:: math.ceil(len(starts) / _STARTS)]:
        value = -1
        while True:
            a = H @ b > 0
            sums = a @ H
            b = sums > 0
            new = int(sums[b].sum())
            if new <= value:
                break
            value = new
        if value > best[0]:
            best = value, a, b
    return best
