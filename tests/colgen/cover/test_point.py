"""Prices in fixed point: feasible in whole numbers, whatever they were rounded from."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.point import is_too_heavy, rounded
from boolfact.colgen.cover.prices import Prices
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import (
    charged_by,
    random_blocks,
    random_layout,
    random_matrix,
    random_prices,
)


def assert_feasible(point):
    layout, scale = point.layout, point.scale
    assert (point.p >= 0).all()
    assert (point.p <= layout.one_weights * scale).all()
    assert (point.along >= 0).all()
    assert (point.across >= 0).all()
    total = 0
    for i, c in np.argwhere(layout.zeros):
        along, across = charged_by(layout, i, c)
        own = sum(int(point.along[e]) for e in along) + sum(int(point.across[e]) for e in across)
        assert own <= int(layout.weights[i, c]) * scale
        total += own
    assert int(point.along.sum()) + int(point.across.sum()) == total


@given(st.integers(0, 2**32))
def test_it_is_as_near_as_the_scale_allows(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, int(rng.integers(1, 7)), int(rng.integers(1, 7)))
    x = random_prices(rng, layout)
    point = rounded(layout, x, 2)
    assert_feasible(point)
    assert point.scale == 1 << 16
    np.testing.assert_allclose(point.p / point.scale, x.p, atol=1 / point.scale)
    np.testing.assert_allclose(point.along / point.scale, x.along, atol=1 / point.scale)
    np.testing.assert_allclose(point.across / point.scale, x.across, atol=1 / point.scale)


@given(st.integers(0, 2**32), st.sampled_from([1e-9, 1e-4, 1.0, 1e12, np.nan]))
def test_it_is_feasible_even_if_the_prices_are_not(seed, much):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, int(rng.integers(1, 6)), int(rng.integers(1, 6)))
    x = random_prices(rng, layout)
    for values in (x.p, x.along, x.across):
        values += much * rng.normal(size=values.shape)
    assert_feasible(rounded(layout, x, 1))


def test_charges_that_are_exactly_the_weight_are_not_shrunk():
    layout = make_layout(BinaryMatrix(np.array([[1, 1, 0]])))
    along = np.array([[0, 0, 0.25], [0, 0, 0.75]])
    point = rounded(layout, Prices(np.ones(2), along, np.zeros((2, 1))), 1)
    assert point.along[:, 2].tolist() == [1 << 14, 3 << 14]


@given(st.integers(0, 2**32), st.integers(1, 4), st.fractions(0, 30), st.booleans())
def test_the_largest_omega_that_proves_a_value(seed, k, value, strictly):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, 4, 4)
    point = rounded(layout, random_prices(rng, layout), k)
    omega = point.largest_omega(value, strictly)

    def proves(omega):
        return point.value(omega) > value or (not strictly and point.value(omega) == value)

    assert proves(omega)
    assert not proves(omega + 1)
    assert point.value(3) == Fraction(int(point.p.sum()) - 3 * k, point.scale)


@pytest.mark.parametrize("exponent", [3, 10, 15, 20, 25])
def test_heavy_weights_get_a_coarser_scale(exponent):
    weights = np.full((3, 3), 1 << exponent)
    matrix = BinaryMatrix(np.array([[1, 0, 1], [1, 1, 0], [1, 1, 1]]), weights)
    layout = make_layout(matrix)
    point = rounded(layout, random_prices(np.random.default_rng(0), layout), 1)
    assert_feasible(point)
    assert not is_too_heavy(matrix)
    assert int(layout.weights.sum()) * point.scale < 1 << 30
    assert point.scale == 1 << 16 or int(layout.weights.sum()) * point.scale * 2 >= 1 << 30


@given(st.integers(0, 2**32), st.sampled_from([26, 27, 28, 29, 30]))
def test_what_is_not_too_heavy_can_be_rounded_in_any_blocks(seed, exponent):
    rng = np.random.default_rng(seed)
    small = random_matrix(rng, 4, 4)
    matrix = BinaryMatrix(small.values, small.weights << exponent)
    blocks = random_blocks(rng, 4)
    if not is_too_heavy(matrix):
        layout = make_layout(matrix, blocks)
        assert_feasible(rounded(layout, random_prices(rng, layout), 1))
