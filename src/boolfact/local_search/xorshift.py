"""A small random generator for kernels: xorshift64*, its state one word in an array."""

from __future__ import annotations

import numpy as np
from numba import config, njit
from numpy.typing import NDArray

__all__ = ["draw_below", "draw_unit", "draw_word", "fresh_state"]


def fresh_state(sequence: np.random.SeedSequence) -> NDArray[np.uint64]:
    """A state drawn from a seed sequence; never zero, which would stay zero for ever."""
    return sequence.generate_state(1, np.uint64) | np.uint64(1)


@njit(cache=True, nogil=True)
def draw_word(state: NDArray[np.uint64]) -> np.uint64:
    """64 random bits."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(2685821657736338717)


if config.DISABLE_JIT:  # type: ignore[attr-defined]
    # The product is meant to lose its upper bits; NumPy would warn of it.
    draw_word = np.errstate(over="ignore")(draw_word)  # type: ignore


@njit(cache=True, nogil=True)
def draw_below(state: NDArray[np.uint64], size: int) -> np.int64:
    """A number in 0 .. size - 1."""
    return np.int64((draw_word(state) >> np.uint64(33)) % np.uint64(size))


@njit(cache=True, nogil=True)
def draw_unit(state: NDArray[np.uint64]) -> np.float64:
    """A number in (0, 1], so its logarithm exists."""
    return (np.float64(draw_word(state) >> np.uint64(11)) + 1.0) / 9007199254740992.0
