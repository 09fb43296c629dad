"""Dual bounds: rounding into the box, arithmetic, what may be rounded up."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.colgen.mlp.duals import DualPoint, MLPProof, restate, round_dual
from boolfact.colgen.node import ROOT
from boolfact.model.bound import Bound, Quantity, better_bound
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
    bound = MLPProof(point, naive.largest_worth(point.pricing_matrix(matrix)), k).bound()
    best = naive.best_objective(matrix.values, matrix.weights, k, rho)
    assert bound.on is Quantity.OBJECTIVE
    assert bound.value <= best
    assert bound.rounded <= best
    if rho * k <= 1:
        on_error = restate(bound, on=Quantity.ERROR)
        assert on_error.rounded <= naive.best_error(matrix.values, matrix.weights, k)
    else:
        with pytest.raises(ValueError, match=f"a bound on the error needs rho of at most 1/{k}"):
            restate(bound, on=Quantity.ERROR)


def bound(total, omega, k=2, scale=4, rho=Fraction(1), on=Quantity.OBJECTIVE):
    return MLPProof(DualPoint(np.array([[total]]), scale, rho), omega, k, on).bound()


def test_the_value_is_an_exact_fraction():
    assert bound(21, 2).value == Fraction(17, 4)


def test_rounding_up_goes_to_what_the_declared_quantity_can_be():
    assert bound(21, 2).rounded == 5
    assert bound(20, 2).rounded == 4
    assert bound(21, 2, rho=Fraction(1, 2)).rounded == Fraction(9, 2)
    assert bound(21, 2, rho=Fraction(1, 2), on=Quantity.ERROR).rounded == 5
    assert bound(21, 20).rounded == 0


def test_only_a_small_rho_bounds_the_error():
    assert bound(21, 2, k=1, on=Quantity.ERROR).rounded == 5
    with pytest.raises(ValueError, match="a bound on the error needs rho of at most 1/3, got 1/2"):
        bound(21, 2, k=3, rho=Fraction(1, 2), on=Quantity.ERROR)


def test_prices_of_a_larger_rank_bound_smaller_ones():
    of_three = bound(21, 2, k=3, rho=Fraction(1, 3), scale=3, on=Quantity.ERROR)
    of_two = restate(of_three, k=2)
    assert (of_two.k, of_two.value, of_two.on) == (2, Fraction(17, 3), Quantity.ERROR)
    with pytest.raises(ValueError, match="needs rho of at most 1/4"):
        restate(of_three, k=4)


def test_only_what_mlp_proved_at_the_root_is_restated():
    with pytest.raises(ValueError, match="only bounds by MLP can be restated, got one by magic"):
        restate(Bound(Quantity.ERROR, Fraction(1), 2, "magic", proof=None), k=1)
    point = DualPoint(np.array([[4]]), 4, Fraction(1))
    at_node = MLPProof(point, 0, 1, node=ROOT.cover((0, 0))).bound()
    with pytest.raises(ValueError, match="a bound at a node"):
        restate(at_node, on=Quantity.ERROR)


def test_a_negative_omega_proves_nothing():
    with pytest.raises(ValueError, match="omega_bound must not be negative, got -1"):
        bound(21, -1)


def test_bounds_at_different_nodes_are_not_compared():
    point = DualPoint(np.array([[4]]), 4, Fraction(1))
    at_node = MLPProof(point, 0, 2, node=ROOT.cover((0, 0))).bound()
    with pytest.raises(ValueError, match="bounds at different nodes"):
        better_bound(at_node, bound(4, 0))
    assert "node" in at_node.proof.entry()


def test_the_entry_of_a_certificate_declares_what_it_is():
    entry = bound(21, 2, rho=Fraction(1, 2), on=Quantity.ERROR).proof.entry()
    assert entry == {
        "kind": "mlp",
        "on": "error",
        "rho": "1/2",
        "scale": 4,
        "p": [[0, 0, 21]],
        "omega_bound": 2,
        "bound": "17/4",
        "rounded": "5",
    }


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
