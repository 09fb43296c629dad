import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.baselines.penalty import penalty
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix

from strategies import matrices

PUBLISHED = {
    2: (276, 1472, 1418, 1241, 1228, 1510, 794, 2975),
    5: (142, 1126, 1301, 835, 1062, 1245, 730, 2517),
    10: (96, 703, 1186, 581, 987, 1106, 602, 2389),
}
NAMES = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")


@settings(max_examples=30)
@given(matrices(), st.integers(1, 3))
def test_any_matrix(matrix, k):
    factors = penalty(matrix, k)
    assert factors.rank == k
    assert factors.error(matrix) <= matrix.ones_weight


@pytest.mark.parametrize("k", PUBLISHED)
def test_within_a_random_starts_spread_of_the_published_row(k):
    ratios = []
    for name, published in zip(NAMES, PUBLISHED[k], strict=True):
        X = load_dataset(name)
        ratios.append(penalty(X, k, restarts=1).error(X) / published)
    assert min(ratios) > 0.85
    assert max(ratios) < 1.2
    assert np.mean(ratios) == pytest.approx(1, abs=0.05)


def test_weights_act_like_repeated_rows():
    X = load_dataset("zoo")
    values, counts = np.unique(X.values, axis=0, return_counts=True)
    merged = BinaryMatrix(values, np.repeat(counts[:, None], X.shape[1], axis=1))
    factors = penalty(merged, 4, restarts=3)
    error = penalty(X, 4, restarts=3).error(X)
    assert factors.error(merged) == pytest.approx(error, rel=0.3)


def test_missing_entries_cost_nothing():
    X = load_dataset("votes_missing")
    factors = penalty(X, 2)
    assert factors.error(X) == ((factors.product() != X.ones) & ~X.missing).sum() < 2000


def test_restarts_never_hurt_and_seeds_repeat():
    X = load_dataset("zoo")
    assert penalty(X, 5).error(X) <= penalty(X, 5, restarts=1).error(X)
    assert penalty(X, 5, seed=1).error(X) == penalty(X, 5, seed=1).error(X)


def test_an_interrupted_run_returns():
    stop = Stop()
    stop.interrupt()
    assert penalty(load_dataset("zoo"), 3, stop=stop).rank == 3


def test_bad_arguments():
    X = load_dataset("zoo")
    for wrong in ({"growth": 1.0}, {"start": 0.0}, {"restarts": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            penalty(X, 2, **wrong)
