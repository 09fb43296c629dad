"""The restricted master problem: the pool's incidence with the ones, its costs, its values.

    MLP(rho):  min  w'x + c'q   s.t.  Mq + x >= 1,  1'q <= k,  x, q >= 0

with a row of M transposed for every one and a column for every rectangle of the pool, and
c = rho * (weight of the zeros that a rectangle covers).

The prices of MLP(rho) are a matrix H, what each entry adds to the worth of a rectangle: the dual
p >= 0 of a one, minus the price of a cover of a zero. H has the shape of the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix
from boolfact.pricing.worth import worths

__all__ = ["MasterProblem", "MasterState", "project"]


@dataclass(frozen=True, eq=False)
class MasterState:
    """Where a master was: enough for another one to go on from there.

    Attributes
    ----------
    q : ndarray
        How far each rectangle of the pool was taken.
    barrier : float, optional
        The barrier parameter, of an interior point method.
    """

    q: NDArray[np.float64]
    barrier: float | None = None

    def check(self, size: int) -> None:
        """Refuse a pool that is too small."""
        if size < len(self.q):
            raise ValueError(
                f"start is for a pool of at least {len(self.q)} rectangles, got one of {size}"
            )

    def padded(self, size: int) -> NDArray[np.float64]:
        """q for a pool that has grown since."""
        self.check(size)
        return np.concatenate([self.q, np.zeros(size - len(self.q))])


class MasterProblem:
    """MLP(rho) without its columns: weights of ones and zeros, rank, rho and what is paid.

    Parameters
    ----------
    matrix : BinaryMatrix
    k : int
    rho : Fraction
    constant : Fraction
        Added to every value.
    """

    def __init__(
        self, matrix: BinaryMatrix, k: int, rho: Fraction, constant: Fraction = Fraction(0)
    ) -> None:
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        if rho <= 0:
            raise ValueError(f"rho must be positive, got {rho}")
        self.matrix, self.k, self.rho = matrix, k, Fraction(rho)
        self.constant = float(constant)
        # A one of weight 0 costs nothing uncovered: it is as good as missing.
        self.live = matrix.ones & (matrix.weights > 0)
        self.w = matrix.weights[self.live].astype(np.float64)
        self.zeros = np.where(matrix.ones, 0, matrix.weights).astype(np.float64)
        self.zero_costs = float(self.rho) * self.zeros

    def incidence(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.float64]:
        """M transposed: one row for each rectangle, one column for each live one."""
        rows, columns = np.nonzero(self.live)
        return (A[:, rows] & B[:, columns]).astype(np.float64)

    def costs(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.float64]:
        """c: rho times the weight of the zeros that each rectangle covers."""
        costs: NDArray[np.float64] = float(self.rho) * worths(self.zeros, A, B)
        return costs

    def duals(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Prices of the live ones as a matrix, moved into the box."""
        full = np.zeros(self.matrix.shape)
        full[self.live] = np.clip(p, 0.0, self.w)
        return full

    def prices(self, duals: NDArray[np.float64]) -> NDArray[np.float64]:
        """H for given duals of the ones, a matrix, with rho * weight as the price of a zero."""
        return duals - self.zero_costs

    def lower(self, duals: NDArray[np.float64], mu: float) -> float:
        """The value of duals at which no rectangle of the pool is worth more than mu."""
        return self.constant + (float(duals.sum()) - self.k * mu)


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
