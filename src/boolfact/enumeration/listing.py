"""Which sets of columns a better factorisation could have.

Let V(b) be the worth of the best rectangle with the columns b. A factorisation with an error of at
most e has V(b_1) + ... + V(b_k) >= sum(p) - e, the *need*, for any prices. So none of its sets is
worth less than the need less k - 1 times the best worth. What is left at some prices is short
enough to be weighed at others, where the best worth is that of the sets that are left.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.climb import set_worths
from boolfact.colgen.cover.cube import price_by_walking
from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.proof import PartProof
from boolfact.control.executor import Executor

__all__ = ["kept_sets", "list_sets", "need"]


def need(point: CoverPoint, error: int) -> int:
    """What k sets of a factorisation with a smaller error are worth together, at least."""
    return point.total - (error - 1) * point.scale


def list_sets(
    proof: PartProof,
    k: int,
    error: int,
    executor: Executor,
    over: Callable[[], bool] = lambda: False,
    kept: int = 4096,
) -> NDArray[np.bool_] | None:
    """All sets that a factorisation with a smaller error could have; None if there are too many.

    `kept` is how many each of some hundred parts of the walk may have.
    """
    least = need(proof.point, error) - (k - 1) * proof.omega_bound
    if least <= 0:
        # The empty set could be one of them: then nothing is told apart.
        return None
    result = price_by_walking(proof.point, least - 1, executor, over, kept)
    return result.B if result.has_all else None


def kept_sets(
    point: CoverPoint,
    k: int,
    error: int,
    B: NDArray[np.bool_],
    over: Callable[[], bool] = lambda: False,
) -> NDArray[np.bool_]:
    """Those of the sets that are left at other prices, given that no others are."""
    if not len(B):
        return B
    worths = set_worths(point, B, over)
    if len(worths) < len(B):
        return B
    return np.asarray(B[worths >= need(point, error) - (k - 1) * int(worths.max())])
