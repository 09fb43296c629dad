"""The state of a run as plain data: it can be pickled, stored, copied and gone on from."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from fractions import Fraction

from boolfact.control.trace import Trace
from boolfact.large.search import LargeSearch
from boolfact.local_search.problem import MAX_RANK
from boolfact.local_search.state import PopulationState
from boolfact.model.bound import Bound, Quantity, better_bound
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool

__all__ = ["State"]


@dataclass
class State:
    """What a run knows.

    Attributes
    ----------
    best : Factors
        Of least error, and of those with that error of least objective, so far.
    error : int
    objective : Fraction
        MIP(rho) of the same factors.
    rho : Fraction
    pool : RectanglePool
        Rectangles that any engine found; all build from it.
    population : PopulationState or None
        Of the local search; None where there is none.
    samples : LargeSearch or None
        The search by samples of rows, on large data only.
    bounds : dict of Bound
        The best proved bound on each quantity.
    iterations : int
        Of all engines.
    improved_at : float
        When the best error came, in seconds.
    trace : Trace
    """

    best: Factors
    error: int
    objective: Fraction
    rho: Fraction
    pool: RectanglePool
    population: PopulationState | None = None
    samples: LargeSearch | None = None
    bounds: dict[Quantity, Bound] = field(default_factory=dict)
    iterations: int = 0
    improved_at: float = 0.0
    trace: Trace = field(default_factory=Trace)

    @classmethod
    def begin(cls, matrix: BinaryMatrix, k: int, rho: Fraction, seed: int = 0) -> State:
        """Nothing is known but that covering nothing costs all ones."""
        searches = k <= MAX_RANK
        return cls(
            best=Factors.empty(matrix.shape, k),
            error=matrix.ones_weight,
            objective=Fraction(matrix.ones_weight),
            rho=rho,
            pool=RectanglePool(*matrix.shape),
            population=PopulationState.begin(matrix, k, seed) if searches else None,
        )

    @property
    def is_optimal(self) -> bool:
        """Whether the error is proved to be the least possible."""
        proved = self.bounds.get(Quantity.ERROR)
        return self.error == 0 or (proved is not None and proved.rounded >= self.error)

    def keep(self, factors: Factors, matrix: BinaryMatrix) -> None:
        """Keep the lower error; of equal ones, the lower objective."""
        error = factors.error(matrix)
        if error > self.error:
            return
        objective = factors.objective(matrix, self.rho)
        if (error, objective) < (self.error, self.objective):
            self.best, self.error, self.objective = factors, error, objective

    def adopt(self, factors: Factors, matrix: BinaryMatrix) -> None:
        """Take a solution as the answer, whatever was known before."""
        self.best, self.error = factors, factors.error(matrix)
        self.objective = factors.objective(matrix, self.rho)

    def offer(self, factors: Factors, matrix: BinaryMatrix) -> None:
        """Keep a solution if it is the best, pool its rectangles, let the search have it."""
        self.pool.extend(factors.rectangles)
        self.keep(factors, matrix)
        if self.population is not None:
            self.population.offer(factors, matrix)

    def prove(self, bound: Bound) -> None:
        """Keep a bound if it is the best on its quantity."""
        better = better_bound(self.bounds.get(bound.on), bound)
        assert better is not None
        self.bounds[bound.on] = better

    def without_search(self) -> State:
        """A copy for an engine that works beside the search: same knowledge, own pool and trace."""
        return State(
            best=self.best,
            error=self.error,
            objective=self.objective,
            rho=self.rho,
            pool=copy.deepcopy(self.pool),
            bounds=dict(self.bounds),
            improved_at=self.improved_at,
        )

    def take_over(self, other: State, matrix: BinaryMatrix) -> None:
        """What was found in a copy `without_search`, as if it had been found here."""
        # Of its thousands of rectangles those of its best solution are enough: the search draws
        # from the pool, and in trials did no better with all of them.
        self.offer(other.best, matrix)
        for bound in other.bounds.values():
            self.prove(bound)
        self.iterations += other.iterations
        self.trace.merge(other.trace)
