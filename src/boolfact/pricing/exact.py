"""Exact pricing: the rectangle of largest worth, maximise a'Hb over binary a and b.

For a set of columns b the best rows are those with a positive sum, so the search is over b
alone (over the smaller side of H): see `boolfact.pricing.rotation` for the bound that makes it
short. All arithmetic is in integers, so the value and the bound are exact.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boolfact.pricing.circle import Circle, Subtree
from boolfact.pricing.climb import climb_all
from boolfact.pricing.fold import Folded, fold

__all__ = ["PricingResult", "price_exact"]

_STARTS, _KICKS, _FLIPS = 60, 8, 3
_KEEP = 10
_STEPS = (2.0, 1.3, 1.1)
"""Multiples of the best value that are excluded first when the search may be cut short."""

Vector = NDArray[np.bool_]


class Stopping(Protocol):
    """Whatever can be asked whether to stop."""

    def now(self) -> bool:
        """Whether to stop."""
        ...


@dataclass(frozen=True, eq=False)
class PricingResult:
    """The best rectangle found and what is known about the optimum.

    Attributes
    ----------
    value : int
        Worth a'Hb of the rectangle, at least 0 (the empty rectangle).
    a, b : array of bool
        Its rows and columns.
    upper_bound : int
        No rectangle is worth more. Valid however the search ended.
    is_optimal : bool
        Whether `value` equals `upper_bound`.
    nodes : int
        Nodes of the search.
    seconds : float
        Time taken.
    found : list of (value, a, b)
        Other good rectangles met on the way, distinct, best first.
    """

    value: int
    a: Vector
    b: Vector
    upper_bound: int
    is_optimal: bool
    nodes: int
    seconds: float
    found: list[tuple[int, Vector, Vector]] = field(default_factory=list)


def price_exact(
    H: ArrayLike,
    *,
    start: Iterable[tuple[Vector, Vector]] = (),
    cutoff: int | None = None,
    first_above: int | None = None,
    node_limit: int | None = None,
    stop: Stopping | None = None,
    workers: int = 1,
) -> PricingResult:
    """Maximise a'Hb over binary a and b, with proof.

    Parameters
    ----------
    H : array of int, shape (n, m)
        Worth of every entry.
    start : iterable of (a, b), optional
        Rectangles to begin from.
    cutoff : int, optional
        Only values above it matter: the bound is then max(value, cutoff).
    first_above : int, optional
        Return as soon as a rectangle worth more than this is found.
    node_limit : int, optional
        Return after about this many nodes of the search.
    stop : object with ``now() -> bool``, optional
        Asked at least every 0.2 seconds.
    workers : int
        Threads. The value and the bound of a finished search do not depend on it.

    Returns
    -------
    PricingResult

    Examples
    --------
    >>> result = price_exact([[3, -1], [2, -4]])
    >>> result.value, result.a.tolist(), result.b.tolist(), result.is_optimal
    (5, [True, True], [True, False], True)
    """
    began = time.perf_counter()
    matrix = _checked(H)
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers!r}")
    incumbents = _Incumbents(matrix, fold(matrix))
    incumbents.climb(start)
    limits = _Limits(cutoff, first_above, node_limit, stop)
    upper, nodes = _prove(incumbents, limits, workers)
    value, a, b = incumbents.best
    return PricingResult(
        value, a, b, upper, value == upper, nodes, time.perf_counter() - began, incumbents.others()
    )


def _checked(H: ArrayLike) -> NDArray[np.int64]:
    matrix = np.asarray(H)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"H must be a non-empty matrix, got shape {matrix.shape}")
    if not np.issubdtype(matrix.dtype, np.integer):
        raise TypeError(f"H must hold integers, got dtype {matrix.dtype}")
    # As Python integers: the sum itself must not overflow.
    if matrix.shape[0] * matrix.shape[1] * max(-int(matrix.min()), int(matrix.max())) >= 2**60:
        raise ValueError("H must have entries small enough for every sum to stay below 2**60")
    return matrix.astype(np.int64)


class _Incumbents:
    """The best rectangles met so far, in terms of the original matrix."""

    def __init__(self, H: NDArray[np.int64], folded: Folded) -> None:
        self._H = H.T if folded.transposed else H
        self.folded = folded
        n, m = H.shape
        empty = (0, np.zeros(n, dtype=np.bool_), np.zeros(m, dtype=np.bool_))
        self._known: dict[bytes, tuple[int, Vector, Vector]] = {}
        self.best: tuple[int, Vector, Vector] = empty

    def add(self, b: Vector) -> None:
        """Take note of a set of folded columns, with the best rows for it."""
        full = self.folded.unfold(b)
        sums = self._H[:, full].sum(axis=1)
        a = sums > 0
        value = int(sums[a].sum())
        pair = (full, a) if self.folded.transposed else (a, full)
        entry = self._known.setdefault(full.tobytes(), (value, *pair))
        if value > self.best[0]:
            self.best = entry

    def climb(self, start: Iterable[tuple[Vector, Vector]]) -> None:
        """Begin with ascents from the given rectangles, from rows of H and from random sets."""
        columns = self.folded.columns
        m, n = columns.shape
        if m == 0:
            return
        rng = np.random.default_rng(0)
        sets = [
            self.folded.restrict(np.asarray(a if self.folded.transposed else b, dtype=np.bool_))
            for a, b in start
        ]
        for u in range(_STARTS):
            first, second = rng.integers(n, size=2)
            if u % 3 == 0:
                sets.append(columns[:, first] > 0)
            elif u % 3 == 1:
                sets.append((columns[:, first] > 0) & (columns[:, second] > 0))
            else:
                sets.append(rng.random(m) < rng.random() / 2)
        B = np.array(sets)
        values = climb_all(columns, B, rng.integers(m, size=(len(sets), _KICKS, _FLIPS)))
        for u in np.argsort(-values, kind="stable")[: 2 * _KEEP]:
            self.add(B[u])

    def others(self) -> list[tuple[int, Vector, Vector]]:
        """A few of the rectangles met, best first, without the best one and the empty one."""
        ranked = sorted(self._known.values(), key=lambda entry: -entry[0])
        return [entry for entry in ranked if entry is not self.best and entry[0] > 0][:_KEEP]


@dataclass
class _Limits:
    """What the caller wants to know, and when to end."""

    cutoff: int | None
    first_above: int | None
    node_limit: int | None
    stop: Stopping | None
    nodes: int = 0

    def ended(self, value: int) -> bool:
        """Whether to return with what there is."""
        return (
            (self.first_above is not None and value > self.first_above)
            or (self.node_limit is not None and self.nodes >= self.node_limit)
            or (self.stop is not None and self.stop.now())
        )

    def floor(self, value: int) -> int:
        """Values up to this one need not be told apart."""
        return max(value, 0 if self.cutoff is None else self.cutoff)


def _prove(incumbents: _Incumbents, limits: _Limits, workers: int) -> tuple[int, int]:
    """Search until nothing above the floor is left or a limit is reached; bound and nodes.

    A search that may be cut short excludes large values first, so that the bound is always
    a good one: the tree shrinks quickly as the value to be excluded grows.
    """
    columns = incumbents.folded.columns
    upper = int(np.maximum(columns, 0).sum())
    may_end = limits.stop is not None or limits.node_limit is not None
    floor = limits.floor(incumbents.best[0])
    circle = Circle(columns) if upper > floor else None
    for step in [*(int(factor * floor) for factor in _STEPS if may_end), 0]:
        level = max(step, limits.floor(incumbents.best[0]))
        if circle is None or level >= upper:
            continue
        if not _exclude(circle, level, incumbents, limits, workers):
            return max(upper, incumbents.best[0]), limits.nodes
        upper = max(level, incumbents.best[0])
    return limits.floor(incumbents.best[0]), limits.nodes


def _exclude(
    circle: Circle, level: int, incumbents: _Incumbents, limits: _Limits, workers: int
) -> bool:
    """Search every rectangle worth more than `level`, or than the best one; whether finished."""
    waiting = deque(range(len(circle)))
    trees: list[Subtree] = []
    running: dict[Future[tuple[bool, int, int]], Subtree] = {}
    known = max(level, incumbents.best[0])
    with ThreadPoolExecutor(workers) as pool:
        while True:
            if limits.ended(incumbents.best[0]):
                return False
            while len(running) < workers and (trees or waiting):
                tree = trees.pop() if trees else circle.subtree(waiting.popleft())
                running[pool.submit(tree.run, known, circle.budget)] = tree
            if not running:
                return True
            done, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in done:
                tree = running.pop(future)
                finished, value, nodes = future.result()
                limits.nodes += nodes
                if value > known:
                    known = value
                    incumbents.add(circle.to_columns(tree))
                if not finished:
                    trees.append(tree)
                    if len(trees) + len(waiting) < workers and (other := tree.split()) is not None:
                        trees.append(other)
