"""Rectangles spelled out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.packed import pack, views
from boolfact.colgen.cover.pool import add_up, left_over, spell_out, sums_by_rectangle
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
    worth = sums_by_rectangle(cells, np.maximum(left_over(cells, pack(layout, x)), 0))
    np.testing.assert_allclose(
        worth, rectangle_worths(layout, x.p, x.along, x.across, A, B), rtol=1e-5, atol=1e-5
    )


@given(st.integers(0, 2**32))
def test_shares_add_up_by_ones_and_by_pairs(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 6, 2))
    layout = random_layout(rng, n, m, 4)
    A, B = rng.random((6, n)) < 0.6, rng.random((6, m)) < 0.6
    cells = spell_out(layout, A, B)
    u = rng.random(len(cells.one)).astype(np.float32)
    got = views(layout, add_up(cells, u, pack(layout, random_prices(rng, layout))))
    cover, along = np.zeros(len(got.p)), np.zeros_like(got.along)
    across = np.zeros_like(got.across)
    t = 0
    for a, b in zip(A, B, strict=True):
        for e, (i, j) in enumerate(zip(layout.one_row, layout.one_column, strict=True)):
            if not (a[i] and b[j]):
                continue
            assert cells.one[t] == e
            cover[e] += u[t]
            along[e] += u[t] * b
            first = layout.block_start[layout.block_of[i]]
            for s in range(first, layout.block_start[layout.block_of[i] + 1]):
                across[e, s - first] += u[t] * a[s]
            t += 1
    assert t == len(u)
    np.testing.assert_allclose(got.p, cover, atol=1e-5)
    zeros = layout.zeros[layout.one_row]
    np.testing.assert_allclose(got.along[zeros], along[zeros], atol=1e-5)
    charging = layout.across_weights > 0
    np.testing.assert_allclose(got.across[charging], across[charging], atol=1e-5)


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
