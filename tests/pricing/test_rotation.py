"""The kernel against its slow twin, and the lemma that it rests on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.pricing.circle import Circle, circles, spread
from boolfact.pricing.rotation import BEST, NODES, thresholds

import naive

columns_of = st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-6, 6))
)


@st.composite
def circle_of(draw, columns):
    m = len(columns)
    order = np.array(draw(st.permutations(range(m))))
    fractions = st.lists(st.floats(0, 1), min_size=m, max_size=m).map(np.array)
    return Circle(columns, order, draw(fractions) + 0.05, draw(fractions))


def run_to_the_end(tree, best, budget=10**9):
    while True:
        finished, best, _ = tree.run(best, budget)
        if finished:
            return best


@given(hnp.arrays(np.int64, st.integers(1, 8), elements=st.integers(1, 9)), st.integers(0, 10**6))
def test_thresholds_are_the_shares_rounded_up(weights, target):
    cumulated = np.append(0, np.cumsum(weights))
    out = np.zeros(len(cumulated), dtype=np.int64)
    thresholds(cumulated, target, out)
    for share, weight in zip(out.tolist(), cumulated.tolist(), strict=True):
        exact = weight * target
        assert share * int(cumulated[-1]) >= exact > (share - 1) * int(cumulated[-1])


@given(columns_of, st.data())
def test_the_starts_together_find_the_best_set(columns, data):
    circle = data.draw(circle_of(columns))
    best = 0
    found = np.zeros(len(columns), dtype=bool)
    for start in range(len(circle)):
        tree = circle.subtree(start)
        value = run_to_the_end(tree, best)
        if value > best:
            best, found = value, circle.to_columns(tree)
    assert best == naive.largest_worth(columns.T)
    assert best == naive.worth(columns, found)


@given(columns_of, st.data())
def test_exactly_the_prefixes_worth_their_share_are_visited(columns, data):
    circle = data.draw(circle_of(columns))
    level = naive.largest_worth(columns.T) + data.draw(st.integers(0, 5))
    tree = circle.subtree(data.draw(st.integers(0, len(circle) - 1)))
    target = (level + 1) * circle.unit
    passing, complete = naive.prefixes_worth_their_share(tree.steps, tree.weights, target)
    assert run_to_the_end(tree, level) == level
    assert complete == []
    assert tree.control[NODES] == 2 * passing


@given(columns_of, st.data())
def test_a_search_in_small_pieces_is_the_same_search(columns, data):
    circle = data.draw(circle_of(columns))
    start = data.draw(st.integers(0, len(circle) - 1))
    whole, pieces = circle.subtree(start), circle.subtree(start)
    assert run_to_the_end(whole, 0) == run_to_the_end(pieces, 0, data.draw(st.integers(1, 5)))
    assert whole.control[NODES] == pieces.control[NODES]
    assert (whole.found == pieces.found).all()


@given(columns_of, st.data())
def test_parts_given_away_lose_nothing(columns, data):
    circle = data.draw(circle_of(columns))
    best = 0
    for start in range(len(circle)):
        trees = [circle.subtree(start)]
        while trees:
            tree = trees.pop()
            finished, value, _ = tree.run(best, data.draw(st.integers(1, 4)))
            if value > best:
                best = value
                assert naive.worth(columns, circle.to_columns(tree)) == best
            if not finished:
                part = tree.split()
                trees += [tree] if part is None else [tree, part]
    assert best == naive.largest_worth(columns.T)


@given(columns_of, st.data())
def test_shifts_add_up_to_nothing(columns, data):
    circle = data.draw(circle_of(columns))
    tree = circle.subtree(0)
    assert (tree.steps[1].sum(axis=0) == 0).all()
    brought = (tree.steps[0] - tree.steps[1])[:, : columns.shape[1]]
    assert (brought == columns[circle.order] * circle.unit).all()


@given(columns_of)
def test_every_column_is_on_the_circle_once(columns):
    assert sorted(spread(columns)) == list(range(len(columns)))
    for circle in circles(columns, np.full(len(columns), 0.5)):
        assert len(circle) == len(columns)


@pytest.mark.parametrize("size", [3, 2**40])
def test_large_entries_are_added_up_in_wide_integers(size):
    columns = np.array([[size, -size], [size, size]])
    for circle in circles(columns, np.full(2, 0.5)):
        values = [run_to_the_end(circle.subtree(start), 0) for start in range(2)]
        assert max(values) == 2 * size
        wide = circle.subtree(0).steps.dtype == np.int64
        assert wide == (size > 2**31)
        assert circle.subtree(0).control[BEST] == 0
