"""The bound on the error by assigned cover: parts, and blocks of rows that grow.

Single rows come first: they are priced fastest, and their prices are a good beginning for
blocks. Then blocks are merged in pairs, again and again, as long as exact pricing can carry it in
the time that is left. The best that was proved is kept for each part.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.blocks import merged_blocks
from boolfact.colgen.cover.climb import set_worths
from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.parts import Part, make_parts
from boolfact.colgen.cover.prices import Prices
from boolfact.colgen.cover.proof import CoverProof, PartProof, cover_bound
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.loop import ColumnGeneration, generate_columns
from boolfact.colgen.settings import LoopSettings
from boolfact.colgen.strategies import Strategy
from boolfact.control.counters import Counter
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.bound import Bound, float_below
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["CoverSettings", "Growth", "bound_by_cover"]


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
    shares : tuple of float
        Of the time that is left, for each level; the last one has all of it.
    dear : float
        A level is not begun if its exact pricing is expected to take more than this share of
        the time left.
    times_dearer : float
        By which exact pricing grows from level to level, as seen on the bundled matrices.
    sets : int
        Sets of columns that a level begins with, the best of those before.
    """

    whole_columns: int = 24
    part_columns: int = 22
    hasty_columns: int = 18
    hasty_seconds: float = 15.0
    sizes: tuple[int, ...] = (1, 2, 4, 8)
    shares: tuple[float, ...] = (0.25, 0.35, 0.5, 1.0)
    dear: float = 0.3
    times_dearer: float = 5.0
    sets: int = 300


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
    pool_limit=1000,
)


