"""The bound on the error by assigned cover: parts, blocks of rows that grow, and the whole.

Single rows come first: they are priced fastest, and their prices are a good beginning for
blocks. Then blocks are merged in pairs, again and again, as long as exact pricing can carry it in
the time that is left. The best that was proved is kept for each part. Where columns were divided
and there is time, the whole, or larger groups, are priced around circles, too, and the better bound
counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.blocks import merged_blocks
from boolfact.colgen.cover.climb import set_worths
from boolfact.colgen.cover.division import Division, race
from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.parts import Part, make_parts, whole_part
from boolfact.colgen.cover.prices import Prices
from boolfact.colgen.cover.proof import CoverProof, PartProof, cover_bound
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.cover.whole import Whole, WholeSettings
from boolfact.colgen.loop import ColumnGeneration, generate_columns
from boolfact.colgen.settings import LoopSettings
from boolfact.colgen.strategies import Strategy
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.bound import Bound, float_below
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["CoverSettings", "Growth", "bound_by_cover", "circle_groups"]


@dataclass(frozen=True)
class CoverSettings:
    """Parameters of the growth; the defaults were chosen on the bundled matrices.

    Attributes
    ----------
    whole_columns : int
        A matrix with at most this many columns is not divided: all its sets of columns can be
        walked through in seconds.
    part_columns : int
        Columns of a part otherwise.
    hasty_columns, hasty_seconds : int, float
        The same where less time than this is given, or none but a limit of iterations.
    sizes : tuple of int
        Rows of the largest blocks, from level to level.
    times_dearer : tuple of float
        How many times as long as for single rows exact pricing takes, as seen on the bundled
        matrices. From level to level it is measured anew, and only the next step is foreseen.
    first_share : float
        Of the time, for single rows: they give the first bound.
    between_share : float
        Of the time, for each level between the first and the last: larger blocks prove more than
        smaller ones that are solved to the end.
    dear : float
        The last level is the largest of which an exact pricing is thought to take at most this
        share of the time.
    sets : int
        Sets of columns that a level begins with, the best of those before.
    undivided_seconds : pair of float
        With at least this many seconds, a matrix that is divided is also bounded undivided, around
        a circle: the first where it is divided in up to four, the second where there are more
        groups and less is to be had from them.
    circle_seconds : float
        With at least this many seconds, it is also bounded in larger groups around circles.
    circle_columns : int
        Columns of these groups, about.
    circle_share : tuple of float
        Of the seconds, for all that goes around circles, where the matrix is divided in up to four
        parts, and where there are more.
    sparse : float
        With at most this share of ones, sets are priced by size, and the undivided matrix is taken.
    circle_numbers : int
        Not where the ones of a group times the square of its columns are more than this: a circle
        alone would take longer to make than to search.
    """

    whole_columns: int = 24
    part_columns: int = 24
    hasty_columns: int = 18
    hasty_seconds: float = 15.0
    sizes: tuple[int, ...] = (1, 2, 4, 8)
    times_dearer: tuple[float, ...] = (1.0, 5.0, 12.0, 80.0)
    first_share: float = 0.25
    between_share: float = 0.15
    dear: float = 0.2
    sets: int = 300
    undivided_seconds: tuple[float, float] = (120.0, 15.0)
    circle_seconds: float = 15.0
    circle_columns: int = 48
    circle_share: tuple[float, float] = (0.6, 0.85)
    sparse: float = 0.15
    circle_numbers: int = 60_000_000


_SAFELY = 1.6
"""Exact pricing may take this many times as long as expected."""
_MOST_RESERVE, _LEAST_RESERVE = 0.7, 0.02
"""Shares of a level's time that may be kept for exact pricing."""
_WORTHWHILE = 0.03
"""A level is not begun with less than this share of the time."""

LOOP = LoopSettings(
    # The master is of first order: it is stopped where steps of it no longer pay.
    proved=1e-4,
    first_tolerance=0.05,
    last_tolerance=2e-3,
    # A walk is cheap beside the master, so bounds are proved more often on the way.
    first_proof=0.05,
    gap_shrinks=2.0,
)

