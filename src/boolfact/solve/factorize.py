"""`factorize`: the one place where the parts are put together."""

from __future__ import annotations

import math
import numbers
import os
import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from boolfact import __version__
from boolfact.baselines.registry import BASELINES
from boolfact.certificate import make_certificate
from boolfact.control.checks import checked_seed, checked_workers
from boolfact.control.ending import Ending
from boolfact.control.progress import Progress, silent
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.io.read import as_matrix
from boolfact.model.bound import Bound, Quantity, float_below
from boolfact.model.costs import priced
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix
from boolfact.results.patterns import order_patterns
from boolfact.results.result import Result
from boolfact.results.status import Status, status_of
from boolfact.solve.method import METHODS
from boolfact.solve.task import Method, Outcome, Task
from boolfact.solve.warmup import warm_up

if TYPE_CHECKING:
    from boolfact.colgen.mlp.duals import DualBound

__all__ = ["factorize", "methods"]


def factorize(
    X: Any,
    k: int,
    *,
    method: str = "auto",
    rho: float | Fraction = 1,
    time_limit: float | None = 60.0,
    iteration_limit: int | None = None,
    target: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    bound: Literal["auto", "none", "objective", "error"] = "auto",
    weights: Any = None,
    false_one_cost: int = 1,
    missed_one_cost: int = 1,
    from_below: bool = False,
    binarize: float | None = None,
    progress: Progress | None = None,
    dataset: str | None = None,
) -> Result:
    """Explain a 0/1 matrix by k overlapping patterns: X ≈ A∘B, a union of k rectangles.

    Parameters
    ----------
    X : array-like, sparse matrix, DataFrame, path or name of a bundled dataset
        Entries 0, 1 or missing, see `boolfact.as_matrix`.
    k : int
        How many patterns.
    method : str
        One of `boolfact.methods()`.
    rho : float or Fraction
        Price of covering a zero once more in the MIP(rho) objective that column generation
        works on. The error itself does not depend on it.
    time_limit : float, optional
        Seconds, 60 by default; None for no limit. Ctrl-C ends the run early; either way the
        best solution so far is returned. "auto" ends before if the error is proved, or if the
        best has not been beaten for ten times as long as it took to come.
    iteration_limit : int, optional
        With it, and a time limit that does not bind, the same seed gives the same answer on
        any machine and with any number of workers.
    target : int, optional
        Stop as soon as the error is at most this.
    seed : int
    workers : int, optional
        Threads; all cores by default.
    bound : {"auto", "none", "objective", "error"}
        Which lower bounds to prove: on the MIP(rho) objective alone, on the error above all,
        or none; "auto" proves both, with more time for the one on the objective.
    weights, binarize
        See `boolfact.as_matrix`.
    false_one_cost, missed_one_cost, from_below
        Prices of the two kinds of mistakes, see `boolfact.model.costs.priced`. Error, objective and
        bounds are in these prices.
    progress : callable, optional
        Called with a `boolfact.control.progress.Event` now and then, from one thread at a time,
        which is not always that of the caller.
    dataset : str, optional
        What the result calls the data; by default the path or name given as X.

    Returns
    -------
    Result

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    >>> result = factorize(X, 2, time_limit=5)
    >>> result.error
    0
    """
    matrix = as_matrix(X, binarize=binarize, weights=weights)
    if dataset is None and isinstance(X, str | os.PathLike):
        dataset = os.fspath(X)
    matrix = priced(
        matrix,
        false_one_cost=false_one_cost,
        missed_one_cost=missed_one_cost,
        from_below=from_below,
    )
    run = _known_method(method)
    k = _checked_rank(k, matrix)
    exact_rho = _checked_rho(rho)
    if bound not in ("auto", "none", "objective", "error"):
        raise ValueError(f"bound must be 'auto', 'none', 'objective' or 'error', got {bound!r}")
    seed, workers = checked_seed(seed), checked_workers(workers)
    Stop(time_limit, iteration_limit, target)  # refuses bad limits before anything is done
    compiling = warm_up(method, k, progress or silent)
    stop = Stop(time_limit, iteration_limit, target)
    merges = method not in BASELINES or BASELINES[method].merges
    reduction = reduce_matrix(matrix) if merges else keep_matrix(matrix)
    trace = Trace(counters={"seconds compiling": compiling})
    if k >= min(reduction.matrix.shape):
        outcome = Outcome(Factors.reproducing(reduction.matrix))
    else:
        task = Task(
            matrix=reduction.matrix,
            k=k,
            rho=exact_rho,
            seed=seed,
            workers=workers,
            stop=stop,
            bound=bound,
            progress=progress or silent,
            trace=trace,
        )
        with stop.listening():
            outcome = run(task)
    factors = order_patterns(reduction.lift(outcome.factors).padded(k), matrix)
    error = factors.error(matrix)
    objective = factors.objective(matrix, exact_rho)
    objective_lower_bound, error_lower_bound = _bounds(outcome, error, objective)
    bounds = [
        _declared(dual, on)
        for dual, on in (
            (outcome.objective_bound, Quantity.OBJECTIVE),
            (outcome.error_bound, Quantity.ERROR),
        )
        if dual is not None
    ]
    status = status_of(error, objective, error_lower_bound, objective_lower_bound)
    seconds = stop.elapsed()
    trace.add(TracePoint(seconds, error=error))
    return Result(
        A=factors.A,
        B=factors.B,
        error=error,
        objective=float(objective),
        status=status,
        ending=_ending(outcome, status),
        k=k,
        method=method,
        dataset=dataset,
        objective_lower_bound=_stored(objective_lower_bound),
        error_lower_bound=_stored(error_lower_bound),
        seconds=seconds,
        seed=seed,
        rho=exact_rho,
        iterations=outcome.iterations,
        settings={
            "version": __version__,
            "time_limit": time_limit,
            "iteration_limit": iteration_limit,
            "target": target,
            "bound": bound,
            "binarize": binarize,
            "false_one_cost": int(false_one_cost),
            "missed_one_cost": int(missed_one_cost),
            "from_below": bool(from_below),
        },
        row_names=matrix.row_names,
        column_names=matrix.column_names,
        digest=matrix.digest(),
        trace=trace,
        certificate=make_certificate(reduction, k, bounds) if bounds else None,
    )


