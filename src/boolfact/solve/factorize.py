"""`factorize`: the one place where the parts are put together."""

from __future__ import annotations

import math
import numbers
import os
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from fractions import Fraction
from typing import Any, Literal

from boolfact import __version__
from boolfact.certificate import certify_rows, make_certificate
from boolfact.cluster.read import cluster_of
from boolfact.control.checks import checked_seed, checked_workers
from boolfact.control.cluster import ClusterExecutor
from boolfact.control.counters import Counter
from boolfact.control.ending import Ending
from boolfact.control.executor import make_executor
from boolfact.control.progress import Progress, silent
from boolfact.control.stop import Stop
from boolfact.control.trace import TracePoint
from boolfact.io.annotated import select_matrix
from boolfact.io.read import as_matrix
from boolfact.model.bound import Bound, Quantity, float_below
from boolfact.model.costs import with_costs, with_row_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import Reduction, keep_matrix, reduce_matrix
from boolfact.results.patterns import order_patterns
from boolfact.results.result import Result
from boolfact.results.status import status_of
from boolfact.results.tally import Tally, tally_of
from boolfact.solve.gap import GapLimit
from boolfact.solve.large import (
    LargeAnswer,
    Rows,
    large_rows,
    place_rows,
    solve_large,
    warm_up_large,
)
from boolfact.solve.method import METHODS, Method, find_method
from boolfact.solve.reporter import Reporter
from boolfact.solve.start import read_start
from boolfact.solve.state import State
from boolfact.solve.task import SearchOptions, Task
from boolfact.solve.warmup import warm_up

__all__ = ["factorize"]

_IN_ORDER = (Quantity.OBJECTIVE, Quantity.ERROR)
"""Of the bounds in a certificate."""
_ON_A_CLUSTER = ("auto", "local", "exact")
"""Methods of which something is done on the workers of a cluster, for data of any size."""


