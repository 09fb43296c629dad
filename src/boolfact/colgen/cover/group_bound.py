"""An upper bound on all sets of columns that continue a given one, group by group."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.minima import LANES, take_off
from boolfact.colgen.cover.plan import LOW, Walk

__all__ = ["group_bound"]


@njit(cache=True, nogil=True)
def group_bound(base: NDArray[np.int32], walk: Walk, column: int) -> int:
    """No set that continues this one, from `column` on, is worth more.

    What is left of a one that is taken already is divided evenly among the groups to come. The
    positive part of a sum is at most the sum of the positive parts, so each group may choose
    its own columns against its own share, and the best choices add up to a bound.
    """
    m, starts = len(walk.order), walk.starts
    groups = (m - column) // LOW
    none = np.int32(0)
    share = np.empty(len(base), np.int32)
    shares = np.int64(0)
    for e in range(starts[column]):
        share[e] = np.int32((max(base[e], none) + groups - 1) // groups)
        shares += share[e]
    for e in range(starts[column], len(base)):
        share[e] = max(base[e], none)
    best = np.empty((1, LANES), np.int32)
    bound = np.int64(0)
    for group in range(groups):
        begin, end = starts[m - LOW * (group + 1)], starts[m - LOW * group]
        own = np.int64(0)
        for e in range(begin, end):
            own += share[e]
        best[0, :] = np.int32(shares + own)
        take_off(walk.tables[group], share, 0, starts[column], best, 0)
        take_off(walk.tables[group], share, begin, end, best, 0)
        bound += best.max()
    return int(bound)
