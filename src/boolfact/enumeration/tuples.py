"""All choices of k sets that could be a better factorisation, and the true error of each.

Sets are chosen in their order, best first, each at least as far down as the one before. With s_l
by how much the l-th set falls short of the best worth, and pairs of them matched with each other,
the k sets are worth at most k times the best, less all s_l, less the deficits of the matched pairs.
That must not fall below what a better factorisation needs. The heaviest matching of a few sets is
found by way of all their subsets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["APART", "ERROR", "LEAVES", "NODES", "Tuples", "make_tuples", "walk_tuples"]

APART = 65535
"""In the table of deficits: no better factorisation has both sets."""
DEPTH, NODES, LEAVES, ERROR = 0, 1, 2, 3
"""Places in the state."""


class Tuples(NamedTuple):
    """A walk that can be left and entered again; the kernel changes its arrays.

    Attributes
    ----------
    sets : ndarray, shape (N,)
        Columns as bits.
    short : ndarray, shape (N,)
        By how much each falls short of the best, in units rounded down, rising.
    deficits : ndarray of uint16, shape (N, N)
        Of pairs, in the same units; `APART` for pairs that are not possible.
    room : int
        By how much k sets may fall short, in the same units.
    gains : ndarray, shape (m, n)
        The weight of a one, minus the weight of a zero.
    total : int
        The weight of all ones.
    limit : int
        An error up to this one is sought.
    lists, sizes, places, chosen, falls : ndarray
        At each depth: the sets that are possible, how many, the one that is tried, its number, and
        how far all chosen ones fall short.
    matched : ndarray, shape (k + 1, 2^k)
        At each depth: the heaviest matching of each subset of the chosen sets.
    state : ndarray, shape (4,)
    found : ndarray, shape (k,)
    """

    sets: NDArray[np.int64]
    short: NDArray[np.int64]
    deficits: NDArray[np.uint16]
    room: int
    gains: NDArray[np.int64]
    total: int
    limit: int
    lists: NDArray[np.int32]
    sizes: NDArray[np.int64]
    places: NDArray[np.int64]
    chosen: NDArray[np.int64]
    falls: NDArray[np.int64]
    matched: NDArray[np.int64]
    state: NDArray[np.int64]
    found: NDArray[np.int64]


def make_tuples(
    sets: NDArray[np.int64],
    short: NDArray[np.int64],
    deficits: NDArray[np.uint16],
    *,
    k: int,
    room: int,
    gains: NDArray[np.int64],
    total: int,
    limit: int,
) -> Tuples:
    """The walk at its beginning; see `Tuples`."""
    lists = np.zeros((k, len(sets)), dtype=np.int32)
    lists[0] = np.arange(len(sets))
    sizes, places = np.zeros(k, dtype=np.int64), np.full(k, -1, dtype=np.int64)
    sizes[0] = len(sets)
    return Tuples(
        sets, short, deficits, room, gains, total, limit, lists, sizes, places,
        chosen=np.zeros(k, dtype=np.int64),
        falls=np.zeros(k + 1, dtype=np.int64),
        matched=np.zeros((k + 1, 1 << k), dtype=np.int64),
        state=np.array([0, 0, 0, total + 1], dtype=np.int64),
        found=np.zeros(k, dtype=np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def walk_tuples(walk: Tuples, budget: int) -> bool:
    """Walk on for about so many nodes; whether nothing is left. It ends at an error in the limit.

    The error is in the state then, and the sets are `found`.
    """
    short, deficits, room, matched = walk.short, walk.deficits, walk.room, walk.matched
    k, state = len(walk.chosen), walk.state
    depth, nodes = state[DEPTH], 0
    while depth >= 0 and nodes < budget and state[ERROR] > walk.limit:
        walk.places[depth] += 1
        if walk.places[depth] >= walk.sizes[depth]:
            depth -= 1
            continue
        u = walk.lists[depth, walk.places[depth]]
        whole = (1 << depth) - 1
        # The sets to come fall short by no less than this one.
        if walk.falls[depth] + (k - depth) * short[u] + matched[depth, whole] > room:
            depth -= 1
            continue
        nodes += 1
        _match(walk, depth, u)
        fall = walk.falls[depth] + short[u]
        if fall + (k - depth - 1) * short[u] + matched[depth + 1, 2 * whole + 1] > room:
            continue
        walk.chosen[depth] = u
        if depth == k - 1:
            state[LEAVES] += 1
            nodes += 8
            error = _error(walk)
            if error < state[ERROR]:
                state[ERROR] = error
                walk.found[:] = walk.chosen
            continue
        count = 0
        for t in range(walk.places[depth], walk.sizes[depth]):
            v = walk.lists[depth, t]
            if v == u or deficits[u, v] < APART:
                walk.lists[depth + 1, count] = v
                count += 1
        nodes += (walk.sizes[depth] - walk.places[depth]) >> 4
        walk.falls[depth + 1] = fall
        depth += 1
        walk.sizes[depth], walk.places[depth] = count, -1
    state[DEPTH] = depth
    state[NODES] += nodes
    return bool(depth < 0)


@njit(cache=True, nogil=True)
def _match(walk: Tuples, depth: int, u: int) -> None:
    """The heaviest matchings of the chosen sets and u: u by itself, or with one of them."""
    matched = walk.matched
    new = 1 << depth
    for subset in range(new):
        best = matched[depth, subset]
        matched[depth + 1, subset] = best
        for t in range(depth):
            if subset >> t & 1:
                other = matched[depth, subset ^ 1 << t] + walk.deficits[walk.chosen[t], u]
                best = max(best, other)
        matched[depth + 1, subset | new] = best


@njit(cache=True, nogil=True)
def _error(walk: Tuples) -> int:
    """The true error of the chosen sets: every row takes its best code."""
    m, n = walk.gains.shape
    k = len(walk.chosen)
    union = np.zeros(1 << k, np.int64)
    best = np.zeros(n, np.int64)
    gain = np.zeros(n, np.int64)
    for code in range(1, 1 << k):
        t = 0
        while not code >> t & 1:
            t += 1
        union[code] = union[code ^ 1 << t] | walk.sets[walk.chosen[t]]
        gain[:] = 0
        for c in range(m):
            if union[code] >> c & 1:
                for i in range(n):
                    gain[i] += walk.gains[c, i]
        for i in range(n):
            best[i] = max(best[i], gain[i])
    return walk.total - best.sum()
