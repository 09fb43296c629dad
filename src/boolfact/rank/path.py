"""Choosing k: the whole path of ranks, what is measured of each, and the one recommended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from boolfact.control.checks import checked_seed, checked_workers, whole_number
from boolfact.control.cluster import executor_of
from boolfact.control.executor import make_executor
from boolfact.control.progress import Progress, silent
from boolfact.control.stop import Stop
from boolfact.io.read import as_matrix
from boolfact.local_search.problem import MAX_RANK
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.notebook import html_table
from boolfact.rank.description import description_length
from boolfact.rank.measures import error_bounds, hidden_errors, stabilities
from boolfact.rank.solver import PathSolver
from boolfact.solve.warmup import warm_up

__all__ = ["RankPath", "RankPoint", "rank_path"]


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
    factors: Factors = field(repr=False)
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

    def __repr__(self) -> str:
        return f"<RankPath: ranks 1 to {len(self.points)}, recommended {self.recommended}>"

    def _repr_html_(self) -> str:
        """A line per rank, without what was not measured; for notebooks."""
        columns = {
            "error": [f"{point.error:,}" for point in self.points],
            "proved: error at least": [_cell(p.error_lower_bound, ",") for p in self.points],
            "description length (bits)": [f"{p.description_length:,.0f}" for p in self.points],
            "hidden entries wrong": [_cell(p.hidden_error, ".1%") for p in self.points],
            "stability": [_cell(p.stability, ".2f") for p in self.points],
        }
        known = {title: cells for title, cells in columns.items() if set(cells) != {""}}
        lines = [
            [f"{p.k} (recommended)" if p.k == self.recommended else p.k, *cells]
            for p, *cells in zip(self.points, *known.values(), strict=True)
        ]
        return html_table(f"Ranks: {self.reason}", lines, ["k", *known])

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


def _cell(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


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
    executor: Any = None,
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
        Whether to prove lower bounds on the errors, the best of MLP(1/k) and assigned cover.
        What is proved for a rank holds for every smaller one.
    seed, workers, progress
        As in `boolfact.factorize`.
    executor : distributed.Client, optional
        A cluster, whose workers solve the path of every fold and seed at the same time, and run
        the searches of the path itself. Bounds are proved here. The same seed and iteration limit
        give the same answer.

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
    if iteration_limit is not None:
        iteration_limit = whole_number("iteration_limit", iteration_limit, 1)
    stop = Stop(time_limit)
    listener = progress or silent
    for k in (1, max_rank):
        warm_up("auto" if bounds else "local", k, listener)
    stop.restart()
    part = 1 / (2 + bool(folds) + bool(seeds) + bounds)
    with (
        make_executor(workers) as threads,
        executor_of(executor, workers) as anywhere,
        stop.listening(),
    ):
        solver = PathSolver(matrix, iteration_limit, threads, listener, stop, anywhere)
        factors = solver.solve(max_rank, seed, 2 * part)
        proved = error_bounds(solver, factors, seed, part if bounds else 0.0)
        hidden = hidden_errors(solver, matrix, len(factors), folds, seed, part)
        stable = stabilities(solver, factors, seeds, seed, part)
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
