import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.datasets import list_datasets, load_dataset
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import keep_matrix, reduce_matrix

import naive
from strategies import factors_of, matrices


@st.composite
def reduced_with_factors(draw):
    matrix = draw(matrices())
    # Repeat some rows and columns, so there is something to merge.
    rows = draw(st.lists(st.integers(0, matrix.shape[0] - 1), min_size=1, max_size=12))
    columns = draw(st.lists(st.integers(0, matrix.shape[1] - 1), min_size=1, max_size=12))
    block = np.ix_(rows, columns)
    reduction = reduce_matrix(BinaryMatrix(matrix.values[block], matrix.weights[block]))
    return reduction, draw(factors_of(reduction.matrix.shape))


@given(reduced_with_factors())
def test_error_of_lifted_factors_equals_the_reduced_error(case):
    reduction, factors = case
    lifted = reduction.lift(factors)
    assert lifted.error(reduction.original) == factors.error(reduction.matrix)
    assert lifted.objective(reduction.original) == factors.objective(reduction.matrix)


@given(reduced_with_factors(), st.data())
def test_restricting_never_raises_the_error(case, data):
    reduction, _ = case
    factors = data.draw(factors_of(reduction.original.shape))
    restricted = reduction.restrict(factors)
    assert restricted.error(reduction.matrix) <= factors.error(reduction.original)


def test_columns_that_were_dropped_have_no_say_in_who_speaks_for_a_group():
    # The last row has nothing but missing entries where the others have zeros.
    X = BinaryMatrix(np.array([[1, 1, 0, 0]] * 3 + [[1, 1, -1, -1]], dtype=np.int8))
    reduction = reduce_matrix(X)
    factors = Factors(np.array([[0], [0], [0], [1]]), np.array([[0, 1, 1, 1]]))
    assert reduction.restrict(factors).error(reduction.matrix) <= factors.error(X)


@given(reduced_with_factors())
def test_restricting_undoes_lifting(case):
    reduction, factors = case
    again = reduction.restrict(reduction.lift(factors))
    assert again.error(reduction.matrix) == factors.error(reduction.matrix)


@given(reduced_with_factors())
def test_a_reduced_matrix_cannot_be_reduced_again(case):
    reduction, _ = case
    assert reduce_matrix(reduction.matrix).matrix.shape == reduction.matrix.shape


@settings(max_examples=60)
@given(matrices(max_side=4), st.integers(1, 2))
def test_reduction_keeps_the_optimum(matrix, k):
    reduced = reduce_matrix(matrix).matrix
    assert naive.best_error(matrix.values, matrix.weights, k) == naive.best_error(
        reduced.values, reduced.weights, k
    )


def test_rows_with_different_missing_entries_are_not_merged():
    X = BinaryMatrix(np.array([[1, 0], [1, -1], [0, 1]]))
    assert reduce_matrix(X).matrix.shape == (3, 2)


def test_rows_with_weights_that_are_not_proportional_are_not_merged():
    values = np.array([[1, 1], [1, 1], [1, 1], [1, 0], [0, 1]])
    weights = np.array([[1, 2], [2, 4], [2, 1], [1, 1], [1, 1]])
    reduced = reduce_matrix(BinaryMatrix(values, weights)).matrix
    assert reduced.shape == (4, 2)
    assert [3, 6] in reduced.weights.tolist()


@pytest.mark.parametrize("fill", [0, 1, -1])
def test_constant_matrices_reduce_to_one_entry(fill):
    reduction = reduce_matrix(BinaryMatrix(np.full((3, 4), fill)))
    assert reduction.matrix.shape == (1, 1)
    assert reduction.lift(Factors.empty((1, 1), 2)).A.shape == (3, 2)


@pytest.mark.parametrize("name", list_datasets())
def test_weights_of_the_bundled_matrices_add_up(name):
    X = load_dataset(name)
    reduced = reduce_matrix(X).matrix
    assert reduced.ones_weight == X.n_ones
    assert reduced.shape[0] < X.shape[0] or name == "apb"


def test_keeping_the_matrix_changes_nothing():
    X = load_dataset("zoo")
    kept = keep_matrix(X)
    factors = Factors(np.ones((101, 2)), np.ones((2, 17)))
    assert kept.matrix is X
    assert (kept.lift(factors).A == factors.A).all()
    assert (kept.restrict(factors).B == factors.B).all()


def test_factors_of_another_matrix_are_refused():
    reduction = reduce_matrix(BinaryMatrix(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])))
    assert reduction.matrix.shape == (2, 2)
    with pytest.raises(ValueError, match="reduced matrix"):
        reduction.lift(Factors.empty((3, 3), 1))
    with pytest.raises(ValueError, match="original matrix"):
        reduction.restrict(Factors.empty((2, 2), 1))


def test_groups_are_numbered_by_their_first_member_and_empty_lines_are_dropped():
    X = BinaryMatrix(np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 1, 0], [0, 1, 1]]))
    reduction = reduce_matrix(X)
    assert reduction.row_map.tolist() == [-1, 0, 1, 0, 1]
    assert reduction.column_map.tolist() == [-1, 0, 1]
    assert reduction.matrix.values.tolist() == [[1, 0], [1, 1]]
    assert reduction.matrix.weights.tolist() == [[2, 2], [2, 2]]


def test_ones_of_weight_zero_keep_no_row_alive():
    values, weights = np.array([[1, 0], [1, 1]]), np.array([[0, 5], [3, 2]])
    reduction = reduce_matrix(BinaryMatrix(values, weights))
    assert reduction.row_map.tolist() == [-1, 0]
    # Columns of one entry are always proportional.
    assert reduction.column_map.tolist() == [0, 0]
    assert reduction.matrix.weights.tolist() == [[5]]


def test_who_speaks_for_merged_columns_is_chosen_by_the_codes_of_the_rows():
    X = BinaryMatrix(np.array([[1, 1, 0], [0, 0, 1]]))
    # The first two columns are equal; the code of the first covers a zero of the second row.
    factors = Factors(np.eye(2), np.array([[1, 1, 0], [1, 0, 1]]))
    reduction = reduce_matrix(X)
    assert (factors.error(X), reduction.restrict(factors).error(reduction.matrix)) == (1, 0)
    turned = Factors(factors.B.T, factors.A.T)
    reduction = reduce_matrix(X.T)
    assert (turned.error(X.T), reduction.restrict(turned).error(reduction.matrix)) == (1, 0)


def test_entries_of_weight_zero_are_missing_in_the_reduced_matrix():
    values = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    weights = np.array([[2, 0, 5], [1, 1, 1], [1, 2, 3]])
    reduced = reduce_matrix(BinaryMatrix(values, weights)).matrix
    assert reduced.values.tolist() == [[1, -1, 0], [0, 1, 1], [1, 0, 1]]
    assert reduced.weights.tolist() == weights.tolist()
