import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from boolfact.completion.folds import entry_folds, hide_entries, score_entries
from boolfact.datasets import load_dataset, planted

from strategies import matrices, matrix_and_factors


@given(matrices(), st.floats(0, 1), st.integers(0, 5))
def test_hiding_takes_the_asked_share_of_ones_and_of_zeros(matrix, share, seed):
    hidden, where = hide_entries(matrix, share, seed=seed)
    for value in (0, 1):
        of_value = matrix.values == value
        assert (where & of_value).sum() == round(share * of_value.sum())
    assert (hidden.missing == (matrix.missing | where)).all()
    assert (hidden.values[~where] == matrix.values[~where]).all()


@given(matrices(), st.integers(2, 4))
def test_folds_hide_each_observed_entry_once(matrix, n_splits):
    times = np.zeros(matrix.shape, int)
    for hidden, where in entry_folds(matrix, n_splits, seed=1):
        times += where
        assert (hidden.missing == (matrix.missing | where)).all()
    assert (times == ~matrix.missing).all()


@given(matrix_and_factors())
def test_scores_are_those_of_scikit_learn(case):
    matrix, factors = case
    where = np.ones(matrix.shape, bool)
    scores = score_entries(matrix, factors.product(), where)
    truth, guess = matrix.ones[~matrix.missing], factors.product()[~matrix.missing]
    assert scores.entries == len(truth)
    if len(truth):
        assert scores.precision == pytest.approx(precision_score(truth, guess, zero_division=0))
        assert scores.recall == pytest.approx(recall_score(truth, guess, zero_division=0))
        assert scores.f1 == pytest.approx(f1_score(truth, guess, zero_division=0))
        assert scores.accuracy == pytest.approx((truth == guess).mean())


def test_planted_patterns_complete_what_was_hidden():
    example = planted(60, 30, 3, seed=2)
    hidden, where = hide_entries(example.matrix, 0.2, seed=1)
    done = example.factors.complete(hidden)
    assert score_entries(example.matrix, done.ones, where).f1 == 1.0


@pytest.mark.parametrize(
    "call", [lambda X: hide_entries(X, 1.5), lambda X: list(entry_folds(X, 1))]
)
def test_bad_arguments_are_refused(call):
    with pytest.raises(ValueError, match="must be"):
        call(load_dataset("zoo"))
