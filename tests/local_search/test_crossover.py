"""Recombination takes whole rectangles, one of each matched pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.local_search.crossover import cross, match, overlaps, similarity
from boolfact.model.factors import Factors

import naive
from strategies import shapes


@st.composite
def pairs(draw):
    (n, m), k = draw(shapes(6)), draw(st.integers(1, 4))
    return tuple(
        Factors(draw(hnp.arrays(np.bool_, (n, k))), draw(hnp.arrays(np.bool_, (k, m))))
        for _ in range(2)
    )


@given(pairs())
def test_overlap_is_shared_over_all_entries(pair):
    left, right = pair
    table = overlaps(left, right)
    for u, (a, b) in enumerate(left.rectangles):
        for v, (c, d) in enumerate(right.rectangles):
            assert table[u, v] == pytest.approx(naive.jaccard(np.outer(a, b), np.outer(c, d)))


@given(pairs())
def test_the_matching_is_the_best_there_is(pair):
    table = overlaps(*pair)
    found = sum(table[u, v] for u, v in enumerate(match(*pair)))
    assert found == pytest.approx(naive.best_matching(table.tolist()))
    assert similarity(*pair) == pytest.approx(found / len(table))


@given(pairs(), st.integers(0, 1000))
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


def test_two_factorisations_without_rectangles_are_the_same():
    assert similarity(Factors.empty((2, 2)), Factors.empty((2, 2))) == 1.0
