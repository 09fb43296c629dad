"""The members of an ensemble: short searches, each with a tenth of the entries hidden.

Patterns may name absences: a member factorises the columns together with their complements, or
the rows together with theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.completion.folds import fold_numbers, without_entries
from boolfact.control.ending import Ending
from boolfact.control.executor import Executor, came_before
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop
from boolfact.local_search import PopulationSettings, local_search
from boolfact.model.factors import Factors
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["EnsembleMember", "Order", "orders", "search_members", "signed_matrix"]

_NO_FOLDS: NDArray[Any] = np.zeros((0, 0), dtype=np.int8)
"""Of an order that travels apart from its folds."""

_FOLDS = 10
"""A member does not see a tenth of the observed entries."""

_SHORT = PopulationSettings(
    size=2, ahead=1, chain_work=1e6, fewest_children=1, most_children=1, most_sweeps=0
)
"""Members are to differ: short searches from fresh starts, no annealing."""

_CHILDREN = 20
"""Of the search of a member; with 4, a matrix that is hard to predict was predicted worse."""


@dataclass(frozen=True, eq=False)
class EnsembleMember:
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
class Order:
    """What one member is to do; made before any of them starts, so it holds no matrix."""

    folds: NDArray[Any]
    fold: int
    by_columns: bool
    seed: int
    number: int

    def sequence(self) -> np.random.SeedSequence:
        """What the sequence of the seed spawns for this member, as if for the first time."""
        return np.random.SeedSequence(self.seed, spawn_key=(self.number,))


def orders(matrix: BinaryMatrix, members: int, seed: int) -> Iterator[Order]:
    """Both kinds in turn, so an early end leaves some of each."""
    count = min(_FOLDS, members // 2)
    for first in range(0, members, 2 * count):
        splits = np.random.SeedSequence(seed, spawn_key=(first,)).generate_state(2)
        both = [fold_numbers(matrix, count, seed=int(split)) for split in splits]
        for number in range(first, min(first + 2 * count, members)):
            fold, kind = divmod(number - first, 2)
            yield Order(both[kind], fold, kind == 0, seed, number)


def search_members(
    matrix: BinaryMatrix,
    k: int,
    orders: Sequence[Order],
    executor: Executor,
    stop: Stop,
    progress: Progress,
) -> tuple[EnsembleMember, ...]:
    """The members in order; of those that a limit cut short, only a first one is kept."""

    team: list[EnsembleMember] = []
    for order, found in zip(orders, _searches(matrix, k, orders, executor, stop), strict=False):
        if found is None or (team and not found[1]):
            continue
        factors, _ = found
        team.append(EnsembleMember(factors, order.by_columns, order.folds, order.fold))
        progress(
            Event(
                "ensemble",
                stop.elapsed(),
                iterations=len(team),
                message=f"{len(team)} of {len(orders)} members with {k} patterns",
            )
        )
    return tuple(team)


def _search_member(
    matrix: BinaryMatrix, k: int, order: Order, folds: NDArray[Any], stop: Stop
) -> tuple[Factors, bool]:
    """What one member finds, and whether it came to its end."""
    seen = without_entries(matrix, folds == order.fold)
    result = local_search(
        signed_matrix(seen, order.by_columns),
        k,
        stop=stop.child(iteration_limit=_CHILDREN),
        seed=order.sequence(),
        settings=_SHORT,
    )
    return result.factors, result.ending not in (Ending.TIME_LIMIT, Ending.INTERRUPTED)


def _searches(
    matrix: BinaryMatrix, k: int, orders: Sequence[Order], executor: Executor, stop: Stop
) -> Iterator[tuple[Factors, bool] | None]:
    """What the members find, in their order; None for those that had no time to begin.

    On a cluster, those that came in time. One there is, however short the time.
    """
    if executor.shares_memory:
        first = orders[0]

        def search(order: Order) -> tuple[Factors, bool] | None:
            if order is not first and stop.now():
                return None
            return _search_member(matrix, k, order, order.folds, stop)

        yield from executor.map(search, orders)
        return
    shared = executor.share(matrix)
    # Members share their folds, which are as large as the matrix.
    folds = {id(order.folds): order.folds for order in orders}
    there = {name: executor.share(array) for name, array in folds.items()}
    futures = [
        executor.submit(
            _search_member, shared, k, replace(order, folds=_NO_FOLDS), there[id(order.folds)], stop
        )
        for order in orders
    ]
    for number, future in enumerate(futures):
        if number and not came_before(stop, future) and not future.done():
            return
        yield future.result()
