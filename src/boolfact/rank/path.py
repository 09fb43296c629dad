"""Choosing k: the whole path of ranks, description lengths, cross-validation, stability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.duals import restate
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.completion.filling import entry_folds, score_entries
from boolfact.control.checks import checked_seed, checked_workers, whole_number
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.io.read import as_matrix
from boolfact.local_search import local_search
from boolfact.local_search.problem import MAX_RANK
from boolfact.model.bound import Bound, Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import Reduction, reduce_matrix
from boolfact.results.patterns import describe_patterns, order_patterns
from boolfact.solve.warmup import warm_up

__all__ = ["RankPath", "RankPoint", "description_length", "rank_path", "stability"]

_LN2 = math.log(2)
_SHORTEST = 0.01
"""Seconds that a step gets even where its phase has none left."""


@dataclass(frozen=True, eq=False)
class RankPoint:
    """What is known of one rank.

    Attributes
    ----------
    k : int
    factors : Factors
    error : int
    error_lower_bound : int or None
        Proved: no factorisation of this rank has a lower error.
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
    error_lower_bound: int | None = None


@dataclass(frozen=True)
class RankPath:
    """The ranks from 1 on, the one recommended, and why.

    `interrupted` says whether a limit or Ctrl-C left something undone: the ranks that are
    there are solved, and what could not be measured is None.
    """

    points: tuple[RankPoint, ...]
    recommended: int
    reason: str
    seconds: float = 0.0
    interrupted: bool = False

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
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "path": [
                {
                    "k": point.k,
                    "error": point.error,
                    "error_lower_bound": point.error_lower_bound,
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
    bounds: bool = False,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> RankPath:
    """Solve for k = 1 to max_rank, each warm-started from its neighbours, and recommend a k.

    The recommended rank is the one with the least description length (`description_length`).
    Ctrl-C ends it early and keeps the ranks solved so far.

    Parameters
    ----------
    X : array-like, DataFrame, path or name
        See `boolfact.as_matrix`.
    max_rank : int
        The largest k; at most min(n, m) is useful.
    time_limit : float
        Seconds for everything: two parts for the path itself, one each for cross-validation,
        stability and bounds.
    iteration_limit : int, optional
        Limit of the local search for each rank: errors, description lengths and the
        recommendation then do not depend on the machine's speed, as long as the time suffices.
    folds : int
        With 2 or more, the error on hidden entries by entry-wise cross-validation.
    seeds : int
        With 2 or more, how stable the patterns are over that many seeds.
    bounds : bool
        Whether to prove lower bounds on the errors, by MLP(1/k). What is proved for a rank
        holds for every smaller one.
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
    max_rank = whole_number("max_rank", max_rank, 1)
    seed, workers = checked_seed(seed), checked_workers(workers)
    if folds == 1 or folds < 0:
        raise ValueError(f"folds must be 0 or at least 2, got {folds}")
    if seeds == 1 or seeds < 0:
        raise ValueError(f"seeds must be 0 or at least 2, got {seeds}")
    max_rank = min(max_rank, *matrix.shape)
    if max_rank > MAX_RANK:
        raise ValueError(f"max_rank must be at most {MAX_RANK}, got {max_rank}")
    Stop(time_limit, iteration_limit)  # refuses bad limits before anything is done
    listener = progress or silent
    for k in (1, max_rank):
        warm_up("colgen" if bounds else "local", k, listener)
    stop = Stop(time_limit)
    solver = _PathSolver(matrix, iteration_limit, workers, listener, stop)
    part = 1 / (2 + bool(folds) + bool(seeds) + bounds)
    with stop.listening():
        factors = solver.solve(max_rank, seed, 2 * part)
        proved = _error_bounds(solver, factors, seed, part if bounds else 0.0)
        hidden = _hidden_errors(solver, matrix, len(factors), folds, seed, part)
        stable = _stabilities(solver, factors, seeds, seed, part)
    points = tuple(
        RankPoint(
            k=k,
            factors=found,
            error=found.error(matrix),
            description_length=description_length(found, matrix),
            hidden_error=hidden.get(k),
            stability=stable.get(k),
            error_lower_bound=proved.get(k),
        )
        for k, found in enumerate(factors, start=1)
    )
    wanted = [(bounds, len(proved)), (bool(folds), len(hidden)), (bool(seeds), len(stable))]
    undone = len(points) < max_rank or any(asked and known < len(points) for asked, known in wanted)
    return _recommend(points, matrix, stop.elapsed(), undone or stop.interrupted)


def _recommend(
    points: tuple[RankPoint, ...], matrix: BinaryMatrix, seconds: float, interrupted: bool
) -> RankPath:
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
    return RankPath(points, best.k, reason, seconds, interrupted)


class _Slices:
    """Equal parts of what is left of a phase: one that takes too long is paid by the next."""

    def __init__(self, stop: Stop, steps: int) -> None:
        self.stop, self.steps = stop, steps

    def next(self) -> Stop:
        """The stop of the next step."""
        seconds = self.stop.remaining() / max(1, self.steps)
        self.steps -= 1
        return self.stop.child(max(seconds, _SHORTEST))


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
        self,
        max_rank: int,
        seed: int,
        share: float,
        matrix: BinaryMatrix | None = None,
        what: str = "path",
    ) -> list[Factors]:
        """Up the ranks and down again; `share` is the part of the time limit to use.

        Ranks whose turn does not come before the stop are left out.
        """
        reduction = reduce_matrix(self.matrix if matrix is None else matrix)
        pool = RectanglePool(*reduction.matrix.shape)
        phase = _Slices(self.stop.child(share * self.total), 2 * max_rank - 1)
        found: list[Factors] = []
        for k in range(1, max_rank + 1):
            if found and self.stop.now():
                break
            start = found[-1].padded(k) if found else None
            found.append(self._one(reduction, k, [start], pool, seed, phase.next()))
            self.say(what, k, found[-1].error(reduction.matrix))
        for k in range(len(found) - 1, 0, -1):
            above = order_patterns(found[k], reduction.matrix)
            gains = [p.gain for p in describe_patterns(above, reduction.matrix)]
            keep = np.delete(np.arange(k + 1), int(np.argmin(gains)))
            fewer = Factors(above.A[:, keep], above.B[keep])
            starts = [found[k - 1], fewer]
            found[k - 1] = self._one(reduction, k, starts, pool, seed + 1, phase.next())
            self.say(what, k, found[k - 1].error(reduction.matrix))
        for k in range(1, len(found)):
            if found[k - 1].error(reduction.matrix) < found[k].error(reduction.matrix):
                found[k] = found[k - 1].padded(k + 1)
        return [reduction.lift(factors) for factors in found]

    def say(self, what: str, k: int, error: int) -> None:
        """Errors of different ranks are no progress of one run: they go into the words."""
        self.progress(Event(f"{what}, k = {k}, error {error}", self.stop.elapsed()))

    def _one(
        self,
        reduction: Reduction,
        k: int,
        starts: Sequence[Factors | None],
        pool: RectanglePool,
        seed: int,
        part: Stop,
    ) -> Factors:
        known = [start for start in starts if start is not None]
        if k >= min(reduction.matrix.shape):
            return Factors.reproducing(reduction.matrix).padded(k)
        best = min(known, key=lambda f: f.error(reduction.matrix), default=None)
        if best is not None and (best.error(reduction.matrix) == 0 or self.stop.now()):
            return best
        return local_search(
            reduction.matrix,
            k,
            stop=part.child(None, self.iteration_limit, target=0),
            seed=seed,
            workers=self.workers,
            start=known,
            pool=pool,
        ).factors


def _hidden_errors(
    solver: _PathSolver, matrix: BinaryMatrix, max_rank: int, folds: int, seed: int, share: float
) -> dict[int, float]:
    """Share of hidden entries that are predicted wrongly, for each rank that all folds solved."""
    wrong: dict[int, list[float]] = {}
    total = 0
    if not folds:
        return {}
    for fold, (hidden, where) in enumerate(entry_folds(matrix, folds, seed=seed), start=1):
        if solver.stop.now():
            return {}
        what = f"fold {fold} of {folds}"
        for k, factors in enumerate(
            solver.solve(max_rank, seed, share / folds, hidden, what), start=1
        ):
            scores = score_entries(matrix, factors.product(), where)
            wrong.setdefault(k, []).append((1 - scores.accuracy) * scores.entries)
        total += int(where.sum())
    return {k: float(sum(w) / max(total, 1)) for k, w in wrong.items() if len(w) == folds}


def _stabilities(
    solver: _PathSolver, first: list[Factors], seeds: int, seed: int, share: float
) -> dict[int, float]:
    """How alike the patterns are, for each rank that was solved with every seed."""
    runs = [first]
    for s in range(1, seeds):
        if solver.stop.now():
            return {}
        own = solver.solve(
            len(first),
            seed + 1000 * s,
            share / (seeds - 1),
            what=f"seed {s + 1} of {seeds}",
        )
        runs.append(own)
    if len(runs) < 2:
        return {}
    return {k: stability(found) for k, found in enumerate(zip(*runs, strict=False), start=1)}


def _error_bounds(
    solver: _PathSolver, found: list[Factors], seed: int, share: float
) -> dict[int, int]:
    """Proved lower bounds on the errors; small ranks first, for which they are strongest."""
    if not share:
        return {}
    reduction = reduce_matrix(solver.matrix)
    pool = RectanglePool(*reduction.matrix.shape)
    for factors in found:
        pool.extend(reduction.restrict(factors).rectangles)
    phase = _Slices(solver.stop.child(share * solver.total), len(found))
    proved: list[Bound] = []
    for k, factors in enumerate(found, start=1):
        error, said = factors.error(solver.matrix), None
        if error > 0 and not solver.stop.now():
            columns = generate_columns(
                MLP(reduction.matrix, k, Fraction(1, k), on=Quantity.ERROR),
                pool=pool,
                stop=phase.next(),
                seed=seed,
                workers=solver.workers,
                incumbent=error,
            )
            if columns.bound is not None:
                said = int(columns.bound.rounded)
                proved.append(columns.bound)
        outcome = "no bound" if said is None else f"at least {said}"
        solver.progress(Event(f"bounds, k = {k}, error {error}, {outcome}", solver.stop.elapsed()))
    return {
        k: bound
        for k, factors in enumerate(found, start=1)
        if (bound := _best_bound(proved, k, factors.error(solver.matrix))) is not None
    }


def _best_bound(proved: Sequence[Bound], k: int, error: int) -> int | None:
    """The best bound on the error of rank k; prices found for a larger rank are valid too."""
    if error == 0:
        return 0
    known = [int(restate(bound, k=k).rounded) for bound in proved if bound.k >= k]
    bound = max(known, default=None)
    if bound is not None and bound > error:
        raise AssertionError(f"bug: the bound {bound} exceeds the error {error} reached")
    return bound