STRATEGY = Strategy(
    "multistart",
    "diverse",
    "last",
    # The master moves in short steps: it needs less of the centre than one that jumps.
    centre=0.3,
    limit=40,
    nearly=0.02,
    random=12,
    # The work of a step is that of the pool.
    pool_limit=500,
)


GROUPED = WholeSettings(evenly=(0.0,))
"""Of a group: with fewer columns a circle is short enough without charges that are even."""


@dataclass(eq=False)
class _Grown:
    """A part on its way: blocks, prices, sets of columns, and the best that was proved."""

    part: Part
    blocks: list[list[int]]
    sets: NDArray[np.bool_]
    state: tuple[Layout, Prices] | None = None
    best: PartProof | None = None
    pricing_seconds: float = 0.0
    priced_level: int = 0

    @property
    def rounded(self) -> int:
        return 0 if self.best is None else self.best.rounded


@dataclass(frozen=True, eq=False)
class Growth:
    """What came of it: the bound, None where there was no time for any, and why it ended."""

    bound: Bound | None
    ending: Ending
    iterations: int


def bound_by_cover(
    matrix: BinaryMatrix,
    k: int,
    *,
    factors: Factors | None = None,
    rectangles: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    stop: Stop | None = None,
    seed: int = 0,
    executor: Executor = SERIAL,
    progress: Progress = silent,
    trace: Trace | None = None,
    incumbent: int | None = None,
    settings: CoverSettings | None = None,
) -> Growth:
    """A proved lower bound on the error of every factorisation of rank k.

    Sets are sought on the shorter side: a matrix with fewer rows than columns is transposed.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced.
    k : int
    factors : Factors, optional
        A good factorisation: it says which rows belong together, and gives sets to begin with.
    rectangles : pair of ndarrays of bool, optional
        More rectangles to begin with: their sets of rows, and their sets of columns.
    stop : Stop, optional
    seed : int
    executor : Executor
    progress : callable
    trace : Trace, optional
        Added to.
    incumbent : int, optional
        The error of a known solution: a bound that meets it ends the growth.
    settings : CoverSettings, optional

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> bound_by_cover(X, 1).bound.rounded
    Fraction(2, 1)
    """
    is_wide = matrix.shape[0] < matrix.shape[1]
    if is_wide:
        matrix = matrix.T
        factors = None if factors is None else Factors(factors.B.T, factors.A.T)
        rectangles = None if rectangles is None else rectangles[::-1]
    grower = _Grower(
        matrix=matrix,
        transposed=is_wide,
        k=k,
        stop=Stop() if stop is None else stop,
        seed=seed,
        executor=executor,
        progress=progress,
        trace=Trace() if trace is None else trace,
        incumbent=incumbent,
        settings=CoverSettings() if settings is None else settings,
    )
    return grower.run(factors, None if rectangles is None else rectangles[1])


