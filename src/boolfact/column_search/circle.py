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

**Shifts.** F may also be taken of other vectors, as long as all of them add up to the same. Let
x_j(q) have, row by row, what column j is expected to gain for a code of q rectangles: its weight
times the frequency with which such a code covers it. Add to what column j brings to the codes of
q rectangles its part of the sum of all x(q), less x_j(q). These shifts add up to 0 over the circle,
so the lemma says the same; but an arc is no longer worth more because its rows chose their codes
with only the columns of the arc in sight. The empty code is not shifted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["OFTEN", "SCALE", "Circle", "changed", "first_circles"]

SCALE = 1 << 12
"""Shares are whole numbers in units of 1 / SCALE."""
OFTEN = 1000
"""Frequencies are in thousandths."""
_FREQUENCIES = (0, 100, 300)
"""Circles begin with these; trials change them column by column."""


@dataclass(frozen=True, eq=False)
class Circle:
    """An order of the columns, and the weights by which they share.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
    weights : ndarray of float, shape (m,)
        Of each place of the circle, positive.
    usual : ndarray of int, shape (m,)
        How often, in thousandths, the column at each place is expected in a rectangle; by default
        never, which is a circle without shifts.
    """

    order: NDArray[np.int64]
    weights: NDArray[np.float64]
    usual: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not len(self.usual):
            object.__setattr__(self, "usual", np.zeros(len(self.order), dtype=np.int64))

    @property
    def has_shifts(self) -> bool:
        """Whether any column is expected at all."""
        return bool(self.usual.any())

    def shifted(self) -> Circle:
        """The same circle, with each column expected now and then."""
        return Circle(self.order, self.weights, np.full(len(self.order), _FREQUENCIES[1]))

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

    def thresholds(self, target: int, start: int, unit: int = 1) -> NDArray[np.int64]:
        """What the columns from a place on must gain together, in units of 1 / unit, rounded up."""
        reached = np.cumsum(np.roll(self.shares(target), -start))
        # In two parts: the product alone could be too large.
        whole, rest = reached // SCALE, reached % SCALE
        return whole * unit - (-rest * unit // SCALE)

    def shifts(self, gains: NDArray[np.signedinteger], k: int) -> NDArray[np.signedinteger]:
        """What is added to codes of 1 to k rectangles: by place of the circle, k and row.

        `gains` has a row for each column of the matrix.
        """
        m, n = gains.shape
        out = np.zeros((m, k, n), dtype=gains.dtype)
        share = self.weights / self.weights.sum()
        missed = 1 - self.usual / OFTEN
        for q in range(k):
            expected = gains[self.order] * (1 - missed ** (q + 1))[:, None]
            shift = np.rint(share[:, None] * expected.sum(axis=0) - expected).astype(np.int64)
            # What rounding leaves over: they must add up to 0 exactly.
            shift[np.argmax(self.weights)] -= shift.sum(axis=0)
            out[:, q] = shift
        return out

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
            for often in _FREQUENCIES:
                usual = np.full(len(order), often)
                circles.append(Circle(order.astype(np.int64), weights[order], usual))
    return circles


def _alternating(falling: NDArray[np.intp]) -> NDArray[np.intp]:
    """The largest, the smallest, the second largest, and so on."""
    half = -(-len(falling) // 2)
    mixed = np.empty_like(falling)
    mixed[::2] = falling[:half]
    mixed[1::2] = falling[half:][::-1]
    return mixed


def changed(circle: Circle, rng: np.random.Generator) -> Circle:
    """A circle a little different: columns moved or exchanged, shares or frequencies changed.

    A circle without shifts stays without.
    """
    order, weights, usual = circle.order.copy(), circle.weights.copy(), circle.usual.copy()
    m = len(order)
    exchanged, moved, weighed = (0.25, 0.45, 0.7) if circle.has_shifts else (0.35, 0.6, 1.0)
    for _ in range(int(rng.integers(1, 4))):
        i, j = (int(x) for x in rng.integers(0, m, size=2))
        kind = rng.random()
        if kind < exchanged:
            for row in (order, weights, usual):
                row[[i, j]] = row[[j, i]]
        elif kind < moved:
            places = np.insert(np.delete(np.arange(m), i), j, i)
            order, weights, usual = order[places], weights[places], usual[places]
        elif kind < weighed:
            weights[i] *= float(np.exp(rng.normal(0.0, 0.35)))
        elif kind < 0.95:
            usual[i] = np.clip(usual[i] + round(rng.normal(0.0, 150.0)), 0, OFTEN)
        else:
            factor = float(np.exp(rng.normal(0.0, 0.3)))
            usual = np.clip(np.rint(usual * factor), 0, OFTEN).astype(np.int64)
    return Circle(order, weights, usual)