def methods() -> list[str]:
    """Names that `factorize` takes as method.

    Examples
    --------
    >>> "auto" in methods()
    True
    """
    return list(METHODS)


def _known_method(name: str) -> Method:
    if name not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {name!r}")
    return METHODS[name]


def _checked_rank(k: int, matrix: BinaryMatrix) -> int:
    if isinstance(k, bool) or not isinstance(k, numbers.Integral):
        raise TypeError(f"k must be a whole number of patterns, got {k!r}")
    k = int(k)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    useful = min(matrix.shape)
    if k > useful:
        warnings.warn(
            f"k = {k} is larger than min(n, m) = {useful}, with which every matrix of this shape "
            f"is reproduced without error; using k = {useful}",
            UserWarning,
            stacklevel=3,
        )
        return useful
    return k


def _checked_rho(rho: float | Fraction) -> Fraction:
    if isinstance(rho, bool) or not isinstance(rho, numbers.Real):
        raise TypeError(f"rho must be a number, got {rho!r}")
    if not (math.isfinite(rho) and rho > 0):
        raise ValueError(f"rho must be positive and finite, got {rho!r}")
    # 0.95 means 19/20 and 1/3 means a third, not the nearest binary fraction.
    return Fraction(rho).limit_denominator(10_000)


def _bounds(
    outcome: Outcome, error: int, objective: Fraction
) -> tuple[Fraction | None, Fraction | None]:
    """Proved lower bounds on the objective and on the error, kept apart."""
    on_objective = on_error = None
    if outcome.error_bound is not None and outcome.error_bound.error_bound is not None:
        on_error = Fraction(outcome.error_bound.error_bound)
    if outcome.objective_bound is not None:
        on_objective = outcome.objective_bound.objective_bound
    if error == 0:
        on_error = Fraction(0)
    if objective == 0:
        on_objective = Fraction(0)
    for bound, reached, what in (
        (on_objective, objective, "objective"),
        (on_error, error, "error"),
    ):
        if bound is not None and bound > reached:
            raise AssertionError(f"bug: the bound {bound} exceeds the {what} {reached} reached")
    return on_objective, on_error


def _stored(bound: Fraction | None) -> float | None:
    return None if bound is None else float_below(bound)


def _declared(dual: DualBound, on: Quantity) -> Bound:
    """A dual bound with what it is on."""
    rho = dual.point.rho
    return Bound(
        on=on,
        value=dual.value,
        k=dual.k,
        relaxation=f"MLP({rho})",
        proof=_DualProof(dual),
        rho=rho if on is Quantity.OBJECTIVE else None,
    )


@dataclass(frozen=True, eq=False)
class _DualProof:
    dual: DualBound

    def entry(self) -> dict[str, Any]:
        p = self.dual.point.p
        return {
            "kind": "mlp",
            "rho": str(self.dual.point.rho),
            "scale": int(self.dual.point.scale),
            "p": [[int(i), int(j), int(p[i, j])] for i, j in np.argwhere(p)],
            "omega_bound": int(self.dual.omega_bound),
        }


def _ending(outcome: Outcome, status: Status) -> Ending:
    if status is Status.OPTIMAL:
        return Ending.PROVED
    return Ending.DONE if outcome.reason is None else Ending(outcome.reason.value)
