"""Exact pricing: the rectangle of largest worth, maximise a'Hb over binary a and b.

For a set of columns b the best rows are those with a positive sum, so the search is over b
alone (over the smaller side of H): see `boolfact.pricing.rotation` for the bound that makes it
short. All arithmetic is in integers, so the value and the bound are exact.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boolfact.control.executor import Executor, use_executor
from boolfact.pricing.fold import fold
from boolfact.pricing.incumbents import Incumbents, Vector
from boolfact.pricing.limits import Limits, Stopping
from boolfact.pricing.sweep import UpperBound

__all__ = ["PricingResult", "checked", "price_exact"]

_LARGEST = 2.0**60


@dataclass(frozen=True, eq=False)
class PricingResult:
    """The best rectangle found and what is known about the optimum.

    Attributes
    ----------
    value : int
        Worth a'Hb of the rectangle, at least 0 (the empty rectangle).
    a, b : array of bool
        Its rows and columns.
    upper_bound : int
        No rectangle is worth more. Valid however the search ended.
    is_optimal : bool
        Whether `value` equals `upper_bound`.
    nodes : int
        Nodes of the search.
    seconds : float
        Time taken.
    found : list of (value, a, b)
        Other good rectangles met on the way, distinct, best first.
    """

    value: int
    a: Vector
    b: Vector
    upper_bound: int
    is_optimal: bool
    nodes: int
    seconds: float
    found: list[tuple[int, Vector, Vector]] = field(default_factory=list)


def price_exact(
    H: ArrayLike,
    *,
    start: Iterable[tuple[Vector, Vector]] = (),
    cutoff: int | None = None,
    first_above: int | None = None,
    node_limit: int | None = None,
    stop: Stopping | None = None,
    workers: int = 1,
    executor: Executor | None = None,
) -> PricingResult:
    """Maximise a'Hb over binary a and b, with proof.

    Parameters
    ----------
    H : array of int, shape (n, m)
        Worth of every entry.
    start : iterable of (a, b), optional
        Rectangles to begin from.
    cutoff : int, optional
        Only values above it matter: the bound is then max(value, cutoff).
    first_above : int, optional
        Return as soon as a rectangle worth more than this is found.
    node_limit : int, optional
        Return after about this many nodes of the search.
    stop : object with ``now() -> bool``, optional
        Asked at least every 0.2 seconds.
    workers : int
        Threads of an executor of its own, where none is given. The value and the bound of a
        finished search do not depend on it.
    executor : Executor, optional
        Where the search runs.

    Returns
    -------
    PricingResult

    Examples
    --------
    >>> result = price_exact([[3, -1], [2, -4]])
    >>> result.value, result.a.tolist(), result.b.tolist(), result.is_optimal
    (5, [True, True], [True, False], True)
    """
    began = time.perf_counter()
    matrix = checked(H)
    with use_executor(executor, workers) as used:
        limits = Limits(cutoff, first_above, node_limit, stop)
        incumbents = Incumbents(matrix, fold(matrix))
        incumbents.climb(start, limits)
        upper = UpperBound(incumbents, limits, used).prove()
    value, a, b = incumbents.best
    seconds = time.perf_counter() - began
    return PricingResult(
        value, a, b, upper, value == upper, limits.nodes, seconds, incumbents.others()
    )


def checked(H: ArrayLike) -> NDArray[np.int64]:
    """H as a matrix of 64-bit integers small enough to be added up."""
    matrix = np.asarray(H)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"H must be a non-empty matrix, got shape {matrix.shape}")
    if not np.issubdtype(matrix.dtype, np.integer):
        raise TypeError(f"H must hold integers, got dtype {matrix.dtype}")
    size = float(np.abs(matrix.astype(np.float64)).sum())
    # The kernel multiplies a few times this sum by weights that add up to the number of columns.
    if size * min(matrix.shape) >= _LARGEST:
        raise ValueError(
            f"H must have entries whose absolute sum times {min(matrix.shape)}, the length of "
            f"its shorter side, is below 2**60, got a sum of {size:.3g}"
        )
    return matrix.astype(np.int64)
