"""Large data: when they are, and from their rows to a result."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.cluster.data import ClusterCodes, prepare_cluster
from boolfact.cluster.merge import reduce_cluster
from boolfact.cluster.read import read_cluster
from boolfact.cluster.rows import ClusterRows
from boolfact.control.cluster import Cluster
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.io.many import is_collection
from boolfact.io.rows import as_rows, shape_of
from boolfact.large.counting import Counts
from boolfact.large.data import LargeData, Solution, prepare
from boolfact.large.refit import RowFit, count
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

__all__ = [
    "LARGE_CELLS",
    "LargeAnswer",
    "Rows",
    "large_rows",
    "place_rows",
    "solve_large",
    "warm_up_large",
]

LARGE_CELLS = 10_000_000
"""Cells above which data are large: a dense search would hold some 20 bytes for each, and take
seconds for a single child."""

_METHODS = ("auto", "local")
_MOST_TURNED = 1 << 33
"""Cells of wide data on a cluster that are fetched in bits, to be turned: 1 GiB."""
_ORDER_CELLS = 400_000
"""Cells of the rows by which the patterns are put in order."""
_PATIENCE, _TIMES = 10.0, 10.0
"""As for `auto` on other data: when nothing better has come for long, the run ends."""
_SEARCH_SHARE = 0.3
"""Of the time, for the search where a bound is asked for; the rest is for the proof."""
_FEWEST_ROUNDS = 8
"""But not before so many rounds: one of them may be long."""


Rows = PackedMatrix | SparseMatrix | ClusterRows


def place_rows(X: Any, cluster: Cluster, *, binarize: float | None, progress: Progress) -> Any:
    """Large data as rows on a cluster; other data as they are, or here if they are not yet.

    So the answer is the one that the same data have without a cluster.
    """
    if isinstance(X, ClusterRows | BinaryMatrix):
        return X
    shape = shape_of(X, binarize)
    if shape is not None and shape[0] * shape[1] <= LARGE_CELLS:
        return X
    if shape is None and not is_collection(X):
        return X
    rows = read_cluster(X, cluster, binarize=binarize, progress=progress)
    n, m = rows.shape
    if n * m <= LARGE_CELLS:
        return BinaryMatrix(rows.here().values(slice(None)), column_names=rows.column_names)
    if m > n:
        # The search goes over the longer side, so these rows would have to be columns.
        if n * m > _MOST_TURNED:
            raise ValueError(
                f"{n} x {m} on a cluster has more columns than rows; give the transposed matrix"
            )
        return rows.here()
    return rows


def large_rows(
    X: Any, k: int, method: str, *, bound: str, weights: Any, binarize: float | None
) -> Rows | None:
    """The rows of large data; None where the data are to be solved as a dense matrix.

    Packed and sparse matrices are always large. Other data are if they have more than
    `LARGE_CELLS` cells, the method is "auto" or "local", there are no weights of entries, no
    bound on the objective was asked for, and k is at most 64.
    """
    given = isinstance(X, PackedMatrix | SparseMatrix | ClusterRows)
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
        return X if isinstance(X, ClusterRows) else as_rows(X)
    if method not in _METHODS or weights is not None or bound == "objective":
        return None
    shape = shape_of(X, binarize)
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

    def error(self, rows: Rows) -> int:
        """In the prices of the data."""
        return (
            rows.missed_one_cost * self.counts.missed_ones
            + rows.false_one_cost * self.counts.false_ones
        )

    def objective(self, rows: Rows, rho: Fraction) -> Fraction:
        """MIP(rho), in the prices of the data."""
        missed = rows.missed_one_cost * self.counts.missed_ones
        return missed + rho * rows.false_one_cost * self.counts.covers_of_zeros


def solve_large(
    rows: Rows,
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

    work = _cluster_work(rows, start) if isinstance(rows, ClusterRows) else _work(rows, start)
    search = LargeSearch(work.data, k, seed=seed, progress=tell)
    if start is not None:
        known = Factors(start.B.T, start.A.T) if work.is_turned else start
        search.offer(known, stop=stop, executor=executor)
    ending = _advance(search, method, stop, executor)
    found = _in_order(work.lift(search.best, k), rows)
    counts = count(work.whole, codes_of(found.A), codes_of(found.B.T), executor=executor)
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


@dataclass(frozen=True, eq=False)
class _Work:
    """What is searched, and the way back to the rows and columns that were given."""

    data: LargeData
    whole: LargeData
    is_turned: bool
    row_map: NDArray[np.int64] | None = None
    column_map: NDArray[np.int64] | None = None

    def lift(self, best: Solution, k: int) -> Factors:
        codes = best.U.here() if isinstance(best.U, ClusterCodes) else best.U
        A, B = masks_of(codes, k), masks_of(best.V, k).T
        if self.row_map is not None and self.column_map is not None:
            A, B = A[self.row_map], B[:, self.column_map]
        return Factors(B.T, A.T) if self.is_turned else Factors(A, B)


def _work(rows: PackedMatrix | SparseMatrix, start: Factors | None) -> _Work:
    is_turned = rows.shape[1] > rows.shape[0]
    worked = rows.T if is_turned else rows
    if isinstance(worked, SparseMatrix) or start is not None:
        # Merged rows and columns would have one code where a start may have several.
        return _Work(prepare(worked), prepare(rows), is_turned)
    merged = reduce_packed(worked)
    data = prepare(merged.matrix)
    return _Work(data, prepare(rows), is_turned, merged.row_map, merged.column_map)


def _cluster_work(rows: ClusterRows, start: Factors | None) -> _Work:
    whole = prepare_cluster(rows, rows.n_ones, rows.shape[0])
    if start is not None:
        return _Work(whole, whole, is_turned=False)
    merged = reduce_cluster(rows)
    data = prepare_cluster(merged.rows.balanced(), rows.n_ones, rows.shape[0])
    return _Work(data, whole, False, merged.row_map, merged.column_map)


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


def _in_order(factors: Factors, rows: Rows) -> Factors:
    """Patterns that explain most first, by some of the rows if there are very many."""
    n, m = rows.shape
    chosen = np.arange(0, n, max(1, n * m // _ORDER_CELLS))
    part = Factors(factors.A[chosen], factors.B)
    order = pattern_order(part, BinaryMatrix(rows.values(chosen)))
    return Factors(factors.A[:, order], factors.B[order])


def warm_up_large(rows: Rows, k: int) -> float:
    """Compile the kernels on the first rows of the data, for the types that these need.

    Returns the seconds that it took.
    """
    began = time.perf_counter()
    data = prepare(rows.take(np.arange(min(rows.shape[0], 64))))
    search = LargeSearch(data, k)
    search.advance(Stop(iteration_limit=1), SERIAL)
    # Rows that counts of bits do not decide may come later.
    whole = slice(0, data.shape[0])
    RowFit(data, search.best.V, k).fit(data.lists(whole), search.best.U, data.row_weights)
    return time.perf_counter() - began