def factorize(
    X: Any,
    k: int,
    *,
    method: str = "auto",
    start: Any = None,
    rho: float | Fraction = 1,
    time_limit: float | None = 60.0,
    iteration_limit: int | None = None,
    target: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    executor: Any = None,
    bound: Literal["auto", "none", "objective", "error"] = "auto",
    weights: Any = None,
    false_one_cost: int = 1,
    missed_one_cost: int = 1,
    from_below: bool = False,
    binarize: float | None = None,
    layer: str | None = None,
    raw: bool = False,
    progress: Progress | None = None,
    dataset: str | None = None,
    reading: Mapping[str, Any] | None = None,
    objective: Literal["error", "mip"] = "error",
    node_limit: int | None = None,
    gap_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 120.0,
) -> Result:
    """Explain a 0/1 matrix by k overlapping patterns: X ≈ A∘B, a union of k rectangles.

    Parameters
    ----------
    X : array-like, sparse matrix, DataFrame, AnnData, path, pattern or name of a bundled dataset
        Entries 0, 1 or missing, see `boolfact.as_matrix`. Data of more than ten million cells
        are kept in bits, or by their ones if these are few; so are `PackedMatrix` and
        `SparseMatrix` of any size. Arrays and frames of Dask may be larger than the memory of
        this machine, see `executor`. A bound on the objective, weights of entries, or a method
        other than "auto" and "local" need a dense matrix.
    k : int
        How many patterns.
    method : str
        One of `boolfact.methods()`.
    start : Factors, pair (A, B), Result, or folder of a saved result, optional
        A solution to begin from, with at most k patterns. The answer is never worse. The
        methods "auto", "local", "colgen", "exact" and "compact" take one, the others refuse it.
    rho : float or Fraction
        Price of covering a zero once more in the MIP(rho) objective that column generation
        works on. The error itself does not depend on it.
    time_limit : float, optional
        Seconds, 60 by default; None for no limit. Ctrl-C ends the run early; either way the
        best solution so far is returned. "auto" ends before if the error is proved, or, once
        nothing is left to prove, if the best has not been beaten for ten times as long as it
        took to come.
    iteration_limit : int, optional
        With it, and a time limit that does not bind, the same seed gives the same answer on
        any machine and with any number of workers.
    target : int, optional
        Stop as soon as the error is at most this; with `objective="mip"`, the objective.
    seed : int
    workers : int, optional
        Threads; all cores by default.
    executor : distributed.Client, optional
        A cluster: large data are kept on its workers, in bits, and all that has to see every row
        is done there; searches of samples stay on this machine. For data of up to ten million
        cells the chains of the local search and the nodes of `exact` are tasks for the workers,
        and the other proofs stay here. Without it, data of Dask use the default client if there
        is one.
    bound : {"auto", "none", "objective", "error"}
        Which lower bounds to prove: on the MIP(rho) objective alone, on the error above all,
        or none; "auto" proves both, with most of the time for the one on the error. For large
        data "auto" proves nothing; "error" takes seven tenths of the time.
    weights, binarize, layer, raw
        See `boolfact.as_matrix`.
    false_one_cost, missed_one_cost, from_below
        Prices of the two kinds of mistakes, see `boolfact.model.costs.with_costs`. Error, objective
        and bounds are in these prices.
    progress : callable, optional
        Called with a `boolfact.control.progress.Event` now and then, from one thread at a time,
        which is not always that of the caller.
    dataset : str, optional
        What the result calls the data; by default the path or name given as X.
    reading : mapping, optional
        How X was read from `dataset`, where the caller did that: kept with the settings of the
        result, for whoever reads the data again.
    objective : {"error", "mip"}
        What the method "exact" minimises and proves: the error, or the MIP(rho) objective.
    node_limit : int, optional
        Of the method "exact": end after about this many nodes of its tree. With it, and a time
        limit that does not bind, the same seed gives the same answer with any number of workers.
    gap_limit : float, optional
        Of the methods "auto", "colgen" and "exact": end once (error - bound) / error is at most
        this; 0.01 stands for 1 %. With `objective="mip"` it is the gap of the objective.
    checkpoint, resume : path, optional
        Of the method "exact": a file that the search is written to every `checkpoint_seconds` and
        at the end, whatever ends it; and a file to go on from, of the same data, k, objective
        and costs.
    checkpoint_seconds : float

    Returns
    -------
    Result

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    >>> result = factorize(X, 2, time_limit=5)
    >>> result.error
    0

    A run can go on from what an earlier one found:

    >>> factorize(X, 2, start=result, method="local", time_limit=5).error
    0
    """
    chosen, k = find_method(method), _whole_rank(k)
    exact_rho = _checked_rho(rho)
    if bound not in ("auto", "none", "objective", "error"):
        raise ValueError(f"bound must be 'auto', 'none', 'objective' or 'error', got {bound!r}")
    seed, workers = checked_seed(seed), checked_workers(workers)
    given = {
        "objective": None if objective == "error" else objective,
        "node_limit": node_limit,
        "gap_limit": gap_limit,
        "checkpoint": checkpoint,
        "resume": resume,
    }
    if "node_limit" in chosen.options and iteration_limit is not None:
        raise ValueError(f"method {chosen.name} counts nodes: give node_limit, not iteration_limit")
    _check_options(chosen, given)
    if dataset is None and isinstance(X, str | os.PathLike):
        dataset = os.fspath(X)
    X = select_matrix(X, layer, raw)
    prices: dict[str, Any] = {
        "false_one_cost": false_one_cost,
        "missed_one_cost": missed_one_cost,
        "from_below": from_below,
    }
    cluster = cluster_of(executor, X)
    if cluster is not None and weights is None:
        X = place_rows(X, cluster, binarize=binarize, progress=progress or silent)
    data: BinaryMatrix | Rows
    rows = large_rows(X, k, method, bound=bound, weights=weights, binarize=binarize)
    if rows is None:
        data = matrix = with_costs(as_matrix(X, binarize=binarize, weights=weights), **prices)
    else:
        data = rows = with_row_costs(rows, **prices)
    k = _useful_rank(k, data.shape)
    known = _checked_start(start, chosen, data.shape, k)
    settings = {
        "version": __version__,
        "time_limit": time_limit,
        "iteration_limit": iteration_limit,
        "target": target,
        "bound": bound,
        "start": _description(start),
        **_settings_of(given),
        "binarize": binarize,
        "layer": layer,
        "raw": True if raw else None,
        "false_one_cost": int(false_one_cost),
        "missed_one_cost": int(missed_one_cost),
        "from_below": bool(from_below),
        **(reading or {}),
    }
    common: dict[str, Any] = {
        "k": k,
        "method": method,
        "dataset": dataset,
        "seed": seed,
        "rho": exact_rho,
        "settings": settings,
        "row_names": data.row_names,
        "column_names": data.column_names,
    }
    if rows is not None:
        stop = Stop(time_limit, iteration_limit, target)
        listener = progress or silent
        if gap_limit is not None:
            listener = GapLimit(gap_limit, stop).watching(listener)
        return _factorize_large(
            rows, common, known, stop, workers, listener, prove=bound == "error"
        )
    options = _checked_search(given, matrix, k, exact_rho, target, checkpoint_seconds)
    on_error = options.on is Quantity.ERROR
    stop = Stop(time_limit, iteration_limit, target if on_error else None)
    compiling = warm_up(method, k, progress or silent, matrix)
    elsewhere = None
    if cluster is not None and method in _ON_A_CLUSTER:
        elsewhere = ClusterExecutor(cluster)
        elsewhere.everywhere(warm_up, method, k, silent, elsewhere.share(matrix))
    stop.restart()
    reduction = reduce_matrix(matrix) if chosen.merges else keep_matrix(matrix)
    state = State.begin(reduction.matrix, min(k, *reduction.matrix.shape), exact_rho, seed)
    state.trace.count(Counter.SECONDS_COMPILING, compiling)
    # Until the result is there: to order the patterns of a long search may take a while, too.
    with stop.listening():
        if k >= min(reduction.matrix.shape):
            state.adopt(Factors.reproducing(reduction.matrix), reduction.matrix)
            ending = Ending.PROVED
        else:
            if known is not None:
                state.offer(reduction.restrict(known), reduction.matrix)
                first = TracePoint(0.0, error=state.error, objective=float(state.objective))
                state.trace.add(first)
            with make_executor(workers) as executor, elsewhere or nullcontext():
                task = Task(
                    reduction.matrix, k, exact_rho, seed, stop, executor, bound, options,
                    elsewhere, reduction,
                )  # fmt: skip
                # A branch and bound has a gap of its own, which may be that of the objective.
                watched = gap_limit is not None and "node_limit" not in chosen.options
                gap = GapLimit(gap_limit or 0.0, stop) if watched else None
                ending = _run(chosen, task, state, Reporter(state, progress or silent, gap))
        return _result(state, matrix, reduction, stop, ending, common)


