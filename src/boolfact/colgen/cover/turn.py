"""A circle of columns for exact pricing, and the trials that make the search around it short.

Any order, any positive weights and any frequencies make a valid circle (see
`boolfact.pricing.rotation`), and any order alone one for a search by size (see
`boolfact.colgen.cover.by_size`): which one it is costs time, not truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.control.executor import Executor
from boolfact.pricing.circle import spread

__all__ = ["SizeTurn", "Turn", "changed", "first_turns", "shorter"]

_BATCH = 4
"""Trials made side by side, whatever the number of workers."""
_FEW, _MANY = 8_000, 15_000
"""Trials count at a level with at least this many nodes: fewer do not tell circles apart."""
_CAP = 60_000
"""A level with more nodes takes too long for trials."""
_LOWER = 0.85
"""From level to level, what is left of the part above 1."""
_HIGHEST, _LOWEST = 4.0, 1.02
"""Multiples of the threshold between which levels lie."""
_MOST_WEIGHT = 1000

Count = Callable[["Turn", float, int], int]
"""Nodes of a search around a circle at a multiple of the threshold; above the cap, any more."""


@dataclass(frozen=True, eq=False)
class Turn:
    """What there is to choose about a circle, place by place.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
        Which column is at each place.
    weights : ndarray of int, shape (m,)
        The parts of the target that the places have to bring, 1 to 1000.
    usual : ndarray of int, shape (m,)
        How often, in thousandths, each place is expected to be taken.
    """

    order: NDArray[np.int64]
    weights: NDArray[np.int64]
    usual: NDArray[np.int64]

    @classmethod
    def of(
        cls, order: NDArray[np.int64], weights: NDArray[np.float64], usual: NDArray[np.float64]
    ) -> Turn:
        """Whole numbers from any positive weights, and from frequencies between 0 and 1."""
        share = _MOST_WEIGHT * weights / weights.max()
        whole = np.clip(np.rint(share), 1, _MOST_WEIGHT).astype(np.int64)
        return cls(order, whole, np.clip(np.rint(1000 * usual), 0, 1000).astype(np.int64))

    def entry(self) -> dict[str, list[int]]:
        """Ready for JSON."""
        return {
            "order": [int(j) for j in self.order],
            "weights": [int(x) for x in self.weights],
            "usual": [int(x) for x in self.usual],
        }


@dataclass(frozen=True, eq=False)
class SizeTurn:
    """The order of the columns, for a search by size.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
        Which column is at each place.
    """

    order: NDArray[np.int64]

    def entry(self) -> dict[str, list[int]]:
        """Ready for JSON."""
        return {"order": [int(j) for j in self.order]}


def first_turns(columns: NDArray[np.int64], usual: NDArray[np.float64]) -> list[Turn]:
    """Circles to begin with.

    Parameters
    ----------
    columns : ndarray, shape (m, ones)
        What each column brings.
    usual : ndarray, shape (m,)
        How often each column is in good rectangles.
    """
    order = spread(columns).astype(np.int64)
    even, often = np.ones(len(order)), usual[order]
    return [
        Turn.of(order, even, 0.3 * even),
        Turn.of(order, often + 0.1, 0.7 * often + 0.1),
        Turn.of(order, often + 0.3, 0.3 * often + 0.2),
    ]


def changed(turn: Turn, rng: np.random.Generator) -> Turn:
    """A circle a little different: places exchanged or moved, weights or frequencies changed."""
    order, weights, usual = turn.order.copy(), turn.weights.copy(), turn.usual.copy()
    m = len(order)
    for _ in range(int(rng.integers(1, 4))):
        i, j = (int(x) for x in rng.integers(0, m, size=2))
        kind = rng.random()
        if kind < 0.25:
            for row in (order, weights, usual):
                row[[i, j]] = row[[j, i]]
        elif kind < 0.5:
            places = np.insert(np.delete(np.arange(m), i), j, i)
            order, weights, usual = order[places], weights[places], usual[places]
        elif kind < 0.75:
            factor = float(np.exp(rng.normal(0.0, 0.4)))
            weights[i] = int(np.clip(round(weights[i] * factor), 1, _MOST_WEIGHT))
        else:
            usual[i] = int(np.clip(usual[i] + round(rng.normal(0.0, 150.0)), 0, 1000))
    return Turn(order, weights, usual)


def shorter(
    turns: Sequence[Turn],
    count: Count,
    trials: int,
    executor: Executor,
    over: Callable[[], bool],
) -> Turn:
    """The circle with the shortest search that trials find, at levels where one takes a moment.

    The level falls as the search gets shorter: what is shorter at a low level mostly is at a
    lower one. The answer does not depend on the workers.

    Parameters
    ----------
    turns : sequence of Turn
        To begin with; at least one.
    count : callable
    trials : int
    executor : Executor
    over : callable
        Asked now and then whether to end.
    """

    def shortest(turns: Sequence[Turn], factor: float, cap: int) -> tuple[int, int]:
        """The fewest nodes, and which circle has them."""
        nodes = executor.map(lambda turn: count(turn, factor, cap), turns)
        return min(zip(nodes, range(len(turns)), strict=True))

    rng = np.random.default_rng(0)
    factor = _HIGHEST
    while True:
        least, best = shortest(turns, factor, _CAP)
        turn = turns[best]
        if least >= _MANY or factor <= _LOWEST or over():
            break
        factor = 1 + _LOWER * (factor - 1)
    for _ in range(trials // _BATCH):
        if over():
            break
        others = [changed(turn, rng) for _ in range(_BATCH)]
        fewest, best = shortest(others, factor, least)
        if fewest < least:
            least, turn = fewest, others[best]
        while least < _FEW and factor > _LOWEST:
            factor = 1 + _LOWER * (factor - 1)
            least = count(turn, factor, 10 * _CAP)
    return turn
