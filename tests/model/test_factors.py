from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.datasets import load_dataset
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

import naive
from strategies import matrices, matrix_and_factors


@given(matrix_and_factors())
def test_product_and_error_equal_the_obvious_ones(case):
    matrix, factors = case
    assert (factors.product() == naive.product(factors.A, factors.B)).all()
    expected = naive.error(matrix.values, matrix.weights, factors.A, factors.B)
    assert factors.error(matrix) == expected


@given(matrix_and_factors(), st.fractions(Fraction(1, 10), 2))
def test_objective_equals_the_obvious_one(case, rho):
    matrix, factors = case
    expected = naive.objective(matrix.values, matrix.weights, factors.A, factors.B, rho)
    assert factors.objective(matrix, rho) == expected


@given(matrix_and_factors())
def test_objective_bounds_the_error_from_both_sides(case):
    matrix, factors = case
    error = factors.error(matrix)
    assert factors.objective(matrix, Fraction(1, factors.rank)) <= error
    assert error <= factors.objective(matrix, 1)


@given(matrix_and_factors())
def test_rectangles_and_padding_keep_the_product(case):
    _, factors = case
    again = Factors.from_rectangles(factors.shape, factors.rectangles).padded(factors.rank + 2)
    assert again.rank == factors.rank + 2
    assert (again.product() == factors.product()).all()


def test_shapes_must_fit():
    with pytest.raises(ValueError, match="do not fit"):
        Factors(np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="shape"):
        Factors.empty((2, 2)).error(BinaryMatrix(np.array([[1, 0]])))


@given(matrices())
def test_as_many_patterns_as_rows_or_columns_reproduce_the_matrix(matrix):
    factors = Factors.reproducing(matrix)
    assert factors.rank == min(matrix.shape)
    assert factors.error(matrix) == 0


@given(matrix_and_factors())
def test_observed_entries_stay_and_missing_ones_come_from_the_product(case):
    matrix, factors = case
    done = factors.complete(matrix)
    seen = ~matrix.missing
    assert done.n_missing == 0
    assert (done.values[seen] == matrix.values[seen]).all()
    assert (done.ones[~seen] == factors.product()[~seen]).all()


def test_factors_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="factors are for a matrix of shape"):
        Factors.empty((2, 2)).complete(load_dataset("zoo"))


def test_factors_are_frozen_to_the_last_entry():
    A, B = np.eye(3, dtype=bool), np.eye(3, dtype=bool)
    factors = Factors(A, B)
    A[0, 1] = True
    assert (np.eye(3) == factors.A).all()
    for side in (factors.A, factors.B):
        with pytest.raises(ValueError, match="read-only"):
            side[0, 0] = False
