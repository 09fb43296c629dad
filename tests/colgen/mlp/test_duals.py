"""Dual bounds: rounding into the box, arithmetic, what may be rounded up."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.colgen.mlp.duals import DualBound, DualPoint, better_bound, round_dual
from boolfact.model.matrix import BinaryMatrix

import naive
from strategies import matrices

RHOS = [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(19, 20), Fraction(3)]


@given(st.data(), matrices(5), st.sampled_from(RHOS), st.sampled_from([None, 0, 3, 12, 40]))
@settings(max_examples=150, deadline=None)
def test_a_rounded_dual_lies_in_the_box_and_near(data, matrix, rho, bits):
    p = data.draw(hnp.arrays(np.float64, matrix.shape, elements=st.floats(-3, 9)))
    point = round_dual(p, matrix, rho, bits)
    assert (point.scale * rho).denominator == 1
    assert ((point.p >= 0) & (point.p <= matrix.weights * point.scale)).all()
    assert not point.p[~matrix.ones].any()
    inside = np.where(matrix.ones, np.clip(p, 0, matrix.weights), 0)
    assert np.abs(point.p / point.scale - inside).max() <= 0.5 / point.scale + 1e-12
    H = point.pricing_matrix(matrix)
    for (i, j), h in np.ndenumerate(H):
        if matrix.values[i, j] == 0:
            assert h == -rho * point.scale * int(matrix.weights[i, j])
        if matrix.values[i, j] == -1:
            assert h == 0
    assert np.abs(H).sum() < 2**52


@given(st.data(), matrices(4), st.integers(1, 2), st.sampled_from(RHOS))
@settings(max_examples=120, deadline=None)
def test_any_point_gives_a_bound_below_the_best_solution(data, matrix, k, rho):
    p = data.draw(hnp.arrays(np.float64, matrix.shape, elements=st.floats(0, 4)))
    point = round_dual(p, matrix, rho, bits=4)
    bound = DualBound(point, naive.largest_worth(point.pricing_matrix(matrix)), k)
    best = naive.best_objective(matrix.values, matrix.weights, k, rho)
    assert bound.value <= best
    assert bound.objective_bound <= best
    if rho * k <= 1:
        assert bound.error_bound <= naive.best_error(matrix.values, matrix.weights, k)
    else:
        assert bound.error_bound is None


def bound(total, omega, k=2, scale=4, rho=Fraction(1)):
    return DualBound(DualPoint(np.array([[total]]), scale, rho), omega, k)


def test_the_value_is_an_exact_fraction():
    assert bound(21, 2).value == Fraction(17, 4)


def test_rounding_up_goes_to_multiples_of_the_objective_only():
    assert bound(21, 2).objective_bound == 5
    assert bound(20, 2).objective_bound == 4
    assert bound(21, 2, rho=Fraction(1, 2)).objective_bound == Fraction(9, 2)
    assert bound(21, 2, rho=Fraction(1, 2)).error_bound == 5
    assert bound(21, 20).objective_bound == 0


def test_only_a_small_rho_bounds_the_error():
    assert bound(21, 2, k=2, rho=Fraction(1, 2)).error_bound == 5
    assert bound(21, 2, k=3, rho=Fraction(1, 2)).error_bound is None
    assert bound(21, 2, k=1).error_bound == 5


def test_the_better_of_two_bounds():
    low, high = bound(20, 2), bound(21, 2)
    assert better_bound(None, None) is None
    assert better_bound(low, None) is low
    assert better_bound(None, low) is low
    assert better_bound(low, high) is high
    assert better_bound(high, low) is high


def test_a_scale_that_does_not_fit_rho_is_refused():
    X = BinaryMatrix(np.array([[1, 0]], dtype=np.int8))
    with pytest.raises(ValueError, match="scale \\* rho must be whole"):
        DualPoint(np.zeros((1, 2), dtype=np.int64), 4, Fraction(1, 3)).pricing_matrix(X)


def test_weights_beyond_exact_sums_are_refused():
    X = BinaryMatrix(np.array([[1]], dtype=np.int8), np.array([[2**52]]))
    with pytest.raises(ValueError, match="too large for exact bounds"):
        round_dual(np.zeros((1, 1)), X)


def test_rho_must_be_positive():
    X = BinaryMatrix(np.array([[1]], dtype=np.int8))
    with pytest.raises(ValueError, match="rho must be positive, got 0"):
        round_dual(np.zeros((1, 1)), X, 0)
