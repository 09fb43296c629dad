"""The integer master: the best k rectangles of a pool, by MIP(rho) or MIP_exact on HiGHS."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from boolfact.colgen.integer.covering import Covering, Formulation, cover
from boolfact.colgen.integer.swap import swap_search
from boolfact.colgen.mlp.duals import DualPoint, MLPProof
from boolfact.control.stop import Stop
from boolfact.highs import IntegerProgram, SolveStatus, solve_integer
from boolfact.model.bound import Bound, Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.worth import whole_worths

__all__ = ["IntegerMaster", "solve_integer_master"]

_TOLERANCE = 1e-6
_LARGEST_PROGRAM = 3_000_000
"""Entries of the constraint matrix above which only the swap search is tried."""
_LARGEST_COVER = 400_000_000
"""Entries times rectangles above which the program is not even stated."""
_LARGEST_BY_ITERATIONS = 100_000
_NODES_BY_ITERATIONS = 20
"""Both smaller where iterations are limited: the clock may not decide there, nor take forever."""
_LARGEST_FOR_PAIRS = 4000
"""Columns up to which all pairs are looked at."""
_LARGEST_STRONG = 40_000
"""Entries up to which every column gets its own row for each zero that costs once."""


@dataclass(frozen=True, eq=False)
class IntegerMaster:
    """The best choice found, and what HiGHS says of the choices in this pool.

    `bound_over_pool` is no bound on the problem itself: rectangles outside the pool may do
    better; where the search climbed and did, it is the objective.
    """

    factors: Factors
    objective: Fraction
    bound_over_pool: Fraction
    is_optimal_over_pool: bool
    columns: int
    nodes: int
    seconds: float


def solve_integer_master(
    matrix: BinaryMatrix,
    pool: RectanglePool,
    k: int,
    *,
    rho: Fraction | int = 1,
    formulation: Formulation = "rho",
    stop: Stop | None = None,
    incumbent: Factors | None = None,
    bound: Bound | None = None,
    swap_rounds: int = 100,
    climbing: bool = False,
    seed: int | np.random.SeedSequence = 0,
) -> IntegerMaster:
    """Choose the best k rectangles of a pool.

    Parameters
    ----------
    matrix : BinaryMatrix
    pool : RectanglePool
    k : int
    rho : Fraction or int
        Price of covering a zero once, in MIP(rho).
    formulation : {"rho", "exact"}
        Minimise MIP(rho), or the error itself (MIP_exact).
    stop : Stop, optional
    incumbent : Factors, optional
        Its rectangles join the pool; the result is never worse.
    bound : Bound, optional
        On what is minimised: a choice that meets it ends the search. If it was proved by
        MLP(rho), a rectangle whose reduced cost alone carries the bound past the incumbent is
        left out (reduced-cost fixing); for MIP(rho) only.
    swap_rounds, seed
        Of the swap search that precedes the integer program.
    climbing : bool
        Whether the swap search may improve the rectangles that it puts in, so the result
        may be better than every choice from the pool.

    Returns
    -------
    IntegerMaster

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> pool = RectanglePool(3, 3)
    >>> for a in ([1, 1, 0], [0, 1, 1], [1, 1, 1]):
    ...     _ = pool.add(np.array(a, bool), np.array(a, bool))
    >>> solution = solve_integer_master(X, pool, 2)
    >>> solution.objective, solution.is_optimal_over_pool
    (Fraction(0, 1), True)
    """
    rho = Fraction(rho)
    goal = _Goal(matrix, rho, formulation)
    goal.check(bound, k)
    stop = stop or Stop()
    started = time.perf_counter()

    def swapped(start: Factors | None, rounds: int, until: Stop) -> Factors:
        objective: Literal["error"] | Fraction = "error" if formulation == "exact" else rho
        return swap_search(
            matrix, pool, k, start, objective=objective,
            rounds=rounds, climbing=climbing, seed=seed, stop=until,
        )  # fmt: skip

    # The other half of the time is for the integer program.
    best = swapped(incumbent, swap_rounds, stop.share(0.5))
    value = goal.value(best)
    if value == 0 or (bound is not None and value <= bound.rounded):
        return IntegerMaster(best, value, value, True, 0, 0, time.perf_counter() - started)
    # What the swaps chose joins the pool, at its end, as a start for the integer program.
    A, B = np.vstack([pool.A, best.A.T]), np.vstack([pool.B, best.B])
    is_start = np.arange(len(A)) >= len(pool)
    if bound is not None and isinstance(bound.proof, MLPProof) and formulation == "rho":
        keep = is_start | ~_too_costly(matrix, A, B, k, bound.proof.point, value, goal)
        A, B, is_start = A[keep], B[keep], is_start[keep]
    over_pool, nodes, columns = Fraction(0), 0, len(A)
    if matrix.values.size * len(A) <= _LARGEST_COVER and not stop.now():
        covering = cover(matrix, A, B, rho, formulation)
        columns = len(covering.columns)
        solution = _solve(covering, k, covering.stand_in[is_start], stop)
        over_pool, nodes = solution.bound, solution.nodes
        chosen = covering.columns[solution.chosen]
        found = Factors(A[chosen].T, B[chosen]).padded(k)
        if climbing:
            found = swapped(found, 0, stop)
        found_value = goal.value(found)
        if found_value < value:
            best, value = found, found_value
    over_pool = min(over_pool, value)
    return IntegerMaster(
        best, value, over_pool, over_pool >= value, columns, nodes, time.perf_counter() - started
    )


@dataclass(frozen=True, eq=False)
class _Chosen:
    """Columns of a covering, and a bound on every choice."""

    chosen: NDArray[np.bool_]
    bound: Fraction
    nodes: int


def _solve(covering: Covering, k: int, start: NDArray[np.int64], stop: Stop) -> _Chosen:
    """Solve the covering problem on HiGHS, from a choice that is never made worse."""
    columns = len(covering.columns)
    first = np.zeros(columns, dtype=np.bool_)
    first[start[start >= 0]] = True
    nothing_covered = Fraction(covering.constant, covering.unit)
    if columns == 0:
        return _Chosen(first, nothing_covered, 0)
    if k <= 2 and columns <= _LARGEST_FOR_PAIRS:
        pair = _best_pair(covering, k)
        return _Chosen(pair, Fraction(covering.value(pair), covering.unit), 0)
    program = _program(covering, k)
    by_iterations = stop.iteration_limit is not None
    largest = _LARGEST_BY_ITERATIONS if by_iterations else _LARGEST_PROGRAM
    if program.rows.nnz > largest or stop.now():
        return _Chosen(first, nothing_covered, 0)
    # Objectives are whole in units of 1 / unit: less than one unit apart is equal.
    limits = {"mip_max_nodes": _NODES_BY_ITERATIONS} if by_iterations else {}
    point = _point(covering, first)
    solution = solve_integer(program, start=point, stop=stop, absolute_gap=0.9, **limits)
    bound = max(nothing_covered, _rounded_up(solution.bound, solution.status, covering))
    if solution.x is not None:
        chosen = solution.x[:columns] > 0.5
        if chosen.sum() <= k and covering.value(chosen) < covering.value(first):
            return _Chosen(chosen, bound, solution.nodes)
    return _Chosen(first, bound, solution.nodes)


@dataclass(frozen=True, eq=False)
class _Goal:
    """What is minimised, recomputed from the factors; a multiple of `step`."""

    matrix: BinaryMatrix
    rho: Fraction
    formulation: Formulation

    def __post_init__(self) -> None:
        if self.formulation not in ("rho", "exact"):
            raise ValueError(f"formulation must be 'rho' or 'exact', got {self.formulation!r}")
        if self.rho <= 0:
            raise ValueError(f"rho must be positive, got {self.rho}")

    def value(self, factors: Factors) -> Fraction:
        if self.formulation == "exact":
            return Fraction(factors.error(self.matrix))
        return factors.objective(self.matrix, self.rho)

    def check(self, bound: Bound | None, k: int) -> None:
        """Refuse a bound on anything else."""
        on, rho = Quantity.ERROR, None
        if self.formulation == "rho":
            on, rho = Quantity.OBJECTIVE, self.rho
        if bound is not None and (bound.on, bound.rho, bound.k) != (on, rho, k):
            raise ValueError(
                f"bound must be on the {on.value} with rho {rho} and k {k}, got one on the "
                f"{bound.on.value} with rho {bound.rho} and k {bound.k}"
            )

    @property
    def step(self) -> Fraction:
        return Fraction(1, self.rho.denominator if self.formulation == "rho" else 1)


def _too_costly(
    matrix: BinaryMatrix,
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    k: int,
    dual: DualPoint,
    value: Fraction,
    goal: _Goal,
) -> NDArray[np.bool_]:
    """Rectangles that no choice better than the incumbent contains.

    For any p in its box and mu = the largest worth in the pool, sum p - k mu bounds every
    choice, and a choice with R costs at least mu - worth(R) more. All in whole numbers.
    """
    worths = whole_worths(dual.pricing_matrix(matrix), A, B)
    mu = max(0, int(worths.max(initial=0)))
    slack = dual.scale * (value - goal.step) - (dual.total - k * mu)
    return np.asarray(mu - worths > math.floor(slack))


def _best_pair(covering: Covering, k: int) -> NDArray[np.bool_]:
    """The best choice of one or two columns, by looking at all of them.

    Two columns gain what each gains alone, less what they count twice.
    """
    ones, zeros = covering.ones.astype(np.float64), covering.zeros.astype(np.float64)
    # Sums of whole numbers far below 2**53: exact in float64.
    shared_ones = (ones * covering.one_weights[:, None]).T @ ones
    shared_zeros = (zeros * covering.zero_weights[:, None]).T @ zeros
    gain = shared_ones.diagonal() - shared_zeros.diagonal() - covering.cost
    chosen = np.zeros(len(gain), dtype=np.bool_)
    chosen[np.argmax(gain)] = gain.max() > 0
    if k == 2:
        both = gain[:, None] + gain - shared_ones + shared_zeros
        np.fill_diagonal(both, -np.inf)
        if both.max() > max(0.0, float(gain.max())):
            chosen[:] = False
            chosen[list(np.unravel_index(np.argmax(both), both.shape))] = True
    return chosen


def _program(covering: Covering, k: int) -> IntegerProgram:
    """Variables: one per column, one per group of ones (uncovered), one per group of zeros."""
    columns, ones, zeros = len(covering.columns), len(covering.ones), len(covering.zeros)
    size = columns + ones + zeros
    rows = [
        sparse.hstack(
            [
                sparse.csr_matrix(covering.ones, dtype=np.float64),
                sparse.identity(ones),
                sparse.csr_matrix((ones, zeros)),
            ]
        )
    ]
    lower, upper = [np.ones(ones)], [np.full(ones, np.inf)]
    if zeros:
        zero_rows = _zero_rows(covering, k)
        rows.append(zero_rows)
        lower.append(np.full(zero_rows.shape[0], -np.inf))
        upper.append(np.zeros(zero_rows.shape[0]))
    rows.append(sparse.csr_matrix(np.r_[np.ones(columns), np.zeros(ones + zeros)][None, :]))
    lower.append(np.array([-np.inf]))
    upper.append(np.array([float(k)]))
    cost = np.r_[covering.cost, covering.one_weights, covering.zero_weights].astype(np.float64)
    return IntegerProgram(
        cost=cost,
        rows=sparse.csr_matrix(sparse.vstack(rows)),
        row_lower=np.concatenate(lower),
        row_upper=np.concatenate(upper),
        upper=np.ones(size),
        # With the columns fixed at 0 or 1, the other variables are whole by themselves.
        integer=np.arange(size) < columns,
    )


def _zero_rows(covering: Covering, k: int) -> sparse.csr_matrix:
    """A zero is paid for if a column covers it.

    One row for each zero and column is the strong form, one row for each zero the short one:
    with k columns at most, the sum of those that cover it is at most min(k, their number).
    """
    columns, ones = len(covering.columns), len(covering.ones)
    cells = sparse.csr_matrix(covering.zeros, dtype=np.float64)
    zeros = cells.shape[0]
    if cells.nnz <= _LARGEST_STRONG:
        group, column = cells.nonzero()
        number = np.arange(len(group))
        data = np.r_[np.ones(len(group)), -np.ones(len(group))]
        places = np.r_[number, number], np.r_[column, columns + ones + group]
        return sparse.csr_matrix((data, places), shape=(len(group), columns + ones + zeros))
    most = np.minimum(k, covering.zeros.sum(axis=1)).astype(np.float64)
    return sparse.csr_matrix(
        sparse.hstack([cells, sparse.csr_matrix((zeros, ones)), -sparse.diags(most)])
    )


def _point(covering: Covering, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """A choice as a point of the program."""
    uncovered = ~covering.ones[:, chosen].any(axis=1)
    covered = covering.zeros[:, chosen].any(axis=1)
    return np.r_[chosen, uncovered, covered].astype(np.float64)


def _rounded_up(bound: float, status: SolveStatus, covering: Covering) -> Fraction:
    """HiGHS' bound as a multiple of 1 / unit; its tolerance is forgiven."""
    if status is SolveStatus.FAILED or not math.isfinite(bound):
        return Fraction(covering.constant, covering.unit)
    steps = math.ceil(bound - min(0.05, _TOLERANCE * max(1.0, abs(bound))))
    return Fraction(steps + covering.constant, covering.unit)
