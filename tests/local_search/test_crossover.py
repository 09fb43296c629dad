"""Recombination takes whole rectangles, one of each matched pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolfact.local_search.crossover import cross
from boolfact.model.factors import Factors
from boolfact.model.similarity import match

from strategies import factor_pairs


@given(factor_pairs(), st.integers(0, 1000))
def test_each_rectangle_of_a_child_comes_from_one_parent(pair, seed):
    left, right = pair
    child = cross(left, right, np.random.default_rng(seed))
    partner = match(left, right)
    for u in range(left.rank):
        options = [(left.A[:, u], left.B[u]), (right.A[:, partner[u]], right.B[partner[u]])]
        assert any((child.A[:, u] == a).all() and (child.B[u] == b).all() for a, b in options)


def test_children_of_one_pair_differ():
    left = Factors(np.eye(6, dtype=bool), np.eye(6, dtype=bool))
    right = Factors(np.eye(6, dtype=bool), ~np.eye(6, dtype=bool))
    children = {cross(left, right, np.random.default_rng(seed)).B.tobytes() for seed in range(20)}
    assert len(children) > 10
