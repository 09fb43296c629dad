"""The verifier's own proof that no choice for the columns gains a target.

The gain of some columns, with the rectangles that each is in decided, is the sum over rows of the
best code: of +w for a one and -w for a zero over those of the columns that are in a rectangle of
the code. It is a maximum of linear functions of the multiset of columns, so it is at most the
gains of the parts, and that of q copies is q times as large.

Let all columns gain at least T, and let them have shares on a circle that add up to no more than T.
From some start, all arcs gain at least their shares. Else every start has an arc that does not; go
from the end of one to the beginning of the next until a start comes again, after q rounds, say. The
arcs are q copies of everything, which gain q T or more, and less than their shares, q T. That is a
contradiction.

So for each start only choices are followed that gain the shares so far, and T at the end. What is
short of a later threshold by more than the columns until there can gain by themselves is given up,
too.

All of this holds as well for gains with shifts: any numbers that are added to what the columns
bring to the codes of one, two, ... rectangles, row by row, and that come to nothing over all
columns. The code of no rectangle is not shifted. See `boolfact.certificate.columns.shifts`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.columns.shifts import make_shifts, unit_of
from boolfact.certificate.columns.walk import (
    DEPTH,
    DONE,
    FOUND,
    NODES,
    UNFINISHED,
    Walk,
    advance,
    make_walk,
)
from boolfact.certificate.search import Answer

__all__ = ["Circle", "Finding", "is_too_large", "prove_gain_below"]

Report = Callable[[int], None]

_WORK_BUDGET = 60_000_000
"""Numbers touched in one call of the kernel: some hundredths of a second."""
_MOST_NUMBERS = 2**28
"""Searches that have to hold more numbers are not begun."""
_MOST_COLUMNS = 4096
_MOST_PATTERNS = 16


@dataclass(frozen=True, eq=False)
class Circle:
    """What each entry gains, one column of the matrix a row as they go round, and the shares.

    Attributes
    ----------
    columns : ndarray of int64, shape (m, n)
    shares : list of int
        In units of 1 / scale, positive.
    scale : int
    usual : list of int, optional
        How often each column is expected in a rectangle, in thousandths; never, if not given.
    """

    columns: NDArray[np.int64]
    shares: list[int]
    scale: int
    usual: list[int] | None = None


@dataclass(frozen=True, eq=False)
class _Lifted:
    """A circle with its shifts, all in units of 1 / unit and in the narrowest numbers that do."""

    circle: Circle
    unit: int
    columns: NDArray[np.signedinteger]
    shifts: NDArray[np.int64]
    most: list[int]
    """The most that each column gains by itself."""

    @classmethod
    def of(cls, circle: Circle, k: int) -> _Lifted:
        m, n = circle.columns.shape
        unit = unit_of(circle.columns) if circle.usual and any(circle.usual) else 0
        if circle.usual is None or not unit:
            shifts = np.zeros((m, k, n), dtype=np.int64)
            unit = 1
        else:
            shifts = make_shifts(circle.columns, circle.shares, circle.usual, k, unit)
        columns = unit * circle.columns
        most = shifts.max(axis=1)
        alone = np.maximum(0, np.maximum(most, most + columns)).sum(axis=1)
        lifts = np.abs(np.cumsum(shifts, axis=0)).max(axis=(0, 1))
        # From another start, shifts so far are the difference of two of these.
        largest = int((np.abs(columns).sum(axis=0) + 2 * lifts).max())
        return cls(circle, unit, columns.astype(_kind(largest)), shifts, alone.tolist())

    def walk(self, start: int, target: int, k: int) -> Walk:
        """The search from one start."""
        lifts = np.cumsum(np.roll(self.shifts, -start, axis=0), axis=0)
        return make_walk(
            np.roll(self.columns, -start, axis=0),
            self.needed(start, target),
            lifts.astype(self.columns.dtype),
            k,
        )

    def needed(self, start: int, target: int) -> NDArray[np.int64]:
        """What the columns from a start up to each place must gain."""
        m, shares, scale = len(self.most), self.circle.shares, self.circle.scale
        places = [(start + u) % m for u in range(m)]
        least, total = [], 0
        for place in places:
            total += shares[place]
            least.append(-(-total * self.unit // scale))
        least[-1] = target * self.unit
        for u in range(m - 1, 0, -1):
            least[u - 1] = max(least[u - 1], least[u] - self.most[places[u]])
        return np.array(least, dtype=np.int64)


@dataclass(frozen=True)
class Finding:
    """How far an attempt to prove that nothing gains the target came.

    Attributes
    ----------
    answer : Answer
    gain : int
        REFUTED: what is gained by the choices that were found, at least the target.
    choices : list of int
        Those, as they go round.
    nodes : int
    starts : int
        Starts that were finished.
    """

    answer: Answer
    gain: int
    choices: list[int]
    nodes: int
    starts: int


def is_too_large(n: int, m: int, k: int) -> bool:
    """Whether m columns of n entries and k rectangles are beyond any search."""
    if m > _MOST_COLUMNS or k > _MOST_PATTERNS:
        return True
    return n * (m + 1) * 2**k > _MOST_NUMBERS


def prove_gain_below(
    circle: Circle,
    k: int,
    target: int,
    *,
    deadline: float = math.inf,
    report: Report | None = None,
) -> Finding:
    """Prove that no choice for the columns gains the target, or find one that does.

    Parameters
    ----------
    circle : Circle
        Its shares add up to at most scale times target, and all weights to less than 2^62.
    k : int
    target : int
        At least 1.
    deadline : float
        On the clock of `time.monotonic`.
    report : callable, optional
        Called now and then with the number of choices looked at.

    Examples
    --------
    >>> circle = Circle(np.array([[2, -1], [-1, 2]]), [1, 1], 1)
    >>> prove_gain_below(circle, 1, 3).answer, prove_gain_below(circle, 1, 2).gain
    (<Answer.PROVED: 'proved'>, 2)
    """
    if target < 1 or sum(circle.shares) > target * circle.scale:
        raise ValueError("the shares add up to more than the target")
    lifted = _Lifted.of(circle, k)
    m, n = lifted.columns.shape
    budget = max(1, _WORK_BUDGET // ((n + 16) * (k + 3) << k))
    nodes = 0
    for start in range(m):
        walk = lifted.walk(start, target, k)
        code = UNFINISHED
        while code == UNFINISHED:
            if time.monotonic() >= deadline:
                return Finding(Answer.OPEN, 0, [], nodes + int(walk.state[NODES]), start)
            code = int(advance(walk, budget))
            if report is not None:
                report(nodes + int(walk.state[NODES]))
        nodes += int(walk.state[NODES])
        if code == FOUND:
            return _refuted(circle.columns, walk, target, nodes, start)
        assert code == DONE
    return Finding(Answer.PROVED, 0, [], nodes, m)


def _kind(most: int) -> type[np.signedinteger]:
    """The narrowest numbers that hold this one."""
    for kind in (np.int16, np.int32):
        if most <= np.iinfo(kind).max:
            return kind
    return np.int64


def _refuted(
    columns: NDArray[np.int64], walk: Walk, target: int, nodes: int, start: int
) -> Finding:
    """What was found, its gain added up anew."""
    choices = np.roll(walk.at[: int(walk.state[DEPTH]) + 1], start)
    most = np.zeros(columns.shape[1], dtype=np.int64)
    for code in range(1, walk.sums.shape[1]):
        most = np.maximum(most, columns[choices & code > 0].sum(axis=0))
    gain = int(most.sum())
    if gain < target:
        raise AssertionError("the search found what does not gain the target")
    return Finding(Answer.REFUTED, gain, [int(x) for x in choices], nodes, start)
