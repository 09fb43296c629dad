"""Rectangles spelled out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.pool import left_over, spell_out, sums_by_rectangle
from boolfact.colgen.cover.worth import rectangle_worths
from colgen.cover.points import random_layout, random_prices


@given(st.integers(0, 2**32))
def test_cells_have_the_worth_of_their_rectangles(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 7, 2))
    layout = random_layout(rng, n, m, 6)
    x = random_prices(rng, layout)
    A, B = rng.random((10, n)) < 0.6, rng.random((10, m)) < 0.6
    cells = spell_out(layout, A[:, layout.rows], B)
    worth = sums_by_rectangle(cells, np.maximum(left_over(cells, x), 0))
    np.testing.assert_allclose(
        worth, rectangle_worths(layout, x.p, x.along, x.across, A, B), atol=1e-9
    )


@given(st.integers(0, 2**32), st.integers(0, 8), st.integers(0, 8))
def test_one_list_after_another_is_the_list_of_both(seed, first, second):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 7, 2))
    layout = random_layout(rng, n, m, 6)
    A, B = rng.random((first + second, n)) < 0.6, rng.random((first + second, m)) < 0.6
    parts = [spell_out(layout, A[:first], B[:first]), spell_out(layout, A[first:], B[first:])]
    for got, expected in zip(parts[0].followed_by(parts[1]), spell_out(layout, A, B), strict=True):
        assert got.tolist() == expected.tolist()
        assert got.dtype == expected.dtype
