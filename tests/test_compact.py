from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.baselines.k_greedy import k_greedy
from boolfact.compact import lva08_size, relaxation_value, solve_compact
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix

import naive
from strategies import matrices

SMALL = BinaryMatrix(np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]], dtype=np.int8))


@settings(max_examples=25)
@given(matrices(max_side=3), st.integers(1, 2), st.booleans())
def test_exact_finds_the_least_error(matrix, k, symmetry_breaking):
    result = solve_compact(matrix, k, symmetry_breaking=symmetry_breaking)
    assert result.is_claimed_optimal
    assert result.objective == naive.best_error(matrix.values, matrix.weights, k)
    assert result.factors.error(matrix) == result.objective
    assert result.claimed_bound <= result.objective + 1e-6


@settings(max_examples=25)
@given(matrices(max_side=3), st.integers(1, 2), st.sampled_from([Fraction(1), Fraction(1, 2)]))
def test_both_formulations_of_mip_rho_find_its_optimum(matrix, k, rho):
    best = naive.best_objective(matrix.values, matrix.weights, k, rho)
    for formulation in ("kgh17", "lva08"):
        result = solve_compact(matrix, k, formulation=formulation, rho=rho)
        assert result.objective == best
        assert result.factors.rank == k
        assert result.claimed_gap <= 1


@settings(max_examples=30)
@given(matrices(max_side=5), st.integers(2, 4))
def test_the_relaxation_of_the_exact_model_is_worth_nothing(matrix, k):
    assert relaxation_value(matrix, k) == 0


@settings(max_examples=20)
@given(matrices(max_side=3), st.integers(1, 2))
def test_relaxations_are_below_the_optimum_and_enumeration_is_stronger(matrix, k):
    best = naive.best_objective(matrix.values, matrix.weights, k, 1)
    compact = relaxation_value(matrix, k, formulation="kgh17")
    enumerated = relaxation_value(matrix, k, formulation="lva08")
    assert compact <= enumerated + 1e-6
    assert enumerated <= best + 1e-6


def test_for_one_rectangle_the_relaxation_says_something():
    assert relaxation_value(load_dataset("zoo"), 1) > 0
    assert relaxation_value(load_dataset("zoo"), 2) == 0


def test_a_start_is_never_lost():
    X = reduce_matrix(load_dataset("heart")).matrix
    start = k_greedy(X, 5)
    stop = Stop()
    stop.interrupt()
    for formulation in ("exact", "kgh17"):
        result = solve_compact(X, 5, formulation=formulation, start=start, stop=stop)
        assert result.objective is not None
        assert result.factors.error(X) <= start.error(X)
        assert not result.is_claimed_optimal


def test_the_start_is_a_point_of_the_model():
    start = Factors(np.array([[0, 1], [1, 0], [1, 1]]), np.array([[0, 1, 0, 0], [1, 0, 0, 1]]))
    from boolfact.compact import _model

    for formulation in ("exact", "kgh17", "lva08"):
        model = _model(SMALL, 2, formulation, Fraction(1), True, None)
        x = model.point(start)
        program = model.program
        activity = program.rows @ x
        assert (activity >= program.row_lower - 1e-9).all()
        assert (activity <= program.row_upper + 1e-9).all()
        assert program.cost @ x + model.constant == model.objective(start)
        again = model.factors(x)
        assert (again.product() == start.product()).all()


def test_proves_the_published_optimum_of_a_small_piece():
    X = load_dataset("zoo")
    piece = BinaryMatrix(X.values[:25, :8])
    result = solve_compact(reduce_matrix(piece).matrix, 2, stop=Stop(60))
    assert result.is_claimed_optimal
    assert result.claimed_gap < 1 / max(1, result.objective)


def test_lva08_says_what_it_would_need():
    with pytest.raises(ValueError, match=r"2\^24 - 1 patterns.*variables.*GiB.*use formulation"):
        solve_compact(load_dataset("tumor"), 2, formulation="lva08")
    with pytest.raises(ValueError, match="more than the"):
        solve_compact(SMALL, 2, formulation="lva08", memory_limit=1000)
    variables, constraints, size = lva08_size(SMALL)
    assert (variables, constraints) == (3 * 15 + 15 + 8, 3 * 15 + 8 + 1)
    assert size > 1000


def test_bad_arguments():
    with pytest.raises(ValueError, match="formulation must be one of exact, kgh17, lva08"):
        solve_compact(SMALL, 2, formulation="magic")
    with pytest.raises(ValueError, match="k must be at least 1"):
        solve_compact(SMALL, 0)
