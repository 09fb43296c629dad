import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.pricing.heuristic import (
    ORDERINGS,
    alternate,
    greedy,
    order_rows,
    paper_orderings,
    price_heuristic,
)

import naive
from strategies import shapes

worths = shapes().flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(-5, 5).map(float))
)


@given(worths, st.randoms(use_true_random=False))
def test_greedy_is_the_algorithm_of_the_appendix(H, random):
    order = list(range(len(H)))
    random.shuffle(order)
    a, b = np.zeros(len(H), bool), np.zeros(H.shape[1], bool)
    value = greedy(H, np.array(order), a, b)
    expected_a, expected_b = naive.greedy(H, order)
    assert (a == expected_a).all()
    assert (b == expected_b).all()
    assert value == (H[a][:, b]).sum()


@given(worths, st.data())
def test_alternation_never_makes_a_rectangle_worse_and_ends_where_neither_side_can_move(H, data):
    a = data.draw(hnp.arrays(np.bool_, len(H)))
    b = data.draw(hnp.arrays(np.bool_, H.shape[1]))
    before = H[a][:, b].sum()
    value = alternate(H, a, b)
    assert value == H[a][:, b].sum()
    assert value >= max(before, 0)
    assert value == np.maximum(H[:, b].sum(axis=1), 0).sum()
    assert value == np.maximum(H[a].sum(axis=0), 0).sum()


def test_alternation_goes_on_where_columns_left_at_no_loss():
    H = np.array([[0.0, 1.0, -1.0], [3.0, 1.0, 0.0], [-2.0, 1.0, 1.0]])
    for start in naive.binary_vectors(3):
        for rows in naive.binary_vectors(3):
            a, b = rows.copy(), start.copy()
            value = alternate(H, a, b)
            assert value == H[a][:, b].sum()
            assert value == np.maximum(H[:, b].sum(axis=1), 0).sum()


@given(hnp.arrays(np.float64, (2, 4), elements=st.integers(-5, 5).map(float)))
def test_greedy_is_optimal_with_at_most_two_rows(H):
    best = max(np.maximum(H[a].sum(axis=0), 0).sum() for a in naive.binary_vectors(2))
    assert price_heuristic(H, np.random.default_rng(0)).values[0] == best


@given(worths)
def test_found_rectangles_are_worth_what_is_said_best_first(H):
    found = price_heuristic(H, np.random.default_rng(0))
    assert len(found.values) == 30
    assert (np.diff(found.values) <= 0).all()
    for value, a, b in zip(*found, strict=True):
        assert value == H[a][:, b].sum()


def test_orderings_sort_by_positive_sums_and_break_ties_by_negative_ones():
    H = np.array([[1.0, -3.0], [2.0, -1.0], [1.0, -1.0]])
    rng = np.random.default_rng(0)
    assert order_rows(H, "original", rng).tolist() == [1, 0, 2]
    assert order_rows(H, "revised", rng).tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="unknown ordering 'sideways'"):
        order_rows(H, "sideways", rng)


def test_the_thirty_variants_are_eight_and_twenty_two_random_ones():
    orderings = list(paper_orderings())
    assert len(orderings) == 30
    assert orderings[:8] == list(ORDERINGS)
    assert all(ordering.key == "random" for ordering in orderings[8:])
