"""Recombination of two factorisations whose rectangles were matched with one another."""

from __future__ import annotations

import numpy as np

from boolfact.model.factors import Factors
from boolfact.model.similarity import match

__all__ = ["cross"]


def cross(left: Factors, right: Factors, rng: np.random.Generator) -> Factors:
    """A child that takes each rectangle from either parent, one of each matched pair."""
    partner = match(left, right)
    from_left = rng.random(left.rank) < 0.5
    A = np.where(from_left, left.A, right.A[:, partner])
    B = np.where(from_left[:, None], left.B, right.B[partner])
    return Factors(A, B)
