"""Exchanges report true errors, cover no forbidden zero, and find what was planted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.control.stop import Stop
from boolfact.datasets.planted import roles
from boolfact.local_search import local_search
from boolfact.local_search.chain import Rules
from boolfact.local_search.exchange import _draw_kind, run_exchange
from boolfact.local_search.problem import codes_of, make_problem, make_work, masks_of
from boolfact.local_search.seeds import draw_uncovered, seed_at_a_one, seed_greedily
from boolfact.model.costs import with_costs
from boolfact.model.reduction import reduce_matrix

import naive
from strategies import factors_of, matrices, matrix_and_factors


def exchanged(matrix, k, U, V, children=12, dear=False, seed=3):
    problem = make_problem(matrix.ones, matrix.weights)
    work = make_work(problem, max(6, k), np.array([seed], np.uint64), np.zeros(1, np.uint8))
    rules = Rules(k, True, children, 2, 2.0, -1, 1.0, dear, tries=3)
    material = np.zeros((0, matrix.shape[1]), dtype=np.bool_)
    return run_exchange(problem, U, V, material, rules, work)


@given(matrices(), st.data(), st.integers(1, 2**40))
@settings(max_examples=60)
def test_it_reports_the_error_of_what_it_leaves_and_never_loses(matrix, data, seed):
    factors = data.draw(factors_of(matrix.shape))
    k = factors.rank
    before = naive.weighted_error(matrix.ones, matrix.weights, factors.A, factors.B)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    error, children = exchanged(matrix, k, U, V, seed=seed)
    after = naive.weighted_error(matrix.ones, matrix.weights, masks_of(U, k), masks_of(V, k).T)
    assert error == after <= before
    assert children <= 12


@given(matrices(max_side=7), st.integers(1, 3), st.integers(1, 2**40))
@settings(max_examples=40)
def test_from_below_no_zero_is_covered(matrix, k, seed):
    matrix = with_costs(matrix, from_below=True)
    U, V = (np.zeros(size, dtype=np.int64) for size in matrix.shape)
    exchanged(matrix, k, U, V, dear=True, seed=seed)
    zeros = ~matrix.ones & (matrix.weights > 0)
    assert not (naive.product(masks_of(U, k), masks_of(V, k).T) & zeros).any()


@given(matrices(max_side=5), st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_small_matrices_are_solved_from_below(matrix, k):
    matrix = with_costs(matrix, from_below=True)
    U, V = (np.zeros(size, dtype=np.int64) for size in matrix.shape)
    error, _ = exchanged(matrix, k, U, V, children=200, dear=True)
    assert error == naive.best_error(matrix.values, matrix.weights, k)


@pytest.mark.parametrize("seed", [0, 2])
def test_planted_roles_are_found_from_below(seed):
    example = roles(seed=seed)
    matrix = with_costs(example.matrix, from_below=True)
    reduced = reduce_matrix(matrix)
    found = local_search(reduced.matrix, 18, stop=Stop(iteration_limit=300)).factors
    factors = reduced.lift(found)
    assert factors.error(matrix) <= example.factors.error(matrix)
    planted = {row.tobytes() for row in example.factors.B}
    assert len(planted & {row.tobytes() for row in factors.B}) == 18


@given(matrix_and_factors(), st.integers(1, 2**40))
def test_an_uncovered_one_is_drawn_wherever_there_is_one(case, seed):
    matrix, factors = case
    problem = make_problem(matrix.ones, matrix.weights)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    left = matrix.ones & (matrix.weights > 0) & ~naive.product(factors.A, factors.B)
    i, j = draw_uncovered(problem.rows, U, V, np.array([seed], np.uint64))
    assert left[i, j] if left.any() else (i, j) == (-1, -1)


@given(matrix_and_factors(), st.integers(1, 2**40))
def test_seeds_leave_the_other_rectangles_alone(case, seed):
    matrix, factors = case
    k = factors.rank
    problem = make_problem(matrix.ones, matrix.weights)
    work = make_work(problem, 6, np.array([seed], np.uint64), np.zeros(1, np.uint8))
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    seed_at_a_one(problem, U, V, np.int64(1), work)
    assert (masks_of(U, k)[:, 1:] == factors.A[:, 1:]).all()
    assert (masks_of(V, k)[:, 1:] == factors.B.T[:, 1:]).all()
    others = np.delete(factors.A, 0, axis=1), np.delete(factors.B, 0, axis=0)
    without = naive.weighted_error(matrix.ones, matrix.weights, *others)
    for S, rows, columns in ((problem.rows, U, V), (problem.columns, V, U)):
        saving = seed_greedily(S, rows, columns, np.int64(1), work.state)
        after = naive.weighted_error(matrix.ones, matrix.weights, masks_of(U, k), masks_of(V, k).T)
        assert without - after == saving >= 0


def test_a_greedy_rectangle_begins_where_most_is_to_be_saved():
    # In random order the single ones would come first nearly always, and each would stay alone.
    ones = np.eye(60, 40, dtype=np.int8)
    ones[50:] = np.arange(40) < 10
    problem = make_problem(ones == 1, np.where(ones == 1, 1, 1000))
    for seed in range(1, 20):
        U, V = np.zeros(60, np.int64), np.zeros(40, np.int64)
        state = np.array([seed], np.uint64)
        assert seed_greedily(problem.rows, U, V, np.int64(1), state) == 100
        assert U.nonzero()[0].tolist() == list(range(50, 60))


def test_a_kind_of_rectangle_that_wins_is_tried_more_often_and_no_kind_is_given_up():
    state, luck = np.array([7], np.uint64), np.zeros((2, 6))
    even = np.bincount([_draw_kind(luck, state) for _ in range(1200)], minlength=6)
    luck[1] = 50
    luck[0, 3] = 40
    drawn = np.bincount([_draw_kind(luck, state) for _ in range(1200)], minlength=6)
    assert even.min() > 120
    assert drawn.argmax() == 3
    assert drawn[3] > 700
    assert np.delete(drawn, 3).min() > 10
