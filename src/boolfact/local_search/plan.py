"""One chain as a task for a thread: what it starts from and what it finds."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.local_search.anneal import Schedule, anneal_columns, make_tables
from boolfact.local_search.chain import Rules, run_chain
from boolfact.local_search.exchange import run_exchange
from boolfact.local_search.problem import Problem, Work, codes_of, make_work, masks_of
from boolfact.local_search.seeds import seed_rectangle
from boolfact.model.factors import Factors

__all__ = ["Found", "Plan", "run_plan", "run_plan_elsewhere"]


@dataclass(frozen=True)
class Plan:
    """What one chain is to do.

    `start` is None for a fresh start; `parents` are the members it was recombined from;
    `reached` is the error of an earlier part of the same chain, if there was one; a chain
    begins with this many `sweeps` of annealing; with `exchange` it walks by exchanges; `fresh`
    and `annealed` tell how the first part of the chain began; `turned` chains see the matrix
    transposed; with `is_last` the part before found nothing on the other side;
    `material` has one set of columns (of rows if turned) per row.
    """

    start: Factors | None
    parents: tuple[int, int] | None
    reached: int | None
    children: int
    sweeps: int
    exchange: bool
    fresh: bool
    annealed: bool
    turned: bool
    state: NDArray[np.uint64]
    material: NDArray[np.bool_]
    epoch: int
    is_last: bool = False


class Found(NamedTuple):
    """The best factorisation that a chain met, its error, and how many children it tried."""

    factors: Factors
    error: int
    children: int


def run_plan(problem: Problem, plan: Plan, rules: Rules, halt: NDArray[np.uint8]) -> Found:
    """Run one chain until it is done or `halt` is raised."""
    k = rules.k
    work = make_work(problem, max(6, k if rules.exact else 0), plan.state, halt)
    if plan.turned:
        problem = problem.turned()
    if plan.start is None and rules.tries > 0:
        # From nothing, exchanges build a solution by themselves.
        U, V = (np.zeros(size, dtype=np.int64) for size in problem.rows.shape)
    elif plan.start is None:
        U, V = _fresh_codes(problem, k, plan.material, work)
    else:
        U, V = codes_of(plan.start.A), codes_of(plan.start.B.T)
        if plan.turned:
            U, V = V, U
    if plan.sweeps > 0:
        tables = make_tables(problem, k)
        schedule = Schedule(plan.sweeps, unit=rules.unit)
        anneal_columns(problem, V, k, rules.target, schedule, tables, work)
    walk = run_exchange if rules.tries > 0 else run_chain
    error, done = walk(problem, U, V, plan.material, rules, work)
    if plan.turned:
        U, V = V, U
    return Found(Factors(masks_of(U, k), masks_of(V, k).T), int(error), int(done))


def run_plan_elsewhere(problem: Problem, plan: Plan, rules: Rules, seconds: float) -> Found:
    """The same in another process, which sees no flag of ours: it halts by its own clock."""
    halt = np.zeros(1, dtype=np.uint8)
    clock = threading.Timer(min(seconds, threading.TIMEOUT_MAX), halt.fill, [1])
    clock.daemon = True
    if math.isfinite(seconds):
        clock.start()
    # What has travelled cannot be written to, for which there are no kernels.
    own = Problem(_writable(problem.rows), _writable(problem.columns), problem.base)
    plan = replace(plan, state=_writable(plan.state), material=_writable(plan.material))
    try:
        return run_plan(own, plan, rules, halt)
    finally:
        clock.cancel()


def _writable(array: NDArray[Any]) -> NDArray[Any]:
    return array if array.flags.writeable else array.copy()


def _fresh_codes(
    problem: Problem, k: int, material: NDArray[np.bool_], work: Work
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rectangles one after another, each from a random seed and settled against the earlier."""
    n, m = problem.rows.shape
    U, V = np.zeros(n, dtype=np.int64), np.zeros(m, dtype=np.int64)
    for u in range(k):
        if work.halt[0]:
            break
        bit = np.uint64(1 << u).astype(np.int64)
        seed_rectangle(problem, U, V, bit, material, work)
    return U, V
