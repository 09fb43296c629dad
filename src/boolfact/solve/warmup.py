"""Compilation apart from solving: kernels are compiled or loaded before the clock starts."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import numba
import numpy as np

from boolfact.colgen.cover.by_size import search_sizes_a_little
from boolfact.colgen.cover.grow import CoverSettings
from boolfact.colgen.cover.pairs import search_pairs_a_little
from boolfact.column_search.kernel import walk_a_little
from boolfact.control.executor import make_executor
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop
from boolfact.datasets.planted import planted
from boolfact.enumeration.search import enumerate_a_little
from boolfact.large.exact import EXACT_RANK
from boolfact.local_search.settings import PopulationSettings
from boolfact.local_search.weights import zeros_are_dear
from boolfact.model.costs import with_costs
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.merging import bits_of
from boolfact.model.reduction import keep_matrix, reduce_matrix
from boolfact.solve.large import warm_up_large
from boolfact.solve.method import Method, find_method
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["warm_up"]

_ready: set[tuple[str, bool, bool, bool]] = set()
"""Methods warmed up in this process, for few ranks and many, with which kinds of weights."""
_SAME_KERNELS = {"compact": "asso_plus_plus", "exact": "auto"}
"""HiGHS has nothing to compile; what the method starts from has. `exact` uses those of `auto`."""
_FEW = 6
"""Ranks up to this one and larger ones use different kernels."""
_SHAPE = (30, 20)
"""Large enough for every kernel to have something to do, small enough to take no time."""


_FIRST_ROWS = 64

_WIDE_ROWS = 2**14
"""Columns from which on sums over a row need longer numbers."""

_WIDE = 2**31
"""Where weights add up to this much, kernels may be needed for longer numbers."""


def warm_up(name: str, k: int, progress: Progress, matrix: BinaryMatrix | None = None) -> float:
    """Run a method on tiny problems so its kernels are there; the seconds it took.

    Numba compiles a kernel when it is first called on a machine and keeps it in a cache. A
    time limit is for solving, so this happens before, once in a process for each method. With
    a matrix the kernels that only its size and weights call for are there, too. Where Numba is
    told not to compile there is nothing to do.
    """
    if getattr(numba.config, "DISABLE_JIT", False):
        return 0.0
    method = find_method(_SAME_KERNELS.get(name, name))
    needed = [(method.name, k <= _FEW, *kind) for kind in _kinds(method, k, matrix)]
    missing = [key for key in needed if key not in _ready]
    began = time.perf_counter()
    by_samples = method.name == "auto" and matrix is not None and _search_first_rows(matrix, k)
    if not missing:
        return time.perf_counter() - began if by_samples else 0.0
    if _is_cached():
        progress(Event("loading", 0.0, message="the kernels"))
    else:
        message = "the kernels, once on this machine; a minute or so, more if it is busy"
        progress(Event("compiling", 0.0, message=message))
    for key in missing:
        _run_example(method, k, dear=key[2], wide=key[3])
        _ready.add(key)
    if method.name == "auto":
        # Its example may be solved before it comes to this.
        walk_a_little(np.int16)
        enumerate_a_little()
        search_pairs_a_little()
        search_sizes_a_little()
        if matrix is not None and matrix.is_weighted:
            walk_a_little(np.int32)
    return time.perf_counter() - began


def _kinds(method: Method, k: int, matrix: BinaryMatrix | None) -> list[tuple[bool, bool]]:
    """Whether zeros are dear and numbers long, in each of the examples to run."""
    kinds = [(False, False)]
    if matrix is None or not method.takes_start:
        return kinds
    # A bound by parts merges rows within each, which may make zeros dear in it.
    in_parts = method.name == "auto" and min(matrix.shape) > CoverSettings().whole_columns
    dear = in_parts or PopulationSettings().exchanges(matrix, k)
    wide = int(matrix.weights.sum()) >= _WIDE
    return kinds + [
        kind
        for kind, is_needed in (
            ((True, False), dear),
            ((False, True), wide),
            ((True, True), dear and wide),
        )
        if is_needed
    ]


def _run_example(method: Method, k: int, dear: bool, wide: bool) -> None:
    """A tiny problem. Dear zeros make the search exchange rectangles, as on large data."""
    rank = min(k, _FEW if k <= _FEW else _FEW + 2)
    example = planted(*_SHAPE, rank, noise=0.1, seed=0).matrix
    if dear:
        example = with_costs(example, from_below=True)
    if wide:
        example = BinaryMatrix(example.values, example.weights * _WIDE)
    matrix = reduce_matrix(example).matrix if method.merges else example
    with make_executor(1) as executor:
        task = Task(
            matrix=matrix,
            k=rank,
            rho=Fraction(1),
            seed=0,
            stop=Stop(iteration_limit=3),
            executor=executor,
            bound="none" if dear or wide else "auto",
        )
        state = State.begin(matrix, rank, task.rho)
        method.run(task, state, Reporter(state))


def _search_first_rows(matrix: BinaryMatrix, k: int) -> bool:
    """Search the first rows as samples are searched, where the matrix is large.

    Prices and width are as they will be. Returns whether that had to be done.
    """
    if not PopulationSettings().is_large(matrix.shape, k):
        return False
    key = ("rows", k <= EXACT_RANK, zeros_are_dear(matrix), matrix.shape[1] >= _WIDE_ROWS)
    if key in _ready:
        return False
    _ready.add(key)
    some = slice(0, _FIRST_ROWS)
    first = BinaryMatrix(matrix.values[some])
    if matrix.is_weighted:
        first = BinaryMatrix(matrix.values[some], matrix.weights[some])
    rows = bits_of(keep_matrix(first))
    if rows is not None:
        warm_up_large(rows, k)
    return True


def _is_cached() -> bool:
    """Whether kernels were compiled here before, by the files that Numba left."""
    from boolfact.pricing.heuristic import alternate

    # Beside the sources, or with the caches of our other modules in Numba's own folder.
    folder = alternate.stats.cache_path
    return folder is not None and any(Path(folder).parent.rglob("*.nbi"))
