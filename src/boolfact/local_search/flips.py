"""Cheap improvement: one rectangle, or one bit of a code, at a time.

Given all other rectangles, rectangle u changes row i by the cost of the columns that it alone
would cover there: those whose code meets the row's code, with u put in, in u only. This one
masked sum is the whole evaluation of a move, so no cover counts are kept. It is taken for all
rows at once, column after column of the rectangle, so a narrow rectangle costs little.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.problem import Problem

__all__ = [
    "costs_of_rectangle",
    "descend_bits",
    "fit_rectangle",
    "flip_rows",
    "settle_rectangle",
]


@njit(cache=True, nogil=True)
def costs_of_rectangle(
    turned: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    costs: NDArray[Any],
) -> None:
    """For every row, the cost of what the rectangle would cover there and no other does.

    `turned` is the transposed matrix of signed costs: one of its rows for each column.
    """
    zero = turned.dtype.type(0)
    costs[:] = zero
    for j in range(V.shape[0]):
        if (V[j] & bit) == 0:
            continue
        column = turned[j]
        others = V[j] & ~bit
        if others == 0:
            for i in range(column.shape[0]):
                costs[i] += column[i]
        else:
            for i in range(column.shape[0]):
                costs[i] += column[i] if (U[i] & others) == 0 else zero


@njit(cache=True, nogil=True)
def fit_rectangle(
    turned: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], bit: np.int64
) -> np.int64:
    """Best rows of one rectangle given its columns and the other rectangles.

    Returns what the rectangle saves. `turned` as in `costs_of_rectangle`.
    """
    costs = np.empty(U.shape[0], dtype=turned.dtype)
    costs_of_rectangle(turned, U, V, bit, costs)
    gain = np.int64(0)
    for i in range(U.shape[0]):
        if costs[i] < 0:
            U[i] |= bit
            gain -= np.int64(costs[i])
        else:
            U[i] &= ~bit
    return gain


@njit(cache=True, nogil=True)
def settle_rectangle(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    bit: np.int64,
    halt: NDArray[np.uint8],
) -> np.int64:
    """Alternate rows and columns of one rectangle, from its columns, until it saves no more."""
    gain = np.int64(-1)
    while True:
        fit_rectangle(problem.columns, U, V, bit)
        after = fit_rectangle(problem.rows, V, U, bit)
        if after <= gain or halt[0]:
            return after
        gain = after


@njit(cache=True, nogil=True)
def flip_rows(
    turned: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    k: int,
    halt: NDArray[np.uint8],
) -> np.int64:
    """Go through the bits of every row's code and flip each that pays. Returns the saving.

    A bit whose flip changes nothing stays, so repeated passes come to an end. Rows do not
    depend on each other, so one bit is tried on all of them at once. `turned` as in
    `costs_of_rectangle`.
    """
    costs = np.empty(U.shape[0], dtype=turned.dtype)
    saved = np.int64(0)
    for u in range(k):
        if halt[0]:
            break
        bit = np.int64(1) << np.int64(u)
        costs_of_rectangle(turned, U, V, bit, costs)
        for i in range(U.shape[0]):
            if costs[i] < 0 and (U[i] & bit) == 0:
                U[i] |= bit
                saved -= np.int64(costs[i])
            elif costs[i] > 0 and (U[i] & bit) != 0:
                U[i] &= ~bit
                saved += np.int64(costs[i])
    return saved


@njit(cache=True, nogil=True)
def descend_bits(
    problem: Problem,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    k: int,
    halt: NDArray[np.uint8],
) -> None:
    """Flip bits of rows and of columns in turn until no single flip pays."""
    while halt[0] == 0:
        saved = flip_rows(problem.columns, U, V, k, halt)
        saved += flip_rows(problem.rows, V, U, k, halt)
        if saved == 0:
            break
