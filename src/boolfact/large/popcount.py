"""Best codes of packed rows by counts of bits: most unions of patterns are ruled out, not tried.

A guess gives a cost that the best code does not exceed. A pattern that would cover more zeros than
that pays for is in no best code; one that alone could cover more ones is in all of them. Each
pattern that goes leaves more ones to the others alone, so this is done again until nothing
changes. Where patterns are open then, one of them is taken in and left out in turn: a branch and
bound for each row. Rows that need many branches are left to `boolfact.large.exact` or
`boolfact.large.greedy`.

Of equally good codes the one is taken that `boolfact.large.exact` takes: pattern 0 is left out if
it can be, then pattern 1, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.large.lists import trailing_zeros
from boolfact.large.vectors import WIDE, clear, divide, put_in, shared
from boolfact.model.packed import pack_bits

__all__ = ["Patterns", "code_rows", "pack_patterns"]

_ONCE, _TWICE, _INSIDE, _ONES, _ZEROS, _LINES = range(6)
"""Lines of the scratch space of a row, as `boolfact.large.vectors` has them."""

_BRANCHES = 48
"""Branches of a row after which it is left: all unions at once would be as fast."""

_GUESSES = (8, 3)
"""A guess takes the patterns of which at most one cell in so many is a zero."""


class Patterns(NamedTuple):
    """Patterns in bits, filled up with zeros to whole vectors, and how many columns each has."""

    words: NDArray[np.uint64]
    sizes: NDArray[np.int64]


def pack_patterns(patterns: NDArray[np.bool_]) -> Patterns:
    """Patterns (k, m) as `code_rows` takes them."""
    words = pack_bits(patterns)
    filled = np.zeros((len(words), -(-words.shape[1] // WIDE) * WIDE), dtype=np.uint64)
    filled[:, : words.shape[1]] = words
    return Patterns(filled, patterns.sum(axis=1).astype(np.int64))


@njit(cache=True, nogil=True, inline="always")
def _shared_bits(
    a: NDArray[np.uint64], line: np.int64 | int, b: NDArray[np.uint64], other: int
) -> np.int64:
    """Bits that two lines of words share."""
    width = a.shape[1]
    count = np.int64(0)
    for first in range(0, width, WIDE):
        count += shared(a, line * width + first, b, other * width + first)
    return count


@njit(cache=True, nogil=True, inline="always")
def _unite(
    patterns: NDArray[np.uint64], allowed: np.int64, sure: np.int64, work: NDArray[np.uint64]
) -> None:
    """Columns of the allowed patterns, of two of them, and of the sure ones: three lines."""
    width = work.shape[1]
    for first in range(0, width, WIDE):
        clear(work, first, width)
    left = np.uint64(allowed)
    while left != np.uint64(0):
        u = np.int64(trailing_zeros(left))
        left &= left - np.uint64(1)
        mask = np.uint64(-((sure >> u) & np.int64(1)))
        for first in range(0, width, WIDE):
            put_in(work, first, width, patterns, u * width + first, mask)


@njit(cache=True, nogil=True)
def _guess(
    patterns: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    prices: tuple[int, int],
    costs: NDArray[np.int64],
    work: NDArray[np.uint64],
) -> np.int64:
    """A cost that the best code does not exceed: of nothing, or of patterns with few zeros.

    `costs` is what the zeros of each pattern cost.
    """
    best = np.int64(-1)
    before = np.int64(-1)
    for share in _GUESSES:
        code = np.int64(0)
        for u in range(patterns.shape[0]):
            if share * costs[u] <= prices[0] * sizes[u]:
                code |= np.int64(1) << np.int64(u)
        if code != before:
            _unite(patterns, code, code, work)
            cost = _floor(prices, work)
            if best < 0 or cost < best:
                best = cost
        before = code
    return best


@njit(cache=True, nogil=True)
def _comes_before(code: np.int64, other: np.int64) -> bool:
    """Whether a code is to be preferred to another one that costs as much."""
    differ = code ^ other
    return differ != 0 and (code & (differ & -differ)) == 0


@njit(cache=True, nogil=True, inline="always")
def _floor(prices: tuple[int, int], work: NDArray[np.uint64]) -> np.int64:
    """What a row costs at least with all sure patterns and any of the allowed ones."""
    covered = _shared_bits(work, _ONES, work, _ONCE)
    missed = _shared_bits(work, _ONES, work, _ONES) - covered
    return _shared_bits(work, _ZEROS, work, _INSIDE) * prices[0] + missed * prices[1]


@njit(cache=True, nogil=True, inline="always")
def _narrow(
    patterns: NDArray[np.uint64],
    prices: tuple[int, int],
    best: np.int64,
    sure: np.int64,
    allowed: np.int64,
    work: NDArray[np.uint64],
) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """Sure and allowed patterns after all that follows from `best`, a floor, and what is open.

    The last number is the pattern for which it matters most whether it is in; -1 if none is
    open, and then the floor is what the row costs.
    """
    while True:
        _unite(patterns, allowed, sure, work)
        floor = _floor(prices, work)
        left = allowed & ~sure
        if left == 0 or floor > best:
            return sure, allowed, floor, np.int64(-1)
        width = work.shape[1]
        for first in range(0, width, WIDE):
            divide(work, first, width)
        chosen, most = np.int64(-1), np.int64(-1)
        rest = np.uint64(left)
        while rest != np.uint64(0):
            u = np.int64(trailing_zeros(rest))
            rest &= rest - np.uint64(1)
            may_save = _shared_bits(patterns, u, work, _LINES) * prices[1]
            may_cost = _shared_bits(patterns, u, work, _LINES + 1) * prices[0]
            must_save = _shared_bits(patterns, u, work, _LINES + 2) * prices[1]
            must_cost = _shared_bits(patterns, u, work, _LINES + 3) * prices[0]
            if may_save <= must_cost or floor + may_cost > best:
                allowed &= ~(np.int64(1) << u)
            elif must_save > may_cost or floor + must_save > best:
                sure |= np.int64(1) << u
            elif max(may_cost, must_save) > most:
                chosen, most = u, max(may_cost, must_save)
        if left == allowed & ~sure:
            return sure, allowed, floor, chosen


@njit(cache=True, nogil=True)
def _branch(
    patterns: NDArray[np.uint64],
    prices: tuple[int, int],
    best: np.int64,
    allowed: np.int64,
    stack: NDArray[np.int64],
    work: NDArray[np.uint64],
) -> tuple[np.int64, np.int64, bool]:
    """The best code of a row, what the row then costs, and whether that was found out.

    `best` is a cost that some code reaches, with none but the allowed patterns. `stack` has two
    lines with two places more than there are patterns.
    """
    stack[0, 0], stack[1, 0] = 0, allowed
    size, branches, code, is_known = 1, 0, np.int64(0), False
    while size > 0:
        size -= 1
        sure, open_, floor, u = _narrow(
            patterns, prices, best, stack[0, size], stack[1, size], work
        )
        if floor > best or (is_known and floor == best and not _comes_before(sure, code)):
            continue
        if u < 0:
            code, best, is_known = sure, floor, True
            continue
        branches += 1
        if branches > _BRANCHES:
            return code, best, False
        bit = np.int64(1) << u
        stack[0, size], stack[1, size] = sure | bit, open_
        stack[0, size + 1], stack[1, size + 1] = sure, open_ & ~bit
        size += 2
    return code, best, True


@njit(cache=True, nogil=True)
def code_rows(
    ones: NDArray[np.uint64],
    hidden: NDArray[np.uint64],
    patterns: Patterns,
    prices: tuple[int, int],
    weights: NDArray[np.int64],
    U: NDArray[np.int64],
    is_left: NDArray[np.bool_],
) -> np.int64:
    """Give each row its best code, where few branches find it; mark the rows that are left.

    Parameters
    ----------
    ones, hidden : ndarray of uint64, shape (n, words)
        Ones and missing entries; `hidden` has no rows where nothing is missing.
    patterns : Patterns
    prices : pair of int
        Of a covered zero, and of a one that is not.
    weights : ndarray of int64
        Of the rows; empty for 1.
    U : ndarray of int64
        Where the codes go; those of rows that are left stay as they are.
    is_left : ndarray of bool
        Where it goes whether a row is left.

    Returns
    -------
    int
        Cost of all that is covered in the rows that are not left, a one of them saving its
        price, with the weights of the rows; at most 0.
    """
    own, sizes = patterns.words, patterns.sizes
    k, width = own.shape
    work = np.zeros((_LINES + 4, width), dtype=np.uint64)
    stack, costs = np.empty((2, k + 2), dtype=np.int64), np.empty(k, dtype=np.int64)
    total = np.int64(0)
    for i in range(ones.shape[0]):
        for w in range(ones.shape[1]):
            work[_ONES, w] = ones[i, w]
            work[_ZEROS, w] = ~(ones[i, w] | hidden[i, w]) if hidden.shape[0] else ~ones[i, w]
        count = _shared_bits(work, _ONES, work, _ONES)
        for u in range(k):
            costs[u] = _shared_bits(own, u, work, _ZEROS) * prices[0]
        best = min(_guess(own, sizes, prices, costs, work), count * prices[1])
        allowed = np.int64(0)
        for u in range(k):
            if costs[u] <= best:
                allowed |= np.int64(1) << np.int64(u)
        code, cost, is_known = _branch(own, prices, best, allowed, stack, work)
        is_left[i] = not is_known
        if is_known:
            U[i] = code
            total += (cost - count * prices[1]) * (weights[i] if weights.shape[0] else np.int64(1))
    return total