@dataclass(eq=False)
class _Grown:
    """A part on its way: blocks, prices, sets of columns, and the best that was proved."""

    part: Part
    blocks: list[list[int]]
    sets: NDArray[np.bool_]
    state: tuple[Layout, Prices] | None = None
    best: PartProof | None = None
    pricing_seconds: float = 0.0
    endings: list[Ending] = field(default_factory=list)

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
    sets: NDArray[np.bool_] | None = None,
    stop: Stop | None = None,
    seed: int = 0,
    executor: Executor = SERIAL,
    progress: Progress = silent,
    trace: Trace | None = None,
    incumbent: int | None = None,
    settings: CoverSettings | None = None,
) -> Growth:
    """A proved lower bound on the error of every factorisation of rank k.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced.
    k : int
    factors : Factors, optional
        A good factorisation: it says which rows belong together, and gives sets to begin with.
    sets : ndarray of bool, optional
        More sets of columns to begin with.
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
    grower = _Grower(
        matrix=matrix,
        k=k,
        stop=Stop() if stop is None else stop,
        seed=seed,
        executor=executor,
        progress=progress,
        trace=Trace() if trace is None else trace,
        incumbent=incumbent,
        settings=CoverSettings() if settings is None else settings,
    )
    return grower.run(factors, sets)


@dataclass
class _Grower:
    matrix: BinaryMatrix
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

    def run(self, factors: Factors | None, sets: NDArray[np.bool_] | None) -> Growth:
        """Level by level, part by part."""
        self.grown = [
            self._begin(part, factors, sets)
            for part in make_parts(self.matrix, self._most_columns(), self.seed)
            if self.k < min(part.matrix.shape)
        ]
        for level, size in enumerate(self._sizes()):
            share = self.settings.shares[min(level, len(self.settings.shares) - 1)]
            seconds = share * self.stop.remaining()
            waiting = [grown for grown in self.grown if level == 0 or self._may_grow(grown, size)]
            if not waiting:
                break
            weight = [float(grown.part.matrix.ones_weight) for grown in waiting]
            for place, grown in enumerate(waiting):
                # What a part leaves of its time is for those after it.
                part = weight[place] / sum(weight[place:])
                stop = self._stop_of(part * seconds)
                before = self.stop.elapsed()
                self._advance(grown, size, stop, factors)
                seconds = max(0.0, seconds - (self.stop.elapsed() - before))
                if self._is_over():
                    return self._growth()
        return self._growth()

    def _most_columns(self) -> int:
        s = self.settings
        if self.matrix.shape[1] <= s.whole_columns:
            return s.whole_columns
        remaining = self.stop.remaining()
        hasty = remaining < s.hasty_seconds or math.isinf(remaining)
        return s.hasty_columns if hasty else s.part_columns

    def _sizes(self) -> tuple[int, ...]:
        """Without a clock only the levels that take seconds, so a run ends."""
        endless = math.isinf(self.stop.remaining())
        return self.settings.sizes[:2] if endless else self.settings.sizes

    def _stop_of(self, seconds: float) -> Stop:
        limit = self.stop.iteration_limit
        return self.stop.child(None if math.isinf(seconds) else seconds, limit, None)

    def _begin(self, part: Part, factors: Factors | None, sets: NDArray[np.bool_] | None) -> _Grown:
        n, m = part.matrix.shape
        rng = np.random.default_rng(self.seed)
        some = part.matrix.ones[rng.permutation(n)[:60]]
        known = [np.eye(m, dtype=np.bool_), some[some.any(axis=1)]]
        if factors is not None:
            known.append(part.sets(factors.B))
        if sets is not None:
            known.append(part.sets(sets))
        return _Grown(part, [[i] for i in range(n)], np.unique(np.vstack(known), axis=0))

    def _may_grow(self, grown: _Grown, size: int) -> bool:
        """Whether larger blocks can be priced in the time left, and are there to be had."""
        expected = self.settings.times_dearer * grown.pricing_seconds * len(self.grown)
        return expected <= self.settings.dear * self.stop.remaining()

    def _advance(self, grown: _Grown, size: int, stop: Stop, factors: Factors | None) -> None:
        matrix = grown.part.matrix
        codes = None if factors is None else _codes(grown.part, factors)
        while size > 1 and max(len(block) for block in grown.blocks) < size:
            merged = merged_blocks(matrix, grown.blocks, size, codes)
            if len(merged) == len(grown.blocks):
                break
            grown.blocks = merged
        relaxation = AssignedCover(matrix, self.k, grown.blocks)
        worth = set_worths(relaxation.point_of(grown.state), grown.sets)
        best = np.argsort(-worth, kind="stable")[: self.settings.sets]
        pool = relaxation.pool_of(grown.sets[best], grown.state)
        trace = Trace()
        others = sum(other.rounded for other in self.grown if other is not grown)
        incumbent = None if self.incumbent is None else self.incumbent - others
        columns = generate_columns(
            relaxation,
            pool=pool,
            stop=stop,
            seed=self.seed,
            strategy=STRATEGY,
            executor=self.executor,
            progress=self._tell(others),
            trace=trace,
            incumbent=incumbent,
            start=grown.state,
            settings=LOOP,
        )
        self._note(grown, columns, trace)

    def _note(self, grown: _Grown, columns: ColumnGeneration, trace: Trace) -> None:
        self.iterations += columns.iterations
        counters = trace.counters
        pricings = counters.get(Counter.EXACT_PRICINGS, 0)
        if pricings:
            grown.pricing_seconds = counters[Counter.SECONDS_EXACT_PRICING] / pricings
        for name, amount in counters.items():
            self.trace.count(name, amount)
        grown.endings.append(columns.ending)
        grown.sets = np.unique(columns.pool.B, axis=0)
        grown.state = columns.state
        if columns.bound is not None:
            assert isinstance(columns.bound.proof, CoverProof)
            (whole,) = columns.bound.proof.parts
            part = grown.part
            own = PartProof(part.row_map, part.column_map, whole.point, whole.omega_bound)
            if grown.best is None or own.value > grown.best.value:
                grown.best = own
        bound = self._bound()
        if bound is not None:
            proved = float_below(bound.value)
            self.trace.add(TracePoint(self.stop.elapsed(), error_lower_bound=proved))
            self.progress(Event("error bound", self.stop.elapsed(), error_lower_bound=proved))

    def _tell(self, others: int) -> Callable[[Event], None]:
        def tell(event: Event) -> None:
            own = event.error_lower_bound
            known = sum(grown.rounded for grown in self.grown)
            proved = max(known, others + (0 if own is None else own))
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
        proved = [part for part in parts if part.rounded > 0]
        return cover_bound(proved, self.k) if proved else None

    def _is_over(self) -> bool:
        proved = sum(grown.rounded for grown in self.grown)
        return (self.incumbent is not None and proved >= self.incumbent) or self.stop.now()

    def _growth(self) -> Growth:
        bound = self._bound()
        ending = self.stop.ending() or Ending.DONE
        if bound is not None and self.incumbent is not None and bound.rounded >= self.incumbent:
            ending = Ending.INCUMBENT
        return Growth(bound, ending, self.iterations)


def _codes(part: Part, factors: Factors) -> NDArray[np.bool_]:
    """For each row of the part, the code of the first row that it stands for."""
    rows = np.flatnonzero(part.row_map >= 0)
    _, first = np.unique(part.row_map[rows], return_index=True)
    return factors.A[rows[first]]
