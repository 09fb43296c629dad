"""New patterns from what is not covered: columns whose ones come together.

For some columns it is counted, over the rows where they have an uncovered one, how often every
other column has one too. The columns that come along often enough are a candidate, for each of
a few thresholds; the one that would save most is taken.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.large.data import LargeData
from boolfact.large.lists import RowLists, trailing_zeros

__all__ = ["THRESHOLDS", "best_candidate", "candidate_gains", "uncovered_together"]

THRESHOLDS = (0.3, 0.5, 0.7, 0.9)
"""Shares of the rows of a column that another one must have, too."""

_TRIED = 64 // len(THRESHOLDS)
"""Columns that are tried at a time: their candidates fit the bits of a word."""


@njit(cache=True, nogil=True)
def uncovered_together(
    lists: RowLists,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    slots: NDArray[np.int64],
    weights: NDArray[np.int64],
    together: NDArray[np.int64],
) -> None:
    """Count the uncovered ones of all columns, in rows where a column with a slot has one.

    `slots[j]` is the line of `together` for column j, or -1.
    """
    columns = np.zeros(V.shape[0], dtype=np.int32)
    for i in range(U.shape[0]):
        size = 0
        for p in range(lists.one_starts[i], lists.one_starts[i + 1]):
            j = lists.ones[p]
            columns[size] = j
            size += 1 if (V[j] & U[i]) == 0 else 0
        weight = weights[i] if weights.shape[0] else np.int64(1)
        for p in range(size):
            slot = slots[columns[p]]
            if slot >= 0:
                line = together[slot]
                for q in range(size):
                    line[columns[q]] += weight


@njit(cache=True, nogil=True)
def candidate_gains(
    lists: RowLists,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    candidates: NDArray[np.int64],
    credits_: NDArray[np.int64],
    prices: NDArray[np.int64],
    weights: NDArray[np.int64],
    gains: NDArray[np.int64],
) -> None:
    """Add up what each candidate would save at least, in the rows where it pays.

    Parameters
    ----------
    lists, U, V
    candidates : ndarray of int64, shape (m,)
        Bit u for the columns of candidate u.
    credits_ : ndarray of int64, shape (m,)
        What an uncovered one of a column earns.
    prices : ndarray of int64
        What the columns of a candidate would cost as zeros, all of them.
    weights : ndarray of int64
        Of the rows; empty for 1.
    gains : ndarray of int64
        Added to.
    """
    earned = np.zeros(gains.shape[0], dtype=np.int64)
    for i in range(U.shape[0]):
        earned[:] = 0
        for p in range(lists.one_starts[i], lists.one_starts[i + 1]):
            j = lists.ones[p]
            if (V[j] & U[i]) == 0:
                left = np.uint64(candidates[j])
                while left != np.uint64(0):
                    earned[trailing_zeros(left)] += credits_[j]
                    left &= left - np.uint64(1)
        weight = weights[i] if weights.shape[0] else np.int64(1)
        for u in range(gains.shape[0]):
            if earned[u] > prices[u]:
                gains[u] += weight * (earned[u] - prices[u])


def best_candidate(
    data: LargeData, U: NDArray[np.int64], V: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.bool_] | None:
    """The columns of the candidate that would save most; None if none would save anything.

    Columns are tried that have many uncovered ones, chosen at random.
    """
    m = len(V)
    parts = [(data.lists(part), U[part], data.weights_of(part)) for part in data.blocks()]
    uncovered = np.zeros((1, m), dtype=np.int64)
    for lists, codes, _ in parts:
        rows = np.repeat(codes, np.diff(lists.one_starts))
        free = (rows & V[lists.ones]) == 0
        uncovered[0] += np.bincount(lists.ones[free], minlength=m)
    total = int(uncovered.sum())
    if total == 0:
        return None
    tried = min(_TRIED, int((uncovered[0] > 0).sum()))
    chosen = rng.choice(m, tried, replace=False, p=uncovered[0] / total)
    slots = np.full(m, -1, dtype=np.int64)
    slots[chosen] = np.arange(tried)
    together = np.zeros((tried, m), dtype=np.int64)
    for lists, codes, weights in parts:
        uncovered_together(lists, codes, V, slots, weights, together)
    most = together[np.arange(tried), chosen]
    sets = np.vstack([together >= share * most[:, None] for share in THRESHOLDS])
    bits = np.uint64(1) << np.arange(len(sets), dtype=np.uint64)
    codes_of_columns = (sets.T * bits).sum(axis=1, dtype=np.uint64).view(np.int64)
    prices = data.column_prices()
    per_cell = data.credits[0] * (data.column_weights if len(data.column_weights) else 1)
    credits_ = np.broadcast_to(np.asarray(per_cell, dtype=np.int64), m).copy()
    gains = np.zeros(len(sets), dtype=np.int64)
    for lists, codes, weights in parts:
        candidate_gains(lists, codes, V, codes_of_columns, credits_, sets @ prices, weights, gains)
    best = int(np.argmax(gains))
    return sets[best] if gains[best] > 0 else None
