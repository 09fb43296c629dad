"""Rows and columns in an order in which patterns are seen as blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors

__all__ = ["order_by_factors", "stretches"]

_MOST_CODES_IMPROVED = 400
_MOST_PASSES = 30


def order_by_factors(factors: Factors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An order of the rows and one of the columns with few breaks in the patterns.

    Rows with the same code (the same patterns) stand together. Along an order of the codes, the
    number of blocks into which the patterns fall is half the length of the closed tour through
    the codes and the empty code in Hamming distance, so a short tour is looked for: the better
    of nearest neighbours and sorting, then reversals of stretches while they help. Rows in no
    pattern come last. The same goes for the columns.

    Examples
    --------
    >>> F = Factors(np.array([[0, 1], [1, 0], [0, 1], [1, 0]]), np.eye(2))
    >>> [order.tolist() for order in order_by_factors(F)]
    [[1, 3, 0, 2], [0, 1]]
    """
    return _order(factors.A), _order(factors.B.T)


def stretches(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where stretches of True begin and end (half-open).

    Examples
    --------
    >>> stretches(np.array([True, True, False, True]))
    [(0, 2), (3, 4)]
    """
    padded = np.concatenate(([False], flags, [False])).astype(np.int8)
    steps = np.diff(padded)
    starts, stops = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return [(int(a), int(b)) for a, b in zip(starts, stops, strict=True)]


def _order(codes: NDArray[np.bool_]) -> NDArray[np.int64]:
    distinct, inverse = np.unique(codes, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    covered = np.flatnonzero(distinct.any(axis=1))
    tour = covered[_short_tour(distinct[covered])]
    empty = np.flatnonzero(~distinct.any(axis=1))
    place = np.empty(len(distinct), dtype=np.int64)
    place[np.concatenate((tour, empty))] = np.arange(len(distinct))
    return np.argsort(place[inverse], kind="stable").astype(np.int64)


def _short_tour(codes: NDArray[np.bool_]) -> NDArray[np.int64]:
    """An order of distinct codes; it starts beside the first pattern's own rows."""
    size = len(codes)
    if size == 0:
        return np.zeros(0, dtype=np.int64)
    signs = codes.astype(np.int32)
    # With this node first, the path begins and ends at the empty code.
    nodes = np.vstack((np.zeros((1, signs.shape[1]), dtype=np.int32), signs))
    weight = nodes.sum(axis=1)
    distance = weight[:, None] + weight[None, :] - 2 * (nodes @ nodes.T)
    by_first_pattern = np.lexsort(tuple(-column for column in signs.T[::-1]))
    path = _nearest_neighbours(distance, by_first_pattern)
    by_sorting = np.concatenate(([0], by_first_pattern + 1))
    if _length(distance, by_sorting) <= _length(distance, path):
        path = by_sorting
    if size <= _MOST_CODES_IMPROVED:
        path = _with_reversals(distance, path)
    order = path[1:] - 1
    # A tour has two directions; the patterns that explain most come first here as elsewhere.
    if tuple(codes[order[0]]) < tuple(codes[order[-1]]):
        order = order[::-1]
    return order


def _length(distance: NDArray[np.int32], path: NDArray[np.int64]) -> int:
    return int(distance[path, np.roll(path, -1)].sum())


def _nearest_neighbours(
    distance: NDArray[np.int32], by_first_pattern: NDArray[np.int64]
) -> NDArray[np.int64]:
    # Ties go to the code with the earliest patterns.
    tie = np.empty(len(by_first_pattern), dtype=np.float64)
    tie[by_first_pattern] = np.arange(len(tie)) / len(tie)
    left = np.ones(len(distance), dtype=np.bool_)
    left[0] = False
    path = [0]
    while left.any():
        candidates = np.flatnonzero(left)
        worth = distance[path[-1], candidates] + tie[candidates - 1]
        path.append(int(candidates[np.argmin(worth)]))
        left[path[-1]] = False
    return np.array(path, dtype=np.int64)


def _with_reversals(distance: NDArray[np.int32], path: NDArray[np.int64]) -> NDArray[np.int64]:
    """Two-opt on the closed tour: reverse a stretch as long as that makes the tour shorter."""
    path = path.copy()
    size = len(path)
    for _ in range(_MOST_PASSES):
        improved = False
        for i in range(1, size - 1):
            # Reversing path[i..j] replaces edges (i-1, i) and (j, j+1).
            j = np.arange(i + 1, size)
            after = path[(j + 1) % size]
            before = distance[path[i - 1], path[i]] + distance[path[j], after]
            now = distance[path[i - 1], path[j]] + distance[path[i], after]
            gain = before - now
            best = int(np.argmax(gain))
            if gain[best] > 0:
                stop = i + 2 + best
                path[i:stop] = path[i:stop][::-1]
                improved = True
        if not improved:
            break
    return path
