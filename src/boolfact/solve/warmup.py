"""Compilation apart from solving: kernels are compiled or loaded before the clock starts."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

from boolfact.control.executor import make_executor
from boolfact.control.progress import Event, Progress
from boolfact.control.stop import Stop
from boolfact.datasets.planted import planted
from boolfact.model.reduction import reduce_matrix
from boolfact.solve.method import find_method
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["warm_up"]

_ready: set[tuple[str, bool]] = set()
"""Methods that were warmed up in this process, for few ranks and for many."""
_SAME_KERNELS = {"compact": "asso_plus_plus", "exact": "auto"}
"""HiGHS has nothing to compile; what the method starts from has. A search tree has no kernels."""
_FEW = 6
"""Ranks up to this one and larger ones use different kernels."""
_SHAPE = (30, 20)
"""Large enough for every kernel to have something to do, small enough to take no time."""


def warm_up(name: str, k: int, progress: Progress) -> float:
    """Run a method on a tiny problem so its kernels are there; the seconds it took.

    Numba compiles a kernel when it is first called on a machine and keeps it in a cache. A
    time limit is for solving, so this happens before, once in a process for each method.
    """
    method = find_method(_SAME_KERNELS.get(name, name))
    key = (method.name, k <= _FEW)
    if key in _ready:
        return 0.0
    began = time.perf_counter()
    if not _is_cached():
        progress(Event("compiling", 0.0, message="the kernels, once on this machine; some 15 s"))
    rank = min(k, _FEW if k <= _FEW else _FEW + 2)
    example = planted(*_SHAPE, rank, noise=0.1, seed=0).matrix
    matrix = reduce_matrix(example).matrix if method.merges else example
    with make_executor(1) as executor:
        task = Task(
            matrix=matrix,
            k=rank,
            rho=Fraction(1),
            seed=0,
            stop=Stop(iteration_limit=3),
            executor=executor,
            bound="auto",
        )
        state = State.begin(matrix, rank, task.rho)
        method.run(task, state, Reporter(state))
    _ready.add(key)
    return time.perf_counter() - began


def _is_cached() -> bool:
    """Whether kernels were compiled here before, by the files that Numba left."""
    from boolfact.pricing.heuristic import alternate

    # Beside the sources, or with the caches of our other modules in Numba's own folder.
    folder = alternate.stats.cache_path
    return folder is not None and any(Path(folder).parent.rglob("*.nbi"))
