"""Columns in a circle, each with its share of the gain that is looked for.

The gain F of a choice for some columns is the sum over rows of their best code; it is a maximum
of linear functions of the choices, so F(x + y) <= F(x) + F(y) and F(qx) = q F(x).

Lemma. Let all columns together gain at least T, and let positive shares add up to T. Then from
some column on, going round, the columns up to any place gain at least their shares together.

Proof. If not, some arc fails from every start. Go from each start to the end of its arc; the
starts repeat. Between two visits of one start the arcs go round q times, for some q, so
q F(all) = F(q all) <= sum of F(arcs) < q T. That is a contradiction.

So it is enough to search from each start, and to give up a branch as soon as it is below its
shares. Which circle makes this short is found by trials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCALE", "Circle", "changed", "first_circles"]

SCALE = 1 << 12
"""Shares are whole numbers in units of 1 / SCALE."""


@dataclass(frozen=True, eq=False)
class Circle:
    """An order of the columns, and the weights by which they share.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
    weights : ndarray of float, shape (m,)
        Of each place of the circle, positive.
    """

    order: NDArray[np.int64]
    weights: NDArray[np.float64]

    def shares(self, target: int) -> NDArray[np.int64]:
        """What each place must gain, in units of 1 / SCALE; together SCALE * target.

        Examples
        --------
        >>> circle = Circle(np.arange(3), np.array([1.0, 2.0, 1.0]))
        >>> (circle.shares(8) / SCALE).tolist()
        [2.0, 4.0, 2.0]
        """
        total = SCALE * target
        shares = np.floor(self.weights / self.weights.sum() * total).astype(np.int64)
        shares = np.maximum(shares, 1)
        largest = int(np.argmax(shares))
        shares[largest] += total - int(shares.sum())
        if shares[largest] < 1:
            raise ValueError(f"a gain of {target} is too little for {len(shares)} columns")
        return shares

    def thresholds(self, target: int, start: int) -> NDArray[np.int64]:
        """What the columns from a place on must gain together: gains are whole."""
        return -(-np.cumsum(np.roll(self.shares(target), -start)) // SCALE)

    def columns(self, start: int) -> NDArray[np.int64]:
        """The columns from a place on."""
        return np.roll(self.order, -start)


def first_circles(gains: NDArray[np.int64], most: NDArray[np.int64]) -> list[Circle]:
    """Circles to begin with.

    Parameters
    ----------
    gains : ndarray, shape (m,)
        What each column gains in the best factorisation known.
    most : ndarray, shape (m,)
        What it would gain if its ones were covered, and nothing else.
    """
    circles = []
    most = np.maximum(most, 1)
    for part in (1.0, 0.8, 0.6, 0.3):
        known = np.maximum(gains, 0) / max(1, int(np.maximum(gains, 0).sum()))
        weights = part * known + (1 - part) * most / most.sum()
        # None is without a share.
        weights = np.maximum(weights, 1e-3 / len(weights))
        falling = np.argsort(-weights, kind="stable")
        for order in (falling, _alternating(falling)):
            circles.append(Circle(order.astype(np.int64), weights[order]))
    return circles


def _alternating(falling: NDArray[np.intp]) -> NDArray[np.intp]:
    """The largest, the smallest, the second largest, and so on."""
    half = -(-len(falling) // 2)
    mixed = np.empty_like(falling)
    mixed[::2] = falling[:half]
    mixed[1::2] = falling[half:][::-1]
    return mixed


def changed(circle: Circle, rng: np.random.Generator) -> Circle:
    """A circle a little different: columns moved or exchanged, or shares changed."""
    order, weights = circle.order.copy(), circle.weights.copy()
    m = len(order)
    for _ in range(int(rng.integers(1, 4))):
        i, j = (int(x) for x in rng.integers(0, m, size=2))
        kind = rng.random()
        if kind < 0.35:
            order[[i, j]], weights[[i, j]] = order[[j, i]], weights[[j, i]]
        elif kind < 0.6:
            places = np.insert(np.delete(np.arange(m), i), j, i)
            order, weights = order[places], weights[places]
        else:
            weights[i] *= float(np.exp(rng.normal(0.0, 0.35)))
    return Circle(order, weights)
