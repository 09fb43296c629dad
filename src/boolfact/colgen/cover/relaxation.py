"""Assigned cover as a relaxation for the loop of column generation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.around import Around, price_around
from boolfact.colgen.cover.climb import best_rows, climb_all
from boolfact.colgen.cover.cube import MOST_COLUMNS, CubePricing, price_by_walking
from boolfact.colgen.cover.layout import Layout, make_layout
from boolfact.colgen.cover.master import CoverMaster
from boolfact.colgen.cover.minima import LANES
from boolfact.colgen.cover.point import CoverPoint, rounded
from boolfact.colgen.cover.prices import Prices, even_prices
from boolfact.colgen.cover.proof import PartProof, cover_bound
from boolfact.colgen.cover.worth import rectangle_worths
from boolfact.colgen.relaxation import MasterSolution
from boolfact.colgen.strategies import Strategy
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.stop import Stop
from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.exact import PricingResult
from boolfact.pricing.heuristic import Priced

__all__ = ["AssignedCover", "RestrictedCover"]

_STARTS = 12
"""Sets of the pool from which the heuristic climbs, the best ones."""
_FOUND = 60
"""Sets of an exact pricing that are taken in."""
_GOOD = 60
"""Sets of the heuristic that tell exact pricing which columns are often taken."""
_HIGHER = (1.5, 1.2, 1.06)
"""Multiples of the threshold that are tried first where time may be short."""
_TIMES_LONGEST = 1.3
"""Time may be short if less than this many times the last walk is left."""
_ITERATIONS = 30
"""Of the master in one call: prices that are not final need no more."""


class AssignedCover:
    """The relaxation: prices of ones, charges of zeros within blocks of rows.

    Parameters
    ----------
    matrix : BinaryMatrix
        With few columns (`MOST_COLUMNS`), at least one of its entries a one.
    k : int
        The rank.
    blocks : sequence of sequences of int
        Rows that may charge each other; rows not named are blocks of one.
    over : callable
        Asked by the heuristic, between its climbs, whether time is over.
    slack : Fraction
        At least 1. Exact pricing need only exclude rectangles that are worth this many times what
        the master asks for, which can be far quicker; prices are those for a rank as many times
        as large, where they prove the most.
    around : bool
        Price around a circle of columns: for a matrix with too many of them to walk through.
    evenly : float
        See `CoverMaster`.
    last : Around, optional
        What exact pricing around the circle left at similar prices.

    Examples
    --------
    >>> from boolfact.colgen.loop import generate_columns
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> generate_columns(AssignedCover(X, 1)).bound.rounded
    Fraction(2, 1)
    """

    on = Quantity.ERROR
    step = Fraction(1)

    def __init__(
        self,
        matrix: BinaryMatrix,
        k: int,
        blocks: Sequence[Sequence[int]] = (),
        over: Callable[[], bool] = lambda: False,
        *,
        slack: Fraction = Fraction(1),
        around: bool = False,
        evenly: float = 0.0,
        last: Around | None = None,
    ) -> None:
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        if around and any(len(block) > 2 for block in blocks):
            raise ValueError("around a circle only blocks of up to two rows can be priced")
        if slack < 1:
            raise ValueError(f"slack must be at least 1, got {slack}")
        if matrix.shape[1] > MOST_COLUMNS and not around:
            raise ValueError(
                f"assigned cover takes at most {MOST_COLUMNS} columns, got {matrix.shape[1]}"
            )
        if not matrix.ones_weight:
            raise ValueError("assigned cover needs a matrix with at least one one")
        self.matrix, self.k, self.slack = matrix, k, slack
        self.is_around, self.evenly, self.last = around, evenly, last
        self._proved: tuple[CoverPoint, int] | None = None
        self._good = np.zeros((0, matrix.shape[1]), dtype=np.bool_)
        self.layout = make_layout(matrix, blocks)
        self._over = over
        # Seconds of the last walk that was complete, or as many as expected; 0 if not known.
        self.walk_seconds = 0.0

    @property
    def name(self) -> str:
        """For people."""
        return "assigned cover"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the data."""
        return self.matrix.shape

    def master(self, executor: Executor = SERIAL, start: Any = None) -> RestrictedCover:
        """A restricted master; `start` is the state of one for any blocks of the same matrix."""
        return RestrictedCover(
            self.layout, float(self._rank), self._prices(start), evenly=self.evenly
        )

    def costs(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Nothing: zeros are paid for by the ones that are assigned beside them."""
        return np.zeros(len(A))

    def worths(
        self, prices: NDArray[np.float64], A: NDArray[np.bool_], B: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """What each rectangle is worth."""
        x = Prices.unflat(self.layout, prices)
        return rectangle_worths(self.layout, x.p, x.along, x.across, A, B)

    def value(self, prices: NDArray[np.float64], omega: float) -> float:
        """The bound, if no rectangle is worth more than omega."""
        return float(prices[: len(self.layout.one_row)].sum()) - float(self._rank) * omega

    @property
    def _rank(self) -> Fraction:
        return self.k * self.slack

    def find_columns(
        self,
        prices: NDArray[np.float64],
        strategy: Strategy,
        pool: RectanglePool,
        rng: np.random.Generator,
        executor: Executor = SERIAL,
    ) -> Priced:
        """Climb from the best sets of the pool, and from some of its sets with a few flips."""
        point = self.rounded(prices)
        m = self.shape[1]
        starts = [np.eye(m, dtype=np.bool_)]
        if len(pool):
            worth = point.worths(pool.A, pool.B)
            starts = [pool.B[np.argsort(-worth, kind="stable")[:_STARTS]]]
            some = pool.B[rng.integers(len(pool), size=strategy.random)]
            starts.append(some ^ (rng.random(some.shape) < 2.0 / m))
        B, values = climb_all(point, np.unique(np.vstack(starts), axis=0), over=self._over)
        B, first = np.unique(B, axis=0, return_index=True)
        order = np.argsort(-values[first], kind="stable")
        B = B[order]
        self._good = B[:_GOOD]
        return Priced(values[first][order] / point.scale, self._rows(point, B), B)

    def rounded(self, prices: NDArray[np.float64], bits: int | None = None) -> CoverPoint:
        """The prices in fixed point, as fine as 32 bits let it be, whatever `bits`."""
        return rounded(self.layout, Prices.unflat(self.layout, prices), self._rank)

    def price_exactly(
        self,
        point: CoverPoint,
        *,
        start: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]] = (),
        cutoff: int | None = None,
        first_above: int | None = None,
        node_limit: int | None = None,
        stop: Stop | None = None,
        executor: Executor = SERIAL,
    ) -> PricingResult:
        """Walk through all sets of columns, or go round; only the stop ends it early.

        Values and the bound are for the rank that the slack makes larger: rectangles worth up to
        the slack times the bound may be there.
        """
        began = time.perf_counter()
        threshold = math.floor(self.slack * max(0, cutoff or 0))
        if self.is_around:
            result, self.last = price_around(
                point, threshold, executor,
                good=self._good, last=self.last, stop=stop, unit=max(1, cutoff or 0),
            )  # fmt: skip
        else:
            result = self._walk(point, threshold, stop, executor)
        self._proved = point, result.upper_bound
        B = result.B[_apart(result.B)]
        A = self._rows(point, B)
        worth = point.worths(A, B)
        n, m = self.shape
        best = (np.zeros(n, dtype=np.bool_), np.zeros(m, dtype=np.bool_))
        value = 0
        if len(B):
            first = int(np.argmax(worth))
            best, value = (A[first], B[first]), int(worth[first])
        return PricingResult(
            value=value,
            a=best[0],
            b=best[1],
            upper_bound=math.ceil(result.upper_bound / self.slack),
            is_optimal=value == result.upper_bound,
            nodes=result.walked if self.is_around else result.walked // LANES,
            seconds=time.perf_counter() - began,
            found=[(int(w), a, b) for w, a, b in zip(worth, A, B, strict=True)],
        )

    def _walk(
        self, point: CoverPoint, threshold: int, stop: Stop | None, executor: Executor
    ) -> CubePricing:
        """Walk; where time may not suffice, at a higher threshold first, so there is a bound.

        Most sets are far below a higher threshold, and done with at once.
        """
        over = (lambda: False) if stop is None else stop.now
        remaining = math.inf if stop is None else stop.remaining()
        upper = point.total
        known = self.walk_seconds or math.inf
        if math.isfinite(remaining) and _TIMES_LONGEST * known > remaining:
            for factor in _HIGHER:
                rough = price_by_walking(point, int(factor * threshold), executor, over)
                upper = min(upper, rough.upper_bound)
                if not rough.is_complete or len(rough.B):
                    return replace(rough, upper_bound=upper)
        result = price_by_walking(point, threshold, executor, over)
        if result.is_complete:
            self.walk_seconds = result.seconds
            return result
        return replace(result, upper_bound=min(upper, result.upper_bound))

    def bound(self, point: CoverPoint, omega: int) -> Bound:
        """The bound on the error, rounded up: the error is whole."""
        n, m = self.shape
        true = replace(point, k=self.k)
        turn = self.last.turn if self.is_around and self.last is not None else None
        most = math.floor(self.slack * omega)
        if self._proved is not None and self._proved[0] is point:
            # The slack pays for what exact pricing left open, not for what is known to be there.
            most = max(self._proved[1], omega)
        return cover_bound([PartProof(np.arange(n), np.arange(m), true, most, turn)], self.k)

    def pool_of(
        self, B: NDArray[np.bool_], state: tuple[Layout, Prices] | None = None
    ) -> RectanglePool:
        """Sets of columns with their best rows at the prices of a state."""
        pool = RectanglePool(*self.shape)
        pool.extend(zip(self._rows(self.point_of(state), B), B, strict=True))
        return pool

    def point_of(self, state: tuple[Layout, Prices] | None) -> CoverPoint:
        """The prices of a state, or those to begin with, in fixed point."""
        return self.rounded(self._prices(state).flat())

    def _prices(self, state: tuple[Layout, Prices] | None) -> Prices:
        if state is None:
            return even_prices(self.layout)
        return state[1].moved(state[0], self.layout)

    def _rows(self, point: CoverPoint, B: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Best rows in the order of the matrix."""
        A = np.zeros((len(B), self.shape[0]), dtype=np.bool_)
        A[:, self.layout.rows] = best_rows(point, B)
        return A


class RestrictedCover:
    """`CoverMaster` as the loop asks for it: it follows a pool that grows and is purged."""

    def __init__(self, layout: Layout, k: float, prices: Prices, evenly: float = 0.0) -> None:
        self._layout = layout
        self._master = CoverMaster(layout, k, prices, evenly)
        self._known = 0
        self._best = prices

    def solve(self, pool: RectanglePool, tolerance: float, stop: Stop) -> MasterSolution:
        """A few dozen steps, fewer if the gap falls below the tolerance."""
        if len(pool) > self._known:
            self._master.add(pool.A[self._known :][:, self._layout.rows], pool.B[self._known :])
            self._known = len(pool)
        value = abs(float(self._layout.one_weights.sum()))
        point = self._master.solve(_ITERATIONS, tolerance * 0.5 * value, stop.now)
        self._best = point.prices
        worth = self._master.worths(point.prices)
        return MasterSolution(
            value=point.upper,
            lower=point.lower,
            q=self._master.shares(),
            prices=point.prices.flat(),
            mu=float(worth.max(initial=0.0)),
        )

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget rectangles."""
        self._master.purge(keep)
        self._known = len(self._master)

    def state(self) -> tuple[Layout, Prices]:
        """The layout and the prices: enough to begin again, with these or other blocks."""
        return self._layout, self._best


def _apart(B: NDArray[np.bool_]) -> list[int]:
    """The best sets that differ from each other in more than one column."""
    kept: list[int] = []
    for u in range(len(B)):
        if len(kept) == _FOUND:
            break
        if not kept or int((B[kept] ^ B[u]).sum(axis=1).min()) > 1:
            kept.append(u)
    return kept
