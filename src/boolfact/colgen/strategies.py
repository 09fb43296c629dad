"""Pricing strategies: how rectangles are sought, and which of those found are taken in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.pricing.heuristic import Priced

__all__ = ["HEURISTICS", "STRATEGIES", "Strategy", "find_strategy", "select_columns"]

HEURISTICS = ("paper", "multistart")
_SELECT = ("best", "all", "orthogonal", "diverse")
_EXACT = ("always", "last", "first")


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

    def __post_init__(self) -> None:
        for name, known in (("heuristic", HEURISTICS), ("select", _SELECT), ("exact", _EXACT)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}"
                )


STRATEGIES = {
    "exact": Strategy("paper", "best", "always"),
    "heur": Strategy("paper", "best", "last"),
    "heur_multi": Strategy("paper", "all", "last"),
    "orthogonal": Strategy("paper", "orthogonal", "first"),
    "auto": Strategy(
        "multistart",
        "diverse",
        "last",
        # Halfway: nearer to the centre finds little that is new, nearer to the master zigzags.
        centre=0.5,
        # Few enough for the next master to be solved from the point of the last one.
        limit=60,
        nearly=0.02,
        # The pool gives most starts; about as many random ones find what it cannot.
        random=100,
        # A Newton step takes the third power of the pool's size: beyond this it is the loop.
        pool_limit=1500,
    ),
}
"""By name: the three of the paper's figure, the one for its larger matrices, and ours."""

_MOST_OVERLAP = 0.8
"""Share of two rectangles' entries that is common: above it, one of them is enough."""


def find_strategy(strategy: str | Strategy) -> Strategy:
    """A strategy by name.

    Examples
    --------
    >>> find_strategy("heur").select
    'best'
    """
    if isinstance(strategy, Strategy):
        return strategy
    if strategy not in STRATEGIES:
        raise ValueError(f"unknown strategy {strategy!r}; expected one of {', '.join(STRATEGIES)}")
    return STRATEGIES[strategy]


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