def _run(method: Method, task: Task, state: State, reporter: Reporter) -> Ending:
    """Run a method; where memory runs out, the best so far is the answer."""
    known = state.error
    try:
        return method.run(task, state, reporter)
    except MemoryError:
        if state.population is not None:
            state.keep(state.population.best, task.matrix)
        if state.error >= known:
            raise
        warnings.warn(
            f"memory ran out after {task.stop.elapsed():.1f} s; this is the best solution so far",
            stacklevel=3,
        )
        return Ending.OUT_OF_MEMORY


def _result(
    state: State,
    matrix: BinaryMatrix,
    reduction: Reduction,
    stop: Stop,
    ending: Ending,
    common: dict[str, Any],
) -> Result:
    """What a run found, lifted to the data that was given, and recomputed there."""
    k, rho = common["k"], common["rho"]
    factors = order_patterns(reduction.lift(state.best).padded(k), matrix)
    error, reached = factors.error(matrix), factors.objective(matrix, rho)
    on_objective = _proved(state, Quantity.OBJECTIVE, reached)
    proved_error = _proved(state, Quantity.ERROR, Fraction(error))
    bounds = [bound for on in _IN_ORDER if (bound := _bound_on(state, on)) is not None]
    seconds = stop.elapsed()
    state.trace.add(TracePoint(seconds, error=error, objective=float(reached)))
    return Result(
        A=factors.A,
        B=factors.B,
        error=error,
        objective=float(reached),
        status=status_of(error, reached, proved_error, on_objective),
        ending=ending,
        objective_lower_bound=None if on_objective is None else float_below(on_objective),
        error_lower_bound=None if proved_error is None else float_below(proved_error),
        objective_bound_by=_proved_by(state, Quantity.OBJECTIVE, reached),
        error_bound_by=_proved_by(state, Quantity.ERROR, Fraction(error)),
        seconds=seconds,
        iterations=state.iterations,
        digest=matrix.digest(),
        trace=state.trace,
        tally=tally_of(factors, matrix),
        certificate=make_certificate(reduction, k, bounds) if bounds else None,
        **common,
    )


