"""Choosing k rectangles of a pool by swaps: fast where the integer program is slow.

One rectangle of the choice is taken out, and the best of the whole pool for what the others
leave uncovered is put in; when no swap helps, a few are thrown out at random and refilled. With
climbing the one put in is first improved for what the others leave, and joins the pool of the
search: the choice is then not bound to the rectangles that were given.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import Rectangle, RectanglePool
from boolfact.pricing.multistart import climb
from boolfact.pricing.worth import rectangle_worths

__all__ = ["swap_search"]

_EMPTY = -1
_MOST_THROWN_OUT = 5
_REFILL_CHOICES = 30


def swap_search(
    matrix: BinaryMatrix,
    pool: RectanglePool,
    k: int,
    start: Factors | None = None,
    *,
    objective: Literal["error"] | Fraction | int = "error",
    rounds: int = 100,
    climbing: bool = False,
    seed: int | np.random.SeedSequence = 0,
    stop: Stop | None = None,
) -> Factors:
    """A good choice of k rectangles from a pool, or, climbing, from what grows out of it.

    Parameters
    ----------
    matrix : BinaryMatrix
    pool : RectanglePool
    k : int
    start : Factors, optional
        Its rectangles join the pool for this search; the result is never worse.
    objective : "error" or a number
        What to minimise: the error, or MIP(rho) for this rho.
    rounds : int
        How often the choice is shaken after the first descent.
    climbing : bool
        Improve every rectangle that is put in, beyond the pool, which itself stays as it is.
    seed : int or SeedSequence
    stop : Stop, optional

    Returns
    -------
    Factors
        Of rank k; unused places are empty rectangles.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> pool = RectanglePool(3, 3)
    >>> for a in ([1, 1, 0], [0, 1, 1], [1, 1, 1]):
    ...     _ = pool.add(np.array(a, bool), np.array(a, bool))
    >>> swap_search(X, pool, 2).error(X)
    0
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if rounds < 0:
        raise ValueError(f"rounds must not be negative, got {rounds}")
    stop = stop or Stop()
    rng = np.random.default_rng(seed)
    given = [] if start is None else [r for r in start.rectangles if r.a.any() and r.b.any()]
    if len(given) > k:
        raise ValueError(f"start has {len(given)} rectangles, expected at most k = {k}")
    search = _Swaps(matrix, pool, given, objective, k, climbing)
    if not len(search.pool):
        return Factors.empty(matrix.shape, k)
    # Start from what was given and from nothing at all: the better of the two goes on.
    best = [*search.places(given), *[_EMPTY] * (k - len(given))]
    best, best_gain = search.descend(best, rng, stop)
    if given:
        other, gain = search.descend([_EMPTY] * k, rng, stop)
        if gain > best_gain:
            best, best_gain = other, gain
    for _ in range(rounds):
        if stop.now():
            break
        shaken = search.shake(best, rng)
        shaken, gain = search.descend(shaken, rng, stop)
        # Equal choices are accepted too, so the search drifts along plateaus.
        if gain >= best_gain:
            best, best_gain = shaken, gain
    return search.factors(best)


