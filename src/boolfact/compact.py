"""Compact formulations: the whole problem as one integer program for HiGHS.

Three models from the literature, on the weighted problem (a missing entry has no variable):

``exact``
    IP_exact of Kovacs, Gunluk and Hauser (2017): z is the Boolean product, its error the
    objective. Products a_il b_lj are linearised by McCormick envelopes, of which the objective
    needs the upper half on ones and the lower half on zeros only.
``kgh17``
    The same with the objective of MIP(rho): a zero costs rho for each rectangle that covers it.
``lva08``
    Lu, Vaidya and Atluri (2008): every possible pattern (row of B) is enumerated, 2^m - 1 of
    them, and the program chooses at most k, under the objective of MIP(rho) too.

The linear relaxation of ``exact`` has value 0 for every k > 1: with a = b = 1/2 all ones can be
covered twice by halves and no zero is. What HiGHS claims about bounds is floating point; it is
passed on as its claim, never as a proved bound.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from boolfact.control.stop import Stop
from boolfact.highs import IntegerProgram, SolveStatus, solve_integer
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["CompactFormulation", "CompactResult", "lva08_size", "relaxation_value", "solve_compact"]

CompactFormulation = Literal["exact", "kgh17", "lva08"]
FORMULATIONS: tuple[CompactFormulation, ...] = ("exact", "kgh17", "lva08")

# What the model and HiGHS take together: zoo, with 7 million variables, took 9 GiB.
_BYTES_PER_VARIABLE = 800
_BYTES_PER_NONZERO = 100
_MOST_COLUMNS = 40
"""2^m patterns of more columns fit into no memory."""
_TOO_LARGE_TO_PRESOLVE = 1_000_000
"""Variables; HiGHS does not look at the clock in its presolve, which takes minutes above this."""


@dataclass(frozen=True, eq=False)
class CompactResult:
    """The best solution found and what HiGHS says of the model.

    Attributes
    ----------
    factors : Factors or None
        None if HiGHS found nothing and no start was given.
    objective : Fraction or None
        The model's objective of the factors, recomputed: the error for ``exact``, MIP(rho)
        for the others.
    claimed_bound : float
        The lower bound that HiGHS claims for the model, in floating point.
    is_claimed_optimal : bool
    nodes : int
    variables, constraints : int
        The size of the model.
    """

    factors: Factors | None
    objective: Fraction | None
    claimed_bound: float
    is_claimed_optimal: bool
    nodes: int
    variables: int
    constraints: int

    @property
    def claimed_gap(self) -> float:
        """(objective - claimed bound) / objective; 0 for an objective of 0, 1 without any."""
        if self.objective is None:
            return 1.0
        if self.objective == 0:
            return 0.0
        return min(1.0, max(0.0, 1 - self.claimed_bound / float(self.objective)))


def solve_compact(
    matrix: BinaryMatrix,
    k: int,
    *,
    formulation: CompactFormulation = "exact",
    rho: Fraction | int = 1,
    start: Factors | None = None,
    symmetry_breaking: bool = True,
    memory_limit: float | None = None,
    stop: Stop | None = None,
) -> CompactResult:
    """Solve a compact formulation with HiGHS.

    Parameters
    ----------
    matrix : BinaryMatrix
    k : int
    formulation : {"exact", "kgh17", "lva08"}
    rho : Fraction or int
        The price of a covered zero; ``exact`` does not use it.
    start : Factors, optional
        A solution to begin with, of rank at most k.
    symmetry_breaking : bool
        For ``exact`` and ``kgh17``: the first column of A has the most ones, and so on.
    memory_limit : float, optional
        Bytes that ``lva08`` may take; by default half of the machine's memory.
    stop : Stop, optional

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> result = solve_compact(X, 2)
    >>> result.objective, result.is_claimed_optimal
    (Fraction(0, 1), True)
    """
    model = _model(matrix, k, formulation, Fraction(rho), symmetry_breaking, memory_limit)
    stop = stop or Stop()
    first = None if start is None else model.point(start)
    options = {"presolve": "off"} if model.program.rows.shape[1] > _TOO_LARGE_TO_PRESOLVE else {}
    solution = solve_integer(
        model.program, start=first, stop=stop, absolute_gap=model.gap, **options
    )
    candidates = [] if start is None else [start.padded(k)]
    if solution.x is not None:
        candidates.append(model.factors(solution.x))
    best = min(candidates, key=model.objective, default=None)
    bound = solution.bound + model.constant
    return CompactResult(
        factors=best,
        objective=None if best is None else model.objective(best),
        claimed_bound=max(0.0, bound) if np.isfinite(bound) else 0.0,
        is_claimed_optimal=solution.status is SolveStatus.OPTIMAL,
        nodes=solution.nodes,
        variables=int(model.program.rows.shape[1]),
        constraints=int(model.program.rows.shape[0]),
    )


def relaxation_value(
    matrix: BinaryMatrix,
    k: int,
    *,
    formulation: CompactFormulation = "exact",
    rho: Fraction | int = 1,
    memory_limit: float | None = None,
    stop: Stop | None = None,
) -> float | None:
    """The value of the linear relaxation, in floating point; None if stopped before.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=np.int8))
    >>> relaxation_value(X, 2)
    0.0
    """
    model = _model(matrix, k, formulation, Fraction(rho), False, memory_limit)
    program = model.program
    relaxed = IntegerProgram(
        cost=program.cost,
        rows=program.rows,
        row_lower=program.row_lower,
        row_upper=program.row_upper,
        upper=program.upper,
        integer=np.zeros_like(program.integer),
    )
    solution = solve_integer(relaxed, stop=stop or Stop())
    if solution.status is not SolveStatus.OPTIMAL or solution.x is None:
        return None
    value = float(program.cost @ solution.x) + model.constant
    return 0.0 if abs(value) < 1e-6 else value


def lva08_size(matrix: BinaryMatrix) -> tuple[int, int, int]:
    """Variables, constraints and bytes that the formulation ``lva08`` would take.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> lva08_size(load_dataset("zoo"))[0]
    13370003
    """
    n, m = matrix.shape
    patterns = 2**m - 1
    ones = int((matrix.ones & (matrix.weights > 0)).sum())
    variables = n * patterns + patterns + ones
    nonzeros = 2 * n * patterns + ones * (2 ** (m - 1) + 1) + patterns
    size = variables * _BYTES_PER_VARIABLE + nonzeros * _BYTES_PER_NONZERO
    return variables, n * patterns + ones + 1, size


def _model(
    matrix: BinaryMatrix,
    k: int,
    formulation: CompactFormulation,
    rho: Fraction,
    symmetry_breaking: bool,
    memory_limit: float | None,
) -> _McCormick | _Enumeration:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if formulation not in FORMULATIONS:
        raise ValueError(
            f"formulation must be one of {', '.join(FORMULATIONS)}, got {formulation!r}"
        )
    if formulation == "lva08":
        _check_memory(matrix, memory_limit)
        return _Enumeration(matrix, k, rho)
    return _McCormick(matrix, k, None if formulation == "exact" else rho, symmetry_breaking)


def _check_memory(matrix: BinaryMatrix, memory_limit: float | None) -> None:
    variables, constraints, size = lva08_size(matrix)
    limit = _half_of_memory() if memory_limit is None else memory_limit
    if matrix.shape[1] > _MOST_COLUMNS or size > limit:
        raise ValueError(
            f"formulation lva08 enumerates all 2^{matrix.shape[1]} - 1 patterns: "
            f"{variables:.3g} variables, {constraints:.3g} constraints and about "
            f"{size / 2**30:.3g} GiB, more than the {limit / 2**30:.3g} GiB allowed; "
            f"use formulation exact or kgh17"
        )


def _half_of_memory() -> float:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2
    except (AttributeError, ValueError, OSError):
        return float(4 * 2**30)


class _Rows:
    """Constraints row_lower <= sum <= row_upper, gathered in blocks."""

    def __init__(self) -> None:
        self.blocks: list[sparse.coo_matrix] = []
        self.lower: list[NDArray[np.float64]] = []
        self.upper: list[NDArray[np.float64]] = []

    def add(
        self,
        variables: int,
        lower: float,
        upper: float,
        *terms: tuple[NDArray[np.int64], float],
    ) -> None:
        """One row for each position; a term is (the variable at each position, coefficient)."""
        count = len(terms[0][0])
        rows = np.tile(np.arange(count), len(terms))
        columns = np.concatenate([term for term, _ in terms])
        values = np.concatenate([np.full(count, factor) for _, factor in terms])
        block = sparse.coo_matrix((values, (rows, columns)), shape=(count, variables))
        self.add_block(block, lower, upper)

    def add_block(self, block: sparse.coo_matrix, lower: float, upper: float) -> None:
        """Rows given as a matrix."""
        self.blocks.append(block)
        self.lower.append(np.full(block.shape[0], lower))
        self.upper.append(np.full(block.shape[0], upper))

    def program(self, cost: NDArray[np.float64], integer: NDArray[np.bool_]) -> IntegerProgram:
        """With these costs, all variables between 0 and 1."""
        return IntegerProgram(
            cost=cost,
            rows=sparse.csr_matrix(sparse.vstack(self.blocks)),
            row_lower=np.concatenate(self.lower),
            row_upper=np.concatenate(self.upper),
            upper=np.ones(len(cost)),
            integer=integer,
        )


class _McCormick:
    """``exact`` (rho is None) and ``kgh17``: a, b, products y on ones, z on ones; and on zeros
    z of the entry (``exact``) or y of each rectangle (``kgh17``)."""

    def __init__(
        self, matrix: BinaryMatrix, k: int, rho: Fraction | None, symmetry_breaking: bool
    ) -> None:
        self.matrix, self.k, self.rho = matrix, k, rho
        n, m = matrix.shape
        self.n, self.m = n, m
        observed = matrix.weights > 0
        self.ones = np.argwhere(matrix.ones & observed)
        self.zeros = np.argwhere(~matrix.ones & observed)
        one_weights = matrix.weights[tuple(self.ones.T)]
        zero_weights = matrix.weights[tuple(self.zeros.T)]
        self.constant = float(one_weights.sum())
        # The objective moves in whole weights, so less than one more is no gap.
        self.gap = 0.999 if rho is None or rho.denominator == 1 else 1e-6
        count, copies = len(self.ones), 1 if rho is None else k
        self._y = n * k + k * m
        self._z = self._y + count * k
        self._w = self._z + count
        variables = self._w + copies * len(self.zeros)
        cost = np.zeros(variables)
        cost[self._z : self._w] = -one_weights
        price = 1.0 if rho is None else float(rho)
        cost[self._w :] = price * np.tile(zero_weights, copies)
        integer = np.zeros(variables, dtype=np.bool_)
        integer[: self._y] = True
        rows = self._rows(variables)
        if symmetry_breaking and k > 1:
            rows.add_block(self._symmetry(variables), 0.0, np.inf)
        self.program = rows.program(cost, integer)

    def _a(self, i: NDArray[np.int64], u: int) -> NDArray[np.int64]:
        return i * self.k + u

    def _b(self, u: int, j: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.n * self.k + u * self.m + j

    def _rows(self, variables: int) -> _Rows:
        rows = _Rows()
        (i, j), (r, c) = self.ones.T, self.zeros.T
        count, holes = len(i), len(r)
        z = self._z + np.arange(count)
        products = [self._y + u * count + np.arange(count) for u in range(self.k)]
        # z <= sum of y, and y <= a, y <= b: what the objective pushes up on ones.
        rows.add(variables, -np.inf, 0.0, (z, 1.0), *((y, -1.0) for y in products))
        for u, y in enumerate(products):
            rows.add(variables, -np.inf, 0.0, (y, 1.0), (self._a(i, u), -1.0))
            rows.add(variables, -np.inf, 0.0, (y, 1.0), (self._b(u, j), -1.0))
            # a + b - 1 <= z, or y: what the objective pushes down on zeros.
            shift = 0 if self.rho is None else u * holes
            w = self._w + shift + np.arange(holes)
            rows.add(variables, -np.inf, 1.0, (self._a(r, u), 1.0), (self._b(u, c), 1.0), (w, -1.0))
        return rows

    def _symmetry(self, variables: int) -> sparse.coo_matrix:
        """The ones in column u of A minus those in column u + 1."""
        rows = np.repeat(np.arange(self.k - 1), 2 * self.n)
        i = np.arange(self.n)
        pairs = [(self._a(i, u), self._a(i, u + 1)) for u in range(self.k - 1)]
        columns = np.concatenate([np.concatenate(pair) for pair in pairs])
        values = np.tile(np.repeat([1.0, -1.0], self.n), self.k - 1)
        return sparse.coo_matrix((values, (rows, columns)), shape=(self.k - 1, variables))

    def point(self, factors: Factors) -> NDArray[np.float64]:
        """The factors as a point of the model, the fullest column of A first."""
        factors = factors.padded(self.k)
        order = np.argsort(-factors.A.sum(axis=0), kind="stable")
        A, B = factors.A[:, order], factors.B[order]
        (i, j), (r, c) = self.ones.T, self.zeros.T
        on_ones = A[i] & B.T[j]
        on_zeros = A[r] & B.T[c]
        if self.rho is None:
            on_zeros = np.asarray(on_zeros.any(axis=1, keepdims=True))
        parts = [A.ravel(), B.ravel(), on_ones.T.ravel(), on_ones.any(axis=1)]
        return np.concatenate([*parts, on_zeros.T.ravel()]).astype(np.float64)

    def factors(self, x: NDArray[np.float64]) -> Factors:
        """The factors of a solution."""
        binary = x[: self._y] > 0.5
        A = binary[: self.n * self.k].reshape(self.n, self.k)
        return Factors(A, binary[self.n * self.k :].reshape(self.k, self.m))

    def objective(self, factors: Factors) -> Fraction:
        """What the model minimises, recomputed from the factors."""
        if self.rho is None:
            return Fraction(factors.error(self.matrix))
        return factors.objective(self.matrix, self.rho)


class _Enumeration:
    """``lva08``: alpha (row i uses pattern t), delta (pattern t is chosen), z on ones."""

    def __init__(self, matrix: BinaryMatrix, k: int, rho: Fraction) -> None:
        self.matrix, self.k, self.rho = matrix, k, rho
        n, m = matrix.shape
        self.n = n
        self.patterns = (np.arange(1, 2**m)[:, None] >> np.arange(m) & 1).astype(np.bool_)
        count = len(self.patterns)
        observed = matrix.weights > 0
        self.ones = np.argwhere(matrix.ones & observed)
        one_weights = matrix.weights[tuple(self.ones.T)]
        zero_prices = np.where(matrix.ones, 0, matrix.weights) * float(rho)
        self.constant = float(one_weights.sum())
        self.gap = 0.999 if rho.denominator == 1 else 1e-6
        self._delta = n * count
        self._z = self._delta + count
        variables = self._z + len(self.ones)
        cost = np.zeros(variables)
        cost[: self._delta] = (zero_prices @ self.patterns.T.astype(np.float64)).ravel()
        cost[self._z :] = -one_weights
        integer = np.zeros(variables, dtype=np.bool_)
        integer[: self._z] = True
        self.program = self._rows(variables).program(cost, integer)

    def _rows(self, variables: int) -> _Rows:
        rows, count = _Rows(), len(self.patterns)
        alpha = np.arange(self._delta)
        delta = self._delta + np.tile(np.arange(count), self.n)
        rows.add(variables, -np.inf, 0.0, (alpha, 1.0), (delta, -1.0))
        blocks = []
        for position, (i, j) in enumerate(self.ones):
            holding = np.flatnonzero(self.patterns[:, j])
            columns = np.append(i * count + holding, self._z + position)
            values = np.append(-np.ones(len(holding)), 1.0)
            row = np.zeros(len(columns), dtype=np.int64)
            blocks.append(sparse.coo_matrix((values, (row, columns)), shape=(1, variables)))
        if blocks:
            rows.add_block(sparse.vstack(blocks), -np.inf, 0.0)
        some = sparse.coo_matrix(
            (np.ones(count), (np.zeros(count, np.int64), self._delta + np.arange(count))),
            shape=(1, variables),
        )
        rows.add_block(some, -np.inf, float(self.k))
        return rows

    def point(self, factors: Factors) -> NDArray[np.float64]:
        """The factors as a point of the model; equal patterns are one."""
        m = self.matrix.shape[1]
        alpha = np.zeros((self.n, len(self.patterns)))
        codes = factors.B.astype(np.int64) @ (1 << np.arange(m))
        for u, code in enumerate(codes):
            if code:
                alpha[:, code - 1] = np.maximum(alpha[:, code - 1], factors.A[:, u])
        i, j = self.ones.T
        covered = factors.product()[i, j]
        return np.concatenate([alpha.ravel(), alpha.any(axis=0), covered]).astype(np.float64)

    def factors(self, x: NDArray[np.float64]) -> Factors:
        """The factors of a solution."""
        alpha = x[: self._delta].reshape(self.n, -1) > 0.5
        chosen = np.flatnonzero(alpha.any(axis=0))
        return Factors(alpha[:, chosen], self.patterns[chosen]).padded(self.k)

    def objective(self, factors: Factors) -> Fraction:
        """What the model minimises, recomputed from the factors."""
        return factors.objective(self.matrix, self.rho)
