import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.baselines.k_greedy import NINE_STRATEGIES, k_greedy
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset

from strategies import matrices

PAPER = {
    ("zoo", 2): 325, ("tumor", 2): 1422, ("hepat", 2): 1483, ("heart", 2): 1204,
    ("lymp", 2): 1201, ("audio", 2): 1499, ("apb", 2): 776, ("votes", 2): 2929,
    ("zoo", 5): 233, ("hepat", 5): 1306, ("apb", 5): 690, ("votes", 5): 2310,
    ("zoo", 10): 184, ("hepat", 10): 1088, ("audio", 10): 976, ("votes", 10): 1897,
}  # fmt: skip


@settings(max_examples=50)
@given(matrices(), st.integers(1, 4))
def test_never_worse_than_covering_nothing(matrix, k):
    factors = k_greedy(matrix, k)
    assert factors.rank == k
    assert factors.error(matrix) <= matrix.ones_weight


@settings(max_examples=50)
@given(matrices(), st.integers(1, 4))
def test_in_standard_arithmetic_no_entry_is_covered_twice(matrix, k):
    factors = k_greedy(matrix, k, arithmetic="standard")
    assert factors.cover_counts().max() <= 1


@pytest.mark.parametrize(("name", "k"), PAPER)
def test_reproduces_the_published_errors_within_what_ties_leave_open(name, k):
    X = load_dataset(name)
    assert k_greedy(X, k).error(X) == pytest.approx(PAPER[name, k], rel=0.01)


def test_nine_strategies_and_the_same_seed_give_the_same_answer():
    assert len(NINE_STRATEGIES) == 9
    X = load_dataset("zoo")
    first, second = k_greedy(X, 4, seed=7), k_greedy(X, 4, seed=7)
    assert (first.A == second.A).all()
    assert (first.B == second.B).all()


def test_missing_entries_cost_nothing():
    X = load_dataset("votes_missing")
    factors = k_greedy(X, 3)
    differs = (factors.product() != X.ones) & ~X.missing
    assert factors.error(X) == differs.sum()


def test_bad_arguments():
    X = load_dataset("zoo")
    with pytest.raises(ValueError, match="arithmetic"):
        k_greedy(X, 2, arithmetic="modulo two")
    with pytest.raises(ValueError, match="strategies"):
        k_greedy(X, 2, strategies=[])
    assert np.array_equal(k_greedy(X, 1).A.shape, (101, 1))


def test_when_time_is_over_there_is_one_pattern():
    stop = Stop(time_limit=1)
    stop.end()
    matrix = load_dataset("zoo")
    factors = k_greedy(matrix, 5, stop=stop)
    assert factors.rank == 5
    assert (factors.A.any(axis=0) & factors.B.any(axis=1)).sum() == 1
    assert factors.error(matrix) < matrix.ones_weight