def _factorize_large(
    rows: Rows,
    common: dict[str, Any],
    start: Factors | None,
    stop: Stop,
    workers: int,
    progress: Progress,
    prove: bool,
) -> Result:
    """The same for large data: a search on samples, refits on all rows, proofs if asked for."""
    k, rho = common["k"], common["rho"]
    digest = rows.digest()
    compiling = warm_up("auto" if prove else "local", k, progress) + warm_up_large(rows, k)
    stop.restart()
    with make_executor(workers) as executor, stop.listening():
        answer = solve_large(
            rows,
            k,
            method=common["method"],
            start=start,
            seed=common["seed"],
            stop=stop,
            executor=executor,
            progress=progress,
            prove=prove,
        )
    error, objective = answer.error(rows), answer.objective(rows, rho)
    seconds = stop.elapsed()
    answer.trace.count(Counter.SECONDS_COMPILING, compiling)
    answer.trace.add(TracePoint(seconds, error=error, objective=float(objective)))
    bound = answer.bound
    on_error = Fraction(0) if error == 0 else None if bound is None else bound.rounded
    on_objective = Fraction(0) if objective == 0 else None
    return Result(
        A=answer.factors.A,
        B=answer.factors.B,
        error=error,
        objective=float(objective),
        status=status_of(error, objective, on_error, on_objective),
        ending=answer.ending,
        error_lower_bound=None if on_error is None else float_below(on_error),
        error_bound_by=None if bound is None else bound.relaxation,
        objective_lower_bound=None if on_objective is None else 0.0,
        seconds=seconds,
        iterations=answer.iterations,
        digest=digest,
        trace=answer.trace,
        tally=_tally_of_rows(rows, answer),
        certificate=None if bound is None else certify_rows(rows, digest, k, [bound]),
        **common,
    )


def _tally_of_rows(rows: Rows, answer: LargeAnswer) -> Tally | None:
    """The entries counted; None where rows and columns count for more than one."""
    if rows.row_weights is not None or rows.column_weights is not None:
        return None
    n, m = rows.shape
    counts = answer.counts
    return Tally(n * m - rows.n_missing, rows.n_ones, counts.missed_ones, counts.false_ones)


