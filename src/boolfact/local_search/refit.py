"""Exact refits: every row takes the best of the 2^k unions of rectangles.

For one row, let d[c] be the signed cost of the columns whose code is c. Leaving out the set T
of rectangles leaves uncovered exactly the columns whose code is a subset of T, so the best
union is the complement of the T with the largest sum of d[c] over c within T. One subset-sum
(zeta) transform gives all 2^k of these sums with k 2^(k-1) additions, whatever the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.local_search.flips import flip_rows
from boolfact.local_search.problem import (
    LANES,
    MAX_RANK,
    Work,
    codes_of,
    make_problem,
    make_work,
    masks_of,
)
from boolfact.local_search.xorshift import draw_word

__all__ = [
    "EXACT_RANK",
    "drop_useless",
    "improve_rows",
    "refit_codes",
    "refit_columns",
    "refit_rows",
    "rows_at_once",
]

EXACT_RANK = 16
"""Largest number of rectangles for which `refit_rows` tries every union."""

_FEW = 6
"""Up to here many rows side by side are faster than one row after another."""

_BLOCK = 64
"""Sums whose maximum is kept, so finding where the best one stands is short."""


@njit(cache=True, nogil=True)
def _refit_few(
    S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], k: int, work: Work
) -> np.int64:
    """Refit columns of S, `LANES` side by side: each step is one vector operation."""
    m, n = S.shape
    size = 1 << k
    full = size - 1
    sums = work.lanes
    best = np.zeros(LANES, dtype=S.dtype)
    where = np.zeros(LANES, dtype=np.int32)
    total = np.int64(0)
    for first in range(0, n, LANES):
        if work.halt[0]:
            break
        width = min(LANES, n - first)
        sums[:size] = 0
        for j in range(m):
            code = V[j]
            if code == 0:
                continue
            if width == LANES:
                for r in range(LANES):
                    sums[code, r] += S[j, first + r]
            else:
                for r in range(width):
                    sums[code, r] += S[j, first + r]
        half = 1
        while half < size:
            for start in range(0, size, 2 * half):
                for t in range(start, start + half):
                    for r in range(LANES):
                        sums[t + half, r] += sums[t, r]
            half *= 2
        # Ties go to the first in an order with a random start: plateaus are walked, not kept.
        offset = np.int64(draw_word(work.state) >> np.uint64(33)) & full
        for r in range(LANES):
            best[r] = sums[offset, r]
            where[r] = offset
        for q in range(1, size):
            candidate = (offset + q) & full
            for r in range(LANES):
                better = sums[candidate, r] > best[r]
                best[r] = sums[candidate, r] if better else best[r]
                where[r] = np.int32(candidate) if better else where[r]
        for r in range(width):
            U[first + r] = full ^ np.int64(where[r])
            total += np.int64(sums[full, r]) - np.int64(best[r])
    return total


@njit(cache=True, nogil=True)
def _subset_sums(
    row: NDArray[Any], V: NDArray[np.int64], index: NDArray[np.int64], size: int, work: Work
) -> None:
    """All 2^k subset sums of one row into work.sums.

    A column goes at once to all supersets within its block of sixteen, which leaves only
    the levels that add long runs to long runs.
    """
    sums = work.sums
    low = work.supersets.shape[0]
    sums[:size] = 0
    for q in range(index.shape[0]):
        j = index[q]
        code = V[j]
        cost = row[j]
        masks = work.supersets[code & (low - 1)]
        start = code & ~(low - 1)
        block = sums[start : start + low]
        for t in range(low):
            block[t] += cost & masks[t]
    half = low
    while half < size:
        for start in range(0, size, 2 * half):
            without = sums[start : start + half]
            with_bit = sums[start + half : start + 2 * half]
            for t in range(half):
                with_bit[t] += without[t]
        half *= 2


@njit(cache=True, nogil=True)
def _refit_many(
    S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], k: int, work: Work
) -> np.int64:
    """Refit rows of S one after another, for k of at least log2(_BLOCK)."""
    size = 1 << k
    full = size - 1
    blocks = size // _BLOCK
    used = 0
    for j in range(V.shape[0]):
        if V[j] != 0:
            work.used[used] = j
            used += 1
    total = np.int64(0)
    for i in range(S.shape[0]):
        if work.halt[0]:
            break
        _subset_sums(S[i], V, work.used[:used], size, work)
        sums = work.sums
        best = sums[0]
        for b in range(blocks):
            block = sums[b * _BLOCK : (b + 1) * _BLOCK]
            top = block[0]
            for t in range(_BLOCK):
                top = max(top, block[t])
            work.tops[b] = top
            best = max(best, top)
        # A random tie, as in _refit_few.
        draw = np.int64(draw_word(work.state) >> np.uint64(16))
        chosen = draw & (blocks - 1)
        while work.tops[chosen] != best:
            chosen = (chosen + 1) & (blocks - 1)
        within = (draw >> 32) & (_BLOCK - 1)
        while sums[chosen * _BLOCK + within] != best:
            within = (within + 1) & (_BLOCK - 1)
        U[i] = full ^ (chosen * _BLOCK + within)
        total += np.int64(sums[full]) - np.int64(best)
    return total


@njit(cache=True, nogil=True)
def refit_codes(
    S: NDArray[Any],
    turned: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    k: int,
    work: Work,
) -> np.int64:
    """Give every row of S its best code, ties at random; returns the cost of what is covered.

    `turned` is S transposed. The returned cost counts only if `work.halt` was not raised.
    """
    if k <= _FEW:
        return _refit_few(turned, U, V, k, work)
    return _refit_many(S, U, V, k, work)


@njit(cache=True, nogil=True)
def _columns_by_rectangle(V: NDArray[np.int64], k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The columns of rectangle u: members[starts[u]:starts[u + 1]]."""
    starts = np.zeros(k + 1, dtype=np.int64)
    for j in range(V.shape[0]):
        for u in range(k):
            starts[u + 1] += (V[j] >> np.int64(u)) & np.int64(1)
    for u in range(k):
        starts[u + 1] += starts[u]
    members = np.empty(starts[k], dtype=np.int64)
    for u in range(k):
        at = starts[u]
        for j in range(V.shape[0]):
            if (V[j] >> np.int64(u)) & np.int64(1):
                members[at] = j
                at += 1
    return starts, members


