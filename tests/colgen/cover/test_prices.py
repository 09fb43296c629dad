"""Prices and charges: the nearest that are allowed, and moves between layouts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.prices import Prices, even_prices, move_inside
from boolfact.colgen.cover.worth import rectangle_worths
from colgen.cover.points import (
    charged_by,
    random_blocks,
    random_layout,
    random_matrix,
    random_prices,
)

import naive


def assert_inside(layout, x):
    """Within the boxes, up to rounding."""
    assert (x.p >= 0).all()
    assert (x.p <= layout.one_weights * (1 + 1e-12)).all()
    assert (x.along >= 0).all()
    assert (x.across >= 0).all()
    zeros = np.argwhere(layout.zeros)
    spent = 0.0
    for i, c in zeros:
        along, across = charged_by(layout, i, c)
        own = sum(x.along[e] for e in along) + sum(x.across[e] for e in across)
        assert own <= layout.weights[i, c] * (1 + 1e-12) + 1e-12
        spent += own
    # Nothing is charged but by zeros.
    assert x.along.sum() + x.across.sum() == pytest.approx(spent)


def wild_prices(rng, layout, size):
    """Any numbers, where there is a zero to charge."""
    ones, m = len(layout.one_row), layout.shape[1]
    x = Prices(
        size * rng.normal(size=ones),
        size * rng.normal(size=(ones, m)) * layout.zeros[layout.one_row],
        size * rng.normal(size=(ones, layout.slots)) * (layout.across_weights > 0),
    )
    # Equal values are the hard case of a projection.
    x.along[rng.random(x.along.shape) < 0.3] *= 0
    return x


@given(st.integers(0, 2**32), st.sampled_from([0.1, 1.0, 10.0, 1e4]))
def test_the_nearest_that_are_allowed(seed, size):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, int(rng.integers(1, 7)), int(rng.integers(1, 7)))
    x = wild_prices(rng, layout, size)
    p = np.clip(x.p, 0, layout.one_weights)
    along, across = np.maximum(x.along, 0), np.maximum(x.across, 0)
    for i, c in np.argwhere(layout.zeros):
        rows, columns = charged_by(layout, i, c)
        values = np.array([x.along[e] for e in rows] + [x.across[e] for e in columns])
        nearest = naive.nearest_with_sum_at_most(values, layout.weights[i, c])
        for e, value in zip(rows, nearest, strict=False):
            along[e] = value
        for e, value in zip(columns, nearest[len(rows) :], strict=True):
            across[e] = value
    move_inside(layout, x)
    assert_inside(layout, x)
    assert x.p.tolist() == p.tolist()
    np.testing.assert_allclose(x.along, along, atol=1e-9 * size)
    np.testing.assert_allclose(x.across, across, atol=1e-9 * size)


@given(st.integers(0, 2**32))
def test_what_is_allowed_stays(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, int(rng.integers(1, 7)), int(rng.integers(1, 7)))
    for x in (random_prices(rng, layout), even_prices(layout)):
        assert_inside(layout, x)
        before = x.flat()
        move_inside(layout, x)
        np.testing.assert_allclose(x.flat(), before, atol=1e-12)


@given(st.integers(0, 2**32))
def test_flat_and_back(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, int(rng.integers(1, 7)), int(rng.integers(1, 7)))
    x = random_prices(rng, layout)
    back = Prices.unflat(layout, x.flat())
    for name in ("p", "along", "across"):
        assert getattr(back, name).tolist() == getattr(x, name).tolist()
        assert not np.shares_memory(getattr(back, name), getattr(x, name))


@given(st.integers(0, 2**32))
def test_worths_stay_where_blocks_only_grow(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(i) for i in rng.integers(1, 7, 2))
    matrix = random_matrix(rng, n, m)
    old = make_layout(matrix, random_blocks(rng, n, 3))
    # Whole blocks are joined, in any order and with their rows in any order.
    order = [int(u) for u in rng.permutation(len(old.blocks))]
    blocks = []
    for u in order:
        if blocks and rng.random() < 0.5 and len(blocks[-1]) + len(old.blocks[u]) <= 6:
            blocks[-1] = [int(i) for i in rng.permutation(blocks[-1] + old.blocks[u])]
        else:
            blocks.append(old.blocks[u])
    new = make_layout(matrix, blocks)
    x = random_prices(rng, old)
    y = x.moved(old, new)
    assert_inside(new, y)
    A, B = rng.random((40, n)) < 0.6, rng.random((40, m)) < 0.6
    np.testing.assert_allclose(
        rectangle_worths(new, y.p, y.along, y.across, A, B),
        rectangle_worths(old, x.p, x.along, x.across, A, B),
        atol=1e-12,
    )
    back = y.moved(new, old)
    assert back.flat().tolist() == x.flat().tolist()


@given(st.integers(0, 2**32))
def test_in_other_blocks_charges_are_lost_but_nothing_else(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(i) for i in rng.integers(1, 7, 2))
    matrix = random_matrix(rng, n, m)
    old, new = (make_layout(matrix, random_blocks(rng, n)) for _ in range(2))
    x = random_prices(rng, old)
    y = x.moved(old, new)
    assert y.p.sum() == pytest.approx(x.p.sum())
    assert y.along.sum() == pytest.approx(x.along.sum())
    assert y.across.sum() <= x.across.sum() + 1e-9
    A, B = rng.random((20, n)) < 0.6, rng.random((20, m)) < 0.6
    before = rectangle_worths(old, x.p, x.along, x.across, A, B)
    assert (rectangle_worths(new, y.p, y.along, y.across, A, B) >= before - 1e-9).all()
