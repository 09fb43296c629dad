import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.baselines.mebf import mebf
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix

from strategies import matrices

PUBLISHED = {
    2: (348, 1487, 1599, 1289, 1401, 1779, 812, 3268),
    5: (173, 1245, 1439, 929, 1245, 1672, 730, 2832),
    10: (122, 990, 1328, 777, 1004, 1450, 662, 2460),
}
NAMES = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")


@settings(max_examples=50)
@given(matrices(), st.integers(1, 4))
def test_never_worse_than_covering_nothing(matrix, k):
    factors = mebf(matrix, k)
    assert factors.rank == k
    assert factors.error(matrix) <= matrix.ones_weight


@pytest.mark.parametrize("k", PUBLISHED)
def test_close_to_the_published_row(k):
    for name, published in zip(NAMES, PUBLISHED[k], strict=True):
        X = load_dataset(name)
        assert mebf(X, k).error(X) <= 1.04 * published


@pytest.mark.parametrize(("name", "k"), [("audio", 2), ("apb", 2), ("apb", 5)])
def test_equal_to_the_published_error_where_ties_leave_no_choice(name, k):
    X = load_dataset(name)
    assert mebf(X, k).error(X) == PUBLISHED[k][NAMES.index(name)]


def test_the_largest_rectangle_of_a_staircase_starts_at_the_median():
    X = BinaryMatrix(np.triu(np.ones((7, 7), dtype=np.int8)))
    factors = mebf(X, 1, thresholds=[0.99])
    assert factors.A[:, 0].sum() * factors.B[0].sum() == 16
    assert factors.error(X) == 28 - 16


def test_the_error_falls_with_the_rank():
    X = load_dataset("zoo")
    errors = [mebf(X, k).error(X) for k in range(1, 8)]
    assert errors == sorted(errors, reverse=True)


def test_bad_arguments():
    X = load_dataset("zoo")
    with pytest.raises(ValueError, match="thresholds must hold"):
        mebf(X, 2, thresholds=[])
    with pytest.raises(ValueError, match="thresholds must lie"):
        mebf(X, 2, thresholds=[0.0])


def test_when_time_is_over_there_is_one_pattern():
    stop = Stop(time_limit=1)
    stop.end()
    matrix = load_dataset("zoo")
    factors = mebf(matrix, 5, stop=stop)
    assert factors.rank == 5
    assert (factors.A.any(axis=0) & factors.B.any(axis=1)).sum() == 1
    assert factors.error(matrix) < matrix.ones_weight
