"""Completion by many factorisations: each hides some entries, and all of them vote.

One factorisation of least error is a poor guess at what was not observed: it says yes or no,
and it says nothing of absences. Here many short searches look at the data with a tenth of the
entries hidden in turn, so every observed entry is predicted by members that have not seen it.
That is entry-wise cross-validation at no extra cost, and it chooses whatever has to be chosen.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.completion.decision import Metric, decide
from boolfact.completion.folds import Scores
from boolfact.completion.members import EnsembleMember, orders, search_members
from boolfact.completion.votes import Vote, cast_votes
from boolfact.control.checks import checked_seed, checked_workers, whole_number
from boolfact.control.cluster import executor_of
from boolfact.control.progress import Progress, silent
from boolfact.control.stop import Stop
from boolfact.io.read import as_matrix
from boolfact.local_search.problem import MAX_RANK
from boolfact.model.matrix import BinaryMatrix

__all__ = ["EnsembleCompletion", "complete"]


@dataclass(frozen=True, eq=False)
class EnsembleCompletion:
    """What an ensemble says of every entry.

    Attributes
    ----------
    matrix : BinaryMatrix
        The data.
    k : int
        Patterns of each member.
    members : tuple of EnsembleMember
    scores : ndarray of float, shape (n, m)
        From 0 (zero) to 1 (one). All members speak of a missing entry, and only those that did
        not see it of an observed one; NaN where there is none.
    weight : float
        How much the members with complementary columns count; those with complementary rows
        have the rest.
    threshold : float
        A missing entry with a score above this becomes 1.
    expected : Scores
        Of the observed entries, each predicted by the members that did not see it.
    seed : int
    seconds : float
    interrupted : bool
        Whether a limit or Ctrl-C left something undone: members that were asked for, of this
        or another k, or a k that was not tried.
    """

    matrix: BinaryMatrix
    k: int
    members: tuple[EnsembleMember, ...]
    scores: NDArray[np.float64]
    weight: float
    threshold: float
    expected: Scores
    seed: int
    seconds: float
    interrupted: bool = False

    def completed(self) -> BinaryMatrix:
        """The data with its missing entries filled; observed ones stay as they are."""
        X = self.matrix
        values = np.where(X.missing, self.scores > self.threshold, X.values).astype(np.int8)
        return BinaryMatrix(values, row_names=X.row_names, column_names=X.column_names)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Scores as shares of ones, by isotonic regression on the observed entries."""
        from sklearn.isotonic import IsotonicRegression

        known = ~self.matrix.missing & np.isfinite(self.scores)
        if not known.any():
            return self.scores
        model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        model.fit(self.scores[known], self.matrix.ones[known].astype(np.float64))
        shares = np.full(self.scores.shape, np.nan)
        finite = np.isfinite(self.scores)
        shares[finite] = model.predict(self.scores[finite])
        return shares

    def votes(self, reasons: int = 5) -> list[Vote]:
        """For each missing entry its value, who says so, and at most this many reasons."""
        return cast_votes(
            self.matrix,
            self.members,
            scores=self.scores,
            probabilities=self.probabilities,
            threshold=self.threshold,
            reasons=reasons,
        )

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        n, m = self.matrix.shape
        return {
            "n": n,
            "m": m,
            "k": self.k,
            "method": "ensemble",
            "members": len(self.members),
            "weight": self.weight,
            "threshold": self.threshold,
            "expected_f1": self.expected.f1,
            "expected_accuracy": self.expected.accuracy,
            "expected_precision": self.expected.precision,
            "expected_recall": self.expected.recall,
            "seconds": self.seconds,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "filled": self.matrix.n_missing,
            "filled_ones": int((self.completed().ones & self.matrix.missing).sum()),
        }


def complete(
    X: Any,
    k: int | Sequence[int] = (4, 8, 12),
    *,
    members: int = 80,
    metric: Metric = "f1",
    time_limit: float | None = None,
    seed: int = 0,
    workers: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> EnsembleCompletion:
    """Fill missing entries by the votes of many factorisations.

    Parameters
    ----------
    X : array-like, DataFrame, path or name
        See `boolfact.as_matrix`.
    k : int or sequence of int
        Patterns of each member, 1 to 64. Of several, the one that predicts best the entries
        that members did not see is kept. More than 12 are found less well.
    members : int
        How many factorisations for each k, at least 4. Half of them see complementary columns, half
        complementary rows.
    metric : {"f1", "accuracy"}
        What threshold, weight and k are chosen for, on observed entries that the members
        who predict them did not see.
    time_limit : float, optional
        Seconds; when they are over, or at Ctrl-C, the members so far decide.
    seed : int
        The same seed gives the same answer, whatever the number of workers, if no time limit
        ends it early.
    workers : int, optional
        Threads; all cores by default.
    executor : distributed.Client, optional
        A cluster, whose workers search the members. The answer is the same.
    progress : callable, optional
        Called with an `Event` for each member.

    Examples
    --------
    >>> import boolfact
    >>> from boolfact.completion.folds import hide_entries
    >>> X = boolfact.planted(40, 20, 3, seed=1).matrix
    >>> hidden, where = hide_entries(X, 0.1)
    >>> done = complete(hidden, 4, members=20)
    >>> bool((done.completed().values == X.values).mean() > 0.98)
    True
    """
    matrix = as_matrix(X)
    ranks = _ranks(k)
    members = whole_number("members", members, 4)
    if metric not in ("f1", "accuracy"):
        raise ValueError(f"metric must be 'f1' or 'accuracy', got {metric!r}")
    seed, workers = checked_seed(seed), checked_workers(workers)
    stop = Stop(time_limit)
    best: EnsembleCompletion | None = None
    undone = False
    with executor_of(executor, workers) as searchers, stop.listening():
        planned = list(orders(matrix, members, seed))
        for rank in ranks:
            if best is not None and stop.now():
                undone = True
                break
            team = search_members(matrix, rank, planned, searchers, stop, progress or silent)
            decision = decide(matrix, team, metric)
            done = EnsembleCompletion(
                matrix=matrix,
                k=rank,
                members=team,
                scores=decision.scores,
                weight=decision.weight,
                threshold=decision.threshold,
                expected=decision.expected,
                seed=seed,
                seconds=stop.elapsed(),
                interrupted=len(team) < members,
            )
            undone = undone or done.interrupted
            best = done if best is None else _better(best, done, metric)
    assert best is not None
    return replace(best, interrupted=undone)


def _better(
    best: EnsembleCompletion, other: EnsembleCompletion, metric: Metric
) -> EnsembleCompletion:
    """The one that predicts better; a rank that was cut short has nothing to show for itself."""
    if best.interrupted != other.interrupted:
        return other if best.interrupted else best
    if best.interrupted:
        return best
    return max(best, other, key=lambda done: (getattr(done.expected, metric), -done.k))


def _ranks(k: Any) -> list[int]:
    """One rank or several, checked."""
    several = [k] if np.ndim(k) == 0 else list(k)
    if not several:
        raise ValueError("k must name at least one rank, got none")
    for rank in several:
        if isinstance(rank, bool) or not isinstance(rank, numbers.Integral):
            raise TypeError(f"k must be whole numbers, got {rank!r}")
        if not 1 <= int(rank) <= MAX_RANK:
            raise ValueError(f"k must be from 1 to {MAX_RANK}, got {rank}")
    return [int(rank) for rank in several]
