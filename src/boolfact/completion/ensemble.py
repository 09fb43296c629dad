"""Completion by many factorisations: each hides some entries, and all of them vote.

One factorisation of least error is a poor guess at what was not observed: it says yes or no,
and it says nothing of absences. Here many short searches look at the data with a tenth of the
entries hidden in turn, so that every observed entry is predicted by members that have not seen
it. That is entry-wise cross-validation at no extra cost, and it chooses whatever has to be
chosen. Patterns may name absences: a member factorises the columns together with their
complements, or the rows together with theirs.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boolfact.completion.filling import Scores, Vote, fold_numbers, score_entries, without_entries
from boolfact.control.checks import checked_seed, checked_workers, whole_number
from boolfact.control.ending import Ending
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.io.read import as_matrix
from boolfact.local_search import PopulationSettings, local_search
from boolfact.local_search.problem import MAX_RANK
from boolfact.model.factors import Factors
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["EnsembleCompletion", "Member", "complete", "signed_matrix"]

Metric = Literal["f1", "accuracy"]

_FOLDS = 10
"""A member does not see a tenth of the observed entries."""

_SHORT = PopulationSettings(
    size=2, ahead=1, chain_work=1e6, fewest_children=1, most_children=1, most_sweeps=0
)
"""Members are to differ: short searches from fresh starts, no annealing."""

_CHILDREN = 20
"""Of the search of a member; with 4, a matrix that is hard to predict was predicted worse."""

_AT_ONCE = 4096
"""Entries whose reasons are counted together."""

_THRESHOLDS = np.arange(1, 80) / 80
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class Member:
    """One factorisation of the data and its complement, and the entries it did not see.

    Attributes
    ----------
    factors : Factors
        Of `signed_matrix`: presences first, then absences, side by side or one below the other.
    by_columns : bool
        Whether the complements are further columns; otherwise they are further rows.
    folds : ndarray of int, shape (n, m)
        Into which fold each observed entry falls; members share it.
    fold : int
        The one that was hidden from this member.
    """

    factors: Factors
    by_columns: bool
    folds: NDArray[Any]
    fold: int

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """The observed entries that it did not see."""
        return np.asarray(self.folds == self.fold)

    @property
    def halves(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where its patterns say one, and where they say zero; both or neither may be true."""
        said = np.split(self.factors.product(), 2, axis=1 if self.by_columns else 0)
        return said[0], said[1]

    def named(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """What the patterns that say `values` at some entries name: presences, then absences.

        Returns an array with one row for each entry and 2 m columns.
        """
        n, m = self.folds.shape
        i = rows if self.by_columns else rows + n * (1 - values)
        j = columns + m * (1 - values) if self.by_columns else columns
        covering = self.factors.A[i] & self.factors.B[:, j].T
        named = covering.astype(np.float32) @ self.factors.B.astype(np.float32) > 0.5
        if self.by_columns:
            return np.asarray(named)
        # With complementary rows, whoever shares a pattern with an absence lacks its columns.
        one = values.astype(np.bool_)[:, None]
        return np.hstack([named & one, named & ~one])


@dataclass(frozen=True, eq=False)
class EnsembleCompletion:
    """What an ensemble says of every entry.

    Attributes
    ----------
    matrix : BinaryMatrix
        The data.
    k : int
        Patterns of each member.
    members : tuple of Member
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
    members: tuple[Member, ...]
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
        """For each missing entry its value, who says so, and at most so many reasons."""
        ones, zeros = np.zeros((2, *self.matrix.shape), dtype=np.int32)
        for member in self.members:
            one, zero = member.halves
            ones += one
            zeros += zero
        places = np.argwhere(self.matrix.missing)
        found = []
        for first in range(0, len(places), _AT_ONCE):
            rows, columns = places[first : first + _AT_ONCE].T
            values = (self.scores[rows, columns] > self.threshold).astype(np.int64)
            because = self._because(rows, columns, values, reasons)
            for i, j, value, why in zip(rows, columns, values, because, strict=True):
                found.append(
                    Vote(
                        row=int(i),
                        column=int(j),
                        row_name=self.matrix.row_label(int(i)),
                        column_name=self.matrix.column_label(int(j)),
                        value=int(value),
                        score=float(self.scores[i, j]),
                        probability=float(self.probabilities[i, j]),
                        says_one=int(ones[i, j]),
                        says_zero=int(zeros[i, j]),
                        members=len(self.members),
                        because=why,
                    )
                )
        return found

    def _because(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        values: NDArray[np.int64],
        reasons: int,
    ) -> Iterator[tuple[tuple[str, int], ...]]:
        """The most frequent facts, for each of some entries."""
        m = self.matrix.shape[1]
        counts = np.zeros((len(rows), 2 * m), dtype=np.int64)
        for member in self.members:
            counts += member.named(rows, columns, values)
        # A pattern also names what this very row has not: that is no reason.
        facts = self.matrix.values[rows]
        counts = np.where(facts == 1, counts[:, :m], counts[:, m:])
        counts[facts == MISSING] = 0
        for own, fact in zip(counts, facts, strict=True):
            order = np.argsort(-own, kind="stable")[:reasons]
            yield tuple(
                (("" if fact[j] else "not ") + self.matrix.column_label(int(j)), int(own[j]))
                for j in order
                if own[j]
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
    progress : callable, optional
        Called with an `Event` for each member.

    Examples
    --------
    >>> import boolfact
    >>> from boolfact.completion.filling import hide_entries
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
    with stop.listening():
        orders = list(_orders(matrix, members, seed))
        for rank in ranks:
            if best is not None and stop.now():
                undone = True
                break
            team = _search(matrix, rank, orders, workers, stop, progress or silent)
            done = _decide(matrix, rank, team, metric, seed, stop, members)
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


def signed_matrix(matrix: BinaryMatrix, by_columns: bool = True) -> BinaryMatrix:
    """The data and its complement, side by side or one below the other.

    Examples
    --------
    >>> signed_matrix(BinaryMatrix(np.array([[1, 0, -1]]))).values
    array([[ 1,  0, -1,  0,  1, -1]], dtype=int8)
    """
    axis = 1 if by_columns else 0
    opposite = np.where(matrix.missing, MISSING, 1 - matrix.values).astype(np.int8)
    return BinaryMatrix(
        np.concatenate([matrix.values, opposite], axis=axis),
        np.concatenate([matrix.weights, matrix.weights], axis=axis),
    )


@dataclass(frozen=True, eq=False)
class _Order:
    """What one member is to do; made before any of them starts, and so it holds no matrix."""

    folds: NDArray[Any]
    fold: int
    by_columns: bool
    seed: int
    number: int

    def sequence(self) -> np.random.SeedSequence:
        """What the sequence of the seed spawns for this member, as if for the first time."""
        return np.random.SeedSequence(self.seed, spawn_key=(self.number,))


def _orders(matrix: BinaryMatrix, members: int, seed: int) -> Iterator[_Order]:
    """Both kinds in turn, so that an early end leaves some of each."""
    count = min(_FOLDS, members // 2)
    for first in range(0, members, 2 * count):
        splits = np.random.SeedSequence(seed, spawn_key=(first,)).generate_state(2)
        both = [fold_numbers(matrix, count, seed=int(split)) for split in splits]
        for number in range(first, min(first + 2 * count, members)):
            fold, kind = divmod(number - first, 2)
            yield _Order(both[kind], fold, kind == 0, seed, number)


def _search(
    matrix: BinaryMatrix,
    k: int,
    orders: Sequence[_Order],
    workers: int,
    stop: Stop,
    progress: Progress,
) -> tuple[Member, ...]:
    """The members in order; of those that a limit cut short, only a first one is kept."""

    def work(order: _Order) -> tuple[Member, bool]:
        seen = without_entries(matrix, order.folds == order.fold)
        result = local_search(
            signed_matrix(seen, order.by_columns),
            k,
            stop=stop.child(iteration_limit=_CHILDREN),
            seed=order.sequence(),
            settings=_SHORT,
        )
        whole = result.ending not in (Ending.TIME_LIMIT, Ending.INTERRUPTED)
        return Member(result.factors, order.by_columns, order.folds, order.fold), whole

    team: list[Member] = []
    with ThreadPoolExecutor(workers, thread_name_prefix="boolfact-member") as threads:
        for member, whole in threads.map(work, orders):
            if not whole and team:
                continue
            team.append(member)
            progress(
                Event(
                    "ensemble",
                    stop.elapsed(),
                    iterations=len(team),
                    message=f"{len(team)} of {len(orders)} members with {k} patterns",
                )
            )
    return tuple(team)


def _decide(
    matrix: BinaryMatrix,
    k: int,
    team: tuple[Member, ...],
    metric: Metric,
    seed: int,
    stop: Stop,
    asked: int,
) -> EnsembleCompletion:
    """Weigh the two kinds of members and set the threshold, on what each did not see."""
    sides = [
        _side_scores(matrix, [member for member in team if member.by_columns == by_columns])
        for by_columns in (True, False)
    ]
    options = _WEIGHTS if all(side is not None for side in sides) else (1.0,)
    first, second = sides[0], sides[1]
    assert first is not None, "members with complementary columns come first"
    best: tuple[float, float, float, NDArray[np.float64]] | None = None
    for weight in options:
        scores = first if second is None else weight * first + (1 - weight) * second
        threshold, value = _best_threshold(matrix, scores, metric)
        if best is None or value > best[0]:
            best = value, weight, threshold, scores
    assert best is not None
    _, weight, threshold, scores = best
    known = np.isfinite(scores) & ~matrix.missing
    return EnsembleCompletion(
        matrix=matrix,
        k=k,
        members=team,
        scores=scores,
        weight=weight,
        threshold=threshold,
        expected=score_entries(matrix, scores > threshold, known),
        seed=seed,
        seconds=stop.elapsed(),
        interrupted=len(team) < asked,
    )


def _side_scores(matrix: BinaryMatrix, team: Sequence[Member]) -> NDArray[np.float64] | None:
    """Mean of 1 for a one, 0 for a zero, 1/2 for both or neither, over who did not see it."""
    if not team:
        return None
    total, count = np.zeros(matrix.shape), np.zeros(matrix.shape)
    for member in team:
        one, zero = member.halves
        blind = member.hidden | matrix.missing
        total += blind * (1 + one.astype(np.float64) - zero) / 2
        count += blind
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def _best_threshold(
    matrix: BinaryMatrix, scores: NDArray[np.float64], metric: Metric
) -> tuple[float, float]:
    """The middle of the thresholds that predict best, and how well they do."""
    known = np.isfinite(scores) & ~matrix.missing
    values = np.array(
        [
            getattr(score_entries(matrix, scores > threshold, known), metric)
            for threshold in _THRESHOLDS
        ]
    )
    if not known.any():
        return 0.5, 0.0
    start = int(np.argmax(values))
    end = start
    while end + 1 < len(values) and values[end + 1] == values[start]:
        end += 1
    return float((_THRESHOLDS[start] + _THRESHOLDS[end]) / 2), float(values[start])
