"""Growth of one rectangle: columns come and go one at a time, and the rows always answer best.

Alternation between rows and columns stands still where zeros are dear: the rows that bear a set
of columns allow no other one. A single column that costs some rows and is worth it for the rest
is found here. Where no zero may be covered, none ever is: a row that would is not in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.flips import costs_of_rectangle
from boolfact.local_search.problem import Problem

__all__ = ["grow_rectangle", "reaches"]


@njit(cache=True, nogil=True)
def reaches(S: NDArray[Any]) -> NDArray[Any]:
    """The largest weight in each row: by so much one column can change what a row costs."""
    reach = np.zeros(S.shape[0], dtype=S.dtype)
    for i in range(S.shape[0]):
        top = S.dtype.type(0)
        for j in range(S.shape[1]):
            top = max(top, abs(S[i, j]))
        reach[i] = top
    return reach


@njit(cache=True, nogil=True)
def _score_flips(
    S: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    costs: NDArray[Any],
    reach: NDArray[Any],
    scores: NDArray[Any],
) -> None:
    """By how much the flip of each column changes the sum of the negative `costs` of rows."""
    zero = S.dtype.type(0)
    scores[:] = zero
    for i in range(S.shape[0]):
        own = costs[i]
        if own >= reach[i]:
            continue
        row = S[i]
        others = U[i] & ~bit
        now = min(own, zero)
        for j in range(row.shape[0]):
            cost = row[j] if (others & V[j]) == 0 else zero
            after = S.dtype.type(own - cost) if (V[j] & bit) != 0 else S.dtype.type(own + cost)
            scores[j] += min(after, zero) - now


@njit(cache=True, nogil=True)
def _flip_column(
    turned: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    j: int,
    costs: NDArray[Any],
) -> None:
    """Put column j in or take it out, and keep the costs of the rows up to date."""
    zero = turned.dtype.type(0)
    column = turned[j]
    others = V[j] & ~bit
    if (V[j] & bit) != 0:
        for i in range(column.shape[0]):
            costs[i] -= column[i] if (U[i] & others) == 0 else zero
    else:
        for i in range(column.shape[0]):
            costs[i] += column[i] if (U[i] & others) == 0 else zero
    V[j] ^= bit


@njit(cache=True, nogil=True)
def grow_rectangle(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    reach: NDArray[Any],
    halt: NDArray[np.uint8],
) -> np.int64:
    """From its columns, flip the one that pays most until none does. Returns its saving.

    `reach` is that of the rows, see `reaches`. The rows of the rectangle end as the best for its
    columns, whatever they were.
    """
    n, m = problem.rows.shape
    costs = np.empty(n, dtype=problem.rows.dtype)
    scores = np.empty(m, dtype=problem.rows.dtype)
    costs_of_rectangle(problem.columns, U, V, bit, costs)
    while halt[0] == 0:
        _score_flips(problem.rows, U, V, bit, costs, reach, scores)
        best = int(np.argmin(scores))
        if scores[best] >= 0:
            break
        _flip_column(problem.columns, U, V, bit, best, costs)
    gain = np.int64(0)
    for i in range(n):
        if costs[i] < 0:
            U[i] |= bit
            gain -= np.int64(costs[i])
        else:
            U[i] &= ~bit
    return gain
