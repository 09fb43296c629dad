"""What the cells do: one function for each kind of run, figures as plain numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from boolfact.baselines.asso_plus_plus import asso_plus_plus
from boolfact.baselines.k_greedy import k_greedy
from boolfact.colgen.integer.master import solve_integer_master
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.compact import CompactFormulation, solve_compact
from boolfact.control.ending import Ending
from boolfact.control.progress import silent
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.bound import float_below
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix
from boolfact.rank import rank_bounds
from boolfact.reproduce.cells import Budget
from boolfact.solve.factorize import factorize
from boolfact.solve.warmup import warm_up

__all__ = [
    "compact_gap",
    "dimensions",
    "factorized",
    "integer_value",
    "master_curve",
    "master_value",
]

_SHARE_OF_COLUMNS = 0.8
"""Of the time, for column generation; the rest is for the integer master."""


def dimensions(dataset: str, budget: Budget) -> dict[str, Any]:
    """Shape, share of ones, and the isolation number as an interval."""
    matrix = load_dataset(dataset)
    bounds = rank_bounds(matrix, time_limit=budget.time_limit, seed=budget.seed)
    _not_interrupted(bounds.interrupted)
    figures = bounds.as_dict()
    del figures["isolated"]
    n, m = matrix.shape
    return {"n": n, "m": m, "percent": 100 * matrix.n_ones / (n * m), **figures}


def factorized(dataset: str, k: int, method: str, budget: Budget) -> dict[str, Any]:
    """A run of `boolfact.factorize`."""
    takes_bounds = method in ("auto", "colgen")
    result = factorize(
        dataset,
        k,
        method=method,
        time_limit=budget.time_limit,
        seed=budget.seed,
        workers=1,
        bound="objective" if takes_bounds else "none",
    )
    _not_interrupted(result.ending is Ending.INTERRUPTED)
    masters = [point.master for point in result.trace.points if point.master is not None]
    return {
        "error": result.error,
        "objective": result.objective,
        "objective_lower_bound": result.objective_lower_bound,
        "master": masters[-1] if masters else None,
        "status": result.status.value,
        "ending": result.ending.value,
        "seconds": result.seconds,
    }


def master_value(dataset: str, k: int, one_over_k: bool, budget: Budget) -> dict[str, Any]:
    """Column generation alone: the value of the master and the proved bound on MLP(rho)."""
    matrix = reduce_matrix(load_dataset(dataset)).matrix
    pool = RectanglePool(*matrix.shape)
    warm_up("colgen", k, silent)
    for factors in _starts(matrix, k, budget):
        pool.extend(factors.rectangles)
    stop = Stop(budget.time_limit)
    with stop.listening():
        result = generate_columns(
            MLP(matrix, k, Fraction(1, k) if one_over_k else 1),
            pool=pool,
            stop=stop,
            seed=budget.seed,
        )
    _not_interrupted(stop.interrupted)
    return {
        "master": result.master_value,
        "objective_lower_bound": _stored(None if result.bound is None else result.bound.value),
        "is_optimal": result.is_optimal,
        "seconds": stop.elapsed(),
    }


def integer_value(dataset: str, k: int, budget: Budget) -> dict[str, Any]:
    """MIP(1) over the columns of MLP(1): the least objective found, and the proved bound."""
    matrix = reduce_matrix(load_dataset(dataset)).matrix
    pool = RectanglePool(*matrix.shape)
    warm_up("colgen", k, silent)
    starts = _starts(matrix, k, budget)
    for factors in starts:
        pool.extend(factors.rectangles)
    stop = Stop(budget.time_limit)
    with stop.listening():
        result = generate_columns(
            MLP(matrix, k),
            pool=pool,
            stop=stop.share(_SHARE_OF_COLUMNS),
            seed=budget.seed,
        )
        bound = result.bound
        # The pool was purged on the way; what it began with belongs to the integer master too.
        for factors in starts:
            pool.extend(factors.rectangles)
        solution = solve_integer_master(
            matrix,
            pool,
            k,
            stop=stop,
            incumbent=min(starts, key=lambda factors: factors.objective(matrix)),
            bound=bound,
            climbing=True,
            seed=budget.seed,
        )
    _not_interrupted(stop.interrupted)
    return {
        "objective": float(solution.factors.objective(matrix)),
        "error": solution.factors.error(matrix),
        "objective_lower_bound": _stored(None if bound is None else bound.rounded),
        "seconds": stop.elapsed(),
    }


def _starts(matrix: BinaryMatrix, k: int, budget: Budget) -> list[Factors]:
    """The solutions of k-greedy and ASSO++, as in the paper."""
    return [
        k_greedy(matrix, k, seed=budget.seed),
        asso_plus_plus(matrix, k, seed=budget.seed),
    ]


def master_curve(dataset: str, k: int, strategy: str, budget: Budget) -> dict[str, Any]:
    """Master values and proved bounds over time, from no columns at all, as in the paper."""
    matrix = reduce_matrix(load_dataset(dataset)).matrix
    # Kernels are compiled before the clock starts, those of exact pricing too.
    for name in (strategy, "exact"):
        relaxation = MLP(matrix, k, master="simplex")
        generate_columns(relaxation, strategy=name, stop=Stop(iteration_limit=3))
    stop = Stop(budget.time_limit)
    with stop.listening():
        result = generate_columns(
            MLP(matrix, k, master="simplex"),
            stop=stop,
            seed=budget.seed,
            strategy=strategy,
        )
    _not_interrupted(stop.interrupted)
    points = [
        [point.seconds, point.master, point.objective_lower_bound]
        for point in result.trace.points
        if point.master is not None or point.objective_lower_bound is not None
    ]
    return {
        "points": points,
        "master": result.master_value,
        "objective_lower_bound": _stored(None if result.bound is None else result.bound.value),
        "iterations": result.iterations,
        "seconds": stop.elapsed(),
        "is_optimal": result.is_optimal,
    }


def compact_gap(
    dataset: str, k: int, formulation: CompactFormulation, budget: Budget
) -> dict[str, Any]:
    """A compact formulation from k-greedy: objective and the bound that HiGHS claims."""
    matrix = reduce_matrix(load_dataset(dataset)).matrix
    start = k_greedy(matrix, k, seed=budget.seed)
    stop = Stop(budget.time_limit)
    with stop.listening():
        try:
            result = solve_compact(matrix, k, formulation=formulation, start=start, stop=stop)
        except ValueError as error:
            return {"gap": None, "refused": str(error), "seconds": stop.elapsed()}
    _not_interrupted(stop.interrupted)
    return {
        "gap": 100 * result.claimed_gap,
        "objective": None if result.objective is None else float(result.objective),
        "claimed_bound": result.claimed_bound,
        "nodes": result.nodes,
        "seconds": stop.elapsed(),
    }


def _stored(bound: Fraction | None) -> float | None:
    return None if bound is None else float_below(bound)


def _not_interrupted(interrupted: bool) -> None:
    if interrupted:
        raise KeyboardInterrupt
