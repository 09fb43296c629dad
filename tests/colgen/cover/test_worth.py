"""What rectangles are worth, by definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.point import rounded
from boolfact.colgen.cover.worth import rectangle_worths
from colgen.cover.points import all_set_arguments, random_layout, random_prices, written_out

import naive


def case(seed, most=6):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 7, 2))
    layout = random_layout(rng, n, m, most)
    A, B = rng.random((10, n)) < 0.7, rng.random((10, m)) < 0.7
    return layout, random_prices(rng, layout), A, B


@given(st.integers(0, 2**32))
def test_at_prices(seed):
    layout, x, A, B = case(seed)
    expected = [
        naive.cover_worth(layout.blocks, *written_out(layout, x), a, b)
        for a, b in zip(A, B, strict=True)
    ]
    got = rectangle_worths(layout, x.p, x.along, x.across, A, B)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, expected, atol=1e-9)


@given(st.integers(0, 2**32))
def test_in_fixed_point(seed):
    layout, x, A, B = case(seed)
    point = rounded(layout, x, 1)
    expected = [
        naive.cover_worth(layout.blocks, *written_out(layout, point), a, b)
        for a, b in zip(A, B, strict=True)
    ]
    got = point.worths(A, B)
    assert got.dtype == np.int64
    assert got.tolist() == expected


def test_of_no_rectangles():
    layout, x, A, B = case(0)
    assert rectangle_worths(layout, x.p, x.along, x.across, A[:0], B[:0]).shape == (0,)


@pytest.mark.parametrize("seed", range(10))
def test_the_two_twins_agree(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, 4, 4, 3)
    point = rounded(layout, random_prices(rng, layout), 1)
    sets, worths = naive.worths_of_all_sets(*all_set_arguments(point))
    duals = written_out(layout, point)
    for b, worth in zip(sets, worths, strict=True):
        rows = naive.binary_vectors(4)
        assert worth == max(naive.cover_worth(layout.blocks, *duals, a, b) for a in rows)
