"""One level of the search: whether any factorisation gains a target, for one circle.

The level is cut into branches, each a start of the circle and choices for its first columns.
They share nothing, so they run on all workers, and what is found does not depend on them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boolfact.column_search.circle import Circle
from boolfact.column_search.kernel import FOUND, NODES, Branch, make_branch, walk
from boolfact.control.executor import SERIAL, Executor

__all__ = ["MOST_WEIGHT", "Gains", "Level", "Opened", "count_nodes", "exhaust", "open_level"]

MOST_WEIGHT = 1 << 30
"""Sums of weights up to this fit into 32 bits, with one more column."""
_SPLIT = 12
"""A start is cut into at least this many branches, where it is deep enough."""
_WORK_PER_CALL = 60_000_000
"""Sums by code and row in one call of the kernel: some hundredths of a second."""
_VECTOR = 64
"""The number of rows is rounded up to a multiple of this."""
_SIXTEEN_BITS = 30_000
"""Sums up to this fit into 16 bits with room for one more column."""
_FINEST = 64
"""Gains are counted in units of at least 1 / 64, so that shifts can be whole."""
_SHIFTED = 4
"""No sum with shifts is more than this many times what it would be without, but for rounding."""


@dataclass(frozen=True, eq=False)
class Gains:
    """The problem: what is gained where an entry is covered, for rank k.

    Attributes
    ----------
    columns : ndarray, shape (m, rows)
        The weight of a one, minus the weight of a zero, 0 where missing, in units of 1 / unit.
        There may be more rows than in the matrix; they gain nothing.
    k : int
    total : int
        The weight of all ones: the error is this less the gain.
    unit : int
        1 where the weights leave no room for finer numbers, and so none for shifts.
    """

    columns: NDArray[np.signedinteger]
    k: int
    total: int
    unit: int = 1

    @classmethod
    def of(cls, values: NDArray[np.int8], weights: NDArray[np.int64], k: int) -> Gains:
        """From a matrix whose columns are searched over.

        Raises
        ------
        ValueError
            If the weights of the ones, or of a row, add up to more than `MOST_WEIGHT`.
        """
        gains = np.where(values == 1, weights, -weights)
        size = np.abs(gains)
        largest, all_of_it = int(size.sum(axis=1).max(initial=0)), int(size.sum())
        kind = np.int16 if largest <= _SIXTEEN_BITS else np.int32
        room = _SIXTEEN_BITS if kind is np.int16 else MOST_WEIGHT
        unit = _FINEST
        while unit > 1 and (
            _SHIFTED * (unit * largest + gains.shape[1]) > room
            or _SHIFTED * (unit * all_of_it + gains.size) > MOST_WEIGHT
        ):
            unit //= 2
        ones = int(weights[values == 1].sum())
        if max(largest, ones) > MOST_WEIGHT:
            raise ValueError(f"the weights add up to {max(largest, ones)}, too much to search with")
        n, m = gains.shape
        # Rows that gain nothing: kernels like whole vectors.
        columns = np.zeros((m, n + -n % _VECTOR), dtype=kind)
        columns[:, :n] = unit * gains.T
        return cls(columns, k, ones, unit)

    def target(self, error: int) -> int:
        """What a factorisation with a smaller error than this gains at least."""
        return self.total - error + 1

    def branch(
        self,
        circle: Circle,
        target: int,
        start: int,
        *,
        shifts: NDArray[np.signedinteger] | None,
        decided: NDArray[np.int64],
        bottom: int,
        room: int,
    ) -> Branch:
        """The search from a place of a circle, below the choices that are decided."""
        return make_branch(
            self.columns[circle.columns(start)],
            circle.thresholds(target, start, self.unit),
            self.k,
            decided=decided,
            bottom=bottom,
            room=room,
            shifts=None if shifts is None else np.roll(shifts, -start, axis=0),
        )

    def shifts(self, circle: Circle) -> NDArray[np.signedinteger] | None:
        """Those of a circle; None if it has none, or if there is no room for them."""
        if self.unit == 1 or not circle.has_shifts:
            return None
        return circle.shifts(self.columns, self.k)

    @property
    def budget(self) -> int:
        """Nodes of one call of the kernel."""
        return max(200, _WORK_PER_CALL // ((self.columns.shape[1] + 16) << self.k))


@dataclass(frozen=True, eq=False)
class Opened:
    """A level cut into branches: starts of the circle with the first choices.

    `mark` tells levels apart: branches that were finished are those of this level only if it is
    the same, down to the last rounding of a share or a shift. All starts must be of one level.
    """

    branches: list[tuple[int, NDArray[np.int64]]]
    nodes: int
    mark: str


@dataclass(eq=False)
class Level:
    """How far a level came.

    Attributes
    ----------
    nodes : int
    found : list of int
        Choices by column of a factorisation that gains the target; empty if none was met.
    done : list of int
        Branches that are finished.
    is_finished : bool
        Whether all are.
    """

    nodes: int = 0
    found: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    is_finished: bool = False


def count_nodes(gains: Gains, circle: Circle, target: int, most: int) -> int | None:
    """Nodes of a whole level on one thread; None if there are more than `most`.

    A level at which something is found counts as too long: nothing is to be learned from it.
    """
    nodes = 0
    none = np.zeros(0, dtype=np.int64)
    m = len(circle.order)
    shifts = gains.shifts(circle)
    for start in range(m):
        branch = gains.branch(circle, target, start, shifts=shifts, decided=none, bottom=m, room=1)
        finished = walk(branch, most - nodes)
        nodes += int(branch.state[NODES])
        if not finished or branch.state[FOUND]:
            return None
    return nodes


def open_level(gains: Gains, circle: Circle, target: int) -> Opened:
    """Cut a level into branches, one column deeper at a time."""
    branches: list[tuple[int, NDArray[np.int64]]] = []
    nodes = 0
    m = len(circle.order)
    shifts = gains.shifts(circle)
    for start in range(m):
        level = [np.zeros(0, dtype=np.int64)]
        depth = 0
        while level and len(level) < _SPLIT and depth < m - 1:
            depth += 1
            deeper = []
            for decided in level:
                branch = gains.branch(
                    circle, target, start,
                    shifts=shifts, decided=decided, bottom=depth, room=1 << gains.k,
                )  # fmt: skip
                walk(branch, 1 << gains.k)
                nodes += int(branch.state[NODES])
                deeper += [row[:depth].copy() for row in branch.found[: branch.state[FOUND]]]
            level = deeper
        branches += [(start, decided) for decided in level]
    return Opened(branches, nodes, _mark(gains, circle, target, shifts, branches))


def _mark(
    gains: Gains,
    circle: Circle,
    target: int,
    shifts: NDArray[np.signedinteger] | None,
    branches: list[tuple[int, NDArray[np.int64]]],
) -> str:
    """SHA-256 of all that the search of each branch depends on."""
    h = hashlib.sha256(repr((gains.columns.shape, gains.k, gains.unit)).encode())
    arrays = [gains.columns[circle.order], circle.shares(target)]
    arrays += [np.zeros(0, dtype=np.int64) if shifts is None else shifts]
    arrays += [np.append(start, decided) for start, decided in branches]
    for array in arrays:
        h.update(array.astype("<i8").tobytes())
    return h.hexdigest()


def exhaust(
    gains: Gains,
    circle: Circle,
    target: int,
    *,
    over: Callable[[], bool] = lambda: False,
    executor: Executor = SERIAL,
    most: int | None = None,
    opened: Opened | None = None,
    done: frozenset[int] = frozenset(),
    tell: Callable[[int, int | None], None] = lambda nodes, done: None,
) -> Level:
    """Search every branch of a level.

    Parameters
    ----------
    gains, circle, target
    over : callable
        Asked every tenth of a second or so whether to end.
    executor : Executor
    most : int, optional
        Nodes for each branch; one that needs more is not finished.
    opened : Opened, optional
        The level, if it was opened before.
    done : frozenset of int
        Branches that were finished before.
    tell : callable
        Told now and then how many nodes a branch has just done, and which branch, if any, is
        finished with that. It is called by many threads.
    """
    opened = open_level(gains, circle, target) if opened is None else opened
    m = len(circle.order)
    shifts = gains.shifts(circle)

    def run(place: int) -> tuple[bool, int, list[int]]:
        start, decided = opened.branches[place]
        branch = gains.branch(
            circle, target, start, shifts=shifts, decided=decided, bottom=m, room=1
        )
        finished, known = False, 0
        while not finished and not branch.state[FOUND] and not over():
            left = gains.budget if most is None else min(gains.budget, most - known)
            if left <= 0:
                break
            finished = bool(walk(branch, left))
            is_done = finished and not branch.state[FOUND]
            tell(int(branch.state[NODES]) - known, place if is_done else None)
            known = int(branch.state[NODES])
        if not branch.state[FOUND]:
            return finished, known, []
        found = np.zeros(m, dtype=np.int64)
        found[circle.columns(start)] = branch.found[0]
        return False, known, [int(choice) for choice in found]

    level = Level(nodes=opened.nodes)
    waiting = [place for place in range(len(opened.branches)) if place not in done]
    for place, (finished, nodes, found) in zip(waiting, executor.map(run, waiting), strict=True):
        level.nodes += nodes
        if finished:
            level.done.append(place)
        level.found = level.found or found
    level.is_finished = len(level.done) == len(waiting)
    return level
