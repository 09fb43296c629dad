"""Proved lower bounds: a fixed-point dual and a bound on the worth of every rectangle.

For any p with 0 <= p <= w on the ones, and any number that no rectangle's worth exceeds,

    sum(p) - k * (that number)  <=  MLP(rho)  <=  MIP(rho)

whatever the linear program did. Both are whole numbers in units of 1 / scale here, so that a
bound is a fraction that anybody can add up again without rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix

__all__ = ["DualBound", "DualPoint", "better_bound", "round_dual"]

_FEWEST_BITS, _MOST_BITS = 12, 20
_EXACT_IN_INT32 = 1 << 30
_EXACT_IN_FLOAT64 = 1 << 52


@dataclass(frozen=True, eq=False)
class DualPoint:
    """Prices of the ones, in units of 1 / scale.

    Attributes
    ----------
    p : ndarray of int64, shape (n, m)
        0 <= p <= weight * scale on the ones, 0 elsewhere.
    scale : int
        Such that scale * rho is whole.
    rho : Fraction
        The price of covering a zero of weight 1.
    """

    p: NDArray[np.int64]
    scale: int
    rho: Fraction

    def pricing_matrix(self, matrix: BinaryMatrix) -> NDArray[np.int64]:
        """H, in units of 1 / scale: p on ones, -rho * weight on zeros, 0 where missing."""
        zero_price = self.rho * self.scale
        if zero_price.denominator != 1:
            raise ValueError(f"scale * rho must be whole, got scale {self.scale}, rho {self.rho}")
        return np.where(matrix.ones, self.p, -int(zero_price) * matrix.weights)

    @property
    def total(self) -> int:
        """The sum of p, in units of 1 / scale."""
        return int(self.p.sum())


@dataclass(frozen=True, eq=False)
class DualBound:
    """A lower bound that `point` and `omega_bound` prove.

    Attributes
    ----------
    point : DualPoint
    omega_bound : int
        At least the worth a'Hb of every rectangle, in units of 1 / scale, and at least 0.
    k : int
        The rank.
    """

    point: DualPoint
    omega_bound: int
    k: int

    @property
    def value(self) -> Fraction:
        """The bound on MLP(rho), hence on MIP(rho)."""
        return Fraction(self.point.total - self.k * self.omega_bound, self.point.scale)

    @property
    def objective_bound(self) -> Fraction:
        """The bound on MIP(rho), rounded up.

        Weights are whole, so the objective, uncovered ones plus rho times covered zeros, is a
        multiple of 1 / (denominator of rho); it is never negative.
        """
        denominator = self.point.rho.denominator
        return max(Fraction(0), Fraction(math.ceil(self.value * denominator), denominator))

    @property
    def rounded(self) -> Fraction:
        """Another name for `objective_bound`."""
        return self.objective_bound

    @property
    def error_bound(self) -> int | None:
        """The bound on the error, rounded up; None where rho is too large to prove one.

        A zero covered by up to k rectangles costs at most k * rho <= 1 in MIP(rho) if
        rho <= 1/k, and 1 in the error; so MIP(rho) does not exceed the error.
        """
        if self.point.rho * self.k > 1:
            return None
        return max(0, math.ceil(self.value))


def round_dual(
    p: NDArray[np.float64],
    matrix: BinaryMatrix,
    rho: Fraction | int = 1,
    bits: int | None = None,
) -> DualPoint:
    """The nearest dual in fixed point, inside the box 0 <= p <= weight.

    Parameters
    ----------
    p : ndarray, shape (n, m)
        Prices; only those of ones count.
    matrix : BinaryMatrix
    rho : Fraction or int
    bits : int, optional
        The scale is 2**bits times the denominator of rho. By default as many bits, from 12 to
        20, as let all sums of H stay below 2**30, where exact pricing is fastest. Never so
        many that a sum could leave the whole numbers which a float64 holds exactly.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0], [1, 1]], dtype=np.int8))
    >>> point = round_dual(np.array([[0.5, 9.0], [-1.0, 7.0]]), X, Fraction(1, 3), bits=2)
    >>> point.scale, point.p.tolist()
    (12, [[6, 0], [0, 12]])
    """
    rho = Fraction(rho)
    if rho <= 0:
        raise ValueError(f"rho must be positive, got {rho}")
    total = max(1, int(matrix.weights.sum())) * rho.denominator * max(1, math.ceil(rho))
    if total >= _EXACT_IN_FLOAT64:
        raise ValueError(
            f"the weights are too large for exact bounds: they add up to "
            f"{int(matrix.weights.sum())}, with rho {rho}"
        )
    if bits is None:
        room = (_EXACT_IN_INT32 // total).bit_length() - 1
        bits = min(_MOST_BITS, max(_FEWEST_BITS, room))
    bits = min(bits, (_EXACT_IN_FLOAT64 // total).bit_length() - 1)
    scale = rho.denominator << bits
    whole = np.rint(np.asarray(p, dtype=np.float64) * scale)
    inside = np.clip(whole, 0, matrix.weights * scale).astype(np.int64)
    return DualPoint(np.where(matrix.ones, inside, 0), scale, rho)


def better_bound(first: DualBound | None, second: DualBound | None) -> DualBound | None:
    """The larger of two bounds; the first if they are equal."""
    if first is None or (second is not None and second.value > first.value):
        return second
    return first
