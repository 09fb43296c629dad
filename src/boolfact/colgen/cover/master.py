"""The restricted master of assigned cover, by a primal-dual method of first order.

Over the rectangles R of a pool, with u_Re the share of the one e that is assigned to R,

    min   sum_e w_e (1 - sum_R u_Re)^+  +  sum_z w_z max_e (sum of u_Re over R that cover z and e)
    s.t.  sum_R max_e u_Re <= k,  u >= 0,

where e runs over the ones that z may charge. Its dual asks for prices and charges with the
largest sum(p) - k max_R worth(R). Steps alternate between u and the prices, each projected onto
its own simple set; averages of the iterates converge, and the method starts again from them
when they have gained enough. Both values are computed, so their gap is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.pool import Cells, left_over, spell_out, sums_by_rectangle
from boolfact.colgen.cover.prices import Prices, even_prices, move_inside

__all__ = ["CoverMaster", "MasterPoint"]

_CHECK_EVERY = 20
"""Iterations between two looks at the values: a look costs about two iterations."""
_MOST_PASSES = 40
_CAP_ACCURACY = 1e-7
"""Of the projection of the shares: passes over them, and when the caps stand still."""
_RESTART_GAIN = 0.5
"""Start again from the average once its gap is this share of the gap at the last start."""
_LONGEST_AVERAGE = 0.4
"""Start again in any case once the average is over this share of the iterations: it holds on to
where it began, and the balance of the steps is only set anew at a start."""
_STILL = 1e-6
"""Prices, or shares, that moved less than this since the last start count as standing still."""
_MOST_STEP = 1e3
"""Nothing limits the step where prices and shares stand still."""


@dataclass(frozen=True, eq=False)
class MasterPoint:
    """Prices with their value over the pool, and the value that no prices exceed there."""

    prices: Prices
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """How far the prices may be from the best."""
        return self.upper - self.lower

    def improved_by(self, other: MasterPoint) -> MasterPoint:
        """The better prices, and the smaller of the values that none exceed."""
        better = other if other.lower > self.lower else self
        return MasterPoint(better.prices, better.lower, min(self.upper, other.upper))


class CoverMaster:
    """Holds a pool of rectangles, prices and shares, and improves them.

    Parameters
    ----------
    layout : Layout
    k : int
        The rank.
    prices : Prices, optional
        To begin with.
    """

    def __init__(self, layout: Layout, k: int, prices: Prices | None = None) -> None:
        self.layout, self.k = layout, k
        n, m = layout.shape
        self.A = np.zeros((0, n), dtype=np.bool_)
        self.B = np.zeros((0, m), dtype=np.bool_)
        self.prices = even_prices(layout) if prices is None else prices
        self._known: set[bytes] = set()
        self._cells = spell_out(layout, self.A, self.B)
        self._u = np.zeros(0)
        self._caps = np.zeros(1)
        self._step = 0.0
        self._weight = 1.0
        self._steps_taken = 0

    def __len__(self) -> int:
        return len(self.A)

    @property
    def cells(self) -> Cells:
        """The rectangles of the pool, spelled out."""
        return self._cells

    def add(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> int:
        """Take in the rectangles that are new; how many they are."""
        new = []
        for u, (a, b) in enumerate(zip(A, B, strict=True)):
            key = _key(a, b)
            if key not in self._known and a.any() and b.any():
                self._known.add(key)
                new.append(u)
        if new:
            more = spell_out(self.layout, A[new], B[new])
            self.A, self.B = np.vstack([self.A, A[new]]), np.vstack([self.B, B[new]])
            self._cells = self._cells.followed_by(more)
            self._u = np.append(self._u, np.zeros(len(more.one)))
            self._caps = np.concatenate([self._caps[:-1], np.zeros(len(new)), self._caps[-1:]])
            self._steps_taken = 0
        return len(new)

    def worths(self, prices: Prices) -> NDArray[np.float64]:
        """What the rectangles of the pool are worth."""
        left = left_over(self._cells, prices)
        return sums_by_rectangle(self._cells, np.maximum(left, 0.0))

    def shares(self) -> NDArray[np.float64]:
        """How far each rectangle is taken: the largest share of a one that is assigned to it."""
        return np.array(
            [
                self._u[first:last].max(initial=0.0)
                for first, last in zip(self._cells.start[:-1], self._cells.start[1:], strict=True)
            ]
        )

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget rectangles."""
        self._u = self._u[np.repeat(keep, np.diff(self._cells.start))]
        self._caps = np.append(self._caps[:-1][keep], self._caps[-1])
        self.A, self.B = self.A[keep], self.B[keep]
        self._known = {_key(a, b) for a, b in zip(self.A, self.B, strict=True)}
        self._cells = spell_out(self.layout, self.A, self.B)
        self._steps_taken = 0

    def solve(
        self, iterations: int, tolerance: float, over: Callable[[], bool] = lambda: False
    ) -> MasterPoint:
        """Iterate until the gap is below the tolerance; the best prices met.

        Parameters
        ----------
        iterations : int
            At most this many.
        tolerance : float
            Of the gap between the two values, not relative.
        over : callable
            Asked now and then whether time is over.
        """
        at = _Iterate(self.prices, self._u, left_over(self._cells, self.prices))
        change = np.zeros_like(at.left)
        best = self._evaluate(at.x, at.u)
        restart_gap = best.gap
        if self._step == 0.0:
            self._step = 0.1 / max(1.0, np.sqrt(len(self)))
        average = _Average(at)
        for iteration in range(1, iterations + 1):
            after, step = self._advance(at, change)
            change, at = after.left - at.left, after
            average.add(at, step)
            if iteration % _CHECK_EVERY and iteration < iterations:
                continue
            mean_x, mean_u = average.mean()
            mean, current = self._evaluate(mean_x, mean_u), self._evaluate(at.x, at.u)
            best = best.improved_by(mean).improved_by(current)
            gap = min(mean.gap, current.gap)
            is_long = average.count > _LONGEST_AVERAGE * iterations
            if gap <= _RESTART_GAIN * restart_gap or is_long:
                if mean.gap <= gap:
                    self._balance(mean_x, mean_u)
                    at = _Iterate(mean_x, mean_u, left_over(self._cells, mean_x))
                    change = np.zeros_like(at.left)
                restart_gap = gap
                self.prices, self._u = at.x, at.u
                average = _Average(at)
            if best.gap <= tolerance or over():
                break
        self.prices, self._u = at.x, at.u
        return best

    def _advance(self, at: _Iterate, change: NDArray[np.float64]) -> tuple[_Iterate, float]:
        """A step of the shares, then of the prices; again with a shorter one if it was too long.

        `change` is by how much the last step changed what is left of each cell: the shares look
        as far ahead. Step lengths are those of Applegate et al. (PDLP, 2021).
        """
        layout = self.layout
        w, row_weights = layout.one_weights, layout.weights[layout.one_row]
        x, u = at.x, at.u
        while True:
            step, weight = self._step, self._weight
            target = _look_ahead(u, at.left, change, step * weight)
            new_u = np.empty_like(target)
            _cap(target, self._cells.start, float(self.k), self._caps, new_u)
            gain, along, across = self._gradient(new_u)
            tau = step / weight
            new = Prices(
                x.p + tau * w * gain,
                x.along + tau * row_weights * along,
                x.across + tau * layout.across_weights * across,
            )
            move_inside(layout, new)
            left = left_over(self._cells, new)
            moved_u, interaction = _movement(u, new_u, at.left, left)
            moved_x = (
                _weighted(new.p - x.p, w)
                + _weighted(new.along - x.along, row_weights)
                + _weighted(new.across - x.across, layout.across_weights)
            )
            movement = 0.5 * (weight * moved_x + moved_u / weight)
            limit = movement / interaction if interaction > 0 else np.inf
            self._steps_taken += 1
            t = self._steps_taken + 1
            self._step = min((1 - t**-0.3) * limit, (1 + t**-0.6) * step, _MOST_STEP)
            if step <= limit:
                return _Iterate(new, new_u, left), step

    def _balance(self, x: Prices, u: NDArray[np.float64]) -> None:
        """Longer steps for what moved more since the last start, prices or shares."""
        moved_x = np.sqrt(float(((x.p - self.prices.p) ** 2).sum()))
        moved_u = np.sqrt(float(((u - self._u) ** 2).sum()))
        # Where one of them stands still, the ratio says nothing.
        if min(moved_x, moved_u) > _STILL:
            self._weight = float(np.sqrt(moved_u / moved_x * self._weight))

    def _gradient(
        self, u: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        cover = np.zeros(len(self.prices.p))
        along = np.zeros_like(self.prices.along)
        across = np.zeros_like(self.prices.across)
        _scatter(u, self._cells, cover, along, across)
        return 1.0 - cover, along, across

    def _evaluate(self, x: Prices, u: NDArray[np.float64]) -> MasterPoint:
        layout = self.layout
        lower = float(x.p.sum()) - self.k * float(self.worths(x).max(initial=0.0))
        uncovered, along, across = self._gradient(u)
        upper = float(layout.one_weights @ np.maximum(uncovered, 0.0))
        upper += _paid(
            along, across, layout.weights, layout.zeros, layout.row_start, layout.one_at,
            layout.block_start, layout.block_of,
        )  # fmt: skip
        return MasterPoint(x, lower, upper)


@dataclass(frozen=True, eq=False)
class _Iterate:
    """Prices, shares, and what is left of the price in each cell."""

    x: Prices
    u: NDArray[np.float64]
    left: NDArray[np.float64]


class _Average:
    """The mean of iterates, weighted by their steps."""

    def __init__(self, like: _Iterate) -> None:
        x = like.x
        self.count = 0
        self._total = 0.0
        self._p, self._along = np.zeros_like(x.p), np.zeros_like(x.along)
        self._across, self._u = np.zeros_like(x.across), np.zeros_like(like.u)

    def add(self, at: _Iterate, weight: float) -> None:
        self.count += 1
        self._total += weight
        self._p += weight * at.x.p
        self._along += weight * at.x.along
        self._across += weight * at.x.across
        self._u += weight * at.u

    def mean(self) -> tuple[Prices, NDArray[np.float64]]:
        t = self._total
        return Prices(self._p / t, self._along / t, self._across / t), self._u / t


def _weighted(change: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Sum of squares, each divided by its weight, where there is one."""
    return float((change**2 / np.maximum(weights, 1e-9)).sum())


def _key(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bytes:
    return np.packbits(a).tobytes() + np.packbits(b).tobytes()


@njit(cache=True, nogil=True)
def _look_ahead(
    u: NDArray[np.float64], left: NDArray[np.float64], change: NDArray[np.float64], step: float
) -> NDArray[np.float64]:
    """Shares after a step along what will be left, if it goes on changing as it did."""
    out = np.empty_like(u)
    for t in range(len(u)):
        out[t] = u[t] + step * (left[t] + change[t])
    return out


@njit(cache=True, nogil=True)
def _movement(
    u: NDArray[np.float64],
    new_u: NDArray[np.float64],
    left: NDArray[np.float64],
    new_left: NDArray[np.float64],
) -> tuple[float, float]:
    """How far the shares moved, squared, and the product of their move with that of the prices."""
    moved, product = 0.0, 0.0
    for t in range(len(u)):
        d = new_u[t] - u[t]
        moved += d * d
        product += d * (new_left[t] - left[t])
    return moved, abs(product)


@njit(cache=True, nogil=True)
def _scatter(
    u: NDArray[np.float64],
    cells: Cells,
    cover: NDArray[np.float64],
    along: NDArray[np.float64],
    across: NDArray[np.float64],
) -> None:
    """How far each one is covered, alone and together with each zero that may charge it."""
    zero_start, zero = cells.zero_start, cells.zero
    slot_start, slot = cells.slot_start, cells.slot
    for t in range(len(u)):
        x = u[t]
        if x == 0.0:
            continue
        e, v = cells.one[t], cells.line[t]
        cover[e] += x
        for r in range(zero_start[v], zero_start[v + 1]):
            along[e, zero[r]] += x
        for r in range(slot_start[v], slot_start[v + 1]):
            across[e, slot[r]] += x


@njit(cache=True, nogil=True)
def _paid(
    along: NDArray[np.float64],
    across: NDArray[np.float64],
    weights: NDArray[np.float64],
    zeros: NDArray[np.bool_],
    row_start: NDArray[np.int64],
    one_at: NDArray[np.int64],
    block_start: NDArray[np.int64],
    block_of: NDArray[np.int64],
) -> float:
    """What the zeros cost: each as far as it is covered together with some one it may charge."""
    n, m = zeros.shape
    total = 0.0
    for i in range(n):
        low, high = block_start[block_of[i]], block_start[block_of[i] + 1]
        for c in range(m):
            if not zeros[i, c]:
                continue
            most = 0.0
            for e in range(row_start[i], row_start[i + 1]):
                most = max(most, along[e, c])
            for r in range(low, high):
                e = one_at[r, c]
                if e >= 0:
                    most = max(most, across[e, i - low])
            total += weights[i, c] * most
    return total


@njit(cache=True, nogil=True)
def _cap(
    target: NDArray[np.float64],
    start: NDArray[np.int64],
    k: float,
    caps: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """The nearest point with u >= 0 and sum over rectangles of their largest u at most k.

    Each rectangle is cut off at a cap, such that what is cut off adds up to the same number,
    mu, for all of them (or less, where nothing is left); mu is found by Newton's method.
    `caps` holds the caps of the last call and, at its end, mu: the search begins there.
    """
    count = len(start) - 1
    # Positive parts alone, one rectangle after the other.
    parts = np.empty(len(target))
    begin = np.zeros(count + 1, np.int64)
    sums = np.zeros(count)
    total = 0.0
    size = 0
    for r in range(count):
        most = 0.0
        for t in range(start[r], start[r + 1]):
            x = target[t]
            if x > 0.0:
                parts[size] = x
                size += 1
                sums[r] += x
                most = max(most, x)
        begin[r + 1] = size
        total += most
    if total <= k:
        for t in range(len(target)):
            out[t] = max(target[t], 0.0)
        caps[count] = 0.0
        return
    # Where the cap of a rectangle moves by d, what is cut off changes by d times the number of
    # its shares above. All caps and mu are moved at once, to where these lines meet sum(cap) = k.
    above = np.zeros(count)
    number = np.zeros(count)
    mu = caps[count]
    for _ in range(_MOST_PASSES):
        for r in range(count):
            cap = caps[r]
            cut, shares = 0.0, 0
            for t in range(begin[r], begin[r + 1]):
                if parts[t] > cap:
                    cut += parts[t] - cap
                    shares += 1
            if shares == 0 and begin[r + 1] > begin[r]:
                # Too high: from the bottom Newton's steps rise to the solution.
                caps[r] = 0.0
                cut, shares = sums[r], begin[r + 1] - begin[r]
            above[r], number[r] = cut, shares
        mu = _meet(caps, above, number, k)
        moved = 0.0
        total = 0.0
        for r in range(count):
            cap = 0.0
            if number[r] > 0:
                cap = max(0.0, caps[r] + (above[r] - mu) / number[r])
            moved = max(moved, abs(cap - caps[r]))
            caps[r] = cap
            total += cap
        if moved <= _CAP_ACCURACY * (1.0 + total):
            break
    caps[count] = mu
    # What Newton's method left above k is taken off in proportion.
    shrink = min(1.0, k / total) if total > 0.0 else 0.0
    for r in range(count):
        cap = caps[r]
        for t in range(start[r], start[r + 1]):
            out[t] = shrink * max(0.0, min(target[t], cap))


@njit(cache=True, nogil=True)
def _meet(
    caps: NDArray[np.float64], above: NDArray[np.float64], number: NDArray[np.float64], k: float
) -> float:
    """The mu at which the caps, moved along their lines and none below 0, add up to k."""
    mu = 0.0
    while True:
        offset, slope = 0.0, 0.0
        for r in range(len(number)):
            if number[r] > 0 and caps[r] + (above[r] - mu) / number[r] > 0.0:
                offset += caps[r] + above[r] / number[r]
                slope += 1.0 / number[r]
        if slope == 0.0:
            return mu
        better = max(0.0, (offset - k) / slope)
        # Fewer and fewer lines stay above 0, and mu rises until none falls below.
        if better <= mu * (1 + 1e-12):
            return mu
        mu = better
