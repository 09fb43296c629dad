"""MLP(rho) and MLP_exact, as relaxations that the loop of column generation can solve."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.mlp.duals import DualPoint, MLPProof, check_quantity, round_dual
from boolfact.colgen.mlp.masters import check_master, make_master
from boolfact.colgen.mlp.problem import MasterProblem, MasterState
from boolfact.colgen.node import ROOT, Node, decide
from boolfact.colgen.relaxation import Master, Prices
from boolfact.colgen.strategies import HEURISTICS, Strategy
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.stop import Stop
from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.exact import PricingResult, price_exact
from boolfact.pricing.heuristic import Priced, price_heuristic
from boolfact.pricing.multistart import price_multistart, starts_from
from boolfact.pricing.worth import whole_worths, worths

__all__ = ["MLP", "MLPPoint"]

_Sets = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MLPPoint:
    """Prices of MLP(rho) in fixed point.

    Attributes
    ----------
    dual : DualPoint
        Of the ones.
    H : ndarray of int64, shape (n, m)
        What each entry adds to the worth of a rectangle, in units of 1 / scale. No zero is
        dearer than the dual says: what bounds the worths at H bounds those at the dual.
    k : int
    constant : Fraction
    """

    dual: DualPoint
    H: NDArray[np.int64]
    k: int
    constant: Fraction

    def worths(self, A: _Sets, B: _Sets) -> NDArray[np.int64]:
        """What each rectangle is worth."""
        return whole_worths(self.H, A, B)

    def largest_omega(self, value: Fraction, strictly: bool = False) -> int:
        """The largest omega that proves a bound of at least `value`, or strictly above it."""
        wanted = (value - self.constant) * self.dual.scale
        total = math.floor(wanted) + 1 if strictly else math.ceil(wanted)
        return (self.dual.total - total) // self.k


class MLP:
    """MLP(rho), the linear relaxation of MIP(rho); see `boolfact.colgen.relaxation.Relaxation`.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced; see `boolfact.model.reduction`.
    k : int
        The rank.
    rho : Fraction or int
        The price of covering a zero once.
    on : Quantity
        What its bounds are on. ``ERROR`` needs rho of at most 1/k. Where both are wanted of one
        run, `boolfact.colgen.mlp.duals.restate` turns a bound on one into one on the other.
    formulation : {"rho", "exact"}
        ``exact`` solves the relaxation of MIP_exact, whose zeros have prices of their own; its
        value is that of rho = 1/k, which must be given.
    master : str
        ``interior``, ``smoothed``, ``simplex``, ``ipm``, ``auto``.
    node : Node
        Entries of the product that are decided.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> MLP(X, 2, Fraction(1, 2), on=Quantity.ERROR).name
    'MLP(1/2)'
    >>> MLP(X, 2, on=Quantity.ERROR)
    Traceback (most recent call last):
        ...
    ValueError: a bound on the error needs rho of at most 1/2, got 1
    """

    def __init__(
        self,
        matrix: BinaryMatrix,
        k: int,
        rho: Fraction | int = 1,
        *,
        on: Quantity = Quantity.OBJECTIVE,
        formulation: str = "rho",
        master: str = "auto",
        node: Node = ROOT,
    ) -> None:
        rho = Fraction(rho)
        if rho <= 0:
            raise ValueError(f"rho must be positive, got {rho}")
        check_quantity(on, rho, k)
        zero_price = Fraction(1) if on is Quantity.ERROR else rho
        left = decide(matrix, node, cover_price=rho, zero_price=zero_price)
        self._problem = MasterProblem(left.matrix, k, rho, left.constant)
        self._master = check_master(master, self._problem, formulation)
        self._formulation, self._node = formulation, node
        self._constant, self._barred = left.constant, left.barred
        self.matrix, self.k, self.rho, self.on = left.matrix, k, rho, on

    @property
    def name(self) -> str:
        """For people."""
        name = f"MLP({self.rho})" if self._formulation == "rho" else "MLP_exact"
        decisions = self._node.decisions
        return f"{name} with {decisions} entries decided" if decisions else name

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the data."""
        return self.matrix.shape

    @property
    def step(self) -> Fraction:
        """Weights are whole, so the objective is a multiple of 1 / (denominator of rho)."""
        return Fraction(1, 1 if self.on is Quantity.ERROR else self.rho.denominator)

    def master(self, executor: Executor = SERIAL, start: MasterState | None = None) -> Master:
        """A restricted master without columns; `start` is the `state` of an earlier one."""
        return make_master(self._master, self._problem, self._formulation, executor, start)

    def costs(self, A: _Sets, B: _Sets) -> NDArray[np.float64]:
        """Rho times the weight of the zeros that each rectangle covers."""
        return self._problem.costs(A, B)

    def worths(self, prices: Prices, A: _Sets, B: _Sets) -> NDArray[np.float64]:
        """What each rectangle is worth: the sum of its entries."""
        return worths(prices, A, B)

    def value(self, prices: Prices, omega: float) -> float:
        """The sum of the prices of the ones, less k omega, and what is paid already."""
        return self._problem.lower(np.maximum(prices, 0.0), omega)

    def find_columns(
        self,
        prices: Prices,
        strategy: Strategy,
        pool: RectanglePool,
        rng: np.random.Generator,
        executor: Executor = SERIAL,
    ) -> Priced:
        """Rectangles of large worth by the heuristic of the strategy, best first."""
        if strategy.heuristic == "paper":
            return price_heuristic(prices, rng)
        if strategy.heuristic == "multistart":
            starts = starts_from(prices, pool.B, rng, strategy.random)
            return price_multistart(prices, starts, executor=executor)
        raise ValueError(
            f"MLP has no heuristic {strategy.heuristic!r}; expected one of {', '.join(HEURISTICS)}"
        )

    def rounded(self, prices: Prices, bits: int | None = None) -> MLPPoint:
        """The prices in fixed point, the ones to the nearest, inside their box."""
        dual = round_dual(prices, self.matrix, self.rho, bits)
        H = dual.pricing_matrix(self.matrix)
        if self._formulation == "exact":
            # A zero never costs more than rho * weight: what bounds this H bounds the other.
            cheaper = np.floor(-prices * dual.scale).astype(np.int64)
            H = np.where(self.matrix.ones, H, np.maximum(H, -cheaper))
        return MLPPoint(dual, H, self.k, self._constant)

    def price_exactly(
        self,
        point: MLPPoint,
        *,
        start: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]] = (),
        cutoff: int | None = None,
        first_above: int | None = None,
        node_limit: int | None = None,
        stop: Stop | None = None,
        executor: Executor = SERIAL,
    ) -> PricingResult:
        """See `boolfact.pricing.exact.price_exact`."""
        return price_exact(
            self._bar(point.H),
            start=start,
            cutoff=cutoff,
            first_above=first_above,
            node_limit=node_limit,
            stop=stop,
            executor=executor,
        )

    def bound(self, point: MLPPoint, omega: int) -> Bound:
        """What follows if no rectangle is worth more than omega at the point."""
        return MLPProof(point.dual, omega, self.k, self.on, self._node, self._constant).bound()

    def _bar(self, H: NDArray[np.int64]) -> NDArray[np.int64]:
        """H with barred entries only as dear as it takes to keep them out.

        Without its row, or without its column, a rectangle with such an entry is worth more: so
        the largest worth stays as it is, and the sums of the search stay small.
        """
        if not self._barred.any():
            return H
        positive = np.maximum(H, 0)
        enough = np.minimum(positive.sum(axis=1)[:, None], positive.sum(axis=0)) + 1
        return np.where(self._barred, np.maximum(H, -enough), H)
