"""Many starts: climbing beside its twin, and what is returned."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.control.executor import make_executor
from boolfact.pricing.multistart import climb, price_multistart, starts_from

import naive


@st.composite
def whole_matrices(draw, side=6):
    shape = draw(st.tuples(st.integers(1, side), st.integers(1, side)))
    return draw(hnp.arrays(np.int64, shape, elements=st.integers(-5, 5)))


@given(st.data(), whole_matrices())
@settings(max_examples=200, deadline=None)
def test_climbing_does_what_its_twin_does(data, H):
    b = data.draw(hnp.arrays(np.bool_, H.shape[1]))
    wanted = naive.climb(H, b.copy())
    a = np.zeros(H.shape[0], dtype=bool)
    Hf = H.astype(float)
    assert climb(Hf, np.ascontiguousarray(Hf.T), a, b) == wanted
    assert a @ H @ b == wanted


@given(whole_matrices(), st.integers(0, 3), st.integers(1, 2))
@settings(max_examples=100, deadline=None)
def test_rectangles_are_distinct_sorted_and_worth_what_is_said(H, random, workers):
    rng = np.random.default_rng(0)
    starts = starts_from(H.astype(float), np.zeros((0, H.shape[1]), dtype=bool), rng, random)
    with make_executor(workers) as executor:
        priced = price_multistart(H.astype(float), starts, executor=executor)
    worth = [a @ H @ b for a, b in zip(priced.A, priced.B, strict=True)]
    assert worth == priced.values.tolist() == sorted(worth, reverse=True)
    assert all(value > 0 for value in worth)
    keys = {(a.tobytes(), b.tobytes()) for a, b in zip(priced.A, priced.B, strict=True)}
    assert len(keys) == len(worth)
    assert not worth or worth[0] <= naive.largest_worth(H)


@given(whole_matrices(side=5))
@settings(max_examples=60, deadline=None)
def test_from_every_start_it_finds_the_optimum(H):
    starts = np.array(naive.binary_vectors(H.shape[1]))
    priced = price_multistart(H.astype(float), starts)
    best = priced.values[0] if len(priced.values) else 0
    assert best == naive.largest_worth(H)


def test_only_what_is_worth_more_than_asked_comes_back():
    H = np.diag([5.0, 3.0, 1.0]) - 10 * (1 - np.eye(3))
    priced = price_multistart(H, np.eye(3, dtype=bool), above=2.0)
    assert priced.values.tolist() == [5.0, 3.0]


def test_starts_hold_the_given_sets_rows_and_single_columns():
    H = np.array([[1.0, -1.0], [2.0, 3.0]])
    given_sets = np.array([[False, True]])
    starts = starts_from(H, given_sets, np.random.default_rng(0), 4)
    rows = {tuple(row) for row in starts.tolist()}
    assert {(False, True), (True, False), (True, True)} <= rows
    assert len(starts) == 1 + 2 + 2 + 4 + 4


@pytest.mark.parametrize("price", [1e9, 1e10, 1e13, 1e16])
def test_climbing_ends_where_zeros_cost_far_more_than_ones(price):
    """Sums of both are rounded, and a flip can seem to help again and again."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        H = np.where(rng.random((6, 6)) < 0.6, rng.random((6, 6)), -price)
        found = price_multistart(H, np.vstack([H > 0, np.eye(6, dtype=bool)]))
        assert found.values.max() >= H.max()
