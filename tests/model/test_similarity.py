import numpy as np
import pytest
from hypothesis import given

from boolfact.model.factors import Factors
from boolfact.model.similarity import match, overlaps, similarity

import naive
from strategies import factor_pairs


@given(factor_pairs())
def test_overlap_is_shared_over_all_entries(pair):
    left, right = pair
    table = overlaps(left, right)
    for u, (a, b) in enumerate(left.rectangles):
        for v, (c, d) in enumerate(right.rectangles):
            assert table[u, v] == pytest.approx(naive.jaccard(np.outer(a, b), np.outer(c, d)))


@given(factor_pairs())
def test_the_matching_is_the_best_there_is(pair):
    table = overlaps(*pair)
    found = sum(table[u, v] for u, v in enumerate(match(*pair)))
    assert found == pytest.approx(naive.best_matching(table.tolist()))
    assert similarity(*pair) == pytest.approx(found / len(table))


def test_two_factorisations_without_rectangles_are_the_same():
    assert similarity(Factors.empty((2, 2)), Factors.empty((2, 2))) == 1.0


def test_a_rectangle_without_a_partner_is_like_nothing():
    two = Factors(np.eye(2), np.eye(2))
    one = Factors(two.A[:, :1], two.B[:1])
    assert similarity(two, one) == similarity(one, two) == 0.5
