"""How alike the patterns of several runs are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from boolfact.model.factors import Factors
from boolfact.model.similarity import similarity

__all__ = ["stability"]


def stability(several: Sequence[Factors]) -> float:
    """How alike the patterns of several factorisations are: 1 if they are the same.

    The mean of `boolfact.model.similarity.similarity` over all pairs: patterns are matched one
    to one, and two are as alike as the entries that both cover are many among those that either
    covers.

    Examples
    --------
    >>> F = Factors(np.eye(3), np.eye(3))
    >>> stability([F, Factors(F.A[:, ::-1], F.B[::-1])])
    1.0
    """
    if len(several) < 2:
        raise ValueError(f"stability needs at least two factorisations, got {len(several)}")
    return float(np.mean([similarity(one, two) for one, two in combinations(several, 2)]))
