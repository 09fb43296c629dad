"""The restricted master by a primal-dual interior point method made for its shape.

Over the rectangles of the pool, with M their incidence with the ones,

    min  w'x + c'q   s.t.  Mq + x - s = 1,  1'q + t = k,   q, x, s, t >= 0,

each one adds its own pair (x, s) and nothing else, so a Newton step needs one positive definite
system with a row for each rectangle: hundreds to thousands, whatever the size of the data. Stopped
before the end, the method returns prices p from the middle of the nearly optimal ones; column
generation moves far steadier from there than from the corners that the simplex method returns,
and exact pricing finds such prices easier too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from boolfact.colgen.mlp.incidence import Incidence
from boolfact.colgen.mlp.problem import MasterProblem, MasterState
from boolfact.colgen.relaxation import MasterSolution
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.stop import Stop
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.worth import worths

__all__ = ["InteriorMaster", "InteriorPoint", "centred_point", "newton_step"]

_Vector = NDArray[np.float64]
_TO_THE_WALL = 0.995
"""Share of the way to the nearest wall: on it a variable would never come off again."""
_MOST_STEPS = 80
"""Two or three times what a solution from scratch takes; beyond it rounding is in the way."""
_SHARE_OF_NEW = 0.05
"""Of k, for the new rectangles together: much more would throw the old solution away."""
_LEAST_PRODUCT = 1e-14
"""A barrier below this is lost in double precision."""
_FIRST_BARRIER = 0.05
"""Of a first point, in typical weights of a one: well inside, and a few steps from the end."""
_WARM_BARRIER = 0.3
"""Least barrier of a warm start, in first barriers: nearer to the end its q is in the way. In
trials this took half the steps of a cold start, a tenth of it three quarters."""
_ADDED_TO_DIAGONAL = (1e-14, 1e-12, 1e-10, 1e-8)
"""Relative, tried in turn until the factorisation succeeds; refinement takes it out again."""
_REFINEMENTS = 2
"""The first takes out what single precision lost, the second what the diagonal was given."""
_MOST_RESTARTS = 2
"""From a fresh point where a step failed; what is best by then is as good as it gets."""
_SINGLE_UP_TO = 1e-4
"""Tolerances down to this one are met in single precision, which is twice as fast."""


@dataclass
class InteriorPoint:
    """A point strictly inside.

    q, slack t of 1'q <= k, under- and overcover x and s, prices p, room v = w - p, mu, reduced
    costs r. The differences v and r are carried along, since taking them would lose digits;
    cover = M'q and collected = Mp are kept to save products with M.
    """

    q: _Vector
    t: float
    x: _Vector
    s: _Vector
    p: _Vector
    v: _Vector
    mu: float
    r: _Vector
    cover: _Vector
    collected: _Vector

    def gap(self) -> float:
        """The sum of all complementarity products."""
        return float(self.q @ self.r + self.t * self.mu + self.p @ self.s + self.v @ self.x)

    def mean_product(self) -> float:
        """The barrier parameter that this point stands for."""
        return max(self.gap() / (len(self.q) + 1 + 2 * len(self.p)), _LEAST_PRODUCT)


def centred_point(
    M: Incidence, w: _Vector, c: _Vector, k: int, q: _Vector, tau: float
) -> InteriorPoint:
    """A point near the central path at barrier tau, feasible on both sides, near the given q.

    For given q the best s solves p s = tau and (w - p)(u + s) = tau with u = 1 - M'q, a
    quadratic; mu is raised until no rectangle of the pool is worth more.
    """
    q = np.maximum(q, 1e-3 * k / len(q))
    q = q * min(1.0, 0.99 * k / float(q.sum()))
    cover = M.cover(q)
    u = 1 - cover
    root = np.sqrt(u * u + 4 * (tau / w) ** 2)
    s = (2 * tau / w - u + root) / 2
    x = (2 * tau / w + u + root) / 2
    p, v = tau / s, tau / x
    collected = M.collect(p)
    mu = max(0.0, float((collected - c).max())) + tau / k
    return InteriorPoint(
        q, k - float(q.sum()), x, s, p, v, mu, c + mu - collected, cover, collected
    )


def newton_step(
    point: InteriorPoint, M: Incidence, c: _Vector, k: int, single: bool = False
) -> InteriorPoint:
    """One predictor-corrector step of Mehrotra's method.

    With `single` the system is set up and factorised in single precision: twice as fast, and
    accurate enough while the point is far from the optimum.
    """
    q, t, x, s = point.q, point.t, point.x, point.s
    p, v, mu, r = point.p, point.v, point.mu, point.r
    residual_ones = 1 - point.cover - x + s
    residual_k = k - float(q.sum()) - t
    residual_dual = c + mu - point.collected - r
    theta = 1 / (x / v + s / p)
    system = _System(M, theta, r / q, single)
    of_ones = system.solve(np.ones(len(q)))
    sum_of_ones = float(of_ones.sum())

    def direction(to_s: _Vector, to_x: _Vector, to_r: _Vector, to_t: float) -> _Direction:
        g = residual_ones - to_x / v + to_s / p
        rhs = to_r / q + M.collect(theta * g) - residual_dual
        dq = system.solve(rhs)
        dmu = (float(dq.sum()) - residual_k + to_t / mu) / (t / mu + sum_of_ones)
        dq = dq - dmu * of_ones
        dcover = M.cover(dq)
        dp = theta * (g - dcover)
        return _Direction(
            dq,
            (to_t - t * dmu) / mu,
            (to_x + x * dp) / v,
            (to_s - s * dp) / p,
            dp,
            dmu,
            (to_r - r * dq) / q,
            dcover,
        )

    gap = point.gap()
    d = direction(-p * s, -v * x, -q * r, -t * mu)
    primal, dual = _steps(point, d, 1.0)
    predicted = float(
        (q + primal * d.q) @ (r + dual * d.r)
        + (t + primal * d.t) * (mu + dual * d.mu)
        + (p + dual * d.p) @ (s + primal * d.s)
        + (v - dual * d.p) @ (x + primal * d.x)
    )
    tau = (predicted / gap) ** 3 * point.mean_product()
    d = direction(
        tau - p * s - d.p * d.s,
        tau - v * x + d.p * d.x,
        tau - q * r - d.q * d.r,
        tau - t * mu - d.t * d.mu,
    )
    # Taken from r = c + mu - Mp, not from the products q r: what the solution of the system
    # lacks in accuracy then leaves the point feasible and a little off the central path.
    dcollected = M.collect(d.p)
    d.r = d.mu + residual_dual - dcollected
    primal, dual = _steps(point, d, _TO_THE_WALL)
    return InteriorPoint(
        q + primal * d.q,
        t + primal * d.t,
        x + primal * d.x,
        s + primal * d.s,
        p + dual * d.p,
        v - dual * d.p,
        mu + dual * d.mu,
        r + dual * d.r,
        point.cover + primal * d.cover,
        point.collected + dual * dcollected,
    )


class _System:
    """M diag(theta) M' + diag(own), positive definite, but perhaps nearly singular.

    Where rectangles depend on each other only `own` keeps it definite. Adding a little to the
    diagonal makes the factorisation safe, and refinement against the system itself takes the
    addition out again, with what single precision has lost.
    """

    def __init__(self, M: Incidence, theta: _Vector, own: _Vector, single: bool) -> None:
        self._M, self._theta, self._own = M, theta, own
        for addition in _ADDED_TO_DIAGONAL:
            K = M.gram(theta, single)
            np.fill_diagonal(K, (K.diagonal() + own) * (1 + addition))
            try:
                # Its upper triangle by rows is the lower one by columns, as LAPACK likes it.
                self._factor = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
                return
            except LinAlgError:
                continue
        raise LinAlgError("the system of the interior point method is not positive definite")

    def solve(self, rhs: _Vector) -> _Vector:
        """Solve, with refinement."""
        x = self._solve_once(rhs)
        for _ in range(_REFINEMENTS):
            product = self._M.collect(self._theta * self._M.cover(x)) + self._own * x
            x = x + self._solve_once(rhs - product)
        return x

    def _solve_once(self, rhs: _Vector) -> _Vector:
        """Solve in the precision of the factor, at a scale where single precision loses nothing."""
        scale = float(np.abs(rhs).max()) or 1.0
        scaled = (rhs / scale).astype(self._factor[0].dtype)
        return scale * cho_solve(self._factor, scaled, check_finite=False).astype(np.float64)


@dataclass
class _Direction:
    q: _Vector
    t: float
    x: _Vector
    s: _Vector
    p: _Vector
    mu: float
    r: _Vector
    cover: _Vector


def _steps(point: InteriorPoint, d: _Direction, fraction: float) -> tuple[float, float]:
    """Step lengths of the primal and the dual variables, at most 1, that stay inside."""
    primal = min(
        _longest(point.q, d.q),
        _longest(point.x, d.x),
        _longest(point.s, d.s),
        -point.t / d.t if d.t < 0 else np.inf,
    )
    dual = min(
        _longest(point.p, d.p),
        _longest(point.v, -d.p),
        _longest(point.r, d.r),
        -point.mu / d.mu if d.mu < 0 else np.inf,
    )
    return min(1.0, fraction * float(primal)), min(1.0, fraction * float(dual))


def _longest(value: _Vector, change: _Vector) -> float:
    """How far along `change` until a component of `value` reaches zero."""
    falling = change < 0
    return float(np.min(-value[falling] / change[falling])) if falling.any() else np.inf


class InteriorMaster:
    """Solves restricted masters one after the other, each from the point of the last."""

    def __init__(
        self,
        problem: MasterProblem,
        executor: Executor = SERIAL,
        start: MasterState | None = None,
    ) -> None:
        self.problem = problem
        self._start = start
        self._M = Incidence(problem.live, executor)
        self._c = np.zeros(0)
        self._point: InteriorPoint | None = None

    def solve(self, pool: RectanglePool, tolerance: float, stop: Stop) -> MasterSolution:
        """Newton steps until the restricted master is solved to the relative tolerance."""
        if self._start is not None:
            self._start.check(len(pool))
        self._append(pool)
        if not len(pool) or not len(self.problem.w):
            return _nothing(self.problem, pool)
        if self._point is None:
            self._point = self._first(len(pool))
        single = tolerance > _SINGLE_UP_TO
        best: MasterSolution | None = None
        restarts = 0
        for _ in range(_MOST_STEPS):
            try:
                with np.errstate(all="ignore"):
                    point = newton_step(self._point, self._M, self._c, self.problem.k, single)
            except (LinAlgError, ZeroDivisionError):
                point = None
            if point is None or not np.isfinite(point.gap()):
                # Lost to rounding: start again from the middle.
                restarts += 1
                if restarts > _MOST_RESTARTS:
                    break
                self._point = self._fresh(np.zeros(len(pool)) if best is None else best.q)
                continue
            self._point = point
            solution = self._evaluate(point)
            if best is None or solution.gap < best.gap:
                best = solution
            if best.gap <= tolerance or stop.now():
                break
        if best is None:
            return _nothing(self.problem, pool)
        return best

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget rectangles; the point stays inside for the others."""
        self._M.purge(keep)
        self._c = self._c[keep]
        point = self._point
        if point is not None:
            tau = point.mean_product()
            point.q, point.r, point.collected = point.q[keep], point.r[keep], point.collected[keep]
            self._make_feasible(point, tau)

    def state(self) -> MasterState:
        """The point's q and barrier: other weights or costs may go on from them."""
        if self._point is None:
            return MasterState(np.zeros(len(self._c)))
        return MasterState(self._point.q.copy(), self._point.mean_product())

    def _append(self, pool: RectanglePool) -> None:
        """Take over what is new in the pool and move the point inside again."""
        known = len(self._c)
        if len(pool) == known:
            return
        A, B = pool.A[known:], pool.B[known:]
        c = self.problem.costs(A, B)
        self._M.append(A, B)
        self._c = np.concatenate([self._c, c])
        point = self._point
        if point is None:
            return
        # Raising mu makes any p dual feasible. It is raised so far that the new rectangles
        # begin on the central path with a small share of k between them.
        tau = point.mean_product()
        collected = self._M.collect(point.p)[known:]
        margin = len(c) * tau / (_SHARE_OF_NEW * self.problem.k)
        raise_by = max(0.0, float((collected - c).max()) + margin - point.mu)
        point.mu += raise_by
        r = point.mu + c - collected
        point.r = np.concatenate([point.r + raise_by, r])
        point.q = np.concatenate([point.q, tau / r])
        point.collected = np.concatenate([point.collected, collected])
        self._make_feasible(point, tau)

    def _make_feasible(self, point: InteriorPoint, tau: float) -> None:
        """Restore Mq + x - s = 1 and 1'q + t = k after rectangles came or went.

        Newton steps from small products and large residuals would be very short.
        """
        k = self.problem.k
        least = min(0.5 * k, tau / point.mu)
        point.q = point.q * min(1.0, (k - least) / max(float(point.q.sum()), 1e-300))
        point.t = k - float(point.q.sum())
        point.cover = self._M.cover(point.q)
        off = 1 - point.cover - point.x + point.s
        point.x = point.x + np.maximum(off, 0.0)
        point.s = point.s + np.maximum(-off, 0.0)

    def _first(self, size: int) -> InteriorPoint:
        start, self._start = self._start, None
        if start is None:
            return self._fresh(np.zeros(size))
        return self._fresh(start.padded(size), start.barrier)

    def _fresh(self, q: _Vector, barrier: float | None = None) -> InteriorPoint:
        problem = self.problem
        tau = _FIRST_BARRIER * float(problem.w.sum()) / len(problem.w)
        if barrier is not None:
            tau = min(tau, max(barrier, _WARM_BARRIER * tau))
        return centred_point(self._M, problem.w, self._c, problem.k, q, tau)

    def _evaluate(self, point: InteriorPoint) -> MasterSolution:
        problem = self.problem
        shrink = min(1.0, problem.k / float(point.q.sum()))
        q, cover = shrink * point.q, shrink * point.cover
        value = problem.constant + float(problem.w @ np.maximum(1 - cover, 0.0) + self._c @ q)
        mu = max(0.0, float((point.collected - self._c).max()))
        duals = problem.duals(point.p)
        return MasterSolution(value, problem.lower(duals, mu), q, problem.prices(duals), mu)


def _nothing(problem: MasterProblem, pool: RectanglePool) -> MasterSolution:
    """The solution that covers nothing, at full prices."""
    duals = problem.duals(problem.w)
    prices = problem.prices(duals)
    mu = max(0.0, float(worths(prices, pool.A, pool.B).max(initial=0.0)))
    value = problem.constant + float(problem.w.sum())
    return MasterSolution(value, problem.lower(duals, mu), np.zeros(len(pool)), prices, mu)
