"""Dual bounds for small matrices, by plain linear programming over all rectangles."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix

import naive


def pricing_matrix(matrix, p, scale, rho):
    return np.where(matrix.ones, p, -int(rho * scale) * matrix.weights)


@dataclass(frozen=True)
class Prices:
    """A proof like those of the solver, written down as kind mlp."""

    p: np.ndarray
    scale: int
    rho: Fraction
    omega_bound: int

    def entry(self):
        return {
            "kind": "mlp",
            "rho": str(self.rho),
            "scale": self.scale,
            "p": [[int(i), int(j), int(self.p[i, j])] for i, j in np.argwhere(self.p)],
            "omega_bound": int(self.omega_bound),
        }


def dual_bound(matrix, k, rho=Fraction(1), p=None, bits=10, on=Quantity.OBJECTIVE):
    """A bound like those of the solver, from any p, by default from an optimal one."""
    rho = Fraction(rho)
    scale = rho.denominator << bits
    if p is None:
        p = best_dual(matrix, k, rho)
    whole = np.clip(np.rint(p * scale), 0, matrix.weights * scale).astype(np.int64)
    whole = np.where(matrix.ones, whole, 0)
    omega = naive.largest_worth(pricing_matrix(matrix, whole, scale, rho))
    return Bound(
        on=on,
        value=Fraction(int(whole.sum()) - k * int(omega), scale),
        k=k,
        relaxation=f"MLP({rho})",
        proof=Prices(whole, scale, rho, omega),
        rho=rho if on is Quantity.OBJECTIVE else None,
    )


def both_bounds(matrix, k, rho=Fraction(1)):
    """One on the objective MIP(rho), and one on the error, from MLP(1/k)."""
    return [
        dual_bound(matrix, k, rho),
        dual_bound(matrix, k, Fraction(1, k), on=Quantity.ERROR),
    ]


def best_dual(matrix: BinaryMatrix, k: int, rho: Fraction):
    """max sum p - k mu over 0 <= p <= w, mu >= 0, worth of every rectangle <= mu."""
    n, m = matrix.shape
    ones, zeros = matrix.ones, ~matrix.ones
    rows, right = [], []
    for a in naive.binary_vectors(n)[1:]:
        for b in naive.binary_vectors(m)[1:]:
            inside = np.outer(a, b)
            rows.append(np.r_[(inside & ones).ravel().astype(float), -1.0])
            right.append(float(rho) * matrix.weights[inside & zeros].sum())
    limits = [
        (0, float(w) if one else 0.0)
        for w, one in zip(matrix.weights.ravel(), ones.ravel(), strict=True)
    ]
    solution = linprog(
        np.r_[-np.ones(n * m), float(k)],
        A_ub=np.array(rows),
        b_ub=right,
        bounds=[*limits, (0, None)],
    )
    assert solution.status == 0
    return solution.x[:-1].reshape(n, m)


def best_objective(matrix, k, rho):
    """The least MIP(rho) objective of k rectangles, by trying all of them (k = 1 or 2)."""
    n, m = matrix.shape
    inside = np.array(
        [np.outer(a, b).ravel() for a in naive.binary_vectors(n) for b in naive.binary_vectors(m)]
    )
    inside = np.unique(inside, axis=0)
    weights = matrix.weights.ravel()
    gain_weights = np.where(matrix.ones.ravel(), weights, 0)
    zero_weights = np.where(matrix.ones.ravel(), 0, weights)
    costs = inside @ zero_weights
    best = None
    for u, first in enumerate(inside):
        if k == 1:
            covered, price = first @ gain_weights, costs[u]
        else:
            covered = (first | inside) @ gain_weights
            price = costs[u] + costs
        total = gain_weights.sum() * rho.denominator - covered * rho.denominator
        value = int(np.min(total + rho.numerator * price))
        best = value if best is None else min(best, value)
    return Fraction(best, rho.denominator)
