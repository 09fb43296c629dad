import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boolfact.baselines.asso as asso_module
from boolfact.baselines.asso_plus_plus import asso_plus_plus, flip_rows, improve
from boolfact.baselines.residual import worth_of_covering
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.factors import Factors

import naive
from strategies import matrices, matrix_and_factors

PUBLISHED = {
    ("zoo", 2): 276, ("tumor", 2): 1437, ("hepat", 2): 1397, ("heart", 2): 1187,
    ("lymp", 2): 1202, ("audio", 2): 1503, ("apb", 2): 776, ("votes", 2): 2926,
    ("zoo", 5): 133, ("tumor", 5): 1055, ("hepat", 5): 1228, ("heart", 5): 738,
    ("lymp", 5): 1039, ("audio", 5): 1211, ("apb", 5): 694, ("votes", 5): 2302,
    ("zoo", 10): 55, ("tumor", 10): 583, ("hepat", 10): 910, ("heart", 10): 419,
    ("lymp", 10): 812, ("audio", 10): 922, ("apb", 10): 591, ("votes", 10): 1573,
}  # fmt: skip


@given(matrix_and_factors(max_side=6))
def test_flips_end_where_no_single_flip_helps(given_pair):
    matrix, factors = given_pair
    A, B = factors.A.copy(), factors.B.copy()
    before = factors.error(matrix)
    flip_rows(worth_of_covering(matrix), A, B)
    after = naive.error(matrix.values, matrix.weights, A, B)
    assert after <= before
    for i in range(A.shape[0]):
        for u in range(A.shape[1]):
            A[i, u] ^= True
            assert naive.error(matrix.values, matrix.weights, A, B) >= after
            A[i, u] ^= True


@settings(max_examples=50)
@given(matrix_and_factors())
def test_improving_never_loses(given_pair):
    matrix, factors = given_pair
    better = improve(matrix, factors, np.random.default_rng(0))
    assert better.error(matrix) <= factors.error(matrix)


@settings(max_examples=25)
@given(matrices(), st.integers(1, 3))
def test_any_matrix(matrix, k):
    factors = asso_plus_plus(matrix, k)
    assert factors.rank == k
    assert factors.error(matrix) <= matrix.ones_weight


@pytest.mark.parametrize(("name", "k"), PUBLISHED)
def test_is_as_good_as_published_within_what_starts_leave_open(name, k):
    X = load_dataset(name)
    assert asso_plus_plus(X, k).error(X) <= 1.02 * PUBLISHED[name, k]


def test_same_seed_same_answer_and_two_variants():
    X = load_dataset("zoo")
    first, second = asso_plus_plus(X, 5, seed=3), asso_plus_plus(X, 5, seed=3)
    assert (first.A == second.A).all()
    one = asso_plus_plus(X, 5, starts=["association"], seed=3)
    assert first.error(X) <= one.error(X)


def test_stops_when_asked_with_what_it_has():
    X = load_dataset("zoo")
    stop = Stop()
    stop.interrupt()
    assert isinstance(asso_plus_plus(X, 5, stop=stop), Factors)


def test_a_stop_is_asked_between_the_starts_and_confidences_are_computed_once(monkeypatch):
    X = load_dataset("zoo")
    calls = {"associations": 0, "_greedy_cover": 0}

    def counting(name):
        original = getattr(asso_module, name)

        def counted(*arguments):
            calls[name] += 1
            return original(*arguments)

        return counted

    for name in calls:
        monkeypatch.setattr(asso_module, name, counting(name))
    asso_plus_plus(X, 2, starts=["association"])
    assert calls == {"associations": 1, "_greedy_cover": 9}
    stop = Stop().child(until=lambda: calls["_greedy_cover"] == 9 + 2)
    assert asso_plus_plus(X, 2, starts=["association"], stop=stop).rank == 2
    assert calls == {"associations": 2, "_greedy_cover": 9 + 2}


def test_bad_arguments():
    X = load_dataset("zoo")
    with pytest.raises(ValueError, match="starts must be some of"):
        asso_plus_plus(X, 2, starts=["thin air"])
