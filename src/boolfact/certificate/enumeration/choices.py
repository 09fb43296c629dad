"""All choices of k sets that are worth enough together, and the true error of each.

A choice is a list in the order of worth, best first, in which a set may come again. Its sets are
worth k times the best, less what each falls short of it. Where two of them are matched with each
other, their deficit comes off, too. The heaviest matching is kept for every subset of the sets
chosen. As sets that come later fall short by no less, a choice is given up where all that is known
exceeds the room.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.certificate.enumeration.weighing import APART

__all__ = ["CHOICES", "NODES", "Choices", "make_choices", "try_choices"]

DEPTH, NODES, CHOICES, LEAST = 0, 1, 2, 3
"""Places in `state`: sets chosen, nodes, whole choices, and the least error of them."""


class Choices(NamedTuple):
    """A search that can be left and entered again.

    Attributes
    ----------
    sets, short : array (N,)
        Columns as bits, and by how much each falls short of the best, in units, rising.
    deficits : array of uint16, shape (N, N)
        Of pairs, in units; `APART` where they do not go together.
    room : int
        By how much k sets may fall short, in units.
    gains : array (m, n)
        The weight of a one, minus that of a zero, 0 where an entry is missing.
    total : int
        The weight of all ones.
    lists : array (k, N), sizes, at : array (k,)
        At each depth: which sets can follow, how many they are, and the place that is tried.
    falls : array (k + 1,)
        How far the sets chosen fall short.
    matched : array (k + 1, 2^k)
        At each depth: the heaviest matching of each subset of the sets chosen.
    union : array (2^k,), gained : array (2^k, n)
        For each code of sets chosen: its columns, and what each row gains with them.
    best : array (k + 1, n)
        At each depth: what each row gains with its best code.
    state : array (4,)
    """

    sets: NDArray[np.int64]
    short: NDArray[np.int64]
    deficits: NDArray[np.uint16]
    room: int
    gains: NDArray[np.int64]
    total: int
    lists: NDArray[np.int64]
    sizes: NDArray[np.int64]
    at: NDArray[np.int64]
    falls: NDArray[np.int64]
    matched: NDArray[np.int64]
    union: NDArray[np.int64]
    gained: NDArray[np.int64]
    best: NDArray[np.int64]
    state: NDArray[np.int64]

    @property
    def least(self) -> int:
        """The least error that was met; more than the weight of all ones if there was none."""
        return int(self.state[LEAST])


def make_choices(
    sets: NDArray[np.int64],
    short: NDArray[np.int64],
    deficits: NDArray[np.uint16],
    *,
    k: int,
    room: int,
    gains: NDArray[np.int64],
) -> Choices:
    """The search at its beginning; see `Choices`."""
    N, n = len(sets), gains.shape[1]
    lists = np.zeros((k, N), dtype=np.int64)
    lists[0] = np.arange(N)
    sizes = np.zeros(k, dtype=np.int64)
    sizes[0] = N
    total = int(gains[gains > 0].sum())
    return Choices(
        sets, short, deficits, room, gains, total, lists, sizes,
        at=np.full(k, -1, dtype=np.int64),
        falls=np.zeros(k + 1, dtype=np.int64),
        matched=np.zeros((k + 1, 1 << k), dtype=np.int64),
        union=np.zeros(1 << k, dtype=np.int64),
        gained=np.zeros((1 << k, n), dtype=np.int64),
        best=np.zeros((k + 1, n), dtype=np.int64),
        state=np.array([0, 0, 0, total + 1], dtype=np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def try_choices(search: Choices, budget: int) -> bool:
    """Go on until about so many numbers were touched; whether everything is done."""
    k, state = len(search.at), search.state
    depth, work = state[0], 0
    while depth >= 0 and work < budget:
        search.at[depth] += 1
        if search.at[depth] >= search.sizes[depth]:
            depth -= 1
            continue
        u = search.lists[depth, search.at[depth]]
        everything = (1 << depth) - 1
        # This set and all that come after it fall short by no less.
        if (
            search.falls[depth] + (k - depth) * search.short[u] + search.matched[depth, everything]
            > search.room
        ):
            depth -= 1
            continue
        state[NODES] += 1
        work += depth << depth
        _match(search, depth, u)
        search.falls[depth + 1] = search.falls[depth] + search.short[u]
        if (
            search.falls[depth + 1]
            + (k - depth - 1) * search.short[u]
            + search.matched[depth + 1, 2 * everything + 1]
            > search.room
        ):
            continue
        work += _gain(search, depth, u)
        if depth == k - 1:
            state[CHOICES] += 1
            state[LEAST] = min(state[LEAST], search.total - search.best[k].sum())
            continue
        count = 0
        for t in range(search.at[depth], search.sizes[depth]):
            v = search.lists[depth, t]
            if search.deficits[u, v] < APART:
                search.lists[depth + 1, count] = v
                count += 1
        work += search.sizes[depth] - search.at[depth]
        depth += 1
        search.sizes[depth], search.at[depth] = count, -1
    state[DEPTH] = depth
    return bool(depth < 0)


@njit(cache=True, nogil=True)
def _match(search: Choices, depth: int, u: int) -> None:
    """Matchings of the sets chosen and u, which is alone or goes with one of them."""
    before, after = search.matched[depth], search.matched[depth + 1]
    for subset in range(1 << depth):
        after[subset] = before[subset]
        heaviest = before[subset]
        for t in range(depth):
            if subset >> t & 1:
                other = search.lists[t, search.at[t]]
                pair = before[subset ^ 1 << t] + search.deficits[other, u]
                heaviest = max(heaviest, pair)
        after[subset | 1 << depth] = heaviest


@njit(cache=True, nogil=True)
def _gain(search: Choices, depth: int, u: int) -> int:
    """What each row gains with every code that has set u, and with the best of all codes."""
    m, n = search.gains.shape
    best = search.best[depth + 1]
    best[:] = search.best[depth]
    work = 0
    for code in range(1 << depth):
        new = search.sets[u] & ~search.union[code]
        with_u = code | 1 << depth
        search.union[with_u] = search.union[code] | new
        gained = search.gained[with_u]
        gained[:] = search.gained[code]
        for c in range(m):
            if new >> c & 1:
                work += n
                for i in range(n):
                    gained[i] += search.gains[c, i]
        for i in range(n):
            best[i] = max(best[i], gained[i])
        work += 2 * n + m
    return work
