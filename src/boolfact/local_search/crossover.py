"""Recombination of two factorisations whose rectangles were matched with one another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from boolfact.model.factors import Factors

__all__ = ["cross", "match", "overlaps", "similarity"]


def overlaps(left: Factors, right: Factors) -> NDArray[np.float64]:
    """Shared entries over all entries (Jaccard), for each pair of rectangles.

    Two empty rectangles are the same, so they overlap fully.
    """
    shared_rows = left.A.T.astype(np.float64) @ right.A.astype(np.float64)
    shared_columns = left.B.astype(np.float64) @ right.B.T.astype(np.float64)
    shared = shared_rows * shared_columns
    left_area = left.A.sum(axis=0, dtype=np.float64) * left.B.sum(axis=1)
    right_area = right.A.sum(axis=0, dtype=np.float64) * right.B.sum(axis=1)
    union = left_area[:, None] + right_area[None, :] - shared
    return np.where(union > 0, shared / np.maximum(union, 1.0), 1.0)


def match(left: Factors, right: Factors) -> NDArray[np.intp]:
    """Which rectangle of `right` goes with each of `left`, most overlap in total (Hungarian)."""
    return linear_sum_assignment(overlaps(left, right), maximize=True)[1]


def similarity(left: Factors, right: Factors) -> float:
    """Mean overlap of matched rectangles: 1 for the same factorisation in any order.

    Examples
    --------
    >>> F = Factors(np.eye(2, dtype=bool), np.eye(2, dtype=bool))
    >>> G = Factors(F.A[:, ::-1], F.B[::-1])
    >>> similarity(F, G)
    1.0
    """
    if left.rank == 0:
        return 1.0
    table = overlaps(left, right)
    return float(table[linear_sum_assignment(table, maximize=True)].mean())


def cross(left: Factors, right: Factors, rng: np.random.Generator) -> Factors:
    """A child that takes each rectangle from either parent, one of each matched pair."""
    partner = match(left, right)
    from_left = rng.random(left.rank) < 0.5
    A = np.where(from_left, left.A, right.A[:, partner])
    B = np.where(from_left[:, None], left.B, right.B[partner])
    return Factors(A, B)
