"""Sums of minima in 32 lanes, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.minima import LANES, lower_to_listed, take_off


def numbers(rng, *shape):
    return rng.integers(0, 1 << 20, shape).astype(np.int32)


@given(st.integers(0, 2**32), st.integers(0, 20), st.integers(0, 20))
def test_minima_are_taken_off_one_row_alone(seed, first, count):
    rng = np.random.default_rng(seed)
    y, s, out = numbers(rng, 40, LANES), numbers(rng, 40), numbers(rng, 3, LANES)
    expected = out.copy()
    for t in range(first, first + count):
        for lane in range(LANES):
            expected[1, lane] -= min(y[t, lane], s[t])
    take_off(y, s, first, first + count, out, 1)
    assert out.tolist() == expected.tolist()


@given(st.integers(0, 2**32), st.integers(0, 20), st.integers(0, 20))
def test_the_least_sum_is_kept(seed, first, count):
    rng = np.random.default_rng(seed)
    y, s = numbers(rng, 7, LANES), numbers(rng, 40)
    line = rng.integers(0, 7, 40).astype(np.int32)
    out = numbers(rng, 1, LANES) * np.int32(rng.integers(0, 20))
    expected = [
        min(int(out[0, lane]), sum(min(int(y[line[t], lane]), int(s[t])) for t in terms))
        for terms in [range(first, first + count)]
        for lane in range(LANES)
    ]
    lower_to_listed(y, line, s, first, first + count, out)
    assert out[0].tolist() == expected


def test_other_kinds_of_arrays_are_refused():
    y, s, out = np.zeros((4, LANES)), np.zeros(4, np.int32), np.zeros((1, LANES), np.int32)
    with pytest.raises(TypeError, match="contiguous array of int32"):
        take_off(y, s, 0, 4, out, 0)
    with pytest.raises(TypeError, match="contiguous array of int32"):
        take_off(y.astype(np.int32)[:, ::2], s, 0, 4, out, 0)
