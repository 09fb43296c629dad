"""Cheap improvement: one rectangle, or one bit of a code, at a time.

Given all other rectangles, rectangle u changes row i by the cost of the columns that it alone
would cover there: those whose code meets the row's code, with u put in, in u only. This one
masked sum is the whole evaluation of a move, so no cover counts are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.problem import Problem

__all__ = ["descend_bits", "fit_rectangle", "flip_rows", "settle_rectangle"]


@njit(cache=True, nogil=True)
def fit_rectangle(
    S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], bit: np.int64
) -> np.int64:
    """Best rows of one rectangle given its columns and the other rectangles.

    Returns what the rectangle saves.
    """
    zero = S.dtype.type(0)
    gain = np.int64(0)
    for i in range(S.shape[0]):
        row = S[i]
        others = U[i] & ~bit
        mask = others | bit
        cost = zero
        for j in range(row.shape[0]):
            cost = S.dtype.type(cost + (row[j] if (V[j] & mask) == bit else zero))
        if cost < 0:
            U[i] = mask
            gain -= np.int64(cost)
        else:
            U[i] = others
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
        fit_rectangle(problem.rows, U, V, bit)
        after = fit_rectangle(problem.columns, V, U, bit)
        if after <= gain or halt[0]:
            return after
        gain = after


@njit(cache=True, nogil=True)
def flip_rows(
    S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], k: int, halt: NDArray[np.uint8]
) -> np.int64:
    """Go through the bits of every row's code and flip each that pays. Returns the saving.

    A bit whose flip changes nothing stays, so repeated passes come to an end.
    """
    zero = S.dtype.type(0)
    saved = np.int64(0)
    for i in range(S.shape[0]):
        if halt[0]:
            break
        row = S[i]
        code = U[i]
        for u in range(k):
            bit = np.int64(1) << np.int64(u)
            mask = code | bit
            cost = zero
            for j in range(row.shape[0]):
                cost = S.dtype.type(cost + (row[j] if (V[j] & mask) == bit else zero))
            if cost < 0 and (code & bit) == 0:
                code = mask
                saved -= np.int64(cost)
            elif cost > 0 and (code & bit) != 0:
                code &= ~bit
                saved += np.int64(cost)
        U[i] = code
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
        saved = flip_rows(problem.rows, U, V, k, halt)
        saved += flip_rows(problem.columns, V, U, k, halt)
        if saved == 0:
            break
