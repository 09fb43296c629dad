import numpy as np
import pytest

from boolfact.results.tally import Tally, tally_of

from sample_results import sample


@pytest.mark.parametrize("seed", range(5))
def test_entries_are_counted_one_by_one(seed):
    result, X = sample(seed=seed)
    covered = result.A.astype(int) @ result.B.astype(int) > 0
    kinds = {"observed": 0, "ones": 0, "missed_ones": 0, "false_ones": 0}
    for (i, j), value in np.ndenumerate(X.values):
        kinds["observed"] += value != -1
        kinds["ones"] += value == 1
        kinds["missed_ones"] += value == 1 and not covered[i, j]
        kinds["false_ones"] += value == 0 and covered[i, j]
    assert tally_of(result.factors, X).as_dict() == kinds
    assert tally_of(result.factors, X).wrong == result.error


def test_an_entry_that_costs_nothing_is_not_counted():
    weights = np.ones((12, 7), dtype=int)
    weights[:, 0] = 0
    result, X = sample(missing=0, weights=weights)
    assert tally_of(result.factors, X).observed == 12 * 6


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="false_ones must be a whole number"):
        Tally(3, 2, 1, -1)
