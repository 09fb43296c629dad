"""The walk through all sets of columns, going on where it finds one: every set above a limit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.certificate.cover.arrays import Lanes, Layout, Scratch, Stack, Steps
from boolfact.certificate.cover.part import Duals
from boolfact.certificate.cover.search import Walk
from boolfact.certificate.cover.walk import DEPTH, DONE, FOUND, NODES, UNFINISHED, advance

__all__ = ["Listing", "list_sets"]

Report = Callable[[int], None]

_WORK_BUDGET = 20_000_000
"""Numbers touched between two sets that are found in one call of the kernel."""
_FINDS = 16
"""How often one call of the kernel finds sets: each time all lanes of a node are looked at."""


@dataclass(frozen=True, eq=False)
class Listing:
    """Sets of columns that are worth more than a limit.

    Attributes
    ----------
    sets : ndarray of int64
        Columns as bits.
    worths : ndarray of int64
    complete : bool
        Whether there are no others; else time was over or there are too many.
    nodes : int
    """

    sets: NDArray[np.int64]
    worths: NDArray[np.int64]
    complete: bool
    nodes: int


def list_sets(
    duals: Duals,
    limit: int,
    *,
    most: int,
    deadline: float = math.inf,
    report: Report | None = None,
) -> Listing:
    """List every set of columns whose best rectangle is worth more than `limit`.

    Parameters
    ----------
    duals : Duals
        Not too large for the walk, see `boolfact.certificate.cover.search.is_too_large`.
    limit : int
        May be negative: then the empty set is listed, too.
    most : int
        With more sets than this, the listing is given up.
    deadline : float
        On the clock of `time.monotonic`.
    report : callable, optional
        Called now and then with the number of sets looked at.
    """
    walk = Walk(duals, every_column=True)
    tables, scratch = walk.tables, walk.scratch
    stack, state = walk.stack(), np.zeros(3, dtype=np.int64)
    width = tables.lanes.left.shape[1]
    room = np.zeros((2, _FINDS * width), dtype=np.int64)
    found: list[NDArray[np.int64]] = []
    count, code = 0, UNFINISHED
    while code != DONE and count <= most and time.monotonic() < deadline:
        code, new = _collect(
            tables.layout, tables.steps, tables.lanes, stack, scratch, state, limit,
            tables.columns, room,
        )  # fmt: skip
        found.append(room[:, :new].copy())
        count += new
        walk.reorder()
        if report is not None:
            report(int(state[NODES]))
    both = np.hstack([np.zeros((2, 0), dtype=np.int64), *found])
    return Listing(both[0], both[1], code == DONE and count <= most, int(state[NODES]))


@njit(cache=True, nogil=True)
def _collect(
    layout: Layout,
    steps: Steps,
    lanes: Lanes,
    stack: Stack,
    scratch: Scratch,
    state: NDArray[np.int64],
    limit: int,
    columns: NDArray[np.int64],
    out: NDArray[np.int64],
) -> tuple[int, int]:
    """Sets and their worths to the rows of `out`: how it ended, and how many there are."""
    last = steps.left.shape[1]
    width = len(scratch.total)
    count = 0
    for _ in range(out.shape[1] // width):
        answer = advance(layout, steps, lanes, stack, scratch, state, limit, _WORK_BUDGET)
        if answer != FOUND:
            return answer, count
        # All first columns are decided: the next choice of each says what the last one was.
        taken = np.int64(0)
        for d in range(last):
            if stack.choice[d] == 1:
                taken |= np.int64(1) << columns[d]
        for lane in range(width):
            if scratch.total[lane] > limit:
                whole = taken
                for d in range(len(columns) - last):
                    if lane >> d & 1:
                        whole |= np.int64(1) << columns[last + d]
                out[0, count], out[1, count] = whole, scratch.total[lane]
                count += 1
        state[DEPTH] = last - 1
    return UNFINISHED, count
