"""Choosing k rectangles of a pool by swaps: fast where the integer program is slow.

One rectangle of the choice is taken out, and the best of the whole pool for what the others
leave uncovered is put in; when no swap helps, a few are thrown out at random and refilled.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.factors import Factors
from boolfact.matrix import BinaryMatrix
from boolfact.rectangles import Rectangle, RectanglePool
from boolfact.stop import Stop

__all__ = ["rectangle_worths", "swap_search"]

_EMPTY = -1
_MOST_THROWN_OUT = 5
_REFILL_CHOICES = 30


@njit(cache=True, nogil=True)
def rectangle_worths(
    H: NDArray[np.int64], A: NDArray[np.bool_], B: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """a'Hb for every rectangle (A[u], B[u])."""
    size, n = A.shape
    m = B.shape[1]
    worths = np.zeros(size, dtype=np.int64)
    sums = np.empty(m, dtype=np.int64)
    for u in range(size):
        sums[:] = 0
        for i in range(n):
            if A[u, i]:
                for j in range(m):
                    sums[j] += H[i, j]
        for j in range(m):
            if B[u, j]:
                worths[u] += sums[j]
    return worths


def swap_search(
    matrix: BinaryMatrix,
    pool: RectanglePool,
    k: int,
    start: Factors | None = None,
    *,
    objective: Literal["error"] | Fraction | int = "error",
    rounds: int = 100,
    seed: int | np.random.SeedSequence = 0,
    stop: Stop | None = None,
) -> Factors:
    """A good choice of k rectangles from a pool.

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
    search = _Choice(matrix, pool, given, objective, k)
    if search.size == 0:
        return Factors.empty(matrix.shape, k)
    # Start from what was given and from nothing at all: the better of the two goes on.
    best = [*range(len(pool), search.size), *[_EMPTY] * (k - len(given))]
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
        # Equal choices are accepted too, so that the search drifts along plateaus.
        if gain >= best_gain:
            best, best_gain = shaken, gain
    return search.factors(best)


class _Choice:
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
    ) -> None:
        if isinstance(objective, str) and objective != "error":
            raise ValueError(f"objective must be 'error' or a number, got {objective!r}")
        self.pays_once = isinstance(objective, str)
        rho = Fraction(1) if isinstance(objective, str) else Fraction(objective)
        if rho <= 0:
            raise ValueError(f"objective must be 'error' or a positive number, got {objective!r}")
        extra = list(extra)
        self.A = np.vstack([pool.A, *(r.a for r in extra)])
        self.B = np.vstack([pool.B, *(r.b for r in extra)])
        self.size = len(self.A)
        if k * int(matrix.weights.sum()) * max(rho.numerator, rho.denominator) >= 2**62:
            raise ValueError(f"the weights are too large: {k} times their sum is not below 2**62")
        self.ones = matrix.ones
        self.price = np.where(
            matrix.ones, matrix.weights * rho.denominator, -matrix.weights * rho.numerator
        )
        self.k = k

    def worths(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """What each rectangle adds to a choice that covers entries this often."""
        free = counts == 0
        if not self.pays_once:
            free |= ~self.ones
        H = np.where(free, self.price, 0)
        # The kernel adds up whole rows: few long ones are faster than many short ones.
        if H.shape[0] > H.shape[1]:
            return rectangle_worths(np.ascontiguousarray(H.T), self.B, self.A)
        return rectangle_worths(H, self.A, self.B)

    def counts(self, chosen: list[int]) -> NDArray[np.int64]:
        """How often the choice covers each entry."""
        counts = np.zeros(self.price.shape, dtype=np.int64)
        for u in chosen:
            if u != _EMPTY:
                counts += self._cell(u)
        return counts

    def _cell(self, u: int) -> NDArray[np.bool_]:
        return np.logical_and.outer(self.A[u], self.B[u])

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
            worths = self.worths(counts)
            new = int(np.argmax(worths))
            kept = int(worths[old]) if old != _EMPTY else 0
            if worths[new] > max(kept, 0):
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
            worths = self.worths(self.counts(chosen))
            worths[[u for u in thrown if u != _EMPTY]] = 0
            top = np.argsort(-worths, kind="stable")[:_REFILL_CHOICES]
            top = top[worths[top] > 0]
            if len(top):
                chosen[place] = int(rng.choice(top))
        return chosen

    def factors(self, chosen: list[int]) -> Factors:
        """The choice as factors of rank k."""
        used = [u for u in chosen if u != _EMPTY]
        return Factors(self.A[used].T, self.B[used]).padded(self.k)
