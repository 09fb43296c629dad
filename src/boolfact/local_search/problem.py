"""The data as the kernels see it: signed costs, codes and scratch space.

Covering a zero costs its weight, covering a one saves it, covering a missing entry is free.
With these signed costs S, the error of a factorisation is the weight of all ones plus the sum
of S over the covered entries. Row i has a code, the set of rectangles that it belongs to, as
the bits of one 64-bit word; so has column j; entry (i, j) is covered if their codes meet.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "LANES",
    "MAX_RANK",
    "Problem",
    "Work",
    "codes_of",
    "covered_cost",
    "make_problem",
    "make_work",
    "masks_of",
]

MAX_RANK = 64
"""Bits in a code."""

LANES = 16
"""Rows that the refit for few rectangles treats side by side."""

LOW_BITS = 4
"""Levels of the subset-sum transform that are done while the columns are put in."""


class Problem(NamedTuple):
    """Signed costs by row and by column, and the error of covering nothing."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    base: int

    def turned(self) -> Problem:
        """The transposed problem."""
        return Problem(self.columns, self.rows, self.base)


class Work(NamedTuple):
    """Scratch space of one thread, its random state, and the flag that asks it to end."""

    state: NDArray[np.uint64]
    halt: NDArray[np.uint8]
    used: NDArray[np.int64]
    supersets: NDArray[Any]
    lanes: NDArray[Any]
    sums: NDArray[Any]
    tops: NDArray[Any]


def make_problem(ones: NDArray[np.bool_], weights: NDArray[np.int64]) -> Problem:
    """Signed costs in 32 bits where every sum that can occur fits, else in 64."""
    signed = np.where(ones, -weights, weights)
    size = np.abs(signed)
    largest = max(int(size.sum(axis=0).max()), int(size.sum(axis=1).max()))
    dtype = np.int32 if largest < 2**31 else np.int64
    rows = np.ascontiguousarray(signed, dtype=dtype)
    return Problem(rows, np.ascontiguousarray(rows.T), int(weights[ones].sum()))


def make_work(
    problem: Problem, exact_bits: int, state: NDArray[np.uint64], halt: NDArray[np.uint8]
) -> Work:
    """Scratch space for exact refits with up to `exact_bits` rectangles."""
    dtype = problem.rows.dtype
    low = np.arange(1 << LOW_BITS)
    is_subset = (low[:, None] & low[None, :]) == low[:, None]
    return Work(
        state=state,
        halt=halt,
        used=np.zeros(max(problem.rows.shape), dtype=np.int64),
        supersets=np.where(is_subset, -1, 0).astype(dtype),
        lanes=np.zeros((1 << min(exact_bits, 6), LANES), dtype=dtype),
        sums=np.zeros(1 << exact_bits, dtype=dtype),
        tops=np.zeros(1 << max(0, exact_bits - 6), dtype=dtype),
    )


def codes_of(A: NDArray[np.bool_]) -> NDArray[np.int64]:
    """One word for each row of A (n, k): bit u is A[:, u].

    Examples
    --------
    >>> codes_of(np.array([[True, False, True]]))
    array([5])
    """
    powers = np.uint64(1) << np.arange(A.shape[1], dtype=np.uint64)
    words = np.where(A, powers, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    return words.view(np.int64)


def masks_of(codes: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """Undo `codes_of`."""
    own = np.ascontiguousarray(codes, dtype="<i8").view(np.uint8).reshape(len(codes), 8)
    return np.unpackbits(own, axis=1, count=k, bitorder="little").view(np.bool_)


@njit(cache=True, nogil=True)
def covered_cost(S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64]) -> np.int64:
    """Sum of the signed costs of all covered entries."""
    total = np.int64(0)
    for i in range(S.shape[0]):
        row = S[i]
        code = U[i]
        for j in range(row.shape[0]):
            total += np.int64(row[j]) if (code & V[j]) != 0 else np.int64(0)
    return total
