"""Kernel of the search by size: sets of s columns, every beginning of which bears its share.

Rows are single. A set b of columns is worth W(b), the sum over its ones e of max(0, p_e - l_e(b)),
where l_e(b) is what its columns charge to e. Let b have s columns, and let column j of b bring
z_je = p_e - s l_e(j) to every one e in the columns of b. All of them bring s (p_e - l_e(b)), so
with f(x), the sum of the positive parts, f(sum of z_j) = s W(b). If W(b) >= T, then on any circle
there is a column of b from which every arc of t columns of b has f >= t T. Else arcs that break
this lead from column to column until one comes again, after q rounds. Together they come to less
than q s T, yet f is sublinear, and they hold every column q times: at least q s W(b) >= q s T.

So, for each size and from each place, columns are chosen one after another. With the first t, S,
one e has y_e = t p_e - s l_e(S). What the arc comes to is the sum of max(0, y_e) over the columns
of S, and over the s - t others, which come after the last of S and before the first. Of these no
more is known than that they bring at most what the s - t best of them bring.

For n numbers, any of which are k, and any level v, the k largest add up to at most
k v + sum of max(0, number - v); with v the k-th largest, that is what they add up to. So a level
that was right before often shows at once that a set falls behind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["DEPTH", "DONE", "FOUND", "NODES", "UNFINISHED", "WORTH", "Stack", "advance"]

DONE, UNFINISHED, FOUND = 0, 1, 2
"""How `advance` returns: nothing bears all its shares, budget used up, a set that does."""

DEPTH, NODES, WORTH = 0, 1, 2
"""Places in `state`: the column to be chosen next, choices looked at, what was found is worth."""


class Stack(NamedTuple):
    """Where the search stands; t counts the columns chosen, from 1 on."""

    sums: NDArray[Any]
    """sums[t]: what the first t columns bring to each one."""
    options: NDArray[np.int64]
    """options[t]: how far from the start the t-th column may be."""
    next: NDArray[np.int64]
    """Of options[t], the one to be tried next."""
    end: NDArray[np.int64]
    """How many options there are."""
    chosen: NDArray[np.int64]
    """The place of the t-th column."""
    level: NDArray[np.int64]
    """A level for the columns behind the t-th, right for some set before."""
    brought: NDArray[np.int64]
    """Room for two numbers for each column."""


@njit(cache=True, nogil=True)
def advance(
    steps: NDArray[Any],
    first: NDArray[np.int64],
    start: int,
    size: int,
    target: int,
    stack: Stack,
    state: NDArray[np.int64],
    budget: int,
) -> int:
    """Go on with the search for sets of one size from one place where it stopped.

    Parameters
    ----------
    steps : array (m, E)
        What each place brings to each one, see `boolfact.certificate.cover.weigh.Weighed.steps`.
    first : array (m + 1,)
        The ones of each place.
    start, size, target : int
        The place, s and T.
    stack : Stack
    state : array (3,)
        See `DEPTH`, `NODES`, `WORTH`.
    budget : int
        Numbers to touch before returning, about.
    """
    m = len(first) - 1
    t = state[DEPTH]
    looked, work = 0, 0
    answer = DONE
    brought = stack.brought[0]
    while t > 0:
        if stack.next[t] == stack.end[t]:
            t -= 1
            continue
        if work >= budget:
            answer = UNFINISHED
            break
        way = stack.options[t, stack.next[t]]
        stack.next[t] += 1
        looked += 1
        place = start + way if start + way < m else start + way - m
        stack.chosen[t] = place
        before, step = stack.sums[t - 1], steps[place]
        share, rest, count = t * target, size - t, m - 1 - way
        inside = np.int64(0)
        for u in range(1, t + 1):
            c = stack.chosen[u]
            inside += _positive(before, step, first[c], first[c + 1])
            work += first[c + 1] - first[c]
        if rest == 0:
            if inside >= share:
                # Every number is a multiple of the size.
                state[WORTH] = inside // size
                answer = FOUND
                break
            continue
        later = np.int64(0)
        c = place
        for i in range(count):
            c = c + 1 if c + 1 < m else 0
            x = np.int64(_positive(before, step, first[c], first[c + 1]))
            brought[i] = x
            later += x
            work += first[c + 1] - first[c]
        if inside + later < share:
            continue
        level = stack.level[t]
        if inside + rest * level + _above(brought, count, level) < share:
            continue
        level = _largest(brought, count, rest, stack.brought[1])
        stack.level[t] = level
        if inside + rest * level + _above(brought, count, level) < share:
            continue
        # A next column brings what it does, and those behind it the rest.
        behind = np.int64(0)
        options, n = stack.options[t + 1], 0
        for back in range(count):
            i = count - 1 - back
            x = brought[i]
            if back >= rest - 1 and inside + x + (rest - 1) * level + behind >= share:
                options[n] = way + 1 + i
                n += 1
            behind += max(x - level, 0)
        if n == 0:
            continue
        after = stack.sums[t]
        for e in range(len(after)):
            after[e] = before[e] + step[e]
        work += len(after)
        t += 1
        stack.next[t], stack.end[t] = 0, n
    state[DEPTH] = t
    state[NODES] += looked
    return answer


@njit(cache=True, nogil=True)
def _positive(before: NDArray[Any], step: NDArray[Any], low: int, high: int) -> Any:
    """The sum of the positive parts of one column."""
    kind = before.dtype.type
    zero = kind(0)
    part = zero
    # Slices from 0 on make vector code.
    x, y = before[low:high], step[low:high]
    for e in range(len(x)):
        part = kind(part + max(kind(x[e] + y[e]), zero))
    return part


@njit(cache=True, nogil=True)
def _above(numbers: NDArray[np.int64], count: int, level: int) -> int:
    """How much the numbers are above a level together."""
    total = np.int64(0)
    for x in numbers[:count]:
        total += max(x - level, 0)
    return int(total)


@njit(cache=True, nogil=True)
def _largest(numbers: NDArray[np.int64], count: int, k: int, scratch: NDArray[np.int64]) -> int:
    """The k-th largest of the numbers; there are at least so many."""
    x = scratch[:count]
    x[:] = numbers[:count]
    low, high = 0, count - 1
    while low < high:
        pivot = x[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while x[i] > pivot:
                i += 1
            while x[j] < pivot:
                j -= 1
            if i <= j:
                x[i], x[j] = x[j], x[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            break
    return int(x[k - 1])
