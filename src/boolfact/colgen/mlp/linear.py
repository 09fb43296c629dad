"""The restricted master as a linear program on HiGHS, in its dual form.

    max  sum(p) - k mu   s.t.  sum of p over the ones of R - mu <= cost of R,   0 <= p <= w

A rectangle is a row: when one comes in, the old basis stays dual feasible and the simplex
method goes on from it. The duals of the rows are the q of the primal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from boolfact.colgen.mlp.problem import MasterProblem, MasterState, project
from boolfact.colgen.relaxation import MasterSolution
from boolfact.control.stop import Stop
from boolfact.highs import RowProgram
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.worth import worths

__all__ = ["LinearMaster"]


class LinearMaster:
    """The dual of the restricted master, rows added and deleted as the pool changes.

    Parameters
    ----------
    problem : MasterProblem
    method : {"simplex", "ipm"}
        The interior point method runs without crossover.
    zero_prices : bool
        The relaxation of MIP_exact: a zero z has a price of its own between 0 and rho * w_z,
        the dual of its constraint (Mq)_z <= k pi_z, instead of the fixed price rho * w_z.
    """

    def __init__(
        self, problem: MasterProblem, method: str = "simplex", zero_prices: bool = False
    ) -> None:
        self.problem = problem
        self._priced_zeros = (problem.zeros > 0) & zero_prices
        zero_limits = float(problem.rho) * problem.zeros[self._priced_zeros]
        ones, zeros = len(problem.w), len(zero_limits)
        cost = np.concatenate([-np.ones(ones), np.zeros(zeros), [float(problem.k)]])
        upper = np.concatenate([problem.w, zero_limits, [np.inf]])
        self._program = RowProgram(cost, upper, method)
        self._zero_prices = zero_prices
        self._rows = 0
        self._q = np.zeros(0)

    def solve(self, pool: RectanglePool, tolerance: float, stop: Stop) -> MasterSolution:
        """Solve; the tolerance is HiGHS' own. What was stopped early is still made feasible."""
        problem = self.problem
        if len(pool) > self._rows:
            A, B = pool.A[self._rows :], pool.B[self._rows :]
            self._program.add_rows(self._new_rows(A, B), self._limits(A, B))
            self._rows = len(pool)
        x, duals = self._program.solve(stop)
        ones = len(problem.w)
        q = project(-duals, problem.k)
        self._q = q
        duals_of_ones = problem.duals(x[:ones])
        prices = problem.prices(duals_of_ones)
        if self._zero_prices:
            zero_prices = np.zeros(problem.zeros.shape)
            limits = float(problem.rho) * problem.zeros[self._priced_zeros]
            zero_prices[self._priced_zeros] = np.clip(x[ones:-1], 0.0, limits)
            prices = duals_of_ones - zero_prices
        mu = max(0.0, float(worths(prices, pool.A, pool.B).max(initial=0.0)))
        lower = problem.lower(duals_of_ones, mu)
        return MasterSolution(self._value(pool, q), lower, q, prices, mu)

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Delete the rows of forgotten rectangles."""
        self._program.delete_rows(~keep)
        self._rows = int(keep.sum())
        self._q = self._q[keep]

    def state(self) -> MasterState:
        """The solution; HiGHS itself cannot begin from it, the other masters can."""
        return MasterState(self._q.copy())

    def _new_rows(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> sparse.csr_matrix:
        where = np.nonzero(self._priced_zeros)
        blocks = [self.problem.incidence(A, B)]
        blocks.append(-(A[:, where[0]] & B[:, where[1]]).astype(np.float64))
        blocks.append(-np.ones((len(A), 1)))
        return sparse.csr_matrix(np.hstack(blocks))

    def _limits(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.zeros(len(A)) if self._zero_prices else self.problem.costs(A, B)

    def _value(self, pool: RectanglePool, q: NDArray[np.float64]) -> float:
        """The objective of q: the best x, and for priced zeros the best pi, are known."""
        cover = (pool.A * q[:, None]).T @ pool.B.astype(np.float64)
        uncovered = np.maximum(1 - cover[self.problem.live], 0.0)
        return self.problem.constant + float(
            self.problem.w @ uncovered
            + float(self.problem.rho) * (self.problem.zeros * cover).sum()
        )
