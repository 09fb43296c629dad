"""Duals of MLP(rho) in fixed point, and the bounds that they prove.

For any p with 0 <= p <= w on the ones, and any number that no rectangle's worth exceeds,

    sum(p) - k * (that number)  <=  MLP(rho)  <=  MIP(rho)

whatever the linear program did. Both are whole numbers in units of 1 / scale here, so a bound is
a fraction that anybody can add up again without rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.node import ROOT, Node
from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix

__all__ = ["DualPoint", "MLPProof", "check_quantity", "restate", "round_dual"]

_FEWEST_BITS, _MOST_BITS = 12, 20
"""Coarser prices lose more than a millionth of the bound; finer ones gain nothing."""
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


def check_quantity(on: Quantity, rho: Fraction, k: int) -> None:
    """Refuse a bound on the error from a rho that is too large for it.

    A zero covered by up to k rectangles costs at most k * rho in MIP(rho), and 1 in the error.
    So MIP(rho) does not exceed the error if k * rho <= 1.
    """
    if on is Quantity.ERROR and rho * k > 1:
        raise ValueError(f"a bound on the error needs rho of at most 1/{k}, got {rho}")


@dataclass(frozen=True, eq=False)
class MLPProof:
    """A dual point, and how much a rectangle can be worth at it.

    Attributes
    ----------
    point : DualPoint
    omega_bound : int
        At least the worth a'Hb of every rectangle, in units of 1 / scale, and at least 0.
    k : int
        The rank.
    on : Quantity
        What is bounded; the error only where rho * k <= 1.
    node : Node
        What is decided; the bound holds for factorisations that keep to it.
    constant : Fraction
        What these decisions cost.
    """

    point: DualPoint
    omega_bound: int
    k: int
    on: Quantity = Quantity.OBJECTIVE
    node: Node = ROOT
    constant: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        check_quantity(self.on, self.point.rho, self.k)
        if self.omega_bound < 0:
            raise ValueError(f"omega_bound must not be negative, got {self.omega_bound}")

    @property
    def value(self) -> Fraction:
        """What is proved."""
        total = self.point.total - self.k * self.omega_bound
        return self.constant + Fraction(total, self.point.scale)

    def bound(self) -> Bound:
        """The bound, with this as its proof."""
        rho = self.point.rho
        return Bound(
            on=self.on,
            value=self.value,
            k=self.k,
            relaxation=f"MLP({rho})",
            proof=self,
            rho=rho if self.on is Quantity.OBJECTIVE else None,
            node=None if self.node.is_root else self.node,
        )

    def entry(self) -> dict[str, Any]:
        """The entry of a certificate; fractions are strings, p is triples row, column, value."""
        p, value = self.point.p, self.value
        # Weights are whole: the error is whole, the objective a multiple of 1 / denominator.
        parts = 1 if self.on is Quantity.ERROR else self.point.rho.denominator
        entry: dict[str, Any] = {
            "kind": "mlp",
            "on": self.on.value,
            "rho": str(self.point.rho),
            "scale": int(self.point.scale),
            "p": [[int(i), int(j), int(p[i, j])] for i, j in np.argwhere(p)],
            "omega_bound": int(self.omega_bound),
            "bound": str(value),
            "rounded": str(Fraction(math.ceil(value * parts), parts)),
        }
        if not self.node.is_root:
            entry["node"] = self.node.entry()
        return entry


def restate(bound: Bound, *, on: Quantity | None = None, k: int | None = None) -> Bound:
    """What the proof of a bound says of another quantity, or of another rank.

    The same prices serve the error and the objective where rho * k <= 1, and every rank; where
    they prove nothing, a ValueError says why.
    """
    proof = bound.proof
    if not isinstance(proof, MLPProof):
        raise ValueError(f"only bounds by MLP can be restated, got one by {bound.relaxation}")
    if not proof.node.is_root:
        raise ValueError("a bound at a node holds for its own quantity and rank only")
    return replace(proof, on=on or proof.on, k=k or proof.k).bound()


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