@dataclass
class _Grower:
    matrix: BinaryMatrix
    transposed: bool
    k: int
    stop: Stop
    seed: int
    executor: Executor
    progress: Progress
    trace: Trace
    incumbent: int | None
    settings: CoverSettings
    iterations: int = 0
    grown: list[_Grown] = field(default_factory=list)
    ways: list[Division] = field(default_factory=list)

    def run(self, factors: Factors | None, sets: NDArray[np.bool_] | None) -> Growth:
        """By parts; then, if there is time for that, around circles too."""
        whole_stop, seconds = self.stop, self.stop.remaining()
        counts = circle_groups(self.matrix, seconds, self.settings)
        if not counts:
            return self._run_parts(factors, sets)
        groups = -(-min(self.matrix.shape) // _most_columns(self.matrix, seconds, self.settings))
        share = self.settings.circle_share[groups > 4]
        self.stop = whole_stop.child((1 - share) * seconds)
        self._run_parts(factors, sets)
        self.stop = whole_stop
        if not self._is_over():
            ways = [self._division(count, factors, sets) for count in counts]
            self.ways = [way for way in ways if way.parts]
            race(self.ways, self.stop, self._is_over)
        return self._growth()

    def _division(
        self, count: int, factors: Factors | None, sets: NDArray[np.bool_] | None
    ) -> Division:
        """The columns in so many groups of like size, each to be priced around a circle."""
        way = Division([], [])
        if count == 1:
            part = whole_part(self.matrix, self.k)
            parts = [] if part is None else [part]
        else:
            most = -(-self.matrix.shape[1] // count)
            parts = make_parts(self.matrix, self.k, most, stop=self.stop, seed=self.seed)
        for place, part in enumerate(parts):
            way.parts.append(part)
            way.wholes.append(
                Whole(
                    matrix=part.matrix,
                    k=self.k,
                    sets=self._begin(part, factors, sets).sets,
                    seed=self.seed,
                    executor=self.executor,
                    progress=self._tell(0),
                    # Of a group it is not known how much of the error is its own.
                    incumbent=self.incumbent if count == 1 else None,
                    loop=LOOP,
                    strategy=STRATEGY,
                    note=partial(self._note_circle, way, place, part),
                    codes=_codes(part, factors) if part.factors.A.any() or factors else None,
                    settings=WholeSettings() if count == 1 else GROUPED,
                )
            )
        return way

    def _run_parts(self, factors: Factors | None, sets: NDArray[np.bool_] | None) -> Growth:
        """Single rows for every part first; then each part grows as far as it can."""
        most = _most_columns(self.matrix, self.stop.remaining(), self.settings)
        parts = make_parts(self.matrix, self.k, most, stop=self.stop, seed=self.seed)
        self.grown = [self._begin(part, factors, sets) for part in parts]
        # The largest last: it has what the others leave of their time.
        self.grown.sort(key=lambda grown: grown.part.error)
        for first in (True, False):
            for place, grown in enumerate(self.grown):
                waiting = self.grown[place:]
                part = grown.part.error / max(1, sum(other.part.error for other in waiting))
                share = self.settings.first_share if first else 1.0
                seconds = share * part * self.stop.remaining()
                if first:
                    self._advance(grown, 0, seconds, factors, reserve=LOOP.reserve)
                else:
                    self._grow(grown, seconds, factors)
                if self._is_over():
                    return self._growth()
        return self._growth()

    def _grow(self, grown: _Grown, seconds: float, factors: Factors | None) -> None:
        """Through the levels, as far as they can be priced; on to the next where one is done."""
        s = self.settings
        last = len(s.sizes) - 1
        if self._is_endless:
            if last > 0:
                self._advance(grown, 1, seconds, factors, reserve=LOOP.reserve)
            return
        end = self.stop.elapsed() + seconds
        level, is_done = 0, False
        while not self._is_over():
            left = end - self.stop.elapsed()
            if left <= _WORTHWHILE * seconds or (is_done and level == last):
                return
            goal = self._goal(grown, left)
            if level < goal or is_done:
                level += 1
            given = left if level >= goal else s.between_share * seconds
            is_done = self._advance(
                grown, level, given, factors, reserve=self._reserve(grown, level, given)
            )

    def _expected(self, grown: _Grown, level: int) -> float:
        """Seconds of an exact pricing, from the last level at which one was complete."""
        times = self.settings.times_dearer
        return grown.pricing_seconds * times[level] / times[grown.priced_level]

    def _reserve(self, grown: _Grown, level: int, seconds: float) -> float:
        """What part of the time exact pricing needs; hardly any where it would need too much."""
        expected = _SAFELY * self._expected(grown, level)
        if expected > _MOST_RESERVE * seconds:
            return _LEAST_RESERVE
        return max(LOOP.reserve, expected / seconds) if seconds > 0 else LOOP.reserve

    def _goal(self, grown: _Grown, seconds: float) -> int:
        """The largest level that can be priced several times."""
        s = self.settings
        fits = [
            level
            for level in range(len(s.sizes))
            if self._expected(grown, level) <= s.dear * seconds
        ]
        # Where not even single rows were priced in time, they are what there is to go on with.
        return max(fits, default=0) if grown.pricing_seconds else 0

    def _advance(
        self,
        grown: _Grown,
        level: int,
        seconds: float,
        factors: Factors | None,
        *,
        reserve: float,
    ) -> bool:
        """Merge blocks up to the size of a level, and generate columns; whether to the end."""
        size = self.settings.sizes[level]
        codes = _codes(grown.part, factors)
        while max(len(block) for block in grown.blocks) < size:
            merged = merged_blocks(grown.part.matrix, grown.blocks, size, codes)
            if len(merged) == len(grown.blocks):
                break
            grown.blocks = merged
        return self._generate(grown, level, self._stop_of(seconds), reserve)

    @property
    def _is_endless(self) -> bool:
        return math.isinf(self.stop.remaining())

    def _stop_of(self, seconds: float) -> Stop:
        limit = self.stop.iteration_limit
        return self.stop.child(None if math.isinf(seconds) else seconds, limit, None)

    def _begin(self, part: Part, factors: Factors | None, sets: NDArray[np.bool_] | None) -> _Grown:
        n, m = part.matrix.shape
        rng = np.random.default_rng(self.seed)
        some = part.matrix.ones[rng.permutation(n)[:60]]
        known = [np.eye(m, dtype=np.bool_), some[some.any(axis=1)]]
        known.append(part.factors.B[part.factors.B.any(axis=1)])
        if factors is not None:
            known.append(part.sets(factors.B))
        if sets is not None:
            known.append(part.sets(sets))
        return _Grown(
            part,
            [[i] for i in range(n)],
            np.unique(np.vstack(known), axis=0),
        )

    def _generate(self, grown: _Grown, level: int, stop: Stop, reserve: float) -> bool:
        relaxation = AssignedCover(grown.part.matrix, self.k, grown.blocks, stop.now)
        expected = self._expected(grown, level)
        relaxation.walk_seconds = expected
        worth = set_worths(relaxation.point_of(grown.state), grown.sets, stop.now)
        best = np.argsort(-worth, kind="stable")[: self.settings.sets]
        others = sum(other.rounded for other in self.grown if other is not grown)
        trace = Trace()
        columns = generate_columns(
            relaxation,
            pool=relaxation.pool_of(grown.sets[best], grown.state),
            stop=stop,
            seed=self.seed,
            strategy=STRATEGY,
            executor=self.executor,
            progress=self._tell(others),
            trace=trace,
            incumbent=None if self.incumbent is None else self.incumbent - others,
            start=grown.state,
            settings=replace(LOOP, reserve=reserve),
        )
        self._note(grown, columns, trace)
        if relaxation.walk_seconds != expected:
            grown.pricing_seconds, grown.priced_level = relaxation.walk_seconds, level
        return columns.ending in (Ending.PROVED, Ending.STALLED)

    def _note(self, grown: _Grown, columns: ColumnGeneration, trace: Trace) -> None:
        grown.sets = np.unique(columns.pool.B, axis=0)
        grown.state = columns.state
        own = self._count(grown.part, columns, trace)
        if own is not None and (grown.best is None or own.value > grown.best.value):
            grown.best = own
        self._tell_bound()

    def _note_circle(
        self, way: Division, place: int, part: Part, columns: ColumnGeneration, trace: Trace
    ) -> None:
        own = self._count(part, columns, trace)
        if own is not None:
            way.note(place, own)
        self._tell_bound()

    def _count(self, part: Part, columns: ColumnGeneration, trace: Trace) -> PartProof | None:
        """What a column generation took; its proof, in rows and columns of the matrix."""
        self.iterations += columns.iterations
        for name, amount in trace.counters.items():
            self.trace.count(name, amount)
        if columns.bound is None:
            return None
        assert isinstance(columns.bound.proof, CoverProof)
        (own,) = columns.bound.proof.parts
        return replace(own, row_map=part.row_map, column_map=part.column_map)

    def _tell_bound(self) -> None:
        bound = self._bound()
        if bound is not None:
            proved = float_below(bound.value)
            self.trace.add(TracePoint(self.stop.elapsed(), error_lower_bound=proved))
            self.progress(Event("error bound", self.stop.elapsed(), error_lower_bound=proved))

    def _tell(self, others: int) -> Callable[[Event], None]:
        def tell(event: Event) -> None:
            own = event.error_lower_bound
            proved = max(self._proved, others + (0 if own is None else int(own)))
            self.progress(
                Event(
                    "error bound",
                    event.seconds,
                    error_lower_bound=float(proved) if proved > 0 else None,
                    columns=event.columns,
                    iterations=self.iterations + (event.iterations or 0),
                )
            )

        return tell

    def _bound(self) -> Bound | None:
        parts = [grown.best for grown in self.grown if grown.best is not None]
        best = max(self.ways, key=lambda way: way.proved, default=None)
        if best is not None and best.proved == self._proved:
            parts = [best.proofs[place] for place in sorted(best.proofs)]
        proved = [part for part in parts if part.rounded > 0]
        return cover_bound(proved, self.k, self.transposed) if proved else None

    @property
    def _proved(self) -> int:
        """By the parts that were walked through together, or by those around circles."""
        around = max((way.proved for way in self.ways), default=0)
        return max(around, sum(grown.rounded for grown in self.grown))

    def _is_over(self) -> bool:
        met = self.incumbent is not None and self._proved >= self.incumbent
        return met or self.stop.now()

    def _growth(self) -> Growth:
        bound = self._bound()
        ending = self.stop.ending() or Ending.DONE
        if bound is not None and self.incumbent is not None and bound.rounded >= self.incumbent:
            ending = Ending.INCUMBENT
        return Growth(bound, ending, self.iterations)


def circle_groups(
    matrix: BinaryMatrix, seconds: float, settings: CoverSettings | None = None
) -> list[int]:
    """Into how many groups a matrix with too many columns is divided for pricing around circles.

    Each number is a way of its own; 1 is the undivided matrix.

    Examples
    --------
    >>> circle_groups(BinaryMatrix(np.eye(92, dtype=np.int8)), 60.0)
    [1]
    >>> circle_groups(BinaryMatrix(1 - np.eye(92, dtype=np.int8)), 60.0)
    [2]
    """
    s = settings or CoverSettings()
    m, ones = min(matrix.shape), int(matrix.ones.sum())
    groups = -(-m // _most_columns(matrix, seconds, s))
    if groups == 1 or not math.isfinite(seconds):
        return []
    several = round(m / s.circle_columns)
    is_sparse = ones <= s.sparse * matrix.values.size
    is_undivided = is_sparse or seconds >= s.undivided_seconds[groups > 4]
    # A race takes time: where that is short, it is for matrices that may be too wide undivided.
    is_race = several > 2 or (seconds >= s.undivided_seconds[0] and not is_sparse)

    def fits(count: int) -> bool:
        return ones / count * (m / count) ** 2 <= s.circle_numbers

    ways = [1] if is_undivided and seconds >= s.undivided_seconds[1] and fits(1) else []
    is_divided = 1 < several < groups and seconds >= s.circle_seconds and fits(several)
    if is_divided and (is_race or not ways):
        ways.append(several)
    return ways


def _most_columns(matrix: BinaryMatrix, seconds: float, settings: CoverSettings) -> int:
    """Columns of a part; sets are sought on the shorter side."""
    if min(matrix.shape) <= settings.whole_columns:
        return settings.whole_columns
    hasty = seconds < settings.hasty_seconds or math.isinf(seconds)
    return settings.hasty_columns if hasty else settings.part_columns


def _codes(part: Part, factors: Factors | None) -> NDArray[np.bool_]:
    """The code of each row of the part: its own where it was searched, else that of the whole."""
    if part.factors.A.any() or factors is None:
        return part.factors.A
    rows = np.flatnonzero(part.row_map >= 0)
    _, first = np.unique(part.row_map[rows], return_index=True)
    return factors.A[rows[first]]
