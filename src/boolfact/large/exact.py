"""Exact refits for few patterns, from lists of columns.

The cost of covering the columns of one code c in a row is what their cells cost as zeros, less
the credit of those that are not: a one saves both prices, a missing entry that of a zero. As in
`boolfact.local_search.refit`, one subset-sum transform gives the cost of all 2^k unions.
Columns are refitted from sums over the rows of each code, so rows can come block by block.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.large.lists import RowLists

__all__ = ["EXACT_RANK", "LANES", "add_to_table", "best_column_codes", "best_row_codes"]

EXACT_RANK = 12
"""Largest number of patterns for which every union is tried."""

LANES = 16
"""Rows side by side, so that each step is a vector operation."""


@njit(cache=True, nogil=True)
def _subset_sums(sums: NDArray[Any], size: int) -> None:
    """In place, over lines of `LANES` numbers that lie one after another: long vector loops."""
    half = LANES
    while half < size * LANES:
        for start in range(0, size * LANES, 2 * half):
            without = sums[start : start + half]
            with_bit = sums[start + half : start + 2 * half]
            for t in range(half):
                with_bit[t] += without[t]
        half *= 2


@njit(cache=True, nogil=True)
def _largest(sums: NDArray[Any], tree: NDArray[Any], size: int) -> None:
    """A tree of maxima: line t of level h is the larger of lines t and t + h of level 2 h.

    Level h has h lines and lies at line h of `tree`; the sums themselves are the top level.
    """
    half = size * LANES // 2
    above = sums
    while half >= LANES:
        low, high, level = above[:half], above[half : 2 * half], tree[half : 2 * half]
        for t in range(half):
            level[t] = max(low[t], high[t])
        above = level
        half //= 2


@njit(cache=True, nogil=True)
def _where_largest(sums: NDArray[Any], tree: NDArray[Any], size: int, lane: int) -> np.int64:
    """The largest sum of a lane: of equal ones, one that is within no other."""
    if size == 1:
        return np.int64(0)
    best = tree[LANES + lane]
    line = 0
    level = 1
    while level < size:
        place = (line + level) * LANES + lane
        value = sums[place] if 2 * level == size else tree[2 * level * LANES + place]
        if value == best:
            line += level
        level *= 2
    return np.int64(line)


@njit(cache=True, nogil=True)
def best_row_codes(
    lists: RowLists,
    V: NDArray[np.uint32],
    prices: NDArray[Any],
    one_credits: NDArray[Any],
    hidden_credits: NDArray[Any],
    weights: NDArray[np.int64],
    work: NDArray[Any],
    U: NDArray[np.int64],
) -> np.int64:
    """Give each row the best union of patterns; each that is in it saves something.

    Parameters
    ----------
    lists : RowLists
    V : ndarray of uint32, shape (m,)
        Code of each column, below 2^k.
    prices : ndarray, shape (2^k * LANES,)
        What the columns of each code would cost if all were zeros, `LANES` times over.
    one_credits, hidden_credits : ndarray, shape (m,)
        How much less a column costs where it is a one, or missing.
    weights : ndarray of int64
        Of the rows; empty for 1.
    work : ndarray, shape (2, 2^k * LANES)
        Scratch space. Its dtype, which that of all prices should be, holds every sum.
    U : ndarray of int64
        Where the codes go.

    Returns
    -------
    int
        Cost of all that is covered, with the weights of the rows; at most 0.
    """
    size = prices.shape[0] // LANES
    full = size - 1
    n = U.shape[0]
    sums, tree = work[0], work[1]
    total = np.int64(0)
    for first in range(0, n, LANES):
        width = min(LANES, n - first)
        sums[:] = prices
        for r in range(width):
            i = first + r
            for p in range(lists.one_starts[i], lists.one_starts[i + 1]):
                j = np.uint32(lists.ones[p])
                sums[V[j] * np.uint32(LANES) + np.uint32(r)] -= one_credits[j]
            for p in range(lists.hidden_starts[i], lists.hidden_starts[i + 1]):
                j = np.uint32(lists.hidden[p])
                sums[V[j] * np.uint32(LANES) + np.uint32(r)] -= hidden_credits[j]
        _subset_sums(sums, size)
        _largest(sums, tree, size)
        for r in range(width):
            # What is left out is the complement of the code.
            left_out = _where_largest(sums, tree, size, r)
            U[first + r] = full ^ left_out
            cost = np.int64(sums[full * LANES + r]) - np.int64(sums[left_out * LANES + r])
            total += cost * (weights[first + r] if weights.shape[0] else 1)
    return total


@njit(cache=True, nogil=True)
def add_to_table(
    lists: RowLists,
    U: NDArray[np.int64],
    weights: NDArray[np.int64],
    one_credit: int,
    hidden_credit: int,
    table: NDArray[np.int64],
    by_code: NDArray[np.int64],
) -> None:
    """Add the credits of the rows to the line of their code, and their weights to `by_code`."""
    for i in range(U.shape[0]):
        weight = weights[i] if weights.shape[0] else np.int64(1)
        by_code[U[i]] += weight
        line = table[U[i]]
        credit = weight * one_credit
        for p in range(lists.one_starts[i], lists.one_starts[i + 1]):
            line[lists.ones[p]] += credit
        credit = weight * hidden_credit
        for p in range(lists.hidden_starts[i], lists.hidden_starts[i + 1]):
            line[lists.hidden[p]] += credit


def best_column_codes(
    table: NDArray[np.int64], by_code: NDArray[np.int64], false_one_cost: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best code of each column, and the cost of what it then covers.

    Parameters
    ----------
    table : ndarray of int64, shape (2^k, m)
        Credits by code of the rows, from `add_to_table`; it is used up.
    by_code : ndarray of int64, shape (2^k,)
        Weight of the rows of each code.
    false_one_cost : int
    """
    size = len(by_code)
    sums = np.subtract((by_code * false_one_cost)[:, None], table, out=table)
    half = 1
    while half < size:
        pairs = sums.reshape(size // (2 * half), 2, half, -1)
        pairs[:, 1] += pairs[:, 0]
        half *= 2
    # The lowest of the best codes: none of its patterns can go.
    codes = np.argmax(sums[::-1], axis=0)
    columns = np.arange(table.shape[1])
    left_out = sums[size - 1 - codes, columns]
    return codes.astype(np.int64), sums[size - 1] - left_out
