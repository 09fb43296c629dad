"""Growth of one rectangle: columns come and go one at a time, and the rows always answer best.

Alternation between rows and columns stands still where zeros are dear: the rows that bear a set
of columns allow no other one. A single column that costs some rows and is worth it for the rest
is found here. Where no zero may be covered, none ever is: a row that would is not in.

By how much a flip pays is added up over the rows, and kept up to date: a row that is in and far
from leaving says the same after a flip as before. Of a row that is out, only columns count that
could bring it in, and these are few where ones are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.flips import costs_of_rectangle
from boolfact.local_search.problem import Problem

__all__ = ["Reaches", "grow_rectangle", "reaches"]


class Reaches(NamedTuple):
    """How far one column can move what a row costs.

    Attributes
    ----------
    ones, zeros : ndarray
        The largest weight of a one, and of a zero, in each row.
    starts, columns : ndarray of int64, of int32
        The ones of row i are in `columns[starts[i]:starts[i + 1]]`.
    """

    ones: NDArray[Any]
    zeros: NDArray[Any]
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]


@njit(cache=True, nogil=True)
def reaches(S: NDArray[Any]) -> Reaches:
    """Of the rows of a matrix of signed costs."""
    n, m = S.shape
    ones, zeros = np.zeros(n, dtype=S.dtype), np.zeros(n, dtype=S.dtype)
    starts = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        low, high, count = S.dtype.type(0), S.dtype.type(0), 0
        for j in range(m):
            low, high = min(low, S[i, j]), max(high, S[i, j])
            count += 1 if S[i, j] < 0 else 0
        ones[i], zeros[i] = -low, high
        starts[i + 1] = starts[i] + count
    columns = np.empty(starts[n], dtype=np.int32)
    for i in range(n):
        at = starts[i]
        for j in range(m):
            if S[i, j] < 0:
                columns[at] = np.int32(j)
                at += 1
    return Reaches(ones, zeros, starts, columns)


@njit(cache=True, nogil=True)
def _add_row(
    S: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    i: int,
    own: Any,
    sign: int,
    reach: Reaches,
    inside: NDArray[np.int32],
    scores: NDArray[Any],
) -> None:
    """Add, or take back, what row i says of the flip of each column while it costs `own`.

    `inside` lists the columns of the rectangle.
    """
    zero, times = S.dtype.type(0), S.dtype.type(sign)
    row = S[i]
    others = U[i] & ~bit
    if own < zero:
        for j in range(row.shape[0]):
            cost = row[j] if (others & V[j]) == 0 else zero
            after = S.dtype.type(own - cost) if (V[j] & bit) != 0 else S.dtype.type(own + cost)
            scores[j] += times * S.dtype.type(min(after, zero) - own)
        return
    if own < reach.ones[i]:
        for p in range(reach.starts[i], reach.starts[i + 1]):
            j = reach.columns[p]
            after = S.dtype.type(own + row[j])
            if after < zero and (V[j] & (others | bit)) == 0:
                scores[j] += times * after
    if own < reach.zeros[i]:
        for j in inside:
            after = S.dtype.type(own - row[j])
            if after < zero and (V[j] & others) == 0:
                scores[j] += times * after


@njit(cache=True, nogil=True)
def _score_of(
    turned: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    j: int,
    costs: NDArray[Any],
) -> Any:
    """What all rows together say of the flip of column j."""
    zero = turned.dtype.type(0)
    column, others, is_in = turned[j], V[j] & ~bit, (V[j] & bit) != 0
    score = zero
    for i in range(column.shape[0]):
        cost = column[i] if (U[i] & others) == 0 else zero
        after = costs[i] - cost if is_in else costs[i] + cost
        score += min(turned.dtype.type(after), zero) - min(costs[i], zero)
    return score


@njit(cache=True, nogil=True)
def _columns_inside(V: NDArray[np.int64], bit: np.int64, inside: NDArray[np.int32]) -> int:
    size = 0
    for j in range(V.shape[0]):
        if (V[j] & bit) != 0:
            inside[size] = np.int32(j)
            size += 1
    return size


@njit(cache=True, nogil=True)
def _flip_column(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    j: int,
    costs: NDArray[Any],
    reach: Reaches,
    inside: NDArray[np.int32],
    moved: NDArray[np.int32],
    scores: NDArray[Any],
) -> None:
    """Put column j in or take it out; costs of rows and scores of columns are as true after."""
    zero = problem.rows.dtype.type(0)
    column = problem.columns[j]
    others = V[j] & ~bit
    is_in = (V[j] & bit) != 0
    old = inside[: _columns_inside(V, bit, inside)]
    count = 0
    for i in range(column.shape[0]):
        cost = column[i] if (U[i] & others) == 0 else zero
        if cost == zero:
            continue
        before = costs[i]
        after = problem.rows.dtype.type(before - cost if is_in else before + cost)
        # Far inside every column counts for what it costs, before as after.
        if max(before, after) > -max(reach.ones[i], reach.zeros[i]):
            _add_row(problem.rows, U, V, bit, i, before, -1, reach, old, scores)
            moved[count] = np.int32(i)
            count += 1
        costs[i] = after
    V[j] ^= bit
    new = inside[: _columns_inside(V, bit, inside)]
    for i in moved[:count]:
        _add_row(problem.rows, U, V, bit, i, costs[i], 1, reach, new, scores)
    scores[j] = _score_of(problem.columns, U, V, bit, j, costs)


@njit(cache=True, nogil=True)
def grow_rectangle(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    reach: Reaches,
    halt: NDArray[np.uint8],
) -> np.int64:
    """From its columns, flip the one that pays most until none does. Returns its saving.

    `reach` is that of the rows, see `reaches`. The rows of the rectangle end as the best for its
    columns, whatever they were.
    """
    n, m = problem.rows.shape
    costs = np.empty(n, dtype=problem.rows.dtype)
    scores = np.zeros(m, dtype=problem.rows.dtype)
    inside, moved = np.empty(m, dtype=np.int32), np.empty(n, dtype=np.int32)
    costs_of_rectangle(problem.columns, U, V, bit, costs)
    own = inside[: _columns_inside(V, bit, inside)]
    for i in range(n):
        if halt[0] != 0:
            break
        _add_row(problem.rows, U, V, bit, i, costs[i], 1, reach, own, scores)
    while halt[0] == 0:
        best = int(np.argmin(scores))
        if scores[best] >= 0:
            break
        _flip_column(problem, U, V, bit, best, costs, reach, inside, moved, scores)
    gain = np.int64(0)
    for i in range(n):
        if costs[i] < 0:
            U[i] |= bit
            gain -= np.int64(costs[i])
        else:
            U[i] &= ~bit
    return gain