@njit(cache=True, nogil=True)
def _rebuild_rows(
    S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], k: int, halt: NDArray[np.uint8]
) -> np.int64:
    """For each row, put in the rectangle that saves most until none does; keep the better code.

    Returns the saving over the codes given. What a rectangle would save is kept up to date
    while others are put in, so a row costs as much as its rectangles have columns.
    """
    saved = np.int64(0)
    starts, members = _columns_by_rectangle(V, k)
    cost = np.zeros(k, dtype=np.int64)
    for i in range(S.shape[0]):
        if halt[0]:
            break
        row = S[i]
        before = np.int64(0)
        for j in range(row.shape[0]):
            before += np.int64(row[j]) if (U[i] & V[j]) != 0 else np.int64(0)
        for u in range(k):
            total = np.int64(0)
            for q in range(starts[u], starts[u + 1]):
                total += np.int64(row[members[q]])
            cost[u] = total
        code = np.int64(0)
        after = np.int64(0)
        while True:
            cheapest = np.argmin(cost)
            if cost[cheapest] >= 0:
                break
            after += cost[cheapest]
            for q in range(starts[cheapest], starts[cheapest + 1]):
                j = members[q]
                if (code & V[j]) != 0 or row[j] == 0:
                    continue
                for u in range(k):
                    if (V[j] >> np.int64(u)) & np.int64(1):
                        cost[u] -= np.int64(row[j])
            code |= np.int64(1) << np.int64(cheapest)
        if after < before:
            U[i] = code
            saved += before - after
    return saved


@njit(cache=True, nogil=True)
def improve_rows(
    S: NDArray[Any],
    turned: NDArray[Any],
    U: NDArray[np.int64],
    V: NDArray[np.int64],
    k: int,
    halt: NDArray[np.uint8],
) -> np.int64:
    """Rebuild rows greedily where that pays, then flip bits until none pays.

    Returns the saving, which is never negative. `turned` is S transposed.
    """
    saved = _rebuild_rows(S, U, V, k, halt)
    while halt[0] == 0:
        more = flip_rows(turned, U, V, k, halt)
        if more == 0:
            break
        saved += more
    return saved