class _Swaps:
    """The pool as matrices, and the worth of each of its rectangles beside a choice.

    Everything is whole: with rho = p/q ones weigh q times and zeros p times their weight.
    """

    def __init__(
        self,
        matrix: BinaryMatrix,
        pool: RectanglePool,
        extra: Iterable[Rectangle],
        objective: Literal["error"] | Fraction | int,
        k: int,
        climbing: bool = False,
    ) -> None:
        if isinstance(objective, str) and objective != "error":
            raise ValueError(f"objective must be 'error' or a number, got {objective!r}")
        self.pays_once = isinstance(objective, str)
        rho = Fraction(1) if isinstance(objective, str) else Fraction(objective)
        if rho <= 0:
            raise ValueError(f"objective must be 'error' or a positive number, got {objective!r}")
        self.pool = RectanglePool(*matrix.shape)
        self.pool.extend(pool)
        self.pool.extend(extra)
        self.climbing = climbing
        if k * int(matrix.weights.sum()) * max(rho.numerator, rho.denominator) >= 2**62:
            raise ValueError(f"the weights are too large: {k} times their sum is not below 2**62")
        self.ones = matrix.ones
        self.price = np.where(
            matrix.ones, matrix.weights * rho.denominator, -matrix.weights * rho.numerator
        )
        self.k = k

    def places(self, rectangles: Iterable[Rectangle]) -> list[int]:
        """Where in the pool these are."""
        A, B = self.pool.A, self.pool.B
        return [
            int(np.flatnonzero((r.a == A).all(axis=1) & (r.b == B).all(axis=1))[0])
            for r in rectangles
        ]

    def residual(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """What covering an entry once more brings, if it is covered this often."""
        free = counts == 0
        if not self.pays_once:
            free |= ~self.ones
        return np.where(free, self.price, 0)

    def worths(self, H: NDArray[np.int64]) -> NDArray[np.int64]:
        """What each rectangle adds to a choice that leaves this residual."""
        A, B = self.pool.A, self.pool.B
        # The kernel adds up whole rows: few long ones are faster than many short ones.
        if H.shape[0] > H.shape[1]:
            return rectangle_worths(np.ascontiguousarray(H.T), B, A)
        return rectangle_worths(H, A, B)

    def improved(self, u: int, worth: int, H: NDArray[np.int64]) -> tuple[int, int]:
        """Climb from a rectangle; where the one it ends at is in the pool, and its worth."""
        a, b = self.pool.A[u].copy(), self.pool.B[u].copy()
        real = H.astype(np.float64)
        climb(real, np.ascontiguousarray(real.T), a, b)
        # Sums of whole numbers, so nothing is lost; but it is computed again.
        climbed = int(H[np.ix_(a, b)].sum())
        if climbed <= max(worth, 0):
            return u, worth
        if self.pool.add(a, b):
            return len(self.pool) - 1, climbed
        return self.places([Rectangle(a, b)])[0], climbed

    def counts(self, chosen: list[int]) -> NDArray[np.int64]:
        """How often the choice covers each entry."""
        counts = np.zeros(self.price.shape, dtype=np.int64)
        for u in chosen:
            if u != _EMPTY:
                counts += self._cell(u)
        return counts

    def _cell(self, u: int) -> NDArray[np.bool_]:
        return np.logical_and.outer(self.pool.A[u], self.pool.B[u])

    def descend(
        self, chosen: list[int], rng: np.random.Generator, stop: Stop
    ) -> tuple[list[int], int]:
        """Swap one place at a time until none helps; returns the choice and its gain."""
        chosen = list(chosen)
        counts = self.counts(chosen)
        order = rng.permutation(self.k)
        unchanged, at = 0, 0
        while unchanged < self.k and not stop.now():
            place = order[at]
            at = (at + 1) % self.k
            old = chosen[place]
            if old != _EMPTY:
                counts -= self._cell(old)
            H = self.residual(counts)
            worths = self.worths(H)
            new = int(np.argmax(worths))
            worth = int(worths[new])
            if self.climbing:
                new, worth = self.improved(new, worth, H)
            kept = int(worths[old]) if old != _EMPTY else 0
            if worth > max(kept, 0):
                chosen[place], unchanged = new, 0
            elif kept < 0:
                chosen[place], unchanged = _EMPTY, 0
            else:
                unchanged += 1
            if chosen[place] != _EMPTY:
                counts += self._cell(chosen[place])
        return chosen, self.gain(counts)

    def gain(self, counts: NDArray[np.int64]) -> int:
        """By how much the choice beats covering nothing."""
        times = np.minimum(counts, 1) if self.pays_once else np.where(self.ones, counts > 0, counts)
        return int((self.price * times).sum())

    def shake(self, chosen: list[int], rng: np.random.Generator) -> list[int]:
        """Throw a few out and put something good, but not always the best, in their place."""
        chosen = list(chosen)
        number = int(rng.integers(1, min(_MOST_THROWN_OUT, self.k) + 1))
        places = rng.choice(self.k, size=number, replace=False)
        thrown = {chosen[place] for place in places}
        for place in places:
            chosen[place] = _EMPTY
        for place in places:
            worths = self.worths(self.residual(self.counts(chosen)))
            worths[[u for u in thrown if u != _EMPTY]] = 0
            top = np.argsort(-worths, kind="stable")[:_REFILL_CHOICES]
            top = top[worths[top] > 0]
            if len(top):
                chosen[place] = int(rng.choice(top))
        return chosen

    def factors(self, chosen: list[int]) -> Factors:
        """The choice as factors of rank k."""
        used = [u for u in chosen if u != _EMPTY]
        return Factors(self.pool.A[used].T, self.pool.B[used]).padded(self.k)
