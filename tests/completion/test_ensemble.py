import signal
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.completion.baselines import masked_nmf
from boolfact.completion.ensemble import complete
from boolfact.completion.folds import hide_entries, score_entries
from boolfact.datasets import load_dataset, planted
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

from strategies import matrices


@pytest.fixture(scope="module")
def votes_done():
    """A small real matrix with a tenth hidden, and its completion."""
    truth = load_dataset("zoo")
    hidden, where = hide_entries(truth, 0.1, seed=5)
    return truth, where, complete(hidden, 6, members=20, seed=3, workers=1)


def test_completion_beats_the_baseline_and_is_about_as_good_as_expected(votes_done):
    truth, where, done = votes_done
    own = score_entries(truth, done.completed().ones, where).f1
    best_nmf = max(
        score_entries(truth, masked_nmf(done.matrix, k), where).f1 for k in (2, 3, 4, 5, 6)
    )
    assert own > best_nmf
    assert abs(own - done.expected.f1) < 0.1


def test_observed_entries_stay_as_they_are(votes_done):
    truth, where, done = votes_done
    filled = done.completed()
    assert filled.n_missing == 0
    assert (filled.values[~where] == truth.values[~where]).all()
    assert filled.column_names == truth.column_names


def test_scores_are_counted_from_members_that_did_not_see_the_entry(votes_done):
    _, where, done = votes_done
    for i, j in [(0, 0), tuple(np.argwhere(where)[0]), (50, 8)]:
        sides = []
        for by_columns in (True, False):
            votes = [
                (1 + int(member.halves[0][i, j]) - int(member.halves[1][i, j])) / 2
                for member in done.members
                if member.by_columns == by_columns and (where[i, j] or member.hidden[i, j])
            ]
            sides.append(np.mean(votes))
        expected = done.weight * sides[0] + (1 - done.weight) * sides[1]
        assert done.scores[i, j] == pytest.approx(expected)


def test_hidden_entries_of_a_member_are_hidden_from_it_evenly(votes_done):
    _, where, done = votes_done
    for by_columns in (True, False):
        times = sum(m.hidden for m in done.members if m.by_columns == by_columns)
        assert (times[~where] == 1).all()
        assert (times[where] == 0).all()


@pytest.mark.parametrize("metric", ["f1", "accuracy"])
def test_the_threshold_is_the_best_on_observed_entries(votes_done, metric):
    _, where, done = votes_done
    if metric == "accuracy":
        done = complete(done.matrix, 6, members=20, metric=metric, seed=3, workers=1)
    best = getattr(done.expected, metric)
    for threshold in np.arange(1, 80) / 80:
        scores = score_entries(done.matrix, done.scores > threshold, ~where)
        assert getattr(scores, metric) <= best + 1e-12


def test_votes_say_who_and_why(votes_done):
    truth, where, done = votes_done
    votes = done.votes(reasons=3)
    assert [(v.row, v.column) for v in votes] == [tuple(e) for e in np.argwhere(where)]
    filled = done.completed()
    for vote in votes:
        assert vote.value == filled.values[vote.row, vote.column]
        assert vote.says_one == sum(m.halves[0][vote.row, vote.column] for m in done.members)
        assert vote.says_zero == sum(m.halves[1][vote.row, vote.column] for m in done.members)
        assert vote.members == 20
        assert 0 <= vote.probability <= 1
        assert len(vote.because) <= 3
        agreeing = vote.says_one if vote.value else vote.says_zero
        for name, count in vote.because:
            sign = 0 if name.startswith("not ") else 1
            column = truth.column_names.index(name.removeprefix("not "))
            assert done.matrix.values[vote.row, column] == sign
            assert column != vote.column
            assert 1 <= count <= agreeing


def test_reasons_come_from_patterns_that_cover_the_entry(votes_done):
    truth, _, done = votes_done
    m = truth.shape[1]
    vote = next(v for v in done.votes() if v.because and v.value)
    name, count = vote.because[0]
    sign = 0 if name.startswith("not ") else 1
    column = truth.column_names.index(name.removeprefix("not "))
    found = 0
    for member in done.members:
        A, B = member.factors.A, member.factors.B
        covering = A[vote.row] & B[:, vote.column]
        if member.by_columns:
            found += bool((covering & B[:, column if sign else column + m]).any())
        elif sign:
            found += bool((covering & B[:, column]).any())
    assert found == count


