"""The bound on the error of a matrix with many columns, or of a large group of them.

Exact pricing goes around a circle of columns, and takes some ten times as long for every fifth
that is to be excluded further. So it begins with a slack: prices for a rank some times as large
are proved with rectangles that may be worth as many times more. The slack falls to what can be
priced in the time that is left. A matrix that is solved with no slack is gone on with: with fewer
charges that are even, then with blocks of two rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.around import Around
from boolfact.colgen.cover.blocks import merged_blocks
from boolfact.colgen.cover.climb import set_worths
from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.prices import Prices
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.loop import ColumnGeneration, generate_columns
from boolfact.colgen.settings import LoopSettings
from boolfact.colgen.strategies import Strategy
from boolfact.control.ending import Ending
from boolfact.control.executor import Executor
from boolfact.control.progress import Progress
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace
from boolfact.model.matrix import BinaryMatrix

__all__ = ["Whole", "WholeSettings", "expected_seconds"]

Columns = Callable[[ColumnGeneration, Trace], None]


@dataclass(frozen=True)
class WholeSettings:
    """Parameters; the defaults were chosen on the bundled matrices.

    Attributes
    ----------
    slacks : tuple of Fraction
        From the first to the last.
    share, last_share : float
        Of the time that is left, for each stage; once no more than the last share of all the time
        is left, a stage has all of it.
    dear, too_dear : float
        A slack is possible if exact pricing is thought to take at most this share of the time; it
        is given up for a larger one where that is thought to take more than the second.
    steps : int
        By so many slacks it falls at a time, at most: what is thought of lower ones is uncertain.
    pricings : float
        A stage has time for so many exact pricings, if it can be.
    evenly : tuple of float
        Shares of the zeros' weights that charge all ones of a row alike, see `CoverMaster`: the
        next one where the one before is solved to the end.
    after, paired : Fraction
        The slack with which that begins, and that with which blocks of two rows do.
    pair_seconds : float
        Longer than this no exact pricing of pairs should take: verifying it takes some ten times
        as long.
    sets : int
        Sets of columns that a stage begins with, the best of those before.
    """

    slacks: tuple[Fraction, ...] = tuple(
        Fraction(x, 100) for x in (150, 135, 125, 118, 112, 108, 105, 103, 101, 100)
    )
    share: float = 0.12
    last_share: float = 0.3
    dear: float = 0.3
    too_dear: float = 0.7
    steps: int = 2
    pricings: float = 1.5
    pair_seconds: float = 5.0
    evenly: tuple[float, ...] = (0.8, 0.4, 0.0)
    after: Fraction = Fraction(108, 100)
    paired: Fraction = Fraction(125, 100)
    sets: int = 400


@dataclass(eq=False)
class Whole:
    """A matrix on its way from a large slack to a small one.

    Attributes
    ----------
    matrix : BinaryMatrix
    k : int
    sets : ndarray of bool, shape (sets, m)
        Sets of columns to begin with.
    seed, executor, progress, incumbent
        As for column generation.
    loop, strategy : LoopSettings, Strategy
    note : callable
        Told of every column generation, with its trace.
    codes : ndarray of bool, optional
        The patterns of each row in a good factorisation: they say which rows belong together.
    settings : WholeSettings
    """

    matrix: BinaryMatrix
    k: int
    sets: NDArray[np.bool_]
    seed: int
    executor: Executor
    progress: Progress
    incumbent: int | None
    loop: LoopSettings
    strategy: Strategy
    note: Columns
    settings: WholeSettings = field(default_factory=WholeSettings)
    state: tuple[Layout, Prices] | None = None
    last: Around | None = None
    codes: NDArray[np.bool_] | None = None
    blocks: list[list[int]] = field(default_factory=list)
    slack: Fraction | None = None
    evenness: int = 0
    is_done: bool = False

    def run(self, stop: Stop) -> None:
        """Again and again with what is possible in the time left, until it is over.

        It may be called again with more time, and goes on.
        """
        if self.is_done:
            return
        first = stop.remaining()
        while not stop.now():
            slack = self.settings.slacks[0] if self.slack is None else self.slack
            left = stop.remaining()
            share = 1.0 if left <= self.settings.last_share * first else self.settings.share
            # No exact pricing should be cut short while there is time for it.
            seconds = min(left, max(share * left, self.settings.pricings * self._expected(slack)))
            given = stop.child(seconds, stop.iteration_limit, None)
            ending = self._generate(slack, given, self._reserve(slack, seconds))
            self.is_done = ending is Ending.INCUMBENT
            if stop.now() or self.is_done:
                return
            self.slack = self._possible(stop.remaining())
            if self.slack == slack and ending in (Ending.PROVED, Ending.STALLED):
                if slack > self.settings.slacks[-1]:
                    self.slack = max(other for other in self.settings.slacks if other < slack)
                elif self.evenness + 1 < len(self.settings.evenly):
                    self.evenness, self.slack = self.evenness + 1, self.settings.after
                    if self.last is not None:
                        self.last = replace(self.last, is_settled=False)
                elif not self.blocks and self.matrix.shape[0] > 1:
                    self.blocks = merged_blocks(self.matrix, self._rows(), 2, self.codes)
                    self.slack = self.settings.paired
                else:
                    self.is_done = True
                    return

    def _possible(self, seconds: float) -> Fraction:
        """The next slack: at most some steps lower, with exact pricing that fits into the time.

        It is not raised but where exact pricing has turned out to take nearly all of the time.
        """
        slacks, most = self.settings.slacks, self.settings.dear * seconds
        if self.blocks:
            most = min(most, self.settings.pair_seconds)
        now = slacks.index(self.slack) if self.slack in slacks else 0
        lowest = min(len(slacks) - 1, now + self.settings.steps)
        if self._expected(slacks[now]) > self.settings.too_dear * seconds:
            lowest, now = now, 0
        fit = [slack for slack in slacks[now : lowest + 1] if self._expected(slack) <= most]
        return fit[-1] if fit else slacks[now]

    def _expected(self, slack: Fraction) -> float:
        """Seconds of an exact pricing with this slack."""
        return 0.0 if self.last is None else expected_seconds(self.last.took, float(slack))

    def _reserve(self, slack: Fraction, seconds: float) -> float:
        """What part of the time exact pricing is to have."""
        needed = 1.6 * self._expected(slack) / seconds if seconds > 0 else 0.0
        return min(0.7, max(self.loop.reserve, needed))

    def _rows(self) -> list[list[int]]:
        return [[i] for i in range(self.matrix.shape[0])]

    def _generate(self, slack: Fraction, stop: Stop, reserve: float) -> Ending:
        """Generate columns at a slack."""
        evenly = self.settings.evenly[self.evenness]
        relaxation = AssignedCover(
            self.matrix, self.k, self.blocks, stop.now,
            slack=slack, around=True, evenly=evenly, last=self.last,
        )  # fmt: skip
        worth = set_worths(relaxation.point_of(self.state), self.sets, stop.now)
        best = np.argsort(-worth, kind="stable")[: self.settings.sets]
        trace = Trace()
        columns = generate_columns(
            relaxation,
            pool=relaxation.pool_of(self.sets[best], self.state),
            stop=stop,
            seed=self.seed,
            strategy=self.strategy,
            executor=self.executor,
            progress=self.progress,
            trace=trace,
            incumbent=self.incumbent,
            start=self.state,
            settings=replace(self.loop, reserve=reserve),
        )
        self.sets = np.unique(columns.pool.B, axis=0)
        self.state = columns.state
        if relaxation.last is not None:
            self.last = relaxation.last
        self.note(columns, trace)
        return columns.ending


def expected_seconds(took: tuple[tuple[float, float], ...], slack: float) -> float:
    """How long excluding all above a slack should take, from larger ones that were excluded.

    The logarithm of the seconds is nearly a line in 1 / slack; the last two of some length fix it.

    Examples
    --------
    >>> round(expected_seconds(((2.0, 0.1), (1.5, 1.0)), 1.2), 2)
    10.0
    >>> expected_seconds(((1.5, 1.0),), 1.5)
    1.0
    """
    long = [(level, seconds) for level, seconds in took if seconds > 1e-3]
    if not long:
        return 0.0
    last, seconds = long[-1]
    if slack >= last:
        return seconds
    before, earlier = long[-2] if len(long) > 1 else (last + 0.25, seconds / 10)
    slope = max(0.0, math.log(seconds / earlier)) / (1 / last - 1 / before)
    return seconds * math.exp(slope * (1 / slack - 1 / last))
