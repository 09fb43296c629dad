import numpy as np
import pytest
from hypothesis import given

from boolfact.datasets import load_dataset
from boolfact.model.factors import Factors
from boolfact.results.patterns import (
    describe_patterns,
    order_patterns,
    overlap_frame,
    overlap_matrix,
    patterns_frame,
)

import naive
from strategies import matrix_and_factors


@given(matrix_and_factors())
def test_gain_is_what_the_error_would_rise_by_without_the_pattern(case):
    matrix, factors = case
    for pattern in describe_patterns(factors, matrix):
        A = factors.A.copy()
        A[:, pattern.index] = False
        assert Factors(A, factors.B).error(matrix) - factors.error(matrix) == pattern.gain


@given(matrix_and_factors())
def test_counts_equal_the_obvious_ones(case):
    matrix, factors = case
    for pattern in describe_patterns(factors, matrix):
        cells = [(i, j) for i in pattern.rows for j in pattern.columns]
        assert pattern.ones == sum(matrix.weights[c] for c in cells if matrix.values[c] == 1)
        others = [(a, b) for u, (a, b) in enumerate(factors.rectangles) if u != pattern.index]
        shared = [c for c in cells if any(a[c[0]] and b[c[1]] for a, b in others)]
        assert pattern.shared_ones == sum(
            matrix.weights[c] for c in shared if matrix.values[c] == 1
        )
        assert pattern.shared_zeros == sum(
            matrix.weights[c] for c in shared if matrix.values[c] == 0
        )
        if matrix.ones_weight:
            assert pattern.recall == pattern.ones / matrix.ones_weight
        assert pattern.zeros == sum(matrix.weights[c] for c in cells if matrix.values[c] == 0)
        if pattern.ones + pattern.zeros:
            assert pattern.precision == pattern.ones / (pattern.ones + pattern.zeros)
        else:
            assert np.isnan(pattern.precision)


@given(matrix_and_factors())
def test_ordering_keeps_the_product_and_puts_empty_patterns_last(case):
    matrix, factors = case
    ordered = order_patterns(factors, matrix)
    assert (ordered.product() == naive.product(factors.A, factors.B)).all()
    filled = ordered.A.any(axis=0)
    assert not (~filled[:-1] & filled[1:]).any()
    again = order_patterns(ordered, matrix)
    assert (again.A == ordered.A).all()


@given(matrix_and_factors())
def test_overlap_is_symmetric_and_has_the_sizes_on_its_diagonal(case):
    matrix, factors = case
    overlap = overlap_matrix(factors, matrix)
    assert (overlap == overlap.T).all()
    sizes = [p.ones + p.zeros for p in describe_patterns(factors, matrix)]
    assert overlap.diagonal().tolist() == sizes


@given(matrix_and_factors())
def test_the_first_pattern_explains_most_and_each_next_most_of_the_rest(case):
    matrix, factors = case
    ordered = order_patterns(factors, matrix)
    for u in range(ordered.rank):
        errors = []
        for v in range(u, ordered.rank):
            chosen = [*range(u), v]
            if ordered.A[:, v].any():
                part = Factors(ordered.A[:, chosen], ordered.B[chosen])
                errors.append(part.error(matrix))
        if errors and ordered.A[:, u].any():
            assert errors[0] == min(errors)


def test_overlaps_as_a_frame_are_numbered_like_the_patterns():
    X = load_dataset("zoo")
    factors = Factors(X.ones[:, :2], X.ones[:2])
    frame = overlap_frame(factors, X)
    assert list(frame.index) == list(frame.columns) == [1, 2]
    assert (frame.to_numpy() == overlap_matrix(factors, X)).all()


def test_the_frame_has_one_row_a_pattern_by_name():
    X = load_dataset("zoo")
    B = np.zeros((1, 17), bool)
    B[0, X.column_names.index("feathers")] = True
    frame = patterns_frame(Factors(X.ones[:, [1]], B), X)
    assert frame.loc[1, "columns"] == "feathers"
    assert frame.loc[1, "precision"] == 1.0
    assert frame.loc[1, "ones"] == 20
    assert frame.loc[1, "recall"] == pytest.approx(20 / 761)
