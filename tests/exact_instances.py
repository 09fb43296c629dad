"""Small matrices for searches, many of them with a gap between relaxation and optimum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from boolfact.model.costs import with_costs
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix


def instance(seed, largest=5, most=3):
    """A matrix, a rank and a rho: weights, missing entries, costs and from below in turn."""
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(2, largest + 1, size=2))
    k = int(rng.integers(1, most + 1))
    values = (rng.random((n, m)) < rng.choice([0.5, 0.7, 0.85])).astype(np.int8)
    if rng.random() < 0.25:
        # All but a diagonal: fewer rectangles cover it in part than as a whole.
        values = np.ones((n, m), dtype=np.int8)
        values[np.arange(min(n, m)), np.arange(min(n, m))] = 0
    if rng.random() < 0.3:
        values[rng.random((n, m)) < 0.2] = -1
    weights = rng.integers(0, 4, size=(n, m)) if rng.random() < 0.4 else None
    costs = [{}, {"false_one_cost": 2}, {"missed_one_cost": 2}, {"from_below": True}]
    matrix = with_costs(BinaryMatrix(values, weights), **costs[int(rng.integers(4))])
    rho = [Fraction(1), Fraction(1, 2), Fraction(19, 20), Fraction(1, k)][int(rng.integers(4))]
    return matrix, k, rho


def reduced_instance(seed, largest=5, most=3):
    """The same, reduced, and None where its rank reproduces it."""
    matrix, k, rho = instance(seed, largest, most)
    reduction = reduce_matrix(matrix)
    return None if k >= min(reduction.matrix.shape) else (reduction, k, rho)