def rows_at_once(m: int, k: int) -> int:
    """How many rows one kernel call may refit to return within about a tenth of a second."""
    work = (1 << k) * max(k, 1) if k <= EXACT_RANK else m * k * k
    return max(1, 20_000_000 // (work + 8 * m))


def refit_rows(
    ones: NDArray[np.bool_],
    weights: NDArray[np.int64],
    B: NDArray[np.bool_],
    A0: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Best codes of the rows given the column sets of k rectangles.

    Parameters
    ----------
    ones : ndarray of bool, shape (n, m)
    weights : ndarray of int64, shape (n, m)
        Price of an error, 0 where an entry is missing.
    B : ndarray of bool, shape (k, m)
        Column sets, at most 64.
    A0 : ndarray of bool, shape (n, k), optional
        Codes to start from.

    Returns
    -------
    ndarray of bool, shape (n, k)
        For up to `EXACT_RANK` rectangles no code does better; among equally good codes one
        with few rectangles is taken. For more, greedy codes and those of A0 are improved by
        flips; no row is worse than with A0.

    Examples
    --------
    >>> ones = np.array([[True, True, False], [True, True, True]])
    >>> B = np.array([[True, True, False], [False, True, True]])
    >>> refit_rows(ones, np.ones((2, 3), dtype=np.int64), B).astype(int)
    array([[1, 0],
           [1, 1]])
    """
    ones = np.asarray(ones, dtype=np.bool_)
    weights = np.asarray(weights, dtype=np.int64)
    B = np.asarray(B, dtype=np.bool_)
    _check_shapes(ones, weights, B, A0)
    n, m = ones.shape
    k = B.shape[0]
    if k == 0:
        return np.zeros((n, 0), dtype=np.bool_)
    V = codes_of(B.T)
    U = np.zeros(n, dtype=np.int64) if A0 is None else codes_of(np.asarray(A0, dtype=np.bool_))
    exact = k <= EXACT_RANK
    halt = np.zeros(1, dtype=np.uint8)
    state = np.array([1], dtype=np.uint64)
    step = rows_at_once(m, k)
    for first in range(0, n, step):
        part = slice(first, min(n, first + step))
        problem = make_problem(ones[part], weights[part])
        if exact:
            work = make_work(problem, k, state, halt)
            refit_codes(problem.rows, problem.columns, U[part], V, k, work)
        else:
            improve_rows(problem.rows, problem.columns, U[part], V, k, halt)
        drop_useless(problem.rows, U[part], V, k)
    return masks_of(U, k)


def refit_columns(
    ones: NDArray[np.bool_],
    weights: NDArray[np.int64],
    A: NDArray[np.bool_],
    B0: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Best column sets, shape (k, m), given the row sets A (n, k); see `refit_rows`.

    Examples
    --------
    >>> ones = np.array([[True, True, False], [True, True, True]])
    >>> A = np.array([[True, False], [True, True]])
    >>> refit_columns(ones, np.ones((2, 3), dtype=np.int64), A).astype(int)
    array([[1, 1, 0],
           [0, 0, 1]])
    """
    ones, weights = np.asarray(ones), np.asarray(weights)
    start = None if B0 is None else np.asarray(B0).T
    return np.ascontiguousarray(refit_rows(ones.T, weights.T, np.asarray(A).T, start).T)


@njit(cache=True, nogil=True)
def drop_useless(S: NDArray[Any], U: NDArray[np.int64], V: NDArray[np.int64], k: int) -> None:
    """Take rows out of rectangles that save nothing there."""
    for i in range(S.shape[0]):
        for u in range(k - 1, -1, -1):
            bit = np.int64(1) << np.int64(u)
            if (U[i] & bit) == 0:
                continue
            cost = np.int64(0)
            for j in range(S.shape[1]):
                if (V[j] & U[i]) == bit:
                    cost += np.int64(S[i, j])
            if cost >= 0:
                U[i] &= ~bit


def _check_shapes(
    ones: NDArray[np.bool_],
    weights: NDArray[np.int64],
    B: NDArray[np.bool_],
    A0: NDArray[np.bool_] | None,
) -> None:
    if ones.ndim != 2 or weights.shape != ones.shape:
        raise ValueError(
            f"ones and weights must have one shape (n, m), got {ones.shape} and {weights.shape}"
        )
    if B.ndim != 2 or B.shape[1] != ones.shape[1]:
        raise ValueError(f"B must have shape (k, {ones.shape[1]}), got {B.shape}")
    if B.shape[0] > MAX_RANK:
        raise ValueError(f"B may have at most {MAX_RANK} rows, got {B.shape[0]}")
    if A0 is not None and np.shape(A0) != (ones.shape[0], B.shape[0]):
        raise ValueError(f"A0 must have shape {(ones.shape[0], B.shape[0])}, got {np.shape(A0)}")
