"""Kernel of the verifier's search: sets of columns every prefix of which is worth its share.

The worth of a set of columns is f(x), x the sum of its columns and f the sum of the positive
entries of x. Since f(x + y) <= f(x) + f(y), a set that is worth a lot must be so in its parts:

Put the columns on a circle and give column j a share s_j >= 0 of the target T, all shares
adding up to T. If f(x) >= T for a set, there is a place on the circle such that on every arc
that begins there, the columns of the set are worth at least the shares of the arc. Were there
a lighter arc at every place, one could walk from the end of one to the beginning of the next
until a place comes again, c times around, say: the worths of these arcs add up to less than
cT, although together they hold every column of the set c times and f(cx) = c f(x) >= cT.

So, for each place, only sets whose prefixes all carry their shares need to be looked at.
Everything is a whole number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["DEPTH", "DONE", "FOUND", "NODES", "UNFINISHED", "advance"]

DONE, UNFINISHED, FOUND = 0, 1, 2
"""How `advance` returns: nothing reaches the target, budget used up, a set that reaches it."""

DEPTH, NODES = 0, 1
"""Places in `state`: how many columns are taken, and how many sets were looked at."""

_NEXT, _WORTH, _TAKEN = 0, 1, 2
"""Places in a row of `stack`: the next column to try, the worth so far, the column taken."""


@njit(cache=True, nogil=True)
def advance(
    columns: NDArray[Any],
    reach: NDArray[Any],
    shares: NDArray[np.int64],
    sums: NDArray[Any],
    stack: NDArray[np.int64],
    state: NDArray[np.int64],
    budget: int,
) -> int:
    """Go on with the search from one place where it stopped.

    Parameters
    ----------
    columns : array (m, n)
        One column of the matrix a row, in the order of the circle from this place on.
    reach : array (m + 1, n)
        reach[r, i]: the most that columns r, r + 1, ... can add to entry i.
    shares : array (m + 1,)
        What a prefix of r columns must be worth; shares[m] is the target.
    sums : array (m + 1, n)
        sums[d]: the sum of the first d columns taken.
    stack : array (m + 1, 3)
        See `_NEXT`, `_WORTH`, `_TAKEN`.
    state : array (2,)
        See `DEPTH`, `NODES`.
    budget : int
        Sets to look at before returning.
    """
    m, n = columns.shape
    target = shares[m]
    depth = state[DEPTH]
    looked = 0
    answer = DONE
    while depth >= 0:
        r = stack[depth, _NEXT]
        # Passing over more columns asks for more, while the worth stays what it is.
        if stack[depth, _WORTH] < shares[r]:
            depth -= 1
            continue
        if r == m:
            answer = FOUND
            break
        if looked == budget:
            answer = UNFINISHED
            break
        looked += 1
        stack[depth, _NEXT] = r + 1
        before, after, column, more = sums[depth], sums[depth + 1], columns[r], reach[r + 1]
        worth = np.int64(0)
        highest = np.int64(0)
        for i in range(n):
            x = before[i] + column[i]
            after[i] = x
            worth += max(x, 0)
            highest += max(x + more[i], 0)
        if worth >= shares[r + 1] and highest >= target:
            stack[depth, _TAKEN] = r
            depth += 1
            stack[depth, _NEXT] = r + 1
            stack[depth, _WORTH] = worth
    state[DEPTH] = depth
    state[NODES] += looked
    return answer
