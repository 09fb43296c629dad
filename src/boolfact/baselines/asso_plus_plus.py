"""ASSO++: local search that refits one factor matrix to the other, and replaces patterns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boolfact.baselines.asso import asso_runs
from boolfact.baselines.checks import checked_rank
from boolfact.baselines.penalty import penalty
from boolfact.baselines.residual import worth_of_covering
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.pricing.heuristic import price_heuristic

__all__ = ["asso_plus_plus", "flip_rows", "improve"]

Start = Literal["association", "relaxation"]
STARTS: tuple[Start, ...] = ("association", "relaxation")


def asso_plus_plus(
    matrix: BinaryMatrix,
    k: int,
    *,
    starts: Iterable[Start] = STARTS,
    seed: int = 0,
    stop: Stop | None = None,
) -> Factors:
    """The alternating iterative local search of Barahona and Goncalves (2019).

    Each variant improves its starts by local search: the association rules of ASSO, one start
    for each of its nine thresholds, or a rounded continuous relaxation (here that of the
    penalty method). The search flips single
    entries of A while that lowers the error, then single entries of B, in turns until neither
    moves; then it takes out one pattern at a time, builds the best it can for what the others
    leave, and keeps it if the error is lower. The best of all results is returned.

    Parameters
    ----------
    matrix : BinaryMatrix
        Weights count; missing entries have weight 0.
    k : int
    starts : iterable of {"association", "relaxation"}
        The variants to run.
    seed : int
        For the relaxation's start and the perturbed orderings of the rebuilt patterns.
    stop : Stop, optional
        Asked between the steps; the best so far is returned.

    References
    ----------
    F. Barahona and J. Goncalves, Local search algorithms for binary matrix factorization, 2019.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("votes")
    >>> asso_plus_plus(X, 2).error(X)
    2926
    """
    k = checked_rank(k)
    variants = list(starts)
    if not variants or any(variant not in STARTS for variant in variants):
        raise ValueError(f"starts must be some of {', '.join(STARTS)}, got {variants!r}")
    stop = stop or Stop()
    best: Factors | None = None
    for variant, child in zip(variants, np.random.SeedSequence(seed).spawn(2), strict=False):
        for start in _starts(matrix, k, variant, child, stop):
            found = improve(matrix, start, np.random.default_rng(child), stop)
            if best is None or found.error(matrix) < best.error(matrix):
                best = found
            if stop.now():
                return best
    assert best is not None
    return best


def _starts(
    matrix: BinaryMatrix, k: int, variant: Start, seed: np.random.SeedSequence, stop: Stop
) -> list[Factors]:
    """Where a variant begins, the most promising first: time may end before the last."""
    if variant == "relaxation":
        return [penalty(matrix, k, restarts=1, seed=int(seed.generate_state(1)[0]), stop=stop)]
    return sorted(asso_runs(matrix, k, stop=stop), key=lambda factors: factors.error(matrix))


def improve(
    matrix: BinaryMatrix, factors: Factors, rng: np.random.Generator, stop: Stop | None = None
) -> Factors:
    """Local search from some factors; the error never rises."""
    stop = stop or Stop()
    worth = worth_of_covering(matrix)
    A, B = factors.A.copy(), factors.B.copy()
    while not stop.now():
        _alternate_flips(worth, A, B, stop)
        replaced = [_replace(worth, A, B, u, rng, stop) for u in range(len(B)) if not stop.now()]
        if not any(replaced):
            break
    return Factors(A, B)


def flip_rows(worth: NDArray[np.float64], A: NDArray[np.bool_], B: NDArray[np.bool_]) -> bool:
    """Flip entries of A, in place, while one flip lowers the error; whether any did.

    Rows do not depend on each other, so one pattern is tried on all of them at once.
    """
    counts = A.astype(np.float64) @ B.astype(np.float64)
    moved = False
    while True:
        still = True
        for u in np.flatnonzero(B.any(axis=1)):
            columns = B[u]
            own = A[:, u]
            others = counts[:, columns] - own[:, None]
            # What the pattern adds: the entries that no other pattern covers.
            gain = np.where(others == 0, worth[:, columns], 0.0).sum(axis=1)
            flip = np.where(own, gain < 0, gain > 0)
            if flip.any():
                step = np.where(own[flip], -1.0, 1.0)
                counts[np.ix_(flip, columns)] += step[:, None]
                A[flip, u] ^= True
                still, moved = False, True
        if still:
            return moved


def _alternate_flips(
    worth: NDArray[np.float64], A: NDArray[np.bool_], B: NDArray[np.bool_], stop: Stop
) -> None:
    """Flips in A, then in B, until neither moves."""
    while not stop.now():
        moved = flip_rows(worth, A, B)
        if not flip_rows(worth.T, B.T, A.T) and not moved:
            return


def _replace(
    worth: NDArray[np.float64],
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    u: int,
    rng: np.random.Generator,
    stop: Stop,
) -> bool:
    """Build pattern u anew for what the others leave; whether that is better."""
    others = np.arange(len(B)) != u
    covered = (A[:, others].astype(np.float64) @ B[others].astype(np.float64)) > 0
    left = np.where(covered, 0.0, worth)
    now = left[np.ix_(A[:, u], B[u])].sum()
    found = price_heuristic(left, rng, stop=stop)
    if found.values[0] <= now:
        return False
    A[:, u], B[u] = found.A[0], found.B[0]
    return True
