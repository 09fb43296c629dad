"""Single-flip ascent in the columns: the incumbents of the exact pricing, in integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["climb_with_kicks"]


@njit(cache=True, nogil=True)
def _flip(columns: NDArray[Any], b: NDArray[np.bool_], sums: NDArray[Any], j: int) -> None:
    sign = -1 if b[j] else 1
    for i in range(sums.shape[0]):
        sums[i] += sign * columns[j, i]
    b[j] = not b[j]


@njit(cache=True, nogil=True)
def _climb(columns: NDArray[Any], b: NDArray[np.bool_], sums: NDArray[Any]) -> int:
    """Flip the column that raises the worth most until none does; the worth."""
    m, n = columns.shape
    zero = sums[0] - sums[0]
    value = zero
    for i in range(n):
        value += max(sums[i], zero)
    while True:
        best, where = value, -1
        for j in range(m):
            v = zero
            if b[j]:
                for i in range(n):
                    v += max(sums[i] - columns[j, i], zero)
            else:
                for i in range(n):
                    v += max(sums[i] + columns[j, i], zero)
            if v > best:
                best, where = v, j
        if where < 0:
            return value
        _flip(columns, b, sums, where)
        value = best


@njit(cache=True, nogil=True)
def climb_with_kicks(
    columns: NDArray[Any], B: NDArray[np.bool_], kicks: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Improve every set in B (in place) by ascent, kicks and ascent again; their worths.

    Parameters
    ----------
    columns : array (m, n)
        The matrix, one of its columns a row.
    B : array (starts, m)
        Sets of columns.
    kicks : array (starts, rounds, flips)
        The columns flipped before each further ascent, kept if it ends higher.
    """
    starts, m = B.shape
    n = columns.shape[1]
    values = np.zeros(starts, np.int64)
    sums = np.zeros(n, columns.dtype)
    kept_sums = np.zeros(n, columns.dtype)
    kept = np.zeros(m, np.bool_)
    for u in range(starts):
        b = B[u]
        sums[:] = 0
        for j in range(m):
            if b[j]:
                sums += columns[j]
        values[u] = _climb(columns, b, sums)
        for k in range(kicks.shape[1]):
            kept[:] = b
            kept_sums[:] = sums
            for q in range(kicks.shape[2]):
                _flip(columns, b, sums, kicks[u, k, q])
            value = _climb(columns, b, sums)
            if value > values[u]:
                values[u] = value
            else:
                b[:] = kept
                sums[:] = kept_sums
    return values
