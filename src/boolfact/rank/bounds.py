"""Bounds on the Boolean rank: the least k for which the error can be 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.checks import checked_seed, checked_workers
from boolfact.control.executor import make_executor
from boolfact.control.stop import Stop
from boolfact.io.read import as_matrix
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import Reduction, reduce_matrix
from boolfact.rank.cover import fractional_cover, integer_cover
from boolfact.rank.isolation import (
    LARGEST_TABLE,
    IsolationSearch,
    conflicts,
    critical_ones,
    is_isolated,
    isolated_set,
)

__all__ = ["RankBounds", "distinct_rows_bound", "rank_bounds"]


@dataclass(frozen=True, eq=False)
class RankBounds:
    """What is proved about the Boolean rank and the numbers below it.

    Attributes
    ----------
    lower, upper : int
        The Boolean rank is between these.
    isolation_lower, isolation_upper : int
        The isolation number i(X), which is at most the rank, is between these.
    isolated : ndarray of int64, shape (isolation_lower, 2)
        Rows and columns of an isolated set.
    fractional_lower, fractional_upper : Fraction
        The fractional cover number, between i(X) and the rank, is between these.
    distinct_lower : int
        r patterns give at most 2^r different rows, or columns.
    cover : Factors
        An exact cover of rank `upper`.
    seconds : float
    interrupted : bool
        Whether the user ended it early; the bounds hold even so.
    """

    lower: int
    upper: int
    isolation_lower: int
    isolation_upper: int
    isolated: NDArray[np.int64]
    fractional_lower: Fraction
    fractional_upper: Fraction
    distinct_lower: int
    cover: Factors
    seconds: float
    interrupted: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON; fractions are rounded to the safe side."""
        return {
            "rank_lower": self.lower,
            "rank_upper": self.upper,
            "isolation_lower": self.isolation_lower,
            "isolation_upper": self.isolation_upper,
            "fractional_cover_lower": math.floor(self.fractional_lower * 1000) / 1000,
            "fractional_cover_upper": math.ceil(self.fractional_upper * 1000) / 1000,
            "distinct_lower": self.distinct_lower,
            "isolated": self.isolated.tolist(),
            "seconds": round(self.seconds, 3),
        }


def rank_bounds(
    X: Any, *, time_limit: float | None = 60.0, seed: int = 0, workers: int = 1
) -> RankBounds:
    """Bound the Boolean rank of X, and its isolation number, from both sides.

    From below: an isolated set of ones, the fractional cover number, and the number of
    different rows. From above: an exact cover. A missing entry may be covered or not.

    Parameters
    ----------
    X : array-like, sparse matrix, DataFrame, path or name of a bundled dataset
    time_limit : float, optional
        Seconds. Whatever is returned then is proved.
    seed : int
    workers : int
        Threads.

    Examples
    --------
    The complement of the identity needs four rectangles, though no four of its ones are
    isolated.

    >>> import numpy as np
    >>> bounds = rank_bounds(1 - np.eye(4, dtype=int), time_limit=10)
    >>> bounds.isolation_lower, bounds.isolation_upper, bounds.upper
    (3, 3, 4)
    """
    matrix = as_matrix(X)
    seed, workers = checked_seed(seed), checked_workers(workers)
    stop = Stop(time_limit)
    reduction = reduce_matrix(matrix)
    reduced = reduction.matrix
    entries = critical_ones(reduced)
    kept = entries[_sample(len(entries), seed)]
    conflict = conflicts(reduced, kept)
    seeds = np.random.SeedSequence(seed).spawn(3)
    with make_executor(workers) as executor, stop.listening():
        quick = isolated_set(kept, conflict, stop=stop.share(0.2), seed=seeds[0], rounds=30)
        fractional = fractional_cover(
            reduced, entries, stop=stop.share(0.6), seed=seeds[1], executor=executor
        )
        cover = integer_cover(reduced, entries, fractional.pool, stop=stop.share(0.35))
        most = min(math.floor(fractional.upper), cover.rank)
        found = isolated_set(kept, conflict, stop=stop.share(0.6), seed=seeds[2], enough=most)
        found = max(quick, found, key=len)
        if len(kept) == len(entries):
            found, most = _close(entries, conflict, found, most, stop)
    if not is_isolated(reduced, found) or cover.error(reduced) != 0:
        raise AssertionError("bug: an isolated set or a cover is wrong")
    distinct = max(distinct_rows_bound(matrix), distinct_rows_bound(matrix.T))
    return RankBounds(
        lower=max(len(found), math.ceil(fractional.lower), distinct),
        upper=cover.rank,
        isolation_lower=len(found),
        isolation_upper=most,
        isolated=_original(reduction, found),
        fractional_lower=max(fractional.lower, Fraction(len(found))),
        fractional_upper=min(fractional.upper, Fraction(cover.rank)),
        distinct_lower=distinct,
        cover=reduction.lift(cover),
        seconds=stop.elapsed(),
        interrupted=stop.interrupted,
    )


def distinct_rows_bound(matrix: BinaryMatrix) -> int:
    """r patterns give at most 2^r different rows; rows with missing entries do not count."""
    complete = (matrix.weights > 0).all(axis=1)
    different = len(np.unique(matrix.ones[complete], axis=0))
    return math.ceil(math.log2(different)) if different else 0


def _sample(count: int, seed: int) -> NDArray[np.int64]:
    """All ones, or as many as a table of conflicts has room for."""
    if count <= LARGEST_TABLE:
        return np.arange(count)
    rng = np.random.default_rng(seed)
    return np.sort(rng.choice(count, LARGEST_TABLE, replace=False))


def _close(
    entries: NDArray[np.int64],
    conflict: NDArray[np.bool_],
    found: NDArray[np.int64],
    most: int,
    stop: Stop,
) -> tuple[NDArray[np.int64], int]:
    """Exclude sizes from the top down until one is found or time is over."""
    while len(found) < most:
        answer = IsolationSearch(entries, conflict, most).advance(stop)
        if not answer.decided:
            break
        if answer.isolated is None:
            most -= 1
        else:
            found = answer.isolated
    return found, most


def _original(reduction: Reduction, entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same ones in the matrix that was given: the first row and column of each group."""
    _, rows = np.unique(reduction.row_map, return_index=True)
    _, columns = np.unique(reduction.column_map, return_index=True)
    rows = rows[reduction.row_map[rows] >= 0]
    columns = columns[reduction.column_map[columns] >= 0]
    return np.column_stack([rows[entries[:, 0]], columns[entries[:, 1]]])
