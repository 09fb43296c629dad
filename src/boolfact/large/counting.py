"""Errors counted anew from the data and the codes, for every figure that is reported."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.large.lists import RowLists

__all__ = ["Counts", "count_block"]


class Counts(NamedTuple):
    """Weights of cells: ones not covered, zeros covered, and zeros as often as they are covered."""

    missed_ones: int
    false_ones: int
    covers_of_zeros: int

    def __add__(self, other: tuple[int, ...]) -> Counts:  # type: ignore[override]
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


@njit(cache=True, nogil=True)
def _covers(U: np.int64, V: np.int64) -> np.int64:
    both, count = U & V, np.int64(0)
    while both != 0:
        both &= both - 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def _cover_of_codes(
    codes: NDArray[np.int64],
    V: NDArray[np.int64],
    weights: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> None:
    """For each code of rows the weight of the columns it covers, once and as often as it does."""
    for c in range(codes.shape[0]):
        once, often = np.int64(0), np.int64(0)
        for j in range(V.shape[0]):
            times = _covers(codes[c], V[j])
            weight = weights[j] if weights.shape[0] else np.int64(1)
            often += weight * times
            once += weight if times > 0 else np.int64(0)
        sizes[c, 0], sizes[c, 1] = once, often


@njit(cache=True, nogil=True)
def _count(
    lists: RowLists,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    row_weights: NDArray[np.int64],
    column_weights: NDArray[np.int64],
    cover: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Add up the cells of each row: all that is covered, less its ones and missing entries."""
    for i in range(U.shape[0]):
        missed, false, covers = np.int64(0), cover[i, 0], cover[i, 1]
        for p in range(lists.one_starts[i], lists.one_starts[i + 1]):
            j = lists.ones[p]
            weight = column_weights[j] if column_weights.shape[0] else np.int64(1)
            times = _covers(U[i], V[j])
            covers -= times * weight
            if times > 0:
                false -= weight
            else:
                missed += weight
        for p in range(lists.hidden_starts[i], lists.hidden_starts[i + 1]):
            j = lists.hidden[p]
            weight = column_weights[j] if column_weights.shape[0] else np.int64(1)
            times = _covers(U[i], V[j])
            covers -= times * weight
            false -= weight if times > 0 else np.int64(0)
        weight = row_weights[i] if row_weights.shape[0] else np.int64(1)
        counts[0] += weight * missed
        counts[1] += weight * false
        counts[2] += weight * covers


def count_block(
    lists: RowLists,
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    row_weights: NDArray[np.int64],
    column_weights: NDArray[np.int64],
) -> Counts:
    """The errors of the rows of a block; empty weights stand for 1."""
    codes, inverse = np.unique(U, return_inverse=True)
    sizes = np.zeros((len(codes), 2), dtype=np.int64)
    _cover_of_codes(codes, V, column_weights, sizes)
    counts = np.zeros(3, dtype=np.int64)
    cover = sizes[inverse.reshape(-1)]
    _count(lists, U, V, row_weights, column_weights, cover, counts)
    return Counts(*(int(count) for count in counts))
