from boolfact.completion.baselines import column_majority, masked_nmf
from boolfact.completion.folds import hide_entries, score_entries
from boolfact.datasets import load_dataset


def test_baselines_beat_guessing_on_real_data():
    X = load_dataset("votes_missing")
    hidden, where = hide_entries(X, 0.1, seed=0)
    majority = score_entries(X, column_majority(hidden), where).accuracy
    nmf = score_entries(X, masked_nmf(hidden, 3), where).accuracy
    assert 0.55 < majority < nmf
