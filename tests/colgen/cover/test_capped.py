"""Shares cut off at caps, against a plain search for them."""

import itertools

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boolfact.colgen.cover.capped import cap_shares

import naive


@settings(max_examples=30)
@example(20000000, 3, 1.0)  # Equal shares, where Newton's steps go round in a circle.
@given(st.integers(0, 2**32), st.integers(1, 4), st.sampled_from([0.1, 1.0, 20.0]))
def test_shares_are_cut_off_as_little_as_may_be(seed, k, size):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, int(rng.integers(1, 9)))
    start = np.append(0, np.cumsum(sizes))
    caps = np.zeros(len(sizes) + 1)
    # Each call begins with the caps of the one before, near or far.
    for change in (0.0, 0.1, 3.0):
        target = size * (rng.normal(size=start[-1]) + change)
        target[rng.random(len(target)) < 0.2] = size
        target = target.astype(np.float32)
        out = np.empty_like(target)
        cap_shares(target, start, float(k), caps, out)
        pairs = list(itertools.pairwise(start))
        expected = naive.nearest_with_caps([target[i:j] for i, j in pairs], k)
        assert (out >= 0).all()
        assert sum(out[i:j].max(initial=0.0) for i, j in pairs) <= k * (1 + 1e-6)
        np.testing.assert_allclose(out, np.concatenate(expected), atol=1e-4 * k)
