import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.baselines.asso import asso, asso_runs, associations
from boolfact.baselines.checks import THRESHOLDS
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix

import naive
from strategies import matrices

# The published row stands still from k = 2 or 5 on where the greedy choice still gains
# (hepat, lymp, audio, zoo, votes), so it is an upper limit; these cells agree.
SAME_AS_PUBLISHED = {("tumor", 5): 1092, ("tumor", 10): 587, ("apb", 2): 778}
PUBLISHED = {
    ("zoo", 2): 367, ("hepat", 2): 1724, ("heart", 2): 1251, ("lymp", 2): 1352,
    ("audio", 2): 1505, ("votes", 2): 2946, ("zoo", 10): 354, ("hepat", 10): 1724,
    ("heart", 10): 694, ("lymp", 10): 1352, ("audio", 10): 1505, ("votes", 10): 2503,
}  # fmt: skip


@given(matrices())
def test_confidences_are_shares_of_ones(matrix):
    found = associations(matrix)
    for j in range(matrix.shape[1]):
        for to in range(matrix.shape[1]):
            expected = naive.confidence(matrix.values, matrix.weights, j, to)
            assert found[j, to] == pytest.approx(expected)


@settings(max_examples=50)
@given(matrices(), st.integers(1, 4))
def test_never_worse_than_covering_nothing(matrix, k):
    factors = asso(matrix, k)
    assert factors.rank == k
    assert factors.error(matrix) <= matrix.ones_weight


@pytest.mark.parametrize(("name", "k"), SAME_AS_PUBLISHED)
def test_reproduces_published_errors(name, k):
    X = load_dataset(name)
    assert asso(X, k).error(X) == SAME_AS_PUBLISHED[name, k]


@pytest.mark.parametrize(("name", "k"), PUBLISHED)
def test_is_at_least_as_good_as_published(name, k):
    X = load_dataset(name)
    assert asso(X, k).error(X) <= PUBLISHED[name, k]


@pytest.mark.parametrize("name", ["zoo", "lymp", "tumor_missing"])
def test_merging_duplicates_changes_nothing(name):
    X = load_dataset(name)
    reduced = reduce_matrix(X).matrix
    assert asso(reduced, 5).error(reduced) == asso(X, 5).error(X)


def test_the_threshold_decides_what_a_pattern_holds():
    # Column 1 goes with column 0 in two rows of three.
    X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]], dtype=np.int8))
    wide, narrow = asso(X, 1, thresholds=[0.6]), asso(X, 1, thresholds=[0.7])
    assert wide.B[0].tolist() == [True, True, False]
    assert narrow.error(X) <= wide.error(X) + 1
    assert len(THRESHOLDS) == 9


def test_bad_arguments():
    X = load_dataset("zoo")
    with pytest.raises(ValueError, match="thresholds must hold"):
        asso(X, 2, thresholds=[])
    with pytest.raises(ValueError, match=r"\(0, 1\]"):
        asso(X, 2, thresholds=[1.5])
    with pytest.raises(ValueError, match="k must be at least 1"):
        asso(X, 0)


def test_runs_are_one_for_each_threshold_and_at_least_one():
    X = load_dataset("zoo")
    runs = list(asso_runs(X, 3))
    assert [run.error(X) for run in runs] == [
        asso(X, 3, thresholds=[threshold]).error(X) for threshold in THRESHOLDS
    ]
    stop = Stop()
    stop.interrupt()
    assert len(list(asso_runs(X, 3, stop=stop))) == 1


@settings(max_examples=60)
@given(matrices(max_side=7), st.integers(1, 4), st.sampled_from([0.3, 0.5, 0.9]))
def test_gains_kept_up_to_date_choose_as_gains_counted_anew(matrix, k, threshold):
    candidates = np.unique(associations(matrix) >= threshold, axis=0)
    found = next(iter(asso_runs(matrix, k, [threshold])))
    expected = naive.asso_cover(matrix.ones.astype(int), matrix.weights, k, candidates)
    for u, (a, b) in enumerate(expected):
        assert (found.A[:, u] == a).all()
        assert (found.B[u] == b).all()
    assert not found.A[:, len(expected) :].any()
