"""Pricing strategies: how rectangles are sought, and which of those found are taken in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.heuristic import Priced, price_heuristic
from boolfact.pricing.multistart import price_multistart, starts_from

__all__ = ["STRATEGIES", "Strategy", "find_columns", "select_columns"]


@dataclass(frozen=True)
class Strategy:
    """One way to price.

    Attributes
    ----------
    heuristic : {"paper", "multistart"}
        The thirty greedy variants, or climbing from the pool, rows, columns and random sets.
    select : {"best", "all", "orthogonal", "diverse"}
        Of the rectangles with negative reduced cost: the best; all; the two that overlap
        least; the best that do not overlap too much with each other.
    exact : {"always", "last", "first"}
        Price exactly in every iteration; only when the heuristic finds nothing; likewise, but
        stop at the first rectangle with negative reduced cost.
    centre : float
        Weight of the best prices so far in the point that is priced; 0 to price the master's.
    limit : int
        The largest number of rectangles taken in at a time.
    nearly : float
        Also take in rectangles whose worth falls short of the threshold by this fraction of
        it, once some pass it: they are the next to pass.
    random : int
        How many random starts.
    pool_limit : int, optional
        Rectangles of large reduced cost are forgotten once the pool is larger than this.
    """

    heuristic: str
    select: str
    exact: str
    centre: float = 0.0
    limit: int = 1000
    nearly: float = 0.0
    random: int = 0
    pool_limit: int | None = None


STRATEGIES = {
    "exact": Strategy("paper", "best", "always"),
    "heur": Strategy("paper", "best", "last"),
    "heur_multi": Strategy("paper", "all", "last"),
    "orthogonal": Strategy("paper", "orthogonal", "first"),
    "auto": Strategy("multistart", "diverse", "last", 0.5, 60, 0.02, 100, 1500),
}
"""By name: the three of the paper's figure, the one for its larger matrices, and ours."""

_MOST_OVERLAP = 0.8


def find_columns(
    strategy: Strategy,
    H: NDArray[np.float64],
    pool: RectanglePool,
    rng: np.random.Generator,
    workers: int = 1,
) -> Priced:
    """Rectangles of large worth at H, by the heuristic of the strategy, best first."""
    if strategy.heuristic == "paper":
        return price_heuristic(H, rng)
    starts = starts_from(H, pool.B, rng, strategy.random)
    return price_multistart(H, starts, workers=workers)


def select_columns(strategy: Strategy, priced: Priced, threshold: float) -> list[int]:
    """Positions of the rectangles to take in: none, if none is worth more than the threshold.

    Examples
    --------
    >>> two = Priced(np.array([5.0, 3.0]), np.eye(2, dtype=bool), np.eye(2, dtype=bool))
    >>> select_columns(STRATEGIES["heur"], two, 2.0), select_columns(STRATEGIES["auto"], two, 4.0)
    ([0], [0])
    >>> select_columns(STRATEGIES["heur_multi"], two, 2.0)
    [0, 1]
    """
    passing = np.flatnonzero(priced.values > threshold)
    if not len(passing):
        return []
    order = passing[np.argsort(-priced.values[passing], kind="stable")]
    if strategy.select == "best":
        return [int(order[0])]
    if strategy.select == "orthogonal":
        return _most_orthogonal(priced, order)
    if strategy.select == "all":
        return [int(u) for u in order[: strategy.limit]]
    near = np.flatnonzero(priced.values > threshold - strategy.nearly * abs(threshold))
    near = near[np.argsort(-priced.values[near], kind="stable")]
    return _diverse(priced, near, strategy.limit)


def _most_orthogonal(priced: Priced, order: NDArray[np.int64]) -> list[int]:
    """The two rectangles with the smallest cosine between them; one if there is but one."""
    if len(order) == 1:
        return [int(order[0])]
    A, B = priced.A[order].astype(np.float64), priced.B[order].astype(np.float64)
    sizes = A.sum(axis=1) * B.sum(axis=1)
    cosines = (A @ A.T) * (B @ B.T) / np.sqrt(np.outer(sizes, sizes))
    np.fill_diagonal(cosines, np.inf)
    first, second = np.unravel_index(int(np.argmin(cosines)), cosines.shape)
    return [int(order[first]), int(order[second])]


def _diverse(priced: Priced, order: NDArray[np.int64], limit: int) -> list[int]:
    """Best first, leaving out what shares too much of its entries with one taken already."""
    A, B = priced.A[order].astype(np.float32), priced.B[order].astype(np.float32)
    sizes = A.sum(axis=1) * B.sum(axis=1)
    free = np.ones(len(order), dtype=np.bool_)
    taken: list[int] = []
    for u in range(len(order)):
        if len(taken) == limit:
            break
        if free[u]:
            taken.append(int(order[u]))
            shared = (A @ A[u]) * (B @ B[u])
            free &= shared <= _MOST_OVERLAP * (sizes + sizes[u] - shared)
    return taken
