import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.baselines.proximus import proximus
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix

from strategies import matrices

STEPS = ("alternating", "linear_program", "rounding")


@settings(max_examples=30)
@given(matrices(), st.integers(1, 4), st.sampled_from(STEPS))
def test_every_row_has_at_most_one_pattern(matrix, k, step):
    factors = proximus(matrix, k, rank_one=step)
    assert factors.rank == k
    assert factors.A.sum(axis=1).max() <= 1
    assert factors.error(matrix) <= matrix.ones_weight


@pytest.mark.parametrize("step", STEPS)
def test_finds_disjoint_blocks(step):
    A = np.repeat(np.eye(4, dtype=int), 5, axis=0)
    B = np.repeat(np.eye(4, dtype=int), 3, axis=1)
    X = BinaryMatrix((A @ B).astype(np.int8))
    assert proximus(X, 4, rank_one=step).error(X) == 0


@pytest.mark.parametrize("step", STEPS)
def test_the_error_falls_with_the_rank(step):
    X = load_dataset("heart")
    errors = [proximus(X, k, rank_one=step).error(X) for k in (1, 2, 5, 10)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0]


def test_missing_entries_cost_nothing():
    X = load_dataset("votes_missing")
    factors = proximus(X, 3)
    assert factors.error(X) == ((factors.product() != X.ones) & ~X.missing).sum()


def test_bad_arguments():
    with pytest.raises(ValueError, match="rank_one must be one of alternating"):
        proximus(load_dataset("zoo"), 2, rank_one="guess")


def test_when_time_is_over_there_is_one_pattern():
    stop = Stop(time_limit=1)
    stop.end()
    matrix = load_dataset("zoo")
    factors = proximus(matrix, 5, stop=stop)
    assert factors.rank == 5
    assert (factors.A.any(axis=0) & factors.B.any(axis=1)).sum() == 1
    assert factors.error(matrix) < matrix.ones_weight
