"""The nearest shares whose largest ones, rectangle by rectangle, add up to at most k."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["cap_shares"]

_MOST_PASSES = 40
_CAP_ACCURACY = 1e-6
"""Passes over the shares, and when the caps stand still."""
_HALVINGS = 40
"""Of an interval, where Newton's steps do not come to an end."""


@njit(cache=True, nogil=True)
def cap_shares(
    target: NDArray[np.float32],
    start: NDArray[np.int64],
    k: float,
    caps: NDArray[np.float64],
    out: NDArray[np.float32],
) -> None:
    """The nearest point with u >= 0 and sum over rectangles of their largest u at most k.

    Each rectangle is cut off at a cap, such that what is cut off adds up to the same number,
    mu, for all of them (or less, where nothing is left); mu is found by Newton's method.
    `caps` holds the caps of the last call and, at its end, mu: the search begins there.
    """
    count = len(start) - 1
    total = 0.0
    for r in range(count):
        total += _largest(target, start[r], start[r + 1])
    if total <= k:
        for t in range(len(target)):
            out[t] = max(target[t], np.float32(0))
        caps[count] = 0.0
        return
    # Where the cap of a rectangle moves by d, what is cut off changes by d times the number of
    # its shares above. All caps and mu are moved at once, to where these lines meet sum(cap) = k.
    above = np.zeros(count)
    number = np.zeros(count)
    mu = caps[count]
    stands = False
    for _ in range(_MOST_PASSES):
        for r in range(count):
            above[r], number[r] = _cut_off(target, start[r], start[r + 1], caps[r])
            if number[r] == 0.0 and caps[r] > 0.0:
                # Too high: from the bottom Newton's steps rise to the solution.
                caps[r] = 0.0
                above[r], number[r] = _cut_off(target, start[r], start[r + 1], 0.0)
        mu = _meet(caps, above, number, k)
        moved = 0.0
        total = 0.0
        for r in range(count):
            cap = 0.0
            if number[r] > 0:
                cap = max(0.0, caps[r] + (above[r] - mu) / number[r])
            moved = max(moved, abs(cap - caps[r]))
            caps[r] = cap
            total += cap
        if moved <= _CAP_ACCURACY * (1.0 + total):
            stands = True
            break
    if not stands:
        # Equal shares can make the steps go round in a circle.
        mu = _halve(target, start, k, caps)
        total = caps[:count].sum()
    caps[count] = mu
    # What Newton's method left above k is taken off in proportion.
    shrink = np.float32(min(1.0, k / total) if total > 0.0 else 0.0)
    for r in range(count):
        cap32 = np.float32(caps[r])
        for t in range(start[r], start[r + 1]):
            out[t] = shrink * max(np.float32(0), min(target[t], cap32))


@njit(cache=True, nogil=True)
def _halve(
    target: NDArray[np.float32], start: NDArray[np.int64], k: float, caps: NDArray[np.float64]
) -> float:
    """The same mu and caps by halving intervals: slow, and sure."""
    low, high = 0.0, 0.0
    for r in range(len(start) - 1):
        high = max(high, _cut_off(target, start[r], start[r + 1], 0.0)[0])
    for _ in range(_HALVINGS):
        mu = 0.5 * (low + high)
        total = 0.0
        for r in range(len(start) - 1):
            caps[r] = _cap_at(target, start[r], start[r + 1], mu)
            total += caps[r]
        if total > k:
            low = mu
        else:
            high = mu
    for r in range(len(start) - 1):
        caps[r] = _cap_at(target, start[r], start[r + 1], high)
    return high


@njit(cache=True, nogil=True)
def _cap_at(target: NDArray[np.float32], first: int, last: int, mu: float) -> float:
    """The cap that cuts off mu; 0 where all shares together are less."""
    low, high = 0.0, _largest(target, first, last)
    if _cut_off(target, first, last, 0.0)[0] <= mu:
        return 0.0
    for _ in range(_HALVINGS):
        cap = 0.5 * (low + high)
        if _cut_off(target, first, last, cap)[0] > mu:
            low = cap
        else:
            high = cap
    return high


# Sums in any order: that is what makes vectors possible.
@njit(cache=True, nogil=True, fastmath=True)
def _largest(target: NDArray[np.float32], first: int, last: int) -> float:
    most = np.float32(0)
    for t in range(first, last):
        most = max(most, target[t])
    return float(most)


@njit(cache=True, nogil=True, fastmath=True)
def _cut_off(target: NDArray[np.float32], first: int, last: int, cap: float) -> tuple[float, float]:
    """What a cap cuts off, and how many shares are above it."""
    cap32, none, one = np.float32(cap), np.float32(0), np.float32(1)
    cut, number = np.float32(0), np.float32(0)
    for t in range(first, last):
        x = target[t] - cap32
        cut += max(x, none)
        number += one if x > none else none
    return float(cut), float(number)


@njit(cache=True, nogil=True)
def _meet(
    caps: NDArray[np.float64], above: NDArray[np.float64], number: NDArray[np.float64], k: float
) -> float:
    """The mu at which the caps, moved along their lines and none below 0, add up to k."""
    mu = 0.0
    while True:
        offset, slope = 0.0, 0.0
        for r in range(len(number)):
            if number[r] > 0 and caps[r] + (above[r] - mu) / number[r] > 0.0:
                offset += caps[r] + above[r] / number[r]
                slope += 1.0 / number[r]
        if slope == 0.0:
            return mu
        better = max(0.0, (offset - k) / slope)
        # Fewer and fewer lines stay above 0, and mu rises until none falls below.
        if better <= mu * (1 + 1e-12):
            return mu
        mu = better
