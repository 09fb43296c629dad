"""Which of the rectangles found are taken in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.colgen.stabilisation import Stabiliser
from boolfact.colgen.strategies import STRATEGIES, Strategy, select_columns
from boolfact.pricing.heuristic import Priced


@st.composite
def priced(draw):
    size = draw(st.integers(0, 8))
    values = np.array(draw(st.lists(st.integers(-5, 20), min_size=size, max_size=size)), float)
    A, B = draw(hnp.arrays(np.bool_, (size, 4))), draw(hnp.arrays(np.bool_, (size, 3)))
    A[:, 0], B[:, 0] = True, True
    return Priced(values, A, B)


@pytest.mark.parametrize("name", list(STRATEGIES))
@given(found=priced(), threshold=st.integers(0, 10))
@settings(max_examples=60, deadline=None)
def test_something_is_taken_exactly_if_something_passes(name, found, threshold):
    chosen = select_columns(STRATEGIES[name], found, threshold)
    passing = set(np.flatnonzero(found.values > threshold).tolist())
    assert bool(chosen) == bool(passing)
    assert len(set(chosen)) == len(chosen)
    if name != "auto":
        assert set(chosen) <= passing
    if passing and name != "orthogonal":
        assert found.values[chosen[0]] == found.values.max()


@given(found=priced(), threshold=st.integers(0, 10))
@settings(max_examples=60, deadline=None)
def test_each_strategy_takes_what_it_says(found, threshold):
    passing = np.flatnonzero(found.values > threshold)
    assert sorted(select_columns(STRATEGIES["heur_multi"], found, threshold)) == passing.tolist()
    assert len(select_columns(STRATEGIES["heur"], found, threshold)) == min(1, len(passing))
    two = select_columns(STRATEGIES["orthogonal"], found, threshold)
    assert len(two) == min(2, len(passing))
    if len(two) == 2:
        assert cosine(found, *two) == pytest.approx(
            min(cosine(found, u, v) for u in passing for v in passing if u != v)
        )


def cosine(found, u, v):
    first = np.outer(found.A[u], found.B[u])
    second = np.outer(found.A[v], found.B[v])
    return (first & second).sum() / np.sqrt(first.sum() * second.sum())


def test_diverse_rectangles_do_not_overlap_too_much():
    A = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], dtype=bool)
    B = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1]], dtype=bool)
    B[1, 4] = True
    A[1, 4] = False  # 20 of 25 entries: exactly at the limit of four fifths
    found = Priced(np.array([9.0, 8.0, 7.0]), A, B)
    assert select_columns(STRATEGIES["auto"], found, 5.0) == [0, 1, 2]
    A[1, 4] = True
    assert select_columns(STRATEGIES["auto"], found, 5.0) == [0, 2]


def test_near_misses_are_taken_only_beside_a_rectangle_that_passes():
    found = Priced(np.array([10.0, 9.9, 5.0]), np.eye(3, dtype=bool), np.eye(3, dtype=bool))
    nearly = Strategy("multistart", "diverse", "last", nearly=0.02)
    assert select_columns(nearly, found, 9.95) == [0, 1]
    assert select_columns(nearly, found, 10.0) == []


def test_the_centre_moves_only_to_better_prices_and_may_be_revised():
    stabiliser = Stabiliser(0.8)
    first, second = np.array([[1.0]]), np.array([[2.0]])
    assert stabiliser.point(second) is second
    assert stabiliser.update(first, 5.0)
    assert not stabiliser.update(second, 4.0)
    assert stabiliser.point(second) == pytest.approx(1.2)
    stabiliser.revise(3.0)
    assert stabiliser.update(second, 4.0)
    assert stabiliser.point(second) == pytest.approx(2.0)


def test_the_weight_of_the_centre_is_checked():
    with pytest.raises(ValueError, match="weight must be at least 0 and below 1, got 1"):
        Stabiliser(1)
