"""k-greedy: one rectangle after another, each the greedy best for what is still uncovered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import Rectangle
from boolfact.pricing.heuristic import ORDERINGS, Ordering, paper_orderings, price_heuristic

__all__ = ["NINE_STRATEGIES", "Arithmetic", "k_greedy"]

Arithmetic = Literal["boolean", "standard"]

NINE_STRATEGIES: tuple[tuple[Ordering, ...], ...] = (
    *((ordering,) for ordering in ORDERINGS),
    tuple(paper_orderings()),
)
"""The nine runs of k-greedy: one ordering throughout, or at each step the best of thirty."""


def k_greedy(
    matrix: BinaryMatrix,
    k: int,
    *,
    strategies: Iterable[tuple[Ordering, ...]] = NINE_STRATEGIES,
    arithmetic: Arithmetic = "boolean",
    seed: int = 0,
    stop: Stop | None = None,
) -> Factors:
    """The rank-k greedy heuristic of Kovacs, Gunluk and Hauser (2021).

    Starts with the weight of an entry, positive on ones and negative on zeros; takes the
    greedy rectangle, improves it by alternation, and sets what it covers to 0, so
    covering it again is free. Each strategy gives a factorisation; the best is returned.

    Parameters
    ----------
    matrix : BinaryMatrix
        Weights count; missing entries have weight 0.
    k : int
    strategies : iterable of tuples of Ordering
        The orderings tried at each step of a run, nine runs by default, see `NINE_STRATEGIES`.
    arithmetic : {"boolean", "standard"}
        With "standard" no entry is covered twice, so the ordinary product A B is binary:
        a covered entry then costs more than anything can gain.
    seed : int
        For the perturbed and random orderings.
    stop : Stop, optional
        Asked before each ordering; the best of what there is by then is returned.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("votes")
    >>> k_greedy(X, 2).error(X)
    2929
    """
    if arithmetic not in ("boolean", "standard"):
        raise ValueError(f"arithmetic must be 'boolean' or 'standard', got {arithmetic!r}")
    runs = list(strategies)
    if not runs:
        raise ValueError("strategies must hold at least one strategy")
    seeds = np.random.SeedSequence(seed).spawn(len(runs))
    best: Factors | None = None
    best_error = 0
    for orderings, own_seed in zip(runs, seeds, strict=True):
        rng = np.random.default_rng(own_seed)
        factors = _one_run(matrix, k, orderings, arithmetic, rng, stop)
        error = factors.error(matrix)
        if best is None or error < best_error:
            best, best_error = factors, error
        if stop is not None and stop.now():
            break
    assert best is not None
    return best


def _one_run(
    matrix: BinaryMatrix,
    k: int,
    orderings: tuple[Ordering, ...],
    arithmetic: Arithmetic,
    rng: np.random.Generator,
    stop: Stop | None,
) -> Factors:
    H = np.where(matrix.ones, matrix.weights, -matrix.weights).astype(np.float64)
    # In standard arithmetic a second cover must never pay, not even of a missing entry.
    covered = -float(matrix.ones_weight + 1) if arithmetic == "standard" else 0.0
    taken: list[Rectangle] = []
    for _ in range(k):
        if taken and stop is not None and stop.now():
            break
        found = price_heuristic(H, rng, orderings, stop)
        if found.values[0] <= 0:
            break
        taken.append(Rectangle(found.A[0], found.B[0]))
        H[np.ix_(*taken[-1])] = covered
    return Factors.from_rectangles(matrix.shape, taken).padded(k)
