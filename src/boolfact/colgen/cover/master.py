"""The restricted master of assigned cover, by a primal-dual method of first order.

Over the rectangles R of a pool, with u_Re the share of the one e that is assigned to R,

    min   sum_e w_e (1 - sum_R u_Re)^+  +  sum_z w_z max_e (sum of u_Re over R that cover z and e)
    s.t.  sum_R max_e u_Re <= k,  u >= 0,

where e runs over the ones that z may charge. Its dual asks for prices and charges with the
largest sum(p) - k max_R worth(R). Steps alternate between u and the prices, each projected onto
its own simple set; averages of the iterates converge, and the method starts again from them
when they have gained enough. Both values are computed, so their gap is known. Nothing here is
proved, so single precision does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.capped import cap_shares
from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.packed import Packed, charge_weights, pack, unpack, views
from boolfact.colgen.cover.pool import Cells, add_up, left_over, spell_out, sums_by_rectangle
from boolfact.colgen.cover.prices import Prices, even_prices, move_inside

__all__ = ["CoverMaster", "MasterPoint"]

_CHECK_EVERY = 20
"""Iterations between two looks at the values: a look costs about two iterations."""
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


class CoverMaster:
    """Holds a pool of rectangles, prices and shares, and improves them.

    Parameters
    ----------
    layout : Layout
    k : float
        The rank; any number at least 1.
    prices : Prices, optional
        To begin with.
    evenly : float
        This share of each zero's weight is divided evenly among the ones of its row, and only the
        rest is free. A little is lost, but no one is left without a charge: exact pricing around
        a circle takes far less time then.
    """

    def __init__(
        self, layout: Layout, k: float, prices: Prices | None = None, evenly: float = 0.0
    ) -> None:
        self.layout, self.k = layout, k
        self._free, self._fixed = _divided(layout, evenly)
        n, m = layout.shape
        self.A = np.zeros((0, n), dtype=np.bool_)
        self.B = np.zeros((0, m), dtype=np.bool_)
        self._x = pack(layout, even_prices(layout) if prices is None else prices)
        self._one_weights = layout.one_weights.astype(np.float32)
        self._charge_weights = charge_weights(layout)
        self._known: set[bytes] = set()
        self._cells = spell_out(layout, self.A, self.B)
        self._u = np.zeros(0, dtype=np.float32)
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
            self._u = np.append(self._u, np.zeros(len(more.one), dtype=np.float32))
            self._caps = np.concatenate([self._caps[:-1], np.zeros(len(new)), self._caps[-1:]])
            self._steps_taken = 0
        return len(new)

    def worths(self, prices: Prices) -> NDArray[np.float64]:
        """What the rectangles of the pool are worth."""
        return self._worths(pack(self.layout, prices))

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
        at = _Iterate(self._x, self._u, left_over(self._cells, self._x))
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
                self._x, self._u = at.x, at.u
                average = _Average(at)
            if best.gap <= tolerance or over():
                break
        self._x, self._u = at.x, at.u
        return MasterPoint(unpack(self.layout, best.x), best.lower, best.upper)

    def _advance(self, at: _Iterate, change: NDArray[np.float32]) -> tuple[_Iterate, float]:
        """A step of the shares, then of the prices; again with a shorter one if it was too long.

        `change` is by how much the last step changed what is left of each cell: the shares look
        as far ahead. Step lengths are those of Applegate et al. (PDLP, 2021).
        """
        x, u = at.x, at.u
        while True:
            step, weight = self._step, self._weight
            new_u = _look_ahead(u, at.left, change, np.float32(step * weight))
            cap_shares(new_u, self._cells.start, float(self.k), self._caps, new_u)
            covered = add_up(self._cells, new_u, x)
            new = self._moved(x, covered, step / weight)
            left = left_over(self._cells, new)
            moved_u, interaction = _movement(u, new_u, at.left, left)
            moved_x = _weighted(new.p, x.p, self._one_weights) + _weighted(
                new.charges.ravel(), x.charges.ravel(), self._charge_weights.ravel()
            )
            movement = 0.5 * (weight * moved_x + moved_u / weight)
            limit = movement / interaction if interaction > 0 else np.inf
            self._steps_taken += 1
            t = self._steps_taken + 1
            self._step = min((1 - t**-0.3) * limit, (1 + t**-0.6) * step, _MOST_STEP)
            if step <= limit:
                return _Iterate(new, new_u, left), step

    def _moved(self, x: Packed, covered: Packed, step: float) -> Packed:
        """The prices after a step along how far ones are uncovered and zeros covered."""
        tau = np.float32(step)
        new = Packed(
            x.p + tau * self._one_weights * (1 - covered.p),
            x.charges + tau * self._charge_weights * covered.charges,
        )
        seen = views(self.layout, new)
        if self._fixed is None:
            move_inside(self.layout, seen)
        else:
            np.subtract(seen.along, self._fixed, out=seen.along)
            move_inside(self._free, seen)
            np.add(seen.along, self._fixed, out=seen.along)
        return new

    def _balance(self, x: Packed, u: NDArray[np.float32]) -> None:
        """Longer steps for what moved more since the last start, prices or shares."""
        moved_x = np.sqrt(float(((x.p - self._x.p) ** 2).sum(dtype=np.float64)))
        moved_u = np.sqrt(float(((u - self._u) ** 2).sum(dtype=np.float64)))
        # Where one of them stands still, the ratio says nothing.
        if min(moved_x, moved_u) > _STILL:
            self._weight = float(np.sqrt(moved_u / moved_x * self._weight))

    def _worths(self, x: Packed) -> NDArray[np.float64]:
        left = left_over(self._cells, x)
        return sums_by_rectangle(self._cells, np.maximum(left, 0))

    def _evaluate(self, x: Packed, u: NDArray[np.float32]) -> _Valued:
        layout = self.layout
        lower = float(x.p.sum(dtype=np.float64))
        lower -= self.k * float(self._worths(x).max(initial=0.0))
        covered = add_up(self._cells, u, x)
        upper = float(layout.one_weights @ np.maximum(1.0 - covered.p.astype(np.float64), 0.0))
        seen = views(layout, covered)
        upper += _paid(
            seen.along, seen.across, self._free.weights, layout.zeros, layout.row_start,
            layout.one_at, layout.block_start, layout.block_of,
        )  # fmt: skip
        if self._fixed is not None:
            upper += float((self._fixed * seen.along).sum(dtype=np.float64))
        return _Valued(x, lower, upper)


@dataclass(frozen=True, eq=False)
class _Valued:
    """Prices with their value, and a value that none exceed."""

    x: Packed
    lower: float
    upper: float

    @property
    def gap(self) -> float:
        return self.upper - self.lower

    def improved_by(self, other: _Valued) -> _Valued:
        """The better prices, and the smaller of the values that none exceed."""
        better = other if other.lower > self.lower else self
        return _Valued(better.x, better.lower, min(self.upper, other.upper))


@dataclass(frozen=True, eq=False)
class _Iterate:
    """Prices, shares, and what is left of the price in each cell."""

    x: Packed
    u: NDArray[np.float32]
    left: NDArray[np.float32]


class _Average:
    """The mean of iterates, weighted by their steps."""

    def __init__(self, like: _Iterate) -> None:
        self.count = 0
        self._total = 0.0
        self._p, self._charges = np.zeros_like(like.x.p), np.zeros_like(like.x.charges)
        self._u = np.zeros_like(like.u)

    def add(self, at: _Iterate, weight: float) -> None:
        self.count += 1
        self._total += weight
        w = np.float32(weight)
        self._p += w * at.x.p
        self._charges += w * at.x.charges
        self._u += w * at.u

    def mean(self) -> tuple[Packed, NDArray[np.float32]]:
        t = np.float32(self._total)
        return Packed(self._p / t, self._charges / t), self._u / t


def _divided(layout: Layout, evenly: float) -> tuple[Layout, NDArray[np.float32] | None]:
    """The layout with the weights of zeros that are free, and the charges that are not."""
    if not evenly:
        return layout, None
    count = np.diff(layout.row_start)[layout.one_row]
    weights = np.where(layout.zeros, layout.weights, 0.0)[layout.one_row]
    fixed = (evenly * weights / count[:, None]).astype(np.float32)
    free = np.where(layout.zeros, (1.0 - evenly) * layout.weights, layout.weights)
    return replace(layout, weights=free), fixed


def _key(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bytes:
    return np.packbits(a).tobytes() + np.packbits(b).tobytes()


@njit(cache=True, nogil=True)
def _look_ahead(
    u: NDArray[np.float32],
    left: NDArray[np.float32],
    change: NDArray[np.float32],
    step: np.float32,
) -> NDArray[np.float32]:
    """Shares after a step along what will be left, if it goes on changing as it did."""
    out = np.empty_like(u)
    for t in range(len(u)):
        out[t] = u[t] + step * (left[t] + change[t])
    return out


# Sums in any order: that is what makes vectors possible.
@njit(cache=True, nogil=True, fastmath=True)
def _movement(
    u: NDArray[np.float32],
    new_u: NDArray[np.float32],
    left: NDArray[np.float32],
    new_left: NDArray[np.float32],
) -> tuple[float, float]:
    """How far the shares moved, squared, and the product of their move with that of the prices."""
    moved, product = 0.0, 0.0
    for t in range(len(u)):
        d = new_u[t] - u[t]
        moved += d * d
        product += d * (new_left[t] - left[t])
    return moved, abs(product)


@njit(cache=True, nogil=True, fastmath=True)
def _weighted(
    new: NDArray[np.float32], old: NDArray[np.float32], weights: NDArray[np.float32]
) -> float:
    """The squares of a change, each divided by its weight; nothing without weight changes."""
    total = 0.0
    for t in range(len(new)):
        d = new[t] - old[t]
        total += d * d / max(weights[t], np.float32(1e-9))
    return total


@njit(cache=True, nogil=True)
def _paid(
    along: NDArray[Any],
    across: NDArray[Any],
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
