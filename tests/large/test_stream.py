"""Rows in a stream: the same codes as at once, and patterns that learn."""

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.datasets.planted import planted
from boolfact.large.stream import PatternStream, RowCoder
from boolfact.local_search.refit import refit_rows
from boolfact.model.factors import Factors
from boolfact.model.packed import PackedMatrix
from large.rows import in_lists

from strategies import matrices, st


@given(st.data(), matrices(weighted=False), st.integers(1, 4))
@settings(max_examples=50)
def test_codes_are_as_good_as_those_of_the_dense_refit(data, matrix, k):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    B = rng.random((k, matrix.shape[1])) < 0.5
    for make in (PackedMatrix.from_dense, in_lists):
        A, error = RowCoder(B, workers=2).code(make(matrix.values))
        assert error == Factors(A, B).error(matrix)
        best = Factors(refit_rows(matrix.ones, matrix.weights, B), B)
        assert error == best.error(matrix)


def test_patterns_learn_from_rows_that_come_one_after_another():
    example = planted(3000, 30, 3, noise=0.02, seed=1)
    values = example.matrix.values
    wrong = example.factors.B ^ (np.random.default_rng(0).random((3, 30)) < 0.1)
    stream = PatternStream(wrong)
    for first in range(0, 3000, 500):
        stream.add(PackedMatrix.from_dense(values[first : first + 500]))
    assert stream.n_rows == 3000
    assert (stream.patterns == example.factors.B).all()
    _, best = RowCoder(stream.patterns).code(PackedMatrix.from_dense(values))
    assert best <= stream.error
    # The first rows keep the codes that the wrong patterns gave them.
    assert stream.error < 1.3 * best


def test_the_error_of_a_stream_is_that_of_its_codes_and_patterns():
    rng = np.random.default_rng(4)
    values = rng.integers(-1, 2, (40, 9)).astype(np.int8)
    stream = PatternStream(rng.random((2, 9)) < 0.5)
    codes = []
    for first in (0, 20):
        block = PackedMatrix.from_dense(values[first : first + 20])
        codes.append(RowCoder(stream.patterns).code(block)[0])
        stream.add(block)
    product = Factors(np.vstack(codes), stream.patterns).product()
    assert stream.error == ((values != -1) & ((values == 1) != product)).sum()


def test_too_many_patterns_and_other_columns_are_refused():
    with pytest.raises(ValueError, match="at most 12, got 13"):
        PatternStream(np.zeros((13, 4), dtype=bool))
    with pytest.raises(ValueError, match="at most 64 patterns"):
        RowCoder(np.zeros((65, 4), dtype=bool))
    with pytest.raises(ValueError, match="expected rows of 4 columns, got 5"):
        PatternStream(np.zeros((2, 4), dtype=bool)).add(
            PackedMatrix.from_dense(np.zeros((1, 5), dtype=np.int8))
        )
