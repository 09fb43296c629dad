"""Annealing over the column sets alone, with the rows at their best for every one of them.

The error is a function of the column codes: each row takes the best of its 2^k unions. Here
single bits of column codes are flipped at a falling temperature. All subset sums (see
`refit`) of all rows are kept, so the exact effect of a flip on every row is read off the sums
that it changes: for a column whose code without the bit is c, those of the sets T that
contain c but not the bit. The rows never hold the columns back, as they do when both are
moved in turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.problem import Problem, Work
from boolfact.local_search.xorshift import draw_below, draw_unit

__all__ = ["Schedule", "Tables", "anneal_columns", "flip_gain", "make_tables"]


class Schedule(NamedTuple):
    """Sweeps, and the share of worsening flips to accept in the first and in the last one.

    The temperature follows these shares; only where it begins depends on the scale of errors,
    given as the typical weight of an entry.
    """

    sweeps: int
    first_share: float = 0.1
    last_share: float = 0.003
    unit: float = 1.0


class Tables(NamedTuple):
    """All subset sums, once by set and once by row, and the best of every row.

    `by_set` (2^k, n) makes the maximum over a subcube of sets one long vector operation per
    set; `by_row` (n, 2^k) makes the maximum outside of it one for a single row.
    """

    by_set: NDArray[Any]
    by_row: NDArray[Any]
    best: NDArray[Any]
    where: NDArray[np.int64]
    inside: NDArray[Any]
    after: NDArray[Any]


def make_tables(problem: Problem, k: int) -> Tables:
    """Space for the tables of a problem with k rectangles."""
    n = problem.rows.shape[0]
    dtype = problem.rows.dtype
    return Tables(
        by_set=np.zeros((1 << k, n), dtype=dtype),
        by_row=np.zeros((n, 1 << k), dtype=dtype),
        best=np.zeros(n, dtype=dtype),
        where=np.zeros(n, dtype=np.int64),
        inside=np.zeros(n, dtype=dtype),
        after=np.zeros(n, dtype=dtype),
    )


@njit(cache=True, nogil=True)
def fill_tables(columns: NDArray[Any], V: NDArray[np.int64], k: int, tables: Tables) -> np.int64:
    """Subset sums for column codes V. Returns the sum of the best ones."""
    m, n = columns.shape
    size = 1 << k
    sums = tables.by_set
    sums[:] = 0
    for j in range(m):
        target = sums[V[j]]
        for i in range(n):
            target[i] += columns[j, i]
    half = 1
    while half < size:
        for start in range(0, size, 2 * half):
            for t in range(start, start + half):
                without = sums[t]
                with_bit = sums[t + half]
                for i in range(n):
                    with_bit[i] += without[i]
        half *= 2
    total = np.int64(0)
    for i in range(n):
        row = tables.by_row[i]
        where = 0
        for t in range(size):
            row[t] = sums[t, i]
            if row[t] > row[where]:
                where = t
        tables.where[i] = where
        tables.best[i] = row[where]
        total += np.int64(row[where])
    return total


@njit(cache=True, nogil=True)
def flip_gain(
    costs: NDArray[Any], rest: np.int64, bit: np.int64, k: int, tables: Tables, least: float
) -> np.int64:
    """How much the sum of the best rises if the sets around `rest` without `bit` get `costs`.

    Leaves the new best of each row in `tables.after`. Gives up as soon as the gain is sure to
    be below `least`, and then returns some number below it.
    """
    n = costs.shape[0]
    full = (np.int64(1) << np.int64(k)) - np.int64(1)
    free = full & ~rest & ~bit
    inside, after, best = tables.inside, tables.after, tables.best
    inside[:] = tables.by_set[rest]
    t = free
    while t != 0:
        sums = tables.by_set[rest | t]
        for i in range(n):
            inside[i] = max(inside[i], sums[i])
        t = (t - 1) & free
    gain = np.int64(0)
    for i in range(n):
        raised = inside[i] + costs[i]
        after[i] = raised if raised > best[i] else best[i]
        gain += np.int64(after[i] - best[i])
    # A row falls only if its best set is among those that change, and then to the best of
    # the others at least. This comes last: it only lowers the gain.
    frame = rest | bit
    for i in range(n):
        if costs[i] < 0 and (tables.where[i] & frame) == rest:
            row = tables.by_row[i]
            floor = best[i] + costs[i]
            top = floor
            for s in range(row.shape[0]):
                top = max(top, row[s] if (s & frame) != rest else floor)
            after[i] = top
            gain += np.int64(top - best[i])
            if gain < least:
                return gain
    return gain


@njit(cache=True, nogil=True)
def apply_flip(costs: NDArray[Any], rest: np.int64, bit: np.int64, k: int, tables: Tables) -> None:
    """Change the tables as `flip_gain` foresaw."""
    n = costs.shape[0]
    full = (np.int64(1) << np.int64(k)) - np.int64(1)
    free = full & ~rest & ~bit
    t = free
    while True:
        sums = tables.by_set[rest | t]
        for i in range(n):
            sums[i] += costs[i]
        if t == 0:
            break
        t = (t - 1) & free
    for i in range(n):
        if costs[i] == 0:
            continue
        row = tables.by_row[i]
        t = free
        while True:
            row[rest | t] += costs[i]
            if t == 0:
                break
            t = (t - 1) & free
        tables.best[i] = tables.after[i]
        where = tables.where[i]
        if row[where] != tables.best[i]:
            where = 0
            while row[where] != tables.best[i]:
                where += 1
            tables.where[i] = where


@njit(cache=True, nogil=True)
def anneal_columns(
    problem: Problem,
    V: NDArray[np.int64],
    k: int,
    target: int,
    schedule: Schedule,
    tables: Tables,
    work: Work,
) -> np.int64:
    """Anneal from the column codes V, which end as the best met. Returns their error.

    The error is that with the best code for every row. Ends early at `target`.
    """
    columns = problem.columns
    m, n = columns.shape
    total = np.int64(0)
    for j in range(m):
        for i in range(n):
            total += np.int64(columns[j, i])
    error = problem.base + total - fill_tables(columns, V, k, tables)
    best = error
    here = V.copy()
    costs = np.zeros(n, dtype=columns.dtype)
    temperature = schedule.unit + 0.002 * np.float64(error)
    for sweep in range(schedule.sweeps):
        share = schedule.first_share * (schedule.last_share / schedule.first_share) ** (
            sweep / max(1, schedule.sweeps - 1)
        )
        worsening, accepted = 0, 0
        for _ in range(m * k):
            if work.halt[0] or best <= target:
                return best
            column = draw_below(work.state, m)
            bit = np.int64(1) << draw_below(work.state, k)
            rest = here[column] & ~bit
            # With the bit, the column is no longer left out by the sets without it.
            if rest == here[column]:
                for i in range(n):
                    costs[i] = -columns[column, i]
            else:
                costs[:] = columns[column]
            least = temperature * np.log(draw_unit(work.state))
            gain = flip_gain(costs, rest, bit, k, tables, least)
            if gain < 0:
                worsening += 1
            if gain < least:
                continue
            if gain < 0:
                accepted += 1
            apply_flip(costs, rest, bit, k, tables)
            here[column] ^= bit
            error -= gain
            if error < best:
                best = error
                V[:] = here
        temperature *= 1.1 if accepted < share * worsening else 1 / 1.1
    return best
