"""The search that proves the bound: levels, circles, and the threads that share the work."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from boolfact.control.executor import Executor
from boolfact.pricing.circle import Circle, circles
from boolfact.pricing.incumbents import Incumbents
from boolfact.pricing.limits import Limits

__all__ = ["Rounds", "Sweep", "Tree", "UpperBound"]

_EASY = 300_000
"""Nodes after which the circle is chosen with care."""

_TRIAL = 400_000
"""Nodes of a level after which circles are no longer compared."""

_CLOSE = 3
"""A circle stays in the comparison if its tree is at most this many times the smallest."""

_LONG = 2_000_000
"""Nodes of a level after which the next one is taken in smaller steps: the last one takes ten
to a hundred times as many."""

_LONGER = 10

_LEVELS = (4.0, 2.0, 1.35, 1.15, 1.06)
"""Multiples of the value to prove that are excluded first."""


class UpperBound:
    """Exclude every rectangle worth more than what the caller needs to know.

    Parameters
    ----------
    incumbents : Incumbents
        The rectangles met so far; better ones are added.
    limits : Limits
        When to end.
    executor : Executor
        Where subtrees are searched.
    """

    def __init__(self, incumbents: Incumbents, limits: Limits, executor: Executor) -> None:
        self._incumbents = incumbents
        self._limits = limits
        self._executor = executor
        self._upper = int(np.maximum(incumbents.folded.columns, 0).sum())

    def prove(self) -> int:
        """The smallest bound on every rectangle's worth that could be proved."""
        if not self._done:
            columns, usual = self._incumbents.folded.columns, self._incumbents.usual
            self._prove(circles(columns, usual))
        return max(self._upper, self._floor)

    def _prove(self, candidates: Iterator[Circle]) -> None:
        first = next(candidates)
        easy = min(_EASY, self._limits.nodes_left // 4)
        if self._exclude(first, self._floor, easy) or self._done:
            return
        self._exclude(self._approach([first, *candidates]), self._floor)

    @property
    def _floor(self) -> int:
        return self._limits.floor(self._incumbents.best[0])

    @property
    def _done(self) -> bool:
        return self._upper <= self._floor or self._limits.ended(self._incumbents.best[0])

    def _approach(self, candidates: list[Circle]) -> Circle:
        """Exclude large values first, and see which circle has the smallest tree.

        The tree grows quickly as the value to exclude falls, so this costs little; and a search
        that is cut short then has a good bound. Which circle is best at a large value does not
        say which is best at a small one, so the comparison goes on for a while.
        """
        floor = self._floor
        long = _LONG if self._limits.may_end_early else sys.maxsize
        for factor in _LEVELS:
            level = int(factor * floor)
            if level >= self._upper:
                continue
            before = self._limits.nodes
            if len(candidates) > 1:
                candidates, nodes = self._compare(candidates, level)
                if nodes > _TRIAL:
                    del candidates[1:]
            else:
                self._exclude(candidates[0], level)
                nodes = self._limits.nodes - before
            if self._done or (len(candidates) == 1 and nodes <= long):
                break
            if len(candidates) == 1:
                long *= _LONGER
        return candidates[0]

    def _compare(self, candidates: list[Circle], level: int) -> tuple[list[Circle], int]:
        """The circles with small trees at this level, smallest first, and its nodes."""
        taken: dict[int, int] = {}
        allowance: int | None = None
        for place, circle in enumerate(candidates):
            before = self._limits.nodes
            if self._sweep(circle, level, allowance):
                taken[place] = self._limits.nodes - before
                allowance = _CLOSE * min(taken.values())
        if not taken:
            return candidates, 0
        least = min(taken.values())
        close = [place for place in taken if taken[place] <= _CLOSE * least]
        return [candidates[place] for place in sorted(close, key=taken.__getitem__)], least

    def _exclude(self, circle: Circle, level: int, allowance: int | None = None) -> bool:
        """Whether nothing is worth more than `level` and than the best, known or searched."""
        return level >= self._upper or self._sweep(circle, level, allowance)

    def _sweep(self, circle: Circle, level: int, allowance: int | None) -> bool:
        end = None if allowance is None else self._limits.nodes + allowance
        if not Sweep(circle, level, self._incumbents, self._limits, end).run(self._executor):
            return False
        self._upper = min(self._upper, max(level, self._incumbents.best[0]))
        return True


class Tree(Protocol):
    """A part of a search; its state is its own."""

    def run(self, best: int, budget: int) -> tuple[bool, int, int]:
        """Go on for some nodes: whether it is finished, the best worth, the nodes."""
        ...

    def split(self) -> Self | None:
        """Give away a part of what is left, if there is one."""
        ...


class Rounds(Protocol):
    """What a sweep asks of a circle."""

    @property
    def budget(self) -> int:
        """Nodes of one call of the kernel."""
        ...

    def __len__(self) -> int: ...

    def subtree(self, start: int) -> Any:
        """The whole search that begins at a place, a `Tree`."""
        ...

    def to_columns(self, tree: Any) -> NDArray[np.bool_]:
        """The set that a subtree found."""
        ...


class Found(Protocol):
    """Where a sweep puts what it finds."""

    @property
    def best(self) -> tuple[int, Any, Any]:
        """What the best is worth, and which it is."""
        ...

    def add(self, b: NDArray[np.bool_]) -> None:
        """Take note of a set."""
        ...


class Sweep:
    """One pass over all starts of a circle; `run` says whether it came to its end.

    Parameters
    ----------
    circle : Rounds
    level : int
        Sets worth more are sought.
    incumbents : Found
    limits : Limits
    end : int, optional
        Nodes of the limits at which to end.
    """

    def __init__(
        self, circle: Rounds, level: int, incumbents: Found, limits: Limits, end: int | None
    ) -> None:
        self._circle = circle
        self._incumbents = incumbents
        self._limits = limits
        self._known = max(level, incumbents.best[0])
        self._end = end
        self._starts = deque(range(len(circle)))
        self._open: list[Tree] = []
        """Subtrees begun and not finished, but for those that are running."""

    def run(self, executor: Executor) -> bool:
        """Whether everything was looked at before a limit was reached."""
        if executor.workers == 1:
            while (tree := self._next()) is not None:
                if self._ended():
                    return False
                self._note(tree, tree.run(self._known, self._budget()))
            return True
        running: dict[Future[tuple[bool, int, int]], Tree] = {}
        try:
            return self._run_on(executor, running)
        finally:
            # The executor is not ours: what still runs on it at a limit must not go on.
            wait(running)

    def _run_on(
        self, executor: Executor, running: dict[Future[tuple[bool, int, int]], Tree]
    ) -> bool:
        workers = executor.workers
        while True:
            if self._ended():
                return False
            while len(running) < workers and (tree := self._next()) is not None:
                running[executor.submit(tree.run, self._known, self._budget())] = tree
            if not running:
                return True
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                tree = running.pop(future)
                self._note(tree, future.result())
                idle = workers - len(running) - len(self._open) - len(self._starts)
                if self._open and idle > 0 and (part := self._open[-1].split()) is not None:
                    self._open.append(part)

    def _next(self) -> Tree | None:
        if self._open:
            return self._open.pop()
        if not self._starts:
            return None
        tree: Tree = self._circle.subtree(self._starts.popleft())
        return tree

    def _note(self, tree: Tree, outcome: tuple[bool, int, int]) -> None:
        finished, value, nodes = outcome
        self._limits.nodes += nodes
        if value > self._known:
            self._known = value
            self._incumbents.add(self._circle.to_columns(tree))
        if not finished:
            self._open.append(tree)

    def _budget(self) -> int:
        budget = self._circle.budget
        for end in (self._end, self._limits.node_limit):
            if end is not None:
                budget = min(budget, max(1, end - self._limits.nodes))
        return budget

    def _ended(self) -> bool:
        return self._limits.ended(self._incumbents.best[0]) or (
            self._end is not None and self._limits.nodes >= self._end
        )
