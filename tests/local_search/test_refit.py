"""Refits give every row the best union there is, or one no worse than before."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.local_search.problem import (
    codes_of,
    covered_cost,
    make_problem,
    make_work,
    masks_of,
)
from boolfact.local_search.refit import EXACT_RANK, refit_codes, refit_columns, refit_rows

import naive
from strategies import matrices, matrix_and_factors


def row_errors(matrix, A, B):
    wrong = naive.product(A, B) != matrix.ones
    return (matrix.weights * wrong).sum(axis=1)


@given(hnp.arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 64))))
def test_codes_can_be_undone(A):
    assert (masks_of(codes_of(A), A.shape[1]) == A).all()


@given(matrix_and_factors())
def test_the_cost_of_what_is_covered_gives_the_error(case):
    matrix, factors = case
    problem = make_problem(matrix.ones, matrix.weights)
    cost = covered_cost(problem.rows, codes_of(factors.A), codes_of(factors.B.T))
    expected = naive.weighted_error(matrix.ones, matrix.weights, factors.A, factors.B)
    assert problem.base + cost == expected


@given(matrices(max_side=7), st.integers(1, 8), st.data())
@settings(max_examples=60)
def test_an_exact_refit_finds_the_best_code_of_each_row(matrix, k, data):
    B = data.draw(hnp.arrays(np.bool_, (k, matrix.shape[1])))
    best = [min(costs) for costs in naive.row_costs_of_all_codes(matrix.ones, matrix.weights, B)]
    A = refit_rows(matrix.ones, matrix.weights, B)
    assert list(row_errors(matrix, A, B)) == best


@given(matrices(max_side=7), st.integers(1, 4), st.data())
@settings(max_examples=40)
def test_a_refit_of_columns_is_one_of_rows_transposed(matrix, k, data):
    A = data.draw(hnp.arrays(np.bool_, (matrix.shape[0], k)))
    table = naive.row_costs_of_all_codes(matrix.ones.T, matrix.weights.T, A.T)
    B = refit_columns(matrix.ones, matrix.weights, A)
    assert list(row_errors(matrix.T, B.T, A.T)) == [min(costs) for costs in table]


@pytest.mark.parametrize("n", [1, 15, 16, 17, 33])
@pytest.mark.parametrize("k", [1, 6, 7, 9])
def test_both_kernels_agree_with_the_error_they_report(n, k):
    rng = np.random.default_rng(n * k)
    ones, weights = rng.random((n, 20)) < 0.4, rng.integers(0, 4, (n, 20))
    B = rng.random((k, 20)) < 0.3
    problem = make_problem(ones, weights)
    work = make_work(problem, max(k, 6), np.array([3], np.uint64), np.zeros(1, np.uint8))
    U = np.zeros(n, dtype=np.int64)
    cost = refit_codes(problem.rows, problem.columns, U, codes_of(B.T), k, work)
    A = masks_of(U, k)
    assert problem.base + cost == naive.weighted_error(ones, weights, A, B)
    assert problem.base + cost <= naive.weighted_error(ones, weights, np.zeros((n, k), bool), B)


@given(matrices(max_side=6), st.sampled_from([17, 40, 64]), st.data())
@settings(max_examples=30)
def test_beyond_the_exact_rank_no_row_gets_worse(matrix, k, data):
    B = data.draw(hnp.arrays(np.bool_, (k, matrix.shape[1])))
    A0 = data.draw(hnp.arrays(np.bool_, (matrix.shape[0], k)))
    A = refit_rows(matrix.ones, matrix.weights, B, A0)
    assert (row_errors(matrix, A, B) <= row_errors(matrix, A0, B)).all()


def test_no_rectangle_stays_in_a_code_without_use():
    ones = np.array([[True, True, False]])
    B = np.array([[True, True, False], [True, False, False], [False, False, False]])
    assert refit_rows(ones, np.ones((1, 3), np.int64), B).astype(int).tolist() == [[1, 0, 0]]


def test_weights_beyond_32_bits_do_not_overflow():
    ones = np.array([[True, True, False], [False, True, True]])
    weights = np.full((2, 3), 2**40, dtype=np.int64)
    B = np.array([[True, True, True]])
    A = refit_rows(ones, weights, B)
    assert A.tolist() == [[True], [True]]


def test_many_rows_are_refitted_in_parts():
    rng = np.random.default_rng(0)
    ones = rng.random((3000, 12)) < 0.5
    B = rng.random((EXACT_RANK - 4, 12)) < 0.3
    A = refit_rows(ones, np.ones(ones.shape, np.int64), B)
    some = rng.choice(3000, 20, replace=False)
    again = refit_rows(ones[some], np.ones((20, 12), np.int64), B)
    assert naive.weighted_error(
        ones[some], np.ones((20, 12), np.int64), A[some], B
    ) == naive.weighted_error(ones[some], np.ones((20, 12), np.int64), again, B)


@pytest.mark.parametrize(
    ("B", "A0", "message"),
    [
        (np.zeros((2, 4), bool), None, r"B must have shape \(k, 3\), got \(2, 4\)"),
        (np.zeros((65, 3), bool), None, "at most 64 rows, got 65"),
        (np.zeros((2, 3), bool), np.zeros((2, 3), bool), r"A0 must have shape \(2, 2\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(B, A0, message):
    with pytest.raises(ValueError, match=message):
        refit_rows(np.ones((2, 3), bool), np.ones((2, 3), np.int64), B, A0)


def test_without_rectangles_the_codes_are_empty():
    ones = np.ones((2, 3), bool)
    assert refit_rows(ones, np.ones((2, 3), np.int64), np.zeros((0, 3), bool)).shape == (2, 0)
