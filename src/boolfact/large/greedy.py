"""Refits for many patterns: greedy codes of rows, and one best flip for each column.

All that zeros cost follows from the codes alone: how many columns have which code, and how much
weight of rows has which code. The data are asked only for ones and missing entries, so time
goes with their number and not with the number of cells.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.large.lists import RowLists, trailing_zeros

__all__ = ["add_flip_credits", "add_flip_totals", "best_flips", "improve_row_codes"]


@njit(cache=True, nogil=True)
def _total(
    codes: NDArray[np.int64], prices: NDArray[np.int64], mask: np.int64, bit: np.int64
) -> np.int64:
    """Price of the columns whose code meets the mask in this bit only."""
    total = np.int64(0)
    for d in range(codes.shape[0]):
        total += prices[d] if (codes[d] & mask) == bit else np.int64(0)
    return total


@njit(cache=True, nogil=True)
def _climb(
    columns: NDArray[np.int32],
    credits_: NDArray[np.int64],
    V: NDArray[np.int64],
    codes: NDArray[np.int64],
    prices: NDArray[np.int64],
    overlap: NDArray[np.int64],
    code: np.int64,
    work: NDArray[np.int64],
) -> np.int64:
    """Flip the bit of a code that saves most until none does.

    `columns` are those of the row that earn `credits_`. A pattern is looked at only if what it
    earns is more than the least that it can cost, by its overlaps with those already in.
    """
    k = overlap.shape[0]
    while True:
        work[:] = 0
        for p in range(columns.shape[0]):
            v = np.uint64(V[columns[p]])
            met = v & np.uint64(code)
            if met == np.uint64(0):
                while v != np.uint64(0):
                    work[trailing_zeros(v)] += credits_[p]
                    v &= v - np.uint64(1)
            elif (met & (met - np.uint64(1))) == np.uint64(0):
                work[trailing_zeros(met)] += credits_[p]
        most = np.int64(0)
        chosen = np.int64(0)
        for u in range(k):
            bit = np.int64(1) << np.int64(u)
            if (code & bit) != 0:
                gain = _total(codes, prices, code, bit) - work[u]
                # What saves nothing goes, unless something better is to be done.
                if gain > most or (gain == 0 and chosen == 0):
                    most, chosen = gain, bit
            else:
                least = overlap[u, u]
                for other in range(k):
                    if (code >> np.int64(other)) & np.int64(1):
                        least -= overlap[u, other]
                if work[u] - max(least, np.int64(0)) > most:
                    gain = work[u] - _total(codes, prices, code | bit, bit)
                    if gain > most:
                        most, chosen = gain, bit
        if chosen == 0:
            return code
        code ^= chosen


@njit(cache=True, nogil=True)
def _cost(
    columns: NDArray[np.int32],
    credits_: NDArray[np.int64],
    V: NDArray[np.int64],
    codes: NDArray[np.int64],
    prices: NDArray[np.int64],
    code: np.int64,
) -> np.int64:
    """Cost of all that a code covers in a row."""
    cost = np.int64(0)
    for d in range(codes.shape[0]):
        cost += prices[d] if (codes[d] & code) != 0 else np.int64(0)
    for p in range(columns.shape[0]):
        cost -= credits_[p] if (V[columns[p]] & code) != 0 else np.int64(0)
    return cost


@njit(cache=True, nogil=True)
def improve_row_codes(
    lists: RowLists,
    V: NDArray[np.int64],
    credits_: tuple[NDArray[np.int64], NDArray[np.int64]],
    codes: NDArray[np.int64],
    prices: NDArray[np.int64],
    overlap: NDArray[np.int64],
    weights: NDArray[np.int64],
    U: NDArray[np.int64],
) -> np.int64:
    """Climb from the code of each row and from nothing; the better one is kept.

    Parameters
    ----------
    lists : RowLists
    V : ndarray of int64, shape (m,)
    credits_ : pair of ndarray of int64, shape (m,)
        What a column earns where it is a one, and where it is missing.
    codes, prices : ndarray of int64
        The distinct codes of columns, and what all columns of each would cost as zeros.
    overlap : ndarray of int64, shape (k, k)
        Price of the columns that two patterns share.
    weights : ndarray of int64
        Of the rows; empty for 1.
    U : ndarray of int64
        Codes of the rows, changed in place.

    Returns
    -------
    int
        Cost of all that is covered, with the weights of the rows.
    """
    total = np.int64(0)
    work = np.zeros(overlap.shape[0], dtype=np.int64)
    columns = np.zeros(V.shape[0], dtype=np.int32)
    earned = np.zeros(V.shape[0], dtype=np.int64)
    for i in range(U.shape[0]):
        size = 0
        for p in range(lists.one_starts[i], lists.one_starts[i + 1]):
            j = lists.ones[p]
            if V[j] != 0:
                columns[size] = j
                earned[size] = credits_[0][j]
                size += 1
        for p in range(lists.hidden_starts[i], lists.hidden_starts[i + 1]):
            j = lists.hidden[p]
            if V[j] != 0:
                columns[size] = j
                earned[size] = credits_[1][j]
                size += 1
        own, pays = columns[:size], earned[:size]
        code = _climb(own, pays, V, codes, prices, overlap, np.int64(0), work)
        cost = _cost(own, pays, V, codes, prices, code)
        if U[i] != 0 and U[i] != code:
            other = _climb(own, pays, V, codes, prices, overlap, U[i], work)
            if other != code:
                its_cost = _cost(own, pays, V, codes, prices, other)
                if its_cost < cost:
                    code, cost = other, its_cost
        U[i] = code
        total += cost * (weights[i] if weights.shape[0] else np.int64(1))
    return total


@njit(cache=True, nogil=True)
def add_flip_credits(
    lists: RowLists,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    weights: NDArray[np.int64],
    one_credit: int,
    hidden_credit: int,
    credits_: NDArray[np.int64],
) -> None:
    """For each column and pattern, what the cells earn that a flip of it would change.

    For a pattern that the column is not in, these are cells that nothing covers; for one that
    it is in, those that nothing else covers.
    """
    for i in range(U.shape[0]):
        code = np.uint64(U[i])
        if code == np.uint64(0):
            continue
        weight = weights[i] if weights.shape[0] else np.int64(1)
        ones_here = lists.one_starts[i + 1] - lists.one_starts[i]
        hidden_here = lists.hidden_starts[i + 1] - lists.hidden_starts[i]
        for p in range(ones_here + hidden_here):
            if p < ones_here:
                j = lists.ones[lists.one_starts[i] + p]
                credit = weight * one_credit
            else:
                j = lists.hidden[lists.hidden_starts[i] + p - ones_here]
                credit = weight * hidden_credit
            met = np.uint64(V[j]) & code
            if met == np.uint64(0):
                left = code
                while left != np.uint64(0):
                    credits_[j, trailing_zeros(left)] += credit
                    left &= left - np.uint64(1)
            elif (met & (met - np.uint64(1))) == np.uint64(0):
                credits_[j, trailing_zeros(met)] += credit


@njit(cache=True, nogil=True)
def add_flip_totals(
    row_codes: NDArray[np.int64],
    row_weights: NDArray[np.int64],
    column_codes: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """For each distinct code of columns and pattern, the weight of the rows a flip would change."""
    for c in range(row_codes.shape[0]):
        code = np.uint64(row_codes[c])
        for d in range(column_codes.shape[0]):
            met = np.uint64(column_codes[d]) & code
            if met == np.uint64(0):
                left = code
                while left != np.uint64(0):
                    totals[d, trailing_zeros(left)] += row_weights[c]
                    left &= left - np.uint64(1)
            elif (met & (met - np.uint64(1))) == np.uint64(0):
                totals[d, trailing_zeros(met)] += row_weights[c]


def best_flips(
    V: NDArray[np.int64], credits_: NDArray[np.int64], prices: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each column with its best flip, if that saves anything, and how much it saves.

    Parameters
    ----------
    V : ndarray of int64, shape (m,)
    credits_ : ndarray of int64, shape (m, k)
        From `add_flip_credits`.
    prices : ndarray of int64, shape (m, k)
        What the same cells would cost if all were zeros.
    """
    k = credits_.shape[1]
    is_in = (V.view(np.uint64)[:, None] >> np.arange(k, dtype=np.uint64)) & np.uint64(1)
    gains = np.where(is_in == 1, prices - credits_, credits_ - prices)
    chosen = np.argmax(gains, axis=1)
    saved = gains[np.arange(len(V)), chosen]
    flips = (np.uint64(1) << chosen.astype(np.uint64)).view(np.int64)
    return np.where(saved > 0, V ^ flips, V), np.maximum(saved, 0)
