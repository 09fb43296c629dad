"""What the loop of column generation asks of a relaxation, and of its restricted master.

A relaxation gives lower bounds on the error or on the objective. It owns its prices (dual
variables), what a rectangle is worth at them, heuristic and exact pricing, the rounding of
prices to whole numbers and the bound that they prove. The loop knows none of these by name; all
it needs is that the following holds.

1. The feasible prices are a convex set, so two of them can be mixed.
2. If no rectangle is worth more than omega, `value(prices, omega)` is a lower bound.
3. A rectangle helps the restricted master only if it is worth more than each one in the pool.

Nothing says that the worth of a rectangle is a sum over its entries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.strategies import Strategy
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.stop import Stop
from boolfact.model.bound import Bound, Quantity
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.exact import PricingResult
from boolfact.pricing.heuristic import Priced

__all__ = ["Master", "MasterSolution", "Point", "Prices", "Relaxation"]

Prices = NDArray[np.float64]
"""Of any shape; what it means only the relaxation knows."""

Sets = NDArray[np.bool_]
"""Row sets or column sets, one per line."""


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """What a restricted master found; none of it is trusted for a bound.

    Attributes
    ----------
    value : float
        The value of q in the restricted master.
    lower : float
        The value of the prices over the pool: the restricted master cannot go below.
    q : ndarray, shape (len(pool),)
        How far each rectangle is taken.
    prices : ndarray
    mu : float
        The largest worth of a rectangle of the pool at these prices, at least 0.
    """

    value: float
    lower: float
    q: NDArray[np.float64]
    prices: Prices
    mu: float

    @property
    def gap(self) -> float:
        """How far the restricted master is from solved, relative to its value."""
        return max(0.0, self.value - self.lower) / max(1.0, abs(self.value))

    @property
    def is_usable(self) -> bool:
        """Whether all its numbers are finite."""
        numbers = (self.value, self.lower, self.mu, float(self.prices.sum()))
        return all(math.isfinite(number) for number in numbers)


class Master(Protocol):
    """Solves the restricted master over a pool that grows and is purged."""

    def solve(self, pool: RectanglePool, tolerance: float, stop: Stop) -> MasterSolution:
        """Solve to a relative tolerance, as far as `stop` lets it."""
        ...

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget the rectangles that the pool is about to forget."""
        ...

    def state(self) -> Any:
        """Plain data that can be pickled, for `Relaxation.master` to begin from.

        It belongs to the rectangles that the pool had when `solve` was called last; the pool
        that it is used with must begin with the same ones.
        """
        ...


class Point(Protocol):
    """Prices in fixed point: worths are whole numbers, and what they prove is exact."""

    def worths(self, A: Sets, B: Sets) -> NDArray[np.int64]:
        """What each rectangle is worth."""
        ...

    def largest_omega(self, value: Fraction, strictly: bool = False) -> int:
        """The largest omega that proves a bound of at least `value`, or strictly above it."""
        ...


class Relaxation(Protocol):
    """A source of lower bounds by column generation."""

    @property
    def name(self) -> str:
        """For people: "MLP(1/5)"."""
        ...

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the data."""
        ...

    @property
    def k(self) -> int:
        """The rank."""
        ...

    @property
    def on(self) -> Quantity:
        """What its bounds are on."""
        ...

    @property
    def step(self) -> Fraction:
        """Two different values of that quantity differ by at least this."""
        ...

    def master(self, executor: Executor = SERIAL, start: Any = None) -> Master:
        """A restricted master without columns; `start` is the `state` of an earlier one."""
        ...

    def costs(self, A: Sets, B: Sets) -> NDArray[np.float64]:
        """What taking each rectangle costs in the restricted master."""
        ...

    def worths(self, prices: Prices, A: Sets, B: Sets) -> NDArray[np.float64]:
        """What each rectangle is worth."""
        ...

    def value(self, prices: Prices, omega: float) -> float:
        """The Lagrangian value: a bound if omega is proved, else a guess."""
        ...

    def find_columns(
        self,
        prices: Prices,
        strategy: Strategy,
        pool: RectanglePool,
        rng: np.random.Generator,
        executor: Executor = SERIAL,
    ) -> Priced:
        """Rectangles of large worth by the heuristic of the strategy, best first."""
        ...

    def rounded(self, prices: Prices, bits: int | None = None) -> Point:
        """The prices in fixed point, feasible; with `bits` as fine as that, where possible."""
        ...

    def price_exactly(
        self,
        point: Any,
        *,
        start: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]] = (),
        cutoff: int | None = None,
        first_above: int | None = None,
        node_limit: int | None = None,
        stop: Stop | None = None,
        executor: Executor = SERIAL,
    ) -> PricingResult:
        """The rectangle of largest worth at a point, and a proved bound on all of them.

        The arguments are those of `boolfact.pricing.exact.price_exact`.
        """
        ...

    def bound(self, point: Any, omega: int) -> Bound:
        """What follows if no rectangle is worth more than omega at the point."""
        ...
