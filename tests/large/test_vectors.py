"""Vectors of words: compiled and plain ones do the same."""

import numpy as np
from numba import njit

from boolfact.large import vectors
from boolfact.large.vectors import WIDE, clear, divide, put_in, shared


@njit
def by_kernels(work, patterns, masks, counts):
    width = work.shape[1]
    for first in range(0, width, WIDE):
        clear(work, first, width)
        for u in range(len(patterns)):
            put_in(work, first, width, patterns, u * width + first, masks[u])
        divide(work, first, width)
        for line in range(len(work)):
            counts[line] += shared(work, line * width + first, patterns, first)


def test_vectors_do_what_plain_words_do():
    rng = np.random.default_rng(0)
    work = rng.integers(0, 2**64, (9, 2 * WIDE), dtype=np.uint64)
    patterns = rng.integers(0, 2**64, (4, 2 * WIDE), dtype=np.uint64)
    masks = np.array([0, 2**64 - 1, 0, 2**64 - 1], dtype=np.uint64)
    found, counts = work.copy(), np.zeros(9, dtype=np.int64)
    by_kernels(found, patterns, masks, counts)

    seen = np.zeros_like(patterns)
    once, twice = seen[0].copy(), seen[0].copy()
    for line in patterns:
        twice |= once & line
        once |= line
    inside, ones, zeros = patterns[1] | patterns[3], work[3], work[4]
    own = once & ~twice
    lines = [once, twice, inside, ones, zeros]
    lines += [ones & ~inside, zeros & ~inside, ones & own, zeros & own]
    assert (found == lines).all()
    assert (counts == np.bitwise_count(np.array(lines) & patterns[0]).sum(axis=1)).all()

    plain = work.copy()
    for first in (0, WIDE):
        vectors._clear_of(plain, first, 2 * WIDE)
        for u in range(4):
            vectors._put_in_of(plain, first, 2 * WIDE, patterns, 2 * u * WIDE + first, masks[u])
        vectors._divide_of(plain, first, 2 * WIDE)
    assert (plain == found).all()
    assert vectors._shared_of(plain, WIDE, patterns, WIDE) == int(
        np.bitwise_count(plain[0, WIDE:] & patterns[0, WIDE:]).sum()
    )
