"""Choosing k: the whole path of ranks, description lengths, cross-validation, stability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from boolfact.completion import entry_folds, score_entries
from boolfact.factors import Factors
from boolfact.local_search import local_search
from boolfact.matrix import BinaryMatrix
from boolfact.patterns import describe_patterns, order_patterns
from boolfact.progress import Event, Progress, silent
from boolfact.readers import as_matrix
from boolfact.rectangles import RectanglePool
from boolfact.reduction import Reduction, reduce_matrix
from boolfact.stop import Stop

__all__ = ["RankPath", "RankPoint", "description_length", "rank_path", "stability"]

_LN2 = math.log(2)


@dataclass(frozen=True, eq=False)
class RankPoint:
    """What is known of one rank.

    Attributes
    ----------
    k : int
    factors : Factors
    error : int
    description_length : float
        Bits, see `description_length`.
    hidden_error : float or None
        Share of hidden entries that the patterns of the others get wrong, by entry-wise
        cross-validation.
    stability : float or None
        How alike the patterns of different seeds are, see `stability`.
    """

    k: int
    factors: Factors
    error: int
    description_length: float
    hidden_error: float | None = None
    stability: float | None = None


@dataclass(frozen=True)
class RankPath:
    """The ranks from 1 on, the one recommended, and why."""

    points: tuple[RankPoint, ...]
    recommended: int
    reason: str

    def __getitem__(self, k: int) -> RankPoint:
        for point in self.points:
            if point.k == k:
                return point
        raise KeyError(f"the path has ranks 1 to {len(self.points)}, got {k}")

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "recommended": self.recommended,
            "reason": self.reason,
            "path": [
                {
                    "k": point.k,
                    "error": point.error,
                    "description_length": round(point.description_length, 3),
                    "hidden_error": point.hidden_error,
                    "stability": point.stability,
                }
                for point in self.points
            ],
        }


def description_length(factors: Factors, matrix: BinaryMatrix) -> float:
    """Bits it takes to write down the data: the patterns first, then their mistakes.

    A set of s among N things takes log2(N + 1) bits for s and log2 C(N, s) for which ones.
    The number of patterns takes log2(min(n, m) + 1) bits; a pattern is a set of rows and a set
    of columns; the mistakes are a set of false ones among the covered entries and a set of
    missed ones among the uncovered entries. Only observed entries are written down; empty
    patterns are not. Weights do not enter: an entry is observed or not.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]]))
    >>> round(description_length(Factors.empty((3, 3)), X), 2)
    10.49
    """
    n, m = matrix.shape
    observed = ~matrix.missing
    product = factors.product()
    covered = int((product & observed).sum())
    uncovered = int((~product & observed).sum())
    false_ones = int((product & observed & ~matrix.ones).sum())
    missed = int((~product & matrix.ones).sum())
    bits = math.log2(min(n, m) + 1)
    for a, b in factors.rectangles:
        if a.any() and b.any():
            bits += _set_bits(n, int(a.sum())) + _set_bits(m, int(b.sum()))
    return bits + _set_bits(covered, false_ones) + _set_bits(uncovered, missed)


def _set_bits(among: int, size: int) -> float:
    """Bits to write down a set of `size` things `among` some."""
    log_choose = math.lgamma(among + 1) - math.lgamma(size + 1) - math.lgamma(among - size + 1)
    return math.log2(among + 1) + log_choose / _LN2


def stability(several: Sequence[Factors]) -> float:
    """How alike the patterns of several factorisations are: 1 if they are the same.

    Patterns of each pair are matched one to one so that their likeness, entries that both
    cover over entries that either covers, is largest in sum; the mean over patterns and pairs.

    Examples
    --------
    >>> F = Factors(np.eye(3), np.eye(3))
    >>> stability([F, Factors(F.A[:, ::-1], F.B[::-1])])
    1.0
    """
    if len(several) < 2:
        raise ValueError(f"stability needs at least two factorisations, got {len(several)}")
    means = []
    for u, first in enumerate(several):
        for second in several[u + 1 :]:
            likeness = np.array(
                [[_jaccard(one, two) for two in second.rectangles] for one in first.rectangles]
            )
            rows, columns = linear_sum_assignment(-likeness)
            means.append(likeness[rows, columns].sum() / max(likeness.shape))
    return float(np.mean(means))


def _jaccard(one: Any, two: Any) -> float:
    size_one, size_two = one.a.sum() * one.b.sum(), two.a.sum() * two.b.sum()
    both = (one.a & two.a).sum() * (one.b & two.b).sum()
    either = size_one + size_two - both
    return float(both / either) if either else 1.0


def rank_path(
    X: Any,
    max_rank: int,
    *,
    time_limit: float = 60.0,
    iteration_limit: int | None = None,
    folds: int = 0,
    seeds: int = 0,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> RankPath:
    """Solve for k = 1 to max_rank, each warm-started from its neighbours, and recommend a k.

    The recommended rank is the one with the least description length (`description_length`).

    Parameters
    ----------
    X : array-like, DataFrame, path or name
        See `boolfact.as_matrix`.
    max_rank : int
        The largest k; at most min(n, m) is useful.
    time_limit : float
        Seconds for everything.
    iteration_limit : int, optional
        Limit of the local search for each rank, for answers that do not depend on the machine.
    folds : int
        With 2 or more, the error on hidden entries by entry-wise cross-validation.
    seeds : int
        With 2 or more, how stable the patterns are over that many seeds.
    seed, workers, progress
        As in `boolfact.factorize`.

    Examples
    --------
    >>> import boolfact
    >>> example = boolfact.planted(60, 30, 3, noise=0.02, seed=1)
    >>> rank_path(example.matrix, 5, time_limit=10).recommended
    3
    """
    matrix = as_matrix(X)
    if max_rank < 1:
        raise ValueError(f"max_rank must be at least 1, got {max_rank}")
    if folds == 1 or folds < 0:
        raise ValueError(f"folds must be 0 or at least 2, got {folds}")
    if seeds == 1 or seeds < 0:
        raise ValueError(f"seeds must be 0 or at least 2, got {seeds}")
    max_rank = min(max_rank, *matrix.shape)
    stop = Stop(time_limit)
    solver = _PathSolver(matrix, iteration_limit, workers, progress or silent, stop)
    paths = 1 + folds + max(0, seeds - 1)
    with stop.listening():
        factors = solver.solve(max_rank, seed, 1 / paths)
        hidden = _hidden_errors(solver, matrix, max_rank, folds, seed, 1 / paths)
        stable = _stabilities(solver, factors, max_rank, seeds, seed, 1 / paths)
    points = tuple(
        RankPoint(
            k=k,
            factors=found,
            error=found.error(matrix),
            description_length=description_length(found, matrix),
            hidden_error=hidden[k - 1] if hidden else None,
            stability=stable[k - 1] if stable else None,
        )
        for k, found in enumerate(factors, start=1)
    )
    return _recommend(points, matrix)


def _recommend(points: tuple[RankPoint, ...], matrix: BinaryMatrix) -> RankPath:
    best = min(points, key=lambda point: (point.description_length, point.k))
    nothing = description_length(Factors.empty(matrix.shape), matrix)
    reason = (
        f"{best.k} patterns give the shortest description of the data: "
        f"{best.description_length:.0f} bits, {nothing:.0f} without any pattern"
    )
    if best.k == points[-1].k and len(points) < min(matrix.shape) and best.error > 0:
        reason += "; it is the largest rank tried, and a larger one may be shorter still"
    measured = [point for point in points if point.hidden_error is not None]
    if measured:
        choice = min(measured, key=lambda point: (point.hidden_error, point.k))
        reason += f"; hidden entries are predicted best with {choice.k}"
    return RankPath(points, best.k, reason)


class _PathSolver:
    """Factorisations for all ranks of one matrix, each started from those of its neighbours."""

    def __init__(
        self,
        matrix: BinaryMatrix,
        iteration_limit: int | None,
        workers: int,
        progress: Progress,
        stop: Stop,
    ) -> None:
        self.matrix, self.iteration_limit = matrix, iteration_limit
        self.workers, self.progress, self.stop = workers, progress, stop
        self.total = stop.remaining()

    def solve(
        self, max_rank: int, seed: int, share: float, matrix: BinaryMatrix | None = None
    ) -> list[Factors]:
        """Up the ranks and down again; `share` is the part of the time limit to use."""
        reduction = reduce_matrix(self.matrix if matrix is None else matrix)
        pool = RectanglePool(*reduction.matrix.shape)
        slice_seconds = share * self.total / (2 * max_rank)
        found: list[Factors] = []
        for k in range(1, max_rank + 1):
            start = found[-1].padded(k) if found else None
            found.append(self._one(reduction, k, [start], pool, seed, slice_seconds))
        for k in range(max_rank - 1, 0, -1):
            above = order_patterns(found[k], reduction.matrix)
            gains = [p.gain for p in describe_patterns(above, reduction.matrix)]
            keep = np.delete(np.arange(k + 1), int(np.argmin(gains)))
            fewer = Factors(above.A[:, keep], above.B[keep])
            starts = [found[k - 1], fewer]
            found[k - 1] = self._one(reduction, k, starts, pool, seed + 1, slice_seconds)
        for k in range(1, max_rank):
            if found[k - 1].error(reduction.matrix) < found[k].error(reduction.matrix):
                found[k] = found[k - 1].padded(k + 1)
        return [reduction.lift(factors) for factors in found]

    def _one(
        self,
        reduction: Reduction,
        k: int,
        starts: Sequence[Factors | None],
        pool: RectanglePool,
        seed: int,
        seconds: float,
    ) -> Factors:
        known = [start for start in starts if start is not None]
        if k >= min(reduction.matrix.shape):
            return Factors.reproducing(reduction.matrix).padded(k)
        best = min(known, key=lambda f: f.error(reduction.matrix), default=None)
        if best is not None and (best.error(reduction.matrix) == 0 or self.stop.now()):
            return best
        result = local_search(
            reduction.matrix,
            k,
            stop=self.stop.child(max(seconds, 0.01), self.iteration_limit, target=0),
            seed=seed,
            workers=self.workers,
            start=known,
            pool=pool,
        )
        self.progress(
            Event("rank path", self.stop.elapsed(), error=result.error, message=f"rank {k}")
        )
        return result.factors


def _hidden_errors(
    solver: _PathSolver, matrix: BinaryMatrix, max_rank: int, folds: int, seed: int, share: float
) -> list[float]:
    """Share of hidden entries that are predicted wrongly, for each rank."""
    if not folds:
        return []
    wrong, total = np.zeros(max_rank), 0
    for hidden, where in entry_folds(matrix, folds, seed=seed):
        for u, factors in enumerate(solver.solve(max_rank, seed, share, hidden)):
            scores = score_entries(matrix, factors.product(), where)
            wrong[u] += (1 - scores.accuracy) * scores.entries
        total += int(where.sum())
    return [float(w / max(total, 1)) for w in wrong]


def _stabilities(
    solver: _PathSolver, first: list[Factors], max_rank: int, seeds: int, seed: int, share: float
) -> list[float]:
    if not seeds:
        return []
    others = [solver.solve(max_rank, seed + 1000 * s, share) for s in range(1, seeds)]
    return [stability([first[u], *(other[u] for other in others)]) for u in range(max_rank)]
