"""What rectangles are worth at a matrix of prices: a'Hb, in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["rectangle_worths", "whole_worths", "worths"]


def worths(H: NDArray[Any], A: NDArray[Any], B: NDArray[Any]) -> NDArray[Any]:
    """a'Hb for each rectangle (A[u], B[u]), in the floating point numbers of H.

    Examples
    --------
    >>> H = np.array([[3.0, -1.0], [2.0, -4.0]])
    >>> worths(H, np.array([[True, True]]), np.array([[True, False]]))
    array([5.])
    """
    A, B = A.astype(H.dtype, copy=False), B.astype(H.dtype, copy=False)
    return np.einsum("rj,rj->r", A @ H, B)


def whole_worths(
    H: NDArray[np.int64], A: NDArray[np.bool_], B: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """a'Hb for each rectangle, exactly, if the absolute entries of H add up to below 2**53.

    Every sum is then a whole number that a float64 holds, and matrix products of floats are the
    fast ones. `rectangle_worths` has no such limit.
    """
    return worths(H.astype(np.float64), A, B).astype(np.int64)


@njit(cache=True, nogil=True)
def rectangle_worths(
    H: NDArray[np.int64], A: NDArray[np.bool_], B: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """a'Hb for each rectangle, in 64-bit integers."""
    size, n = A.shape
    m = B.shape[1]
    values = np.zeros(size, dtype=np.int64)
    sums = np.empty(m, dtype=np.int64)
    for u in range(size):
        sums[:] = 0
        for i in range(n):
            if A[u, i]:
                for j in range(m):
                    sums[j] += H[i, j]
        for j in range(m):
            if B[u, j]:
                values[u] += sums[j]
    return values
