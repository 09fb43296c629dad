"""What mistakes cost, and whether zeros are dear."""

import numpy as np
import pytest

from boolfact.datasets import load_dataset
from boolfact.local_search.weights import typical_weight, zeros_are_dear
from boolfact.model.costs import with_costs
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix


@pytest.mark.parametrize("name", ["zoo", "votes", "apb", "hepat_missing"])
def test_equal_prices_are_not_dear_and_others_are(name):
    X = load_dataset(name)
    assert not zeros_are_dear(reduce_matrix(X).matrix)
    assert zeros_are_dear(with_costs(X, false_one_cost=3))
    assert not zeros_are_dear(with_costs(X, missed_one_cost=3))
    assert typical_weight(with_costs(X, from_below=True)) == 1


def test_without_weights_there_is_a_scale_all_the_same():
    nothing = BinaryMatrix(np.array([[-1]]))
    assert typical_weight(nothing) == 1
    assert not zeros_are_dear(nothing)
