"""Kernel of the search around a circle: sets of columns every beginning of which bears its share.

Let z_j be what column j brings: h_j + u_j if it is taken, u_j if not, for any vectors u_j that add
up to zero. The worth f of a sum of such vectors is, for every block, the largest sum of positive
parts over the sets of its rows, as in `boolfact.certificate.cover.lift`; so it is sublinear. Give
every place of the circle a weight w_j > 0, and let W be the sum of all.

If f(z_1 + ... + z_m) >= T, there is a place such that W f(arc) >= w(arc) T for every arc that
begins there. Else an arc that breaks this begins at every place; go from the end of one to the
beginning of the next until a place comes again, after q rounds. These arcs come to less than qT
together, yet hold every column q times, and f(q z) = q f(z) >= qT is at most what they come to,
since f is sublinear.

So, from each place, a choice for the columns is given up where it falls behind its share. At the
end the shifts u_j cancel, and f is the worth of the set itself. Everything is a whole number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.certificate.cover.lift import Crossed

__all__ = ["DEPTH", "DONE", "FOUND", "NODES", "UNFINISHED", "WORTH", "advance"]

DONE, UNFINISHED, FOUND = 0, 1, 2
"""How `advance` returns: nothing bears all its shares, budget used up, a set that does."""

DEPTH, NODES, WORTH = 0, 1, 2
"""Places in `state`: columns decided, choices looked at, what the set that was found is worth."""


@njit(cache=True, nogil=True)
def advance(
    steps: NDArray[Any],
    shares: NDArray[np.int64],
    crossed: Crossed,
    start: int,
    chunk: int,
    sums: NDArray[Any],
    choice: NDArray[np.int8],
    taken: NDArray[np.bool_],
    order: NDArray[np.int64],
    gains: NDArray[np.int64],
    scratch: NDArray[Any],
    state: NDArray[np.int64],
    budget: int,
) -> int:
    """Go on with the search from one place where it stopped.

    Parameters
    ----------
    steps : array (2, 2 m, E)
        See `boolfact.certificate.cover.lift.Lifted`.
    shares : array (m + 1,)
        What the first columns from this place on must be worth.
    crossed : Crossed
    start : int
        The place.
    chunk : int
        How many numbers add up within the type of `steps`.
    sums : array (m + 1, E)
        sums[d]: what the first d columns bring together.
    choice : array (m + 1,)
        How many choices were begun for the column at each depth: it is taken, then skipped.
    taken : array (m,)
        By place.
    order, gains : arrays (blocks,)
        The crossed blocks as they are tried, and how much each has taken off so far.
    scratch : array (3, numbers)
        Room for a number for every set of rows of a block.
    state : array (3,)
        See `DEPTH`, `NODES`, `WORTH`.
    budget : int
        Numbers to touch before returning, about.
    """
    m, E = len(shares) - 1, steps.shape[2]
    kind = sums.dtype.type
    zero = kind(0)
    depth = state[DEPTH]
    looked, work = 0, 0
    answer = DONE
    while depth >= 0:
        if choice[depth] == 2:
            depth -= 1
            continue
        if work >= budget:
            answer = UNFINISHED
            break
        choice[depth] += 1
        looked += 1
        work += E
        place = start + depth
        takes = choice[depth] == 1
        taken[place - m if place >= m else place] = takes
        step, left = steps[1 if takes else 0, place], sums[depth + 1]
        worth = np.int64(0)
        for first in range(0, E, chunk):
            # Slices from 0 on make vector code.
            last = min(first + chunk, E)
            before, after, add = sums[depth, first:last], left[first:last], step[first:last]
            part = zero
            for e in range(len(after)):
                x = kind(before[e] + add[e])
                after[e] = x
                part = kind(part + max(x, zero))
            worth += part
        share = shares[depth + 1]
        if worth < share:
            continue
        for s in range(len(order)):
            u = order[s]
            loss, touched = _loss(crossed, u, left, taken, scratch)
            work += touched
            if loss == 0:
                continue
            worth -= loss
            gains[u] += loss
            if s > 0 and gains[u] > gains[order[s - 1]]:
                order[s], order[s - 1] = order[s - 1], u
            if worth < share:
                break
        if worth < share:
            continue
        if depth + 1 == m:
            state[WORTH] = worth
            answer = FOUND
            break
        depth += 1
        choice[depth] = 0
    state[DEPTH] = depth
    state[NODES] += looked
    return answer


@njit(cache=True, nogil=True)
def _loss(
    crossed: Crossed,
    u: int,
    values: NDArray[Any],
    taken: NDArray[np.bool_],
    scratch: NDArray[Any],
) -> tuple[Any, int]:
    """By how much the best rows of a block are worth less than all would be without crosses.

    A set of rows loses what the others are worth, and of each of its ones what is charged to it
    across rows, but no more than there is. Also returned is how many numbers were touched.
    """
    kind = values.dtype.type
    zero = kind(0)
    first, last = crossed.first_member[u], crossed.first_member[u + 1]
    low, high = crossed.first_row[u], crossed.first_row[u + 1]
    sets = 1 << (high - low)
    losses, charged = scratch[0, :sets], scratch[1, :sets]
    losses[:] = zero
    harmed = False
    work = last - first
    for k in range(first, last):
        x = values[crossed.one[k]]
        if x <= zero:
            continue
        links = 0
        for link in range(crossed.first_link[k], crossed.first_link[k + 1]):
            if taken[crossed.place[link]]:
                at = crossed.at[link]
                amounts = crossed.amounts[at : at + sets]
                if links == 0:
                    charged[:] = amounts
                else:
                    for a in range(sets):
                        charged[a] += amounts[a]
                links += 1
        if links:
            harmed = True
            work += sets
            for a in range(sets):
                losses[a] += min(x, charged[a])
    if not harmed:
        return 0, work
    # What the rows outside of each set are worth, from the whole set down.
    outside = scratch[2, :sets]
    outside[sets - 1] = zero
    for r in range(high - low):
        row = zero
        ones = values[crossed.first_one[low + r, 0] : crossed.first_one[low + r, 1]]
        for e in range(len(ones)):
            row = kind(row + max(ones[e], zero))
        work += len(ones)
        half = 1 << r
        # Sets in which the rows from r on are all taken are known; those without row r follow.
        for a in range(half):
            known = sets - 1 - a
            outside[known - half] = kind(outside[known] + row)
    best = losses[0] + outside[0]
    for a in range(1, sets):
        best = min(best, losses[a] + outside[a])
    return np.int64(best), work + 3 * sets