def test_probabilities_grow_with_the_score(votes_done):
    _, _, done = votes_done
    order = np.argsort(done.scores, axis=None)
    assert (np.diff(done.probabilities.flat[order]) >= 0).all()
    known = ~done.matrix.missing
    assert done.probabilities[known].mean() == pytest.approx(done.matrix.ones[known].mean())


def test_the_same_seed_gives_the_same_answer_for_any_number_of_workers():
    X = load_dataset("votes_missing")
    X = BinaryMatrix(X.values[:60])
    one = complete(X, 3, members=8, seed=7, workers=1)
    two = complete(X, 3, members=8, seed=7, workers=2)
    other = complete(X, 3, members=8, seed=8, workers=1)
    assert (one.scores == two.scores).all()
    assert (one.threshold, one.weight) == (two.threshold, two.weight)
    assert (one.scores != other.scores).any()


def test_masked_matrices_exist_only_while_a_member_works(monkeypatch):
    shape, members = (300, 300), 100

    def nothing(matrix, k, **_):
        return SimpleNamespace(factors=Factors.empty(matrix.shape, k), ending=None)

    X = BinaryMatrix((np.random.default_rng(0).random(shape) < 0.3).astype(np.int8))
    monkeypatch.setattr("boolfact.completion.members.local_search", nothing)
    tracemalloc.start()
    try:
        done = complete(X, (1, 2), members=members, workers=2)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(done.members) == members
    # One masked matrix takes 0.8 million bytes, and what a member says 0.2 million.
    assert most < 30_000_000
    assert kept < 8_000_000


def test_of_several_ranks_the_one_that_predicts_best_is_kept():
    hidden, _ = hide_entries(planted(60, 30, 4, noise=0.02, seed=1).matrix, 0.1)
    done = complete(hidden, (1, 5), members=8)
    alone = complete(hidden, 5, members=8)
    assert done.k == 5
    assert (done.scores == alone.scores).all()


@settings(max_examples=15)
@given(matrices())
def test_every_matrix_can_be_completed(matrix):
    done = complete(matrix, 2, members=4, metric="accuracy", workers=1)
    assert done.completed().n_missing == 0
    assert len(done.votes()) == matrix.n_missing
    assert 0 < done.threshold < 1


def test_ctrl_c_keeps_the_members_so_far():
    def listen(event):
        if event.iterations == 3:
            signal.raise_signal(signal.SIGINT)

    hidden, _ = hide_entries(load_dataset("zoo"), 0.1)
    done = complete(hidden, 4, members=40, workers=1, progress=listen)
    assert done.interrupted
    assert 3 <= len(done.members) < 40
    assert done.completed().n_missing == 0


def test_a_rank_that_was_not_tried_is_told_of():
    def listen(event):
        if event.iterations == 4:
            signal.raise_signal(signal.SIGINT)

    hidden, _ = hide_entries(load_dataset("zoo"), 0.1)
    done = complete(hidden, (2, 3), members=4, workers=1, progress=listen)
    assert (done.k, len(done.members)) == (2, 4)
    assert done.interrupted
    assert not complete(hidden, (2, 3), members=4, workers=1).interrupted


def test_a_time_limit_of_almost_nothing_still_gives_an_answer():
    hidden, _ = hide_entries(load_dataset("zoo"), 0.1)
    done = complete(hidden, (3, 4), members=40, time_limit=1e-6, workers=1)
    assert done.interrupted
    assert done.completed().n_missing == 0


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ({"k": 0}, ValueError),
        ({"k": 2.5}, TypeError),
        ({"k": ()}, ValueError),
        ({"k": 65}, ValueError),
        ({"members": 3}, ValueError),
        ({"members": 20.5}, TypeError),
        ({"seed": -1}, ValueError),
        ({"metric": "recall"}, ValueError),
        ({"workers": 0}, ValueError),
    ],
)
def test_bad_arguments_are_named(bad, kind):
    with pytest.raises(kind, match=next(iter(bad))):
        complete("zoo", **bad)
