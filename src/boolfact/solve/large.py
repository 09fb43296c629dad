"""Large data: when they are, and from their rows to a result."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.io.rows import as_rows, shape_of
from boolfact.large.counting import Counts
from boolfact.large.data import prepare
from boolfact.large.refit import count
from boolfact.large.search import LargeSearch
from boolfact.local_search.problem import MAX_RANK, codes_of, masks_of
from boolfact.model.bound import Bound
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.merging import reduce_packed
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix
from boolfact.results.patterns import pattern_order
from boolfact.solve.large_bound import prove_large

__all__ = ["LARGE_CELLS", "LargeAnswer", "large_rows", "solve_large", "warm_up_large"]

LARGE_CELLS = 10_000_000
"""Cells above which data are large: a dense search would hold some 20 bytes for each, and take
seconds for a single child."""

_METHODS = ("auto", "local")
_ORDER_CELLS = 400_000
"""Cells of the rows by which the patterns are put in order."""
_PATIENCE, _TIMES = 10.0, 10.0
"""As for `auto` on other data: when nothing better has come for long, the run ends."""
_SEARCH_SHARE = 0.3
"""Of the time, for the search where a bound is asked for; the rest is for the proof."""
_FEWEST_ROUNDS = 8
"""But not before so many rounds: one of them may be long."""


def large_rows(
    X: Any, k: int, method: str, *, bound: str, weights: Any, binarize: float | None
) -> PackedMatrix | SparseMatrix | None:
    """The rows of large data; None where the data are to be solved as a dense matrix.

    Packed and sparse matrices are always large. Other data are if they have more than
    `LARGE_CELLS` cells, the method is "auto" or "local", there are no weights of entries, no
    bound on the objective was asked for, and k is at most 64.
    """
    given = isinstance(X, PackedMatrix | SparseMatrix)
    if given:
        if method not in _METHODS:
            raise ValueError(
                f"method {method} needs a dense matrix; {' and '.join(_METHODS)} take packed and "
                "sparse ones"
            )
        if weights is not None:
            raise ValueError(
                "packed and sparse matrices have weights of rows and columns; weights of entries "
                "need a dense matrix"
            )
        if bound == "objective":
            raise ValueError(
                "bound='objective' needs a dense matrix; for large data use bound='error', 'none' "
                "or 'auto'"
            )
        if k > MAX_RANK:
            raise ValueError(f"k may be at most {MAX_RANK} for large data, got {k}")
        return as_rows(X)
    if method not in _METHODS or weights is not None or bound == "objective":
        return None
    shape = shape_of(X)
    if shape is None or shape[0] * shape[1] <= LARGE_CELLS or k > MAX_RANK:
        return None
    return as_rows(X, binarize=binarize)


@dataclass(frozen=True, eq=False)
class LargeAnswer:
    """What was found in large data, its errors counted anew on all rows, and what was proved."""

    factors: Factors
    counts: Counts
    ending: Ending
    iterations: int
    trace: Trace
    bound: Bound | None = None

    def error(self, rows: PackedMatrix | SparseMatrix) -> int:
        """In the prices of the data."""
        return (
            rows.missed_one_cost * self.counts.missed_ones
            + rows.false_one_cost * self.counts.false_ones
        )

    def objective(self, rows: PackedMatrix | SparseMatrix, rho: Fraction) -> Fraction:
        """MIP(rho), in the prices of the data."""
        missed = rows.missed_one_cost * self.counts.missed_ones
        return missed + rho * rows.false_one_cost * self.counts.covers_of_zeros


def solve_large(
    rows: PackedMatrix | SparseMatrix,
    k: int,
    *,
    method: str,
    start: Factors | None,
    seed: int,
    stop: Stop,
    executor: Executor,
    progress: Progress,
    prove: bool = False,
) -> LargeAnswer:
    """Search large data until the stop, or for "auto" until nothing better comes for long.

    With `prove` a part of the time is for a bound on the error.
    """
    trace = Trace()
    whole, stop = stop, stop.share(_SEARCH_SHARE) if prove else stop

    def tell(event: Event) -> None:
        point = TracePoint(
            event.seconds, error=event.error, error_lower_bound=event.error_lower_bound
        )
        trace.add(point)
        progress(event)

    is_turned = rows.shape[1] > rows.shape[0]
    worked = rows.T if is_turned else rows
    row_map = column_map = None
    if isinstance(worked, PackedMatrix) and start is None:
        # Merged rows and columns would have one code where a start may have several.
        merged = reduce_packed(worked)
        worked, row_map, column_map = merged.matrix, merged.row_map, merged.column_map
    search = LargeSearch(prepare(worked), k, seed=seed, progress=tell)
    if start is not None:
        known = Factors(start.B.T, start.A.T) if is_turned else start
        search.offer(known, stop=stop, executor=executor)
    ending = _advance(search, method, stop, executor)
    A, B = masks_of(search.best.U, k), masks_of(search.best.V, k).T
    if row_map is not None and column_map is not None:
        A, B = A[row_map], B[:, column_map]
    found = _in_order(Factors(B.T, A.T) if is_turned else Factors(A, B), rows)
    data = prepare(rows)
    counts = count(data, codes_of(found.A), codes_of(found.B.T), executor=executor)
    answer = LargeAnswer(found, counts, ending, search.iterations, trace)
    error = answer.error(rows)
    if not prove or error == 0 or whole.interrupted:
        return answer
    bound = prove_large(
        rows, k, factors=found, stop=whole, seed=seed, executor=executor, progress=tell
    )
    if bound is not None and bound.rounded > error:
        raise AssertionError(f"bug: the bound {bound.rounded} exceeds the error {error} reached")
    if bound is not None and bound.rounded == error:
        ending = Ending.PROVED
    elif whole.now():
        ending = whole.reason or ending
    return replace(answer, bound=bound, ending=ending)


def _advance(search: LargeSearch, method: str, stop: Stop, executor: Executor) -> Ending:
    improved = [stop.elapsed(), search.best.error]

    def stalled() -> bool:
        now = stop.elapsed()
        if search.best.error < improved[1]:
            improved[:] = [now, search.best.error]
        waited = now - improved[0]
        if search.rounds < _FEWEST_ROUNDS:
            return False
        return waited > _PATIENCE and waited > _TIMES * improved[0]

    if method == "auto" and stop.iteration_limit is None:
        within = stop.child(target=stop.target, until=stalled)
    else:
        within = stop.child(iteration_limit=stop.iteration_limit, target=stop.target)
    try:
        search.advance(within, executor)
    except MemoryError:
        if search.best.error >= search.data.nothing:
            raise
        warnings.warn("memory ran out; this is the best solution so far", stacklevel=2)
        return Ending.OUT_OF_MEMORY
    if search.best.error == 0:
        return Ending.PROVED
    if within.reason is Ending.TIME_LIMIT and not stop.now():
        return Ending.DONE
    return within.reason or Ending.DONE


def _in_order(factors: Factors, rows: PackedMatrix | SparseMatrix) -> Factors:
    """Patterns that explain most first, by some of the rows if there are very many."""
    n, m = rows.shape
    chosen = np.arange(0, n, max(1, n * m // _ORDER_CELLS))
    part = Factors(factors.A[chosen], factors.B)
    order = pattern_order(part, BinaryMatrix(rows.values(chosen)))
    return Factors(factors.A[:, order], factors.B[order])


def warm_up_large(rows: PackedMatrix | SparseMatrix, k: int) -> float:
    """Compile the kernels on the first rows of the data, for the types that these need.

    Returns the seconds that it took.
    """
    began = time.perf_counter()
    first = rows.take(np.arange(min(rows.shape[0], 64)))
    LargeSearch(prepare(first), k).advance(Stop(iteration_limit=1), SERIAL)
    return time.perf_counter() - began
