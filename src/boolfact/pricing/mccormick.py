"""The pricing problem as an integer program: the McCormick formulation of the paper.

A variable y_ij stands for a_i b_j. Where an entry costs, y_ij >= a_i + b_j - 1 is all that is
needed; where it pays, y_ij <= a_i and y_ij <= b_j. It is here to compare with: its linear
relaxation is weak, and what HiGHS claims about bounds is floating point.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from boolfact.control.stop import Stop
from boolfact.highs import IntegerProgram, SolveStatus, solve_integer
from boolfact.pricing.exact import PricingResult, checked

__all__ = ["mccormick_program", "price_mccormick"]


def price_mccormick(
    H: ArrayLike, *, time_limit: float | None = None, stop: Stop | None = None
) -> PricingResult:
    """Maximise a'Hb with HiGHS.

    Parameters
    ----------
    H : array of int, shape (n, m)
        Worth of every entry.
    time_limit : float, optional
        Seconds.
    stop : Stop, optional
        Time limit and interruption of the caller; `time_limit` then counts within it.

    Returns
    -------
    PricingResult
        The value is recomputed from a and b. The bound is HiGHS' claim, rounded down after
        adding its tolerance: it is not proved in exact arithmetic.

    Examples
    --------
    >>> result = price_mccormick([[3, -1], [2, -4]])
    >>> result.value, result.upper_bound
    (5, 5)
    """
    began = time.perf_counter()
    matrix = checked(H)
    n, m = matrix.shape
    inner = Stop(time_limit) if stop is None else stop.child(time_limit=time_limit)
    scale = max(1, int(np.abs(matrix).max()))
    solution = solve_integer(mccormick_program(matrix, scale), stop=inner)
    a = np.zeros(n, dtype=np.bool_)
    if solution.x is not None:
        b = solution.x[n : n + m] > 0.5
        a = matrix[:, b].sum(axis=1) > 0
        b = matrix[a].sum(axis=0) > 0
    if not a.any():
        b = np.zeros(m, dtype=np.bool_)
    value = int(matrix[a][:, b].sum())
    bound = int(np.maximum(matrix, 0).sum())
    if solution.status is SolveStatus.OPTIMAL:
        bound = value
    elif math.isfinite(solution.bound):
        bound = max(value, min(bound, math.floor(-solution.bound * scale * (1 + 1e-9) + 1e-3)))
    seconds = time.perf_counter() - began
    return PricingResult(value, a, b, bound, value == bound, solution.nodes, seconds)


def mccormick_program(matrix: NDArray[np.int64], scale: int) -> IntegerProgram:
    """The integer program in a, b and y, for the worths divided by `scale`.

    Only entries that are not zero have a variable y; only a and b have to be integer.
    """
    n, m = matrix.shape
    i, j = np.nonzero(matrix)
    worth = matrix[i, j]
    y = n + m + np.arange(i.size)
    pays, costs = worth > 0, worth < 0
    # y - a <= 0 and y - b <= 0 where it pays, a + b - y <= 1 where it costs.
    entries = [
        (y[pays], i[pays], None),
        (y[pays], n + j[pays], None),
        (i[costs], y[costs], n + j[costs]),
    ]
    rows, columns, signs, count = [], [], [], 0
    for plus, minus, plus_too in entries:
        here = count + np.arange(plus.size)
        for index, sign in ((plus, 1.0), (minus, -1.0), (plus_too, 1.0)):
            if index is not None:
                rows.append(here)
                columns.append(index)
                signs.append(np.full(index.size, sign))
        count += plus.size
    matrix_rows = sparse.csr_matrix(
        (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns))),
        shape=(count, n + m + i.size),
    )
    limit = np.zeros(count)
    limit[2 * int(pays.sum()) :] = 1.0
    return IntegerProgram(
        cost=np.concatenate([np.zeros(n + m), -worth / scale]),
        rows=matrix_rows,
        row_lower=np.full(count, -np.inf),
        row_upper=limit,
        upper=np.ones(n + m + i.size),
        integer=np.arange(n + m + i.size) < n + m,
    )
