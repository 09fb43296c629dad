"""The restricted master by a first-order method, for matrices with very many ones.

With the cover M'q of the ones the restricted master is

    min  sum of w (1 - cover)+  +  c'q    over  q >= 0, sum(q) <= k,

a convex function over a simple set. Its kinks are rounded off (Huber's function of width
delta), accelerated projected gradient steps with restarts do the rest; each costs two products
with the pool's A and B. The gradient of the rounded function, w * clip((1 - cover) / delta, 0, 1),
is a dual point: it is what is priced.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.mlp.problem import MasterProblem, MasterState, project
from boolfact.colgen.relaxation import MasterSolution
from boolfact.control.stop import Stop
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.worth import worths

__all__ = ["SmoothedMaster"]

_WIDEST, _NARROWEST = 0.5, 1e-4
"""Widths of the kinks: beyond half a cover prices say little, below 1e-4 float32 is too coarse."""
_STEPS_PER_ROUND = 40
"""Between two looks at the true value, which cost about as much as two steps."""
_MOST_ROUNDS = 30
"""More do not pay before new rectangles come in."""


class SmoothedMaster:
    """Solves restricted masters one after the other, each from the q of the last."""

    def __init__(self, problem: MasterProblem, start: MasterState | None = None) -> None:
        self.problem = problem
        self._weights = np.where(problem.live, problem.matrix.weights, 0).astype(np.float64)
        self._A = np.zeros((0, problem.live.shape[0]), dtype=np.float32)
        self._B = np.zeros((0, problem.live.shape[1]), dtype=np.float32)
        self._c = np.zeros(0)
        self._q = np.zeros(0)
        self._start = start
        self._curvature = 1.0
        self.delta = _WIDEST

    def solve(self, pool: RectanglePool, tolerance: float, stop: Stop) -> MasterSolution:
        """Rounds of steps until the tolerance is met, narrowing the kinks where they hinder."""
        known = len(self._c)
        A, B = pool.A[known:], pool.B[known:]
        self._A = np.vstack([self._A, A.astype(np.float32)])
        self._B = np.vstack([self._B, B.astype(np.float32)])
        self._c = np.concatenate([self._c, self.problem.costs(A, B)])
        self._q = np.concatenate([self._q, np.zeros(len(A))])
        if self._start is not None:
            self._q, self._start = project(self._start.padded(len(pool)), self.problem.k), None
        best = self._evaluate()
        # As wide as the gap that is left allows: wide kinks take few steps.
        allowed = 2 * best.gap * max(1.0, abs(best.value)) / max(1.0, float(self.problem.w.sum()))
        self.delta = min(_WIDEST, max(self.delta, allowed))
        for _ in range(_MOST_ROUNDS if len(pool) else 0):
            if best.gap <= tolerance or stop.now():
                break
            self._round(stop)
            solution = self._evaluate()
            best = _better(best, solution)
            # Narrower kinks take more steps: only once the rounded-off problem itself is
            # solved further than the rounding off allows for.
            if self._own_gap(solution) < 0.3 * max(best.gap, tolerance):
                self.delta = max(_NARROWEST, 0.5 * self.delta)
        return best

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget rectangles."""
        self._A, self._B = self._A[keep], self._B[keep]
        self._c, self._q = self._c[keep], self._q[keep]

    def state(self) -> MasterState:
        """The solution."""
        return MasterState(self._q.copy())

    def _round(self, stop: Stop) -> None:
        """Accelerated projected gradient steps with restarts, from q and back into it."""
        k, q = self.problem.k, self._q
        y, momentum, L = q, 1.0, self._curvature
        for _ in range(_STEPS_PER_ROUND):
            if stop.now():
                break
            cover = self._cover(y)
            value, slope = self._value(cover, y), self._gradient(cover)
            while True:
                moved = project(y - slope / L, k)
                step = moved - y
                model = value + float(slope @ step) + 0.5 * L * float(step @ step)
                # float32 products blur the comparison; without the slack L could run away.
                if self._value(self._cover(moved), moved) <= model + 1e-6 * abs(value):
                    break
                L *= 2
            if float((y - moved) @ (moved - q)) > 0:
                momentum = 1.0
            following = (1 + np.sqrt(1 + 4 * momentum * momentum)) / 2
            y = moved + (momentum - 1) / following * (moved - q)
            q, momentum, L = moved, following, 0.9 * L
        self._q, self._curvature = q, L

    def _cover(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        used = np.flatnonzero(q)
        scaled = self._A[used] * q[used, None].astype(np.float32)
        return (scaled.T @ self._B[used]).astype(np.float64)

    def _prices(self, cover: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._weights * np.clip((1 - cover) / self.delta, 0.0, 1.0)

    def _gradient(self, cover: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._c - self._collected(self._prices(cover))

    def _collected(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """The prices that each rectangle collects."""
        return worths(p.astype(np.float32), self._A, self._B).astype(np.float64)

    def _value(self, cover: NDArray[np.float64], q: NDArray[np.float64]) -> float:
        """The rounded-off objective: its slope on the uncovered part is what `_prices` says."""
        u = np.maximum(1 - cover, 0.0)
        delta = self.delta
        huber = np.where(u < delta, u * u / (2 * delta), u - delta / 2)
        return float((self._weights * huber).sum() + self._c @ q)

    def _own_gap(self, solution: MasterSolution) -> float:
        """How far the rounded-off problem is from solved, relative to the value.

        Its dual loses delta p^2 / (2 w) for each one.
        """
        value = self.problem.constant + self._value(self._cover(solution.q), solution.q)
        live = self.problem.live
        lost = self.delta * float((solution.prices[live] ** 2 / (2 * self.problem.w)).sum())
        return (value - (solution.lower - lost)) / max(1.0, abs(solution.value))

    def _evaluate(self) -> MasterSolution:
        problem, q = self.problem, self._q
        cover = self._cover(q)
        uncovered = self._weights * np.maximum(1 - cover, 0.0)
        value = problem.constant + float(uncovered.sum() + self._c @ q)
        p = self._prices(cover)
        mu = max(0.0, float((self._collected(p) - self._c).max(initial=0.0)))
        return MasterSolution(value, problem.lower(p, mu), q.copy(), problem.prices(p), mu)


def _better(first: MasterSolution, second: MasterSolution) -> MasterSolution:
    """The better q and the better prices of two solutions."""
    primal = first if first.value <= second.value else second
    dual = first if first.lower >= second.lower else second
    return MasterSolution(primal.value, dual.lower, primal.q, dual.prices, dual.mu)
