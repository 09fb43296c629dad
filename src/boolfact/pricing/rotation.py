"""Kernel of the exact pricing: depth-first search with prefix thresholds, in integers.

The worth of a set of columns b is f(sum of its columns), f(x) = sum of the positive parts of
x: sublinear, so f(x + y) <= f(x) + f(y) and f(cx) = c f(x) for c >= 0. Put the columns on a
circle, with weights w_j > 0 that add up to W, and let z_j be what column j brings: h_j + u_j
if j is in b, u_j otherwise, for any vectors u_j that add up to zero.

Lemma. If f(z_1 + ... + z_m) >= T then there is a start q from which every arc that begins at
q has W f(its sum) >= w(arc) T.

Proof. Otherwise every start has an arc with W f(sum) < w(arc) T. Hop from start to start
along such arcs until a start is met again: between its two visits the hops go around the
circle c >= 1 times. Add up their inequalities: by sublinearity the left sides come to at least
W f(c (z_1 + ... + z_m)) >= c W T, and the right sides to c W T, a contradiction.

So it is enough to look, from each start, for sets whose every prefix is worth its share of T.
Everything is an integer and nothing is rounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["BEST", "DEPTH", "NODES", "ROOT", "TAKEN_ONLY", "UNIT", "search", "thresholds"]

DEPTH, ROOT, NODES, BEST, UNIT = 0, 1, 2, 3, 4
"""Places in `control`: current depth, depth of the subtree's root, nodes so far, the value to
beat, and the number that all values are multiples of."""

TAKEN_ONLY = 3
"""Phase of a node whose column is taken and whose other child somebody else looks at."""


@njit(cache=True, nogil=True)
def thresholds(weights: NDArray[np.int64], target: int, out: NDArray[np.int64]) -> None:
    """out[r] = the smallest integer that is at least the share of `target` of r columns."""
    total = weights[-1]
    for r in range(weights.shape[0]):
        out[r] = -((-weights[r] * target) // total)


@njit(cache=True, nogil=True)
def search(
    steps: NDArray[Any],
    weights: NDArray[np.int64],
    sums: NDArray[Any],
    phase: NDArray[np.int8],
    control: NDArray[np.int64],
    found: NDArray[np.bool_],
    budget: int,
) -> bool:
    """Search on from the stored state for at most `budget` nodes; whether it is finished.

    Looks for sets worth more than control[BEST]; each one met goes to `found` and raises it.

    Parameters
    ----------
    steps : array (2, m, n)
        What each column brings if taken and if not, in the order of this start.
    weights : array (m + 1,)
        Cumulated weights of the columns, weights[0] = 0.
    sums : array (m + 1, n)
        sums[r]: the sum after r columns.
    phase : array (m + 1,)
        How many children of the node at each depth were started: 1 is in the one that takes
        the column, 2 in the one that does not; or `TAKEN_ONLY`.
    control : array (5,)
        See `DEPTH`, `ROOT`, `NODES`, `BEST`, `UNIT`.
    found : array (m,)
        The best set, in the order of this start.
    """
    _, m, n = steps.shape
    zero = sums[0, 0] - sums[0, 0]
    shares = np.empty(m + 1, np.int64)
    thresholds(weights, control[BEST] + control[UNIT], shares)
    d = control[DEPTH]
    nodes = 0
    while d >= control[ROOT]:
        if phase[d] >= 2:
            d -= 1
            continue
        if nodes == budget:
            break
        step = steps[phase[d], d]
        phase[d] += 1
        nodes += 1
        before, after = sums[d], sums[d + 1]
        worth = zero
        for i in range(n):
            x = before[i] + step[i]
            after[i] = x
            worth += max(x, zero)
        if worth < shares[d + 1]:
            continue
        if d + 1 == m:
            for r in range(m):
                found[r] = phase[r] % 2 == 1
            control[BEST] = worth
            thresholds(weights, control[BEST] + control[UNIT], shares)
            continue
        d += 1
        phase[d] = 0
    control[DEPTH] = d
    control[NODES] += nodes
    return d < control[ROOT]
