import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.baselines.grecond import grecond
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix

import naive
from strategies import matrices


@settings(max_examples=60)
@given(matrices())
def test_without_a_rank_it_covers_every_one_and_no_zero(matrix):
    assert grecond(matrix).error(matrix) == 0


@settings(max_examples=60)
@given(matrices(), st.integers(1, 4))
def test_no_zero_is_ever_covered(matrix, k):
    factors = grecond(matrix, k)
    zeros = (matrix.values == 0) & (matrix.weights > 0)
    assert factors.rank == k
    assert not (factors.product() & zeros).any()


@pytest.mark.parametrize("name", ["zoo", "heart", "tumor_missing"])
def test_its_rectangles_cannot_be_extended(name):
    X = load_dataset(name)
    allowed = X.values != 0
    for a, b in grecond(X, 5).rectangles:
        assert (allowed[:, b].all(axis=1) == a).all()
        assert (allowed[a].all(axis=0) == b).all()


def test_the_first_column_is_the_one_that_covers_most_with_its_closure():
    X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]], dtype=np.int8))
    first = grecond(X, 1)
    assert first.A[:, 0].tolist() == [True, True, False]
    assert first.B[0].tolist() == [True, True, False]


def test_bad_arguments():
    with pytest.raises(ValueError, match="k must be at least 1"):
        grecond(load_dataset("zoo"), 0)


def test_an_interrupted_run_returns_what_it_has():
    stop = Stop()
    stop.interrupt()
    assert grecond(load_dataset("zoo"), stop=stop).rank == 0
    assert grecond(load_dataset("zoo"), 3, stop=stop).rank == 3


@settings(max_examples=60)
@given(matrices(max_side=7), st.integers(1, 3))
def test_it_is_what_the_definition_says(matrix, k):
    found = grecond(matrix, k)
    expected = naive.grecond(matrix.values, matrix.weights, k)
    for u, (rows, columns) in enumerate(expected):
        assert np.flatnonzero(found.A[:, u]).tolist() == rows
        assert np.flatnonzero(found.B[u]).tolist() == columns
    assert not found.A[:, len(expected) :].any()
