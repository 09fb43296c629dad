"""Best-bound search with plunging: batches of nodes, merged in a fixed order.

The size of a batch does not depend on the number of workers, and nodes of one batch know nothing
of each other. So, with the same seed and a limit on the nodes, the answer is the same whatever
works on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor, came_before
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.exact.problem import Evaluated, Problem, TreeNode
from boolfact.exact.tree import Tree
from boolfact.model.bound import Quantity, float_below
from boolfact.model.factors import Factors

__all__ = ["Limits", "Search", "SearchSettings"]


_SECONDS_BETWEEN_EVENTS = 0.5
_NOT_YET = Evaluated(Fraction(0), complete=False)
"""Of a node whose evaluation did not come before the stop."""


@dataclass(frozen=True)
class SearchSettings:
    """Parameters of the search.

    Attributes
    ----------
    batch : int
        Nodes that are evaluated together.
    plunging : int
        Of them those that are newest; the others have the least bound.
    """

    batch: int = 4
    plunging: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.plunging < self.batch:
            raise ValueError(
                f"plunging must be from 0 to below batch = {self.batch}, got {self.plunging}"
            )


@dataclass(frozen=True)
class Limits:
    """When to end before everything is proved; the time is that of the stop.

    Attributes
    ----------
    nodes : int, optional
        Evaluated nodes, over all runs that a checkpoint joins. A batch that has begun is ended.
    gap : float, optional
        End once (best - bound) / best is at most this.
    target : Fraction, optional
        End as soon as a solution is known whose value is at most this.
    """

    nodes: int | None = None
    gap: float | None = None
    target: Fraction | None = None

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 1:
            raise ValueError(f"node_limit must be at least 1, got {self.nodes}")
        if self.gap is not None and not 0 <= self.gap < math.inf:
            raise ValueError(f"gap_limit must be a number from 0 on, got {self.gap}")


class Search:
    """A search that can be ended at any moment and gone on with.

    Parameters
    ----------
    problem : Problem
    best : Factors
        A solution to begin with; that which covers nothing will do.
    settings : SearchSettings, optional
    warm : object, optional
        Where the evaluation of the root begins.

    Attributes
    ----------
    best : Factors
    value : Fraction
        Of the best solution.
    tree : Tree
    nodes : int
        Evaluated so far.
    """

    def __init__(
        self,
        problem: Problem,
        best: Factors,
        settings: SearchSettings | None = None,
        warm: Any = None,
    ) -> None:
        self.problem, self.settings = problem, settings or SearchSettings()
        self.best, self.value = best, problem.value(best)
        self.tree = Tree(problem.step, warm)
        self.nodes = self.work = 0
        self._told = -math.inf

    @property
    def bound(self) -> Fraction:
        """What is proved: no solution has a smaller value."""
        return self.tree.bound(self.value)

    @property
    def gap(self) -> float:
        """How far the best can be from the least possible, relative to the best."""
        return float((self.value - self.bound) / self.value) if self.value else 0.0

    def offer(self, factors: Factors) -> bool:
        """Keep a solution if it is the best so far."""
        value = self.problem.value(factors)
        if value >= self.value:
            return False
        self.best, self.value = factors, value
        return True

    def know(self, bound: Fraction, proof: dict[str, Any]) -> None:
        """Take in a bound that holds everywhere, with its proof, before the search begins."""
        self.tree.settle(0, Evaluated(bound, proof, complete=False), self.value)

    def run(
        self,
        stop: Stop,
        executor: Executor = SERIAL,
        *,
        limits: Limits | None = None,
        progress: Progress = silent,
        after_batch: Callable[[], None] = lambda: None,
    ) -> Ending:
        """Search until everything is proved, or a limit is reached.

        Parameters
        ----------
        stop : Stop
        executor : Executor
            The nodes of a batch are shared out on it.
        limits : Limits, optional
        progress : callable
            Told about twice per second.
        after_batch : callable
            Called when the state is whole, for checkpoints.
        """
        limits = limits or Limits()
        while (ending := self._ending(stop, limits)) is None:
            batch = self.tree.choose(self.settings.batch, self.settings.plunging, self.value)
            if not batch:
                continue
            before = self.bound
            self._evaluate(batch, stop, executor, limits)
            if self.bound > before:
                self.tree.forget(self.bound)
            self._report(stop, progress)
            after_batch()
        return ending

    def _evaluate(self, batch: list[int], stop: Stop, executor: Executor, limits: Limits) -> None:
        cutoff = self.value
        if limits.nodes is not None:
            # Whoever shares out the time that is left would depend on the clock.
            stop = Stop().child(until=stop.now)
        nodes = [self.tree.node(number) for number in batch]
        if not executor.shares_memory:
            results = self._evaluate_elsewhere(nodes, cutoff, stop, executor)
        elif len(batch) == 1 and limits.nodes is None:
            # What work in threads has found when it ends may depend on how they took turns.
            results = [self.problem.evaluate(nodes[0], cutoff, stop, executor)]
        else:

            def evaluate(node: TreeNode) -> Evaluated:
                return self.problem.evaluate(node, cutoff, stop, SERIAL)

            results = list(executor.map(evaluate, nodes))
        for evaluated in results:
            if evaluated.factors is not None:
                self.offer(evaluated.factors)
        for number, evaluated in zip(batch, results, strict=True):
            self.tree.settle(number, evaluated, self.value)
            self.nodes += evaluated.complete
            self.work += evaluated.work
            if evaluated.news is not None:
                self.problem.absorb(evaluated.news)

    def _evaluate_elsewhere(
        self, nodes: list[TreeNode], cutoff: Fraction, stop: Stop, executor: Executor
    ) -> list[Evaluated]:
        """On workers that get the problem as it is now; what does not come in time stays open."""
        problem = executor.share(self.problem)
        futures = [executor.submit(_evaluate_one, problem, node, cutoff, stop) for node in nodes]
        return [
            future.result() if came_before(stop, future) or future.done() else _NOT_YET
            for future in futures
        ]

    def _ending(self, stop: Stop, limits: Limits) -> Ending | None:
        if self.bound >= self.value:
            return Ending.PROVED
        if limits.target is not None and self.value <= limits.target:
            return Ending.TARGET
        if limits.gap is not None and self.gap <= limits.gap:
            return Ending.GAP_LIMIT
        if limits.nodes is not None and self.nodes >= limits.nodes:
            return Ending.NODE_LIMIT
        return stop.ending()

    def _report(self, stop: Stop, progress: Progress) -> None:
        now = stop.elapsed()
        if now - self._told < _SECONDS_BETWEEN_EVENTS:
            return
        self._told = now
        bound = float_below(self.bound)
        on_error = self.problem.on is Quantity.ERROR
        progress(
            Event(
                "branch and bound",
                now,
                objective_lower_bound=None if on_error else bound,
                error_lower_bound=bound if on_error else None,
                tree_nodes=self.nodes,
                open_nodes=self.tree.open_nodes(self.value),
                objective=None if on_error else float(self.value),
                error=int(self.value) if on_error else None,
            )
        )


def _evaluate_one(problem: Problem, node: TreeNode, cutoff: Fraction, stop: Stop) -> Evaluated:
    """One node, where nothing but its arguments is known."""
    return problem.evaluate(node, cutoff, stop, SERIAL)
