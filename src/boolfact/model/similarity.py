"""How alike two factorisations are: their rectangles compared and matched one to one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from boolfact.model.factors import Factors

__all__ = ["match", "overlaps", "similarity"]


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

    Where one has more rectangles than the other, those without a partner overlap with nothing.

    Examples
    --------
    >>> F = Factors(np.eye(2, dtype=bool), np.eye(2, dtype=bool))
    >>> G = Factors(F.A[:, ::-1], F.B[::-1])
    >>> similarity(F, G)
    1.0
    """
    most = max(left.rank, right.rank)
    if most == 0:
        return 1.0
    table = overlaps(left, right)
    return float(table[linear_sum_assignment(table, maximize=True)].sum() / most)