def _checked_search(
    given: dict[str, Any],
    matrix: BinaryMatrix,
    k: int,
    rho: Fraction,
    target: int | None,
    checkpoint_seconds: float,
) -> SearchOptions:
    """What a branch and bound takes; a file to go on from is looked at."""
    if given["objective"] not in (None, "mip"):
        raise ValueError(f"objective must be 'error' or 'mip', got {given['objective']!r}")
    if not checkpoint_seconds >= 0:
        raise ValueError(f"checkpoint_seconds must not be negative, got {checkpoint_seconds!r}")
    on = Quantity.ERROR if given["objective"] is None else Quantity.OBJECTIVE
    about = {
        "digest": matrix.digest(),
        "k": k,
        "objective": given["objective"] or "error",
        # The error does not depend on rho.
        "rho": str(rho) if on is Quantity.OBJECTIVE else None,
    }
    from boolfact.exact.checkpoint import check_writable, read_checkpoint
    from boolfact.exact.search import Limits

    limits = Limits(given["node_limit"], given["gap_limit"])
    if given["resume"] is not None:
        read_checkpoint(given["resume"], about)
    if given["checkpoint"] is not None:
        check_writable(given["checkpoint"])
    return SearchOptions(
        on=on,
        node_limit=limits.nodes,
        gap_limit=limits.gap,
        target=None if target is None else Fraction(target),
        checkpoint=given["checkpoint"],
        resume=given["resume"],
        checkpoint_seconds=checkpoint_seconds,
        about=about,
    )


def _check_options(method: Method, given: dict[str, Any]) -> None:
    """Refuse what the method does not take, and a gap that is none."""
    for name, value in given.items():
        if value is not None and name not in method.options:
            able = [other.name for other in METHODS.values() if name in other.options]
            verb = "have" if len(able) > 1 else "has"
            raise ValueError(f"method {method.name} has no {name}; {', '.join(able)} {verb}")
    gap = given["gap_limit"]
    if gap is not None and not 0 <= gap < math.inf:
        raise ValueError(f"gap_limit must be a number from 0 on, got {gap}")


def _settings_of(given: dict[str, Any]) -> dict[str, Any]:
    """What was asked of a branch and bound, to be kept with the result."""
    return {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in given.items()
        if value is not None
    }


def _checked_start(start: Any, method: Method, shape: tuple[int, int], k: int) -> Factors | None:
    if start is None:
        return None
    if not method.takes_start:
        able = ", ".join(other.name for other in METHODS.values() if other.takes_start)
        raise ValueError(f"method {method.name} cannot begin from a start; {able} can")
    return read_start(start, shape, k)


def _description(start: Any) -> str | None:
    """What to remember of a start: its folder, or that there was one."""
    if start is None:
        return None
    return os.fspath(start) if isinstance(start, str | os.PathLike) else "given"


def _whole_rank(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, numbers.Integral):
        raise TypeError(f"k must be a whole number of patterns, got {k!r}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return int(k)


def _useful_rank(k: int, shape: tuple[int, int]) -> int:
    useful = min(shape)
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
    exact = Fraction(rho).limit_denominator(10_000)
    if not exact:
        raise ValueError(f"rho must be at least 1/10000, got {rho!r}")
    return exact


def _proved(state: State, on: Quantity, reached: Fraction) -> Fraction | None:
    """The best proved lower bound on a quantity of which a value is reached."""
    bound = _bound_on(state, on)
    if reached == 0:
        return Fraction(0)
    if bound is None:
        return None
    if bound.rounded > reached:
        raise AssertionError(
            f"bug: the bound {bound.rounded} exceeds the {on.value} {reached} reached"
        )
    return bound.rounded


def _proved_by(state: State, on: Quantity, reached: Fraction) -> str | None:
    """The relaxation behind a bound; None where there is none, or nothing to prove."""
    bound = _bound_on(state, on)
    return None if bound is None or reached == 0 else bound.relaxation


def _bound_on(state: State, on: Quantity) -> Bound | None:
    """The best bound on a quantity; below 0 it says nothing, and nobody need check it."""
    bound = state.bounds.get(on)
    return None if bound is None or bound.value < 0 else bound
