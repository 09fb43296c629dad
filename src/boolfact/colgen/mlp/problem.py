"""The restricted master problem: the pool's incidence with the ones, its costs, its values.

    MLP(rho):  min  w'x + c'q   s.t.  Mq + x >= 1,  1'q <= k,  x, q >= 0

with a row of M transposed for every one and a column for every rectangle of the pool, and
c = rho * (weight of the zeros that a rectangle covers).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from boolfact.control.stop import Stop
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool

__all__ = ["Master", "MasterSolution", "Problem", "project", "worths"]


@dataclass(frozen=True, eq=False)
class MasterSolution:
    """What a master found; none of it is trusted for a bound.

    Attributes
    ----------
    value : float
        The objective of q in the restricted master.
    lower : float
        The dual value of p over the pool: the restricted master cannot go below.
    q : ndarray, shape (len(pool),)
    p : ndarray, shape (n, m)
        Prices of the ones, 0 elsewhere.
    mu : float
        The largest worth of a rectangle of the pool at these prices, at least 0.
    zero_prices : ndarray, shape (n, m), optional
        What covering a zero costs; rho * weight where not given.
    """

    value: float
    lower: float
    q: NDArray[np.float64]
    p: NDArray[np.float64]
    mu: float
    zero_prices: NDArray[np.float64] | None = None

    @property
    def gap(self) -> float:
        """How far the restricted master is from solved, relative to its value."""
        return max(0.0, self.value - self.lower) / max(1.0, abs(self.value))


class Master(Protocol):
    """Solves the restricted master over a pool that grows and is purged."""

    def solve(self, pool: RectanglePool, tolerance: float, stop: Stop) -> MasterSolution:
        """Solve to a relative tolerance, as far as `stop` lets it."""
        ...

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget the rectangles that the pool is about to forget."""
        ...


class Problem:
    """MLP(rho) without its columns: weights of ones and zeros, rank and rho."""

    def __init__(self, matrix: BinaryMatrix, k: int, rho: Fraction) -> None:
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        if rho <= 0:
            raise ValueError(f"rho must be positive, got {rho}")
        self.matrix, self.k, self.rho = matrix, k, Fraction(rho)
        # A one of weight 0 costs nothing uncovered: it is as good as missing.
        self.live = matrix.ones & (matrix.weights > 0)
        self.w = matrix.weights[self.live].astype(np.float64)
        self.zeros = np.where(matrix.ones, 0, matrix.weights).astype(np.float64)

    def incidence(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.float64]:
        """M transposed: one row for each rectangle, one column for each live one."""
        rows, columns = np.nonzero(self.live)
        return (A[:, rows] & B[:, columns]).astype(np.float64)

    def costs(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.float64]:
        """c: rho times the weight of the zeros that each rectangle covers."""
        return float(self.rho) * worths(self.zeros, A, B)

    def prices(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Prices of the live ones as a matrix, moved into the box."""
        full = np.zeros(self.matrix.shape)
        full[self.live] = np.clip(p, 0.0, self.w)
        return full

    def pricing_matrix(
        self, p: NDArray[np.float64], zero_prices: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """H for given prices: p on the ones, minus the price of a zero on the zeros."""
        return p - (float(self.rho) * self.zeros if zero_prices is None else zero_prices)


def worths(
    H: NDArray[np.float64], A: NDArray[np.bool_], B: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """a'Hb for each rectangle."""
    return np.einsum("rj,rj->r", A.astype(np.float64) @ H, B.astype(np.float64))


def project(q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """The nearest point with q >= 0 and sum(q) <= k.

    Examples
    --------
    >>> project(np.array([2.0, 1.5, -1.0]), 2)
    array([1.25, 0.75, 0.  ])
    """
    q = np.maximum(q, 0.0)
    if q.sum() <= k:
        return q
    descending = np.sort(q)[::-1]
    excess = (np.cumsum(descending) - k) / np.arange(1, len(q) + 1)
    last = np.flatnonzero(descending > excess)[-1]
    return np.maximum(q - excess[last], 0.0)
