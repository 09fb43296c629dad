"""Exact pricing around a circle of columns, for matrices with too many of them to walk through.

With blocks of single rows a set of columns is worth the positive part of a sum, over the ones: each
column brings a price to its own ones, and charges to others. So the search of
`boolfact.pricing.rotation` takes it as it is; blocks of two rows have one of their own, see
`boolfact.colgen.cover.pairs`. Where ones are few, a search by size is mostly far shorter
(`boolfact.colgen.cover.by_size`); which of the two it is to be is tried out. Levels far above the
threshold are excluded first, which takes little time: a search that is cut short has a bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.by_size import BySize, SizeTree
from boolfact.colgen.cover.climb import set_worths
from boolfact.colgen.cover.cube import CubePricing
from boolfact.colgen.cover.pairs import PairCircle, Pairs, make_pairs
from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.turn import SizeTurn, Turn, first_turns, shorter
from boolfact.control.executor import Executor
from boolfact.pricing.circle import Circle, Subtree, spread
from boolfact.pricing.limits import Limits
from boolfact.pricing.sweep import Rounds, Sweep

__all__ = ["Around", "price_around"]

_LEVELS = (4.0, 2.5, 1.8, 1.4, 1.15)
"""Multiples of the threshold that are excluded first: a search cut short has a bound then."""
_GIVEN_UP = 3.0
"""A level that was given up is thought to take this many times as long."""
_SAME = 0.01
"""Levels that differ by less of them are the same."""
_FIRST_TRIALS, _LEAST_TRIALS, _MOST_TRIALS = 320, 64, 2000
"""Of circles: before the first pricing, and before each later one."""
_NODES_PER_TRIAL = 200_000
"""Of the last pricing: trials then take a few hundredths of its time."""
_TRIED = 2_000_000
"""Nodes of a level at which the two ways are compared, at most."""
_SIZES_DEARER, _CIRCLE_GAINS = 2.0, 4.0
"""What a node of a search by size takes, and what trials make of the search around a circle."""
_COMPARED_AT = 1.1
"""Multiple of the threshold at which the shorter one counts."""


@dataclass(frozen=True, eq=False)
class Around:
    """What one pricing leaves for the next.

    Attributes
    ----------
    turn : Turn or SizeTurn
        The circle, or the order of a search by size.
    nodes : int
        Of its search.
    took : tuple of (float, float)
        The levels that were excluded, largest first, as multiples of what the caller counts in,
        and the seconds that each of them took; at last one that was given up, with more seconds.
    """

    turn: Turn | SizeTurn
    nodes: int = 0
    took: tuple[tuple[float, float], ...] = ()
    is_settled: bool = True


def price_around(
    point: CoverPoint,
    threshold: int,
    executor: Executor,
    *,
    good: NDArray[np.bool_],
    last: Around | None = None,
    stop: Any = None,
    unit: int = 1,
) -> tuple[CubePricing, Around]:
    """Look for sets of columns worth more than the threshold; what was found, and the circle.

    Parameters
    ----------
    point : CoverPoint
    threshold : int
        Sets worth at most this are not told apart; not negative.
    executor : Executor
    good : ndarray of bool, shape (sets, m)
        Some sets that are worth much: they say how often each column is taken.
    last : Around, optional
        Of a pricing before, whose prices were similar.
    stop : object with ``now() -> bool``, optional
    unit : int
        Levels are noted as multiples of it.
    """
    began = time.perf_counter()

    def over() -> bool:
        return stop is not None and bool(stop.now())

    upper = point.total
    arcs = _Arcs.of(point)
    m = point.layout.shape[1]
    before = None if last is None else last.turn
    if arcs.pairs is not None and isinstance(before, SizeTurn):
        before = None
    if threshold >= upper or not len(arcs.live):
        nothing = np.zeros((0, m), dtype=np.bool_), np.zeros(0, dtype=np.int64)
        seconds = time.perf_counter() - began
        pricing = CubePricing(min(upper, threshold), True, *nothing, 0, seconds, True)
        return pricing, Around(before or Turn.of(np.arange(m), np.ones(m), np.zeros(m)))

    usual = good.mean(axis=0) if len(good) else np.full(m, 0.3)

    def count(turn: Turn | SizeTurn, factor: float, cap: int) -> int:
        return _count(_rounds(arcs, turn, usual), int(factor * threshold), cap, over)

    turn, is_settled = before, True
    if turn is None or (last is not None and not last.is_settled):
        turn = _shorter_way(arcs, usual, turn, count, executor)
        # What was found out without time is not for the next pricing.
        is_settled = not over()
    if isinstance(turn, Turn):
        trials = _FIRST_TRIALS
        if last is not None:
            trials = min(_MOST_TRIALS, max(_LEAST_TRIALS, last.nodes // _NODES_PER_TRIAL))
        turns = [turn] if turn is before else _first(arcs, usual)
        turn = shorter(turns, count, trials, executor, over)
    rounds = _rounds(arcs, turn, usual)
    found = _Found(point)
    limits = Limits(cutoff=threshold, first_above=threshold, stop=stop)
    took: list[tuple[float, float]] = []
    complete = True
    for factor in (*_LEVELS, 1.0):
        level = int(factor * threshold)
        if level >= upper:
            continue
        at = time.perf_counter()
        complete = Sweep(rounds, level, found, limits, None).run(executor)
        seconds = time.perf_counter() - at
        if not complete:
            if over():
                known = () if last is None else last.took
                took.append((level / unit, _longer(seconds, level / unit, known)))
            break
        took.append((level / unit, seconds))
        # A sweep may come to its end although it found something.
        upper = min(upper, max(level, found.best[0]))
        if found.best[0] > threshold:
            break
    seconds = time.perf_counter() - began
    B, worths = found.sets()
    whole = complete and not len(B)
    return (
        CubePricing(upper, whole, B, worths, limits.nodes, seconds, whole),
        Around(turn, limits.nodes, tuple(took), is_settled),
    )


def _longer(seconds: float, level: float, known: tuple[tuple[float, float], ...]) -> float:
    """What a level that was given up should take, from what it took before, if that is known."""
    before = [took for other, took in known if abs(other - level) < _SAME * level]
    return max(before[0], seconds) if before else _GIVEN_UP * seconds


class _Arcs(NamedTuple):
    """What the columns bring.

    Attributes
    ----------
    m : int
        All columns.
    live : ndarray of int
        The columns that have a one with a price; the others bring nothing but charges.
    brought : ndarray of int64, shape (len(live), ones)
        What each of them brings to each one that has a price; as `make_pairs` has it for pairs.
    pairs : Pairs, optional
        Where the numbers of the blocks are, if rows charge each other.
    """

    m: int
    live: NDArray[np.int64]
    brought: NDArray[np.int64]
    pairs: Pairs | None = None

    @classmethod
    def of(cls, point: CoverPoint) -> _Arcs:
        """At prices and charges."""
        if point.across.any():
            pairs, of_pairs = make_pairs(point)
            live = np.unique(point.layout.one_column[point.p > 0])
            return cls(point.layout.shape[1], live, np.ascontiguousarray(of_pairs[live]), pairs)
        priced = np.flatnonzero(point.p > 0)
        own = point.layout.one_column[priced]
        brought = -point.along[priced].astype(np.int64)
        brought[np.arange(len(priced)), own] = point.p[priced]
        live = np.unique(own)
        return cls(point.layout.shape[1], live, np.ascontiguousarray(brought.T[live]))


def _rounds(arcs: _Arcs, turn: Turn | SizeTurn, usual: NDArray[np.float64]) -> Rounds:
    """The search of this kind; frequencies only say which sizes come first."""
    if isinstance(turn, Turn):
        return _Rounds(arcs, turn)
    return _SizeRounds(arcs, turn, float(usual[arcs.live].sum()))


def _shorter_way(
    arcs: _Arcs,
    usual: NDArray[np.float64],
    before: Turn | SizeTurn | None,
    count: Callable[[Turn | SizeTurn, float, int], int],
    executor: Executor,
) -> Turn | SizeTurn:
    """Whether to search around a circle or by size: the one that should have fewer nodes.

    Both are counted at levels that fall, as long as one of them takes a moment; how
    nodes grow from level to level says what to expect below.
    """
    turns = [before] if isinstance(before, Turn) else _first(arcs, usual)
    if arcs.pairs is not None:
        return turns[0]
    others = np.setdiff1d(np.arange(arcs.m), arcs.live)
    order = np.concatenate([arcs.live[spread(arcs.brought)], others]).astype(np.int64)
    by_size = before if isinstance(before, SizeTurn) else SizeTurn(order)
    gains = 1.0 if isinstance(before, Turn) else _CIRCLE_GAINS
    known: list[tuple[float, float, float]] = []
    for factor in (*_LEVELS, 1.0):
        *around, sizes = executor.map(partial(_counted, count, factor), [*turns, by_size])
        if min(*around, sizes) > _TRIED:
            break
        if max(min(around), sizes) > _TRIED:
            return by_size if sizes <= _TRIED else turns[0]
        known.append((factor, math.log(min(around) / gains), math.log(sizes * _SIZES_DEARER)))
    if len(known) < 2:
        return turns[0]
    (earlier, *of_earlier), (last, *of_last) = known[-2:]
    part = max(0.0, last - _COMPARED_AT) / (earlier - last)
    around_at, sizes_at = (y + part * (y - x) for x, y in zip(of_earlier, of_last, strict=True))
    return by_size if sizes_at < around_at else turns[0]


def _counted(
    count: Callable[[Turn | SizeTurn, float, int], int],
    factor: float,
    turn: Turn | SizeTurn,
) -> int:
    return count(turn, factor, _TRIED)


class _SizeRounds:
    """A search by size, as `Sweep` goes through it: first the sizes of good sets."""

    def __init__(self, arcs: _Arcs, turn: SizeTurn, typical: float) -> None:
        self._arcs = arcs
        rank = np.full(arcs.m, -1)
        rank[arcs.live] = np.arange(len(arcs.live))
        order = rank[turn.order]
        ones = np.arange(arcs.brought.shape[1])
        own = np.argmax(arcs.brought, axis=0)
        prices = arcs.brought[own, ones]
        loads = -arcs.brought
        loads[own, ones] = 0
        sizes = sorted(range(1, len(arcs.live) + 1), key=lambda size: abs(size - typical))
        self._search = BySize(prices, loads, own, order[order >= 0], sizes)
        self.budget = self._search.budget

    def __len__(self) -> int:
        return len(self._search)

    def subtree(self, start: int) -> SizeTree:
        """The whole search through the sets of a size."""
        return self._search.subtree(start)

    def to_columns(self, tree: SizeTree) -> NDArray[np.bool_]:
        """The set that a subtree found."""
        out = np.zeros(self._arcs.m, dtype=np.bool_)
        out[self._arcs.live[self._search.to_columns(tree)]] = True
        return out


class _Rounds:
    """A circle of the columns that count, as `Sweep` goes round it."""

    def __init__(self, arcs: _Arcs, turn: Turn) -> None:
        self._arcs = arcs
        rank = np.full(arcs.m, -1)
        rank[arcs.live] = np.arange(len(arcs.live))
        kept = np.flatnonzero(rank[turn.order] >= 0)
        order = rank[turn.order[kept]]
        weights, usual = np.empty(len(kept)), np.empty(len(kept))
        weights[order] = turn.weights[kept]
        usual[order] = turn.usual[kept] / 1000
        if arcs.pairs is None:
            self._circle = Circle(arcs.brought, order, weights, usual)
        else:
            self._circle = PairCircle(arcs.pairs, arcs.brought, order, weights, usual)
        self.budget = self._circle.budget

    def __len__(self) -> int:
        return len(self._circle)

    def subtree(self, start: int) -> Subtree:
        """The whole search that begins at a place."""
        return self._circle.subtree(start)

    def to_columns(self, tree: Subtree) -> NDArray[np.bool_]:
        """The set that a subtree found."""
        out = np.zeros(self._arcs.m, dtype=np.bool_)
        out[self._arcs.live[self._circle.to_columns(tree)]] = True
        return out


def _first(arcs: _Arcs, usual: NDArray[np.float64]) -> list[Turn]:
    """Circles to begin with, with the columns that do not count at the end."""
    others = np.setdiff1d(np.arange(arcs.m), arcs.live)
    out = []
    for turn in first_turns(arcs.brought, usual[arcs.live]):
        order = np.concatenate([arcs.live[turn.order], others])
        weights = np.concatenate([turn.weights, np.ones_like(others)])
        out.append(Turn(order, weights, np.concatenate([turn.usual, np.zeros_like(others)])))
    return out


class _Found:
    """The sets that were found, and the best of them."""

    def __init__(self, point: CoverPoint) -> None:
        self._point = point
        self._sets: list[NDArray[np.bool_]] = []
        self._worths: list[int] = []

    @property
    def best(self) -> tuple[int, Any, Any]:
        """What the best is worth."""
        return max(self._worths, default=0), None, None

    def add(self, b: NDArray[np.bool_]) -> None:
        """Take note of a set."""
        self._sets.append(b)
        self._worths.append(int(set_worths(self._point, b[None])[0]))

    def sets(self) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """All of them, best first."""
        m = self._point.layout.shape[1]
        worths = np.array(self._worths, dtype=np.int64)
        order = np.argsort(-worths, kind="stable")
        return np.array(self._sets, dtype=np.bool_).reshape(-1, m)[order], worths[order]


def _count(rounds: Rounds, level: int, cap: int, over: Callable[[], bool]) -> int:
    """Nodes of the search that excludes a level; above the cap, or if time is over, any more."""
    nodes = 0
    for start in range(len(rounds)):
        tree = rounds.subtree(start)
        finished = False
        while not finished:
            if over():
                return cap + 1
            finished, _, taken = tree.run(level, min(rounds.budget, cap - nodes + 1))
            nodes += taken
            if nodes > cap:
                return nodes
    return nodes
