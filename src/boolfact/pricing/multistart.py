"""Many starts at once: alternation and single flips from each, good rectangles kept apart.

Column generation prices again and again with slowly changing H. Rectangles that were good
before are good starts now, and so are the rows and columns of the data.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.control.executor import SERIAL, Executor
from boolfact.pricing.heuristic import Priced

__all__ = ["climb", "climb_each", "price_multistart", "starts_from"]

# A chunk of starts takes a few milliseconds, so an interruption is seen soon.
_CHUNK = 64


@njit(cache=True, nogil=True)
def _sum_rows(H: NDArray[np.float64], chosen: NDArray[np.bool_], sums: NDArray[np.float64]) -> None:
    """Add up the chosen rows of H."""
    n, m = H.shape
    for j in range(m):
        sums[j] = 0.0
    for i in range(n):
        if chosen[i]:
            for j in range(m):
                sums[j] += H[i, j]


@njit(cache=True, nogil=True)
def _choose(sums: NDArray[np.float64], chosen: NDArray[np.bool_]) -> float:
    """Choose what has a positive sum; return the total."""
    value = 0.0
    for i in range(len(sums)):
        chosen[i] = sums[i] > 0
        if chosen[i]:
            value += sums[i]
    return value


@njit(cache=True, nogil=True)
def _best_flip(
    HT: NDArray[np.float64], b: NDArray[np.bool_], row_sums: NDArray[np.float64], value: float
) -> tuple[int, float]:
    """The flip of one column that gains most once the rows are chosen anew, and the new worth."""
    m, n = HT.shape
    best_j, best = -1, value
    for j in range(m):
        sign = -1.0 if b[j] else 1.0
        total = 0.0
        for i in range(n):
            total += max(0.0, row_sums[i] + sign * HT[j, i])
        if total > best:
            best_j, best = j, total
    return best_j, best


@njit(cache=True, nogil=True)
def climb(
    H: NDArray[np.float64], HT: NDArray[np.float64], a: NDArray[np.bool_], b: NDArray[np.bool_]
) -> float:
    """Improve a rectangle in place, from b, until neither refit nor single flip helps.

    Alternation stops at the first b that is best for its a; the flip of one column with all
    rows refitted, and the flip of one row with all columns refitted, look one step further.
    """
    n, m = H.shape
    row_sums = np.empty(n)
    column_sums = np.empty(m)
    value = before = -1.0
    while True:
        while True:
            _sum_rows(HT, b, row_sums)
            _choose(row_sums, a)
            _sum_rows(H, a, column_sums)
            refitted = _choose(column_sums, b)
            if refitted <= value * (1 + 1e-12):
                break
            value = refitted
        if value <= before:
            # A flip that seemed to help did so by rounding, which beside huge numbers is large.
            return value
        before = value
        enough = value * (1 + 1e-9)
        _sum_rows(HT, b, row_sums)
        j, flipped = _best_flip(HT, b, row_sums, value)
        if flipped > enough:
            b[j] = not b[j]
            continue
        i, flipped = _best_flip(H, a, column_sums, value)
        if flipped <= enough:
            return value
        a[i] = not a[i]
        _sum_rows(H, a, column_sums)
        _choose(column_sums, b)


@njit(cache=True, nogil=True)
def climb_each(
    H: NDArray[np.float64],
    HT: NDArray[np.float64],
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    values: NDArray[np.float64],
) -> None:
    """Climb from each row of B; A is overwritten."""
    for r in range(len(B)):
        values[r] = climb(H, HT, A[r], B[r])


def starts_from(
    H: NDArray[np.float64],
    B: NDArray[np.bool_],
    rng: np.random.Generator,
    random: int,
) -> NDArray[np.bool_]:
    """Column sets to start from.

    Given ones, the positive part of every row, every column alone; given ones with a tenth of
    the columns flipped and random sets of all sizes, `random` of each.
    """
    m = H.shape[1]
    parts = [B, H > 0, np.eye(m, dtype=np.bool_)]
    if len(B) and random:
        parts.append(B[rng.integers(len(B), size=random)] ^ (rng.random((random, m)) < 0.1))
    if random:
        parts.append(rng.random((random, m)) < rng.uniform(0.05, 0.6, size=(random, 1)))
    return np.ascontiguousarray(np.vstack(parts))


def price_multistart(
    H: NDArray[np.float64],
    starts: NDArray[np.bool_],
    *,
    above: float = 0.0,
    executor: Executor = SERIAL,
) -> Priced:
    """Distinct rectangles worth more than `above`, best first, by climbing from each start.

    Examples
    --------
    >>> H = np.array([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    >>> price_multistart(H, np.eye(3, dtype=bool)).values
    array([4., 1.])
    """
    H = np.ascontiguousarray(H, dtype=np.float64)
    HT = np.ascontiguousarray(H.T)
    B = np.unique(starts, axis=0)
    A = np.zeros((len(B), H.shape[0]), dtype=np.bool_)
    values = np.zeros(len(B))
    chunks = [slice(u, u + _CHUNK) for u in range(0, len(B), _CHUNK)]
    on = executor if len(chunks) > 1 else SERIAL
    list(on.map(lambda c: climb_each(H, HT, A[c], B[c], values[c]), chunks))
    good = np.flatnonzero(values > above)
    keys = np.hstack([np.packbits(A[good], axis=1), np.packbits(B[good], axis=1)])
    _, first = np.unique(keys, axis=0, return_index=True)
    distinct = good[np.sort(first)]
    order = distinct[np.argsort(-values[distinct], kind="stable")]
    return Priced(values[order], A[order], B[order])
