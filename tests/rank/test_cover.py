from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.rank import concepts
from boolfact.rank.cover import fractional_cover, integer_cover
from boolfact.rank.isolation import critical_ones

import naive
from strategies import matrices


@pytest.mark.parametrize("listed", [True, False])
@settings(max_examples=40)
@given(matrix=matrices(max_side=4))
def test_bounds_enclose_the_fractional_cover_number(listed, matrix):
    most = concepts._MOST if listed else 0
    with mock.patch.object(concepts, "_MOST", most):
        found = fractional_cover(matrix, critical_ones(matrix), stop=Stop())
    exact = naive.fractional_cover(matrix.values, matrix.weights)
    assert float(found.lower) <= exact + 1e-9
    assert float(found.upper) >= exact - 1e-9
    assert float(found.upper - found.lower) < 1e-3


@settings(max_examples=40)
@given(matrices(max_side=4))
def test_bounds_hold_without_any_time(matrix):
    stop = Stop()
    stop.interrupt()
    found = fractional_cover(matrix, critical_ones(matrix), stop=stop)
    exact = naive.fractional_cover(matrix.values, matrix.weights)
    assert float(found.lower) <= exact + 1e-9
    assert float(found.upper) >= exact - 1e-9


@settings(max_examples=40)
@given(matrices(max_side=4))
def test_the_integer_cover_is_exact(matrix):
    entries = critical_ones(matrix)
    pool = fractional_cover(matrix, entries, stop=Stop()).pool
    cover = integer_cover(matrix, entries, pool, stop=Stop())
    assert cover.error(matrix) == 0
    assert cover.rank <= min(matrix.shape)


def test_the_integer_cover_fills_in_no_rectangles_that_it_would_not_use(monkeypatch):
    X = BinaryMatrix((1 - np.eye(8)).astype(np.int8))
    entries = critical_ones(X)

    def never(*_):
        raise AssertionError("254 rectangles are more than 5")

    monkeypatch.setattr("boolfact.rank.cover._MOST_CONCEPTS", 5)
    monkeypatch.setattr(concepts, "fill", never)
    cover = integer_cover(X, entries, RectanglePool(*X.shape), stop=Stop())
    assert cover.error(X) == 0


@pytest.mark.parametrize("size", [4, 5, 6])
def test_the_complement_of_the_identity(size):
    X = BinaryMatrix((1 - np.eye(size)).astype(np.int8))
    found = fractional_cover(X, critical_ones(X), stop=Stop())
    # By symmetry every rectangle has s rows and size - s columns, and the middle is best.
    half = size // 2
    exact = Fraction(size * (size - 1), half * (size - half))
    assert float(found.lower) == pytest.approx(float(exact), abs=1e-3)
    assert found.lower <= exact <= found.upper


def test_the_political_books_need_as_many_rectangles_as_books():
    """The fractional cover number is above 104, whose next whole number is the rank."""
    X = load_dataset("apb")
    found = fractional_cover(X, critical_ones(X), stop=Stop())
    assert found.lower > 104
    assert found.upper - found.lower < Fraction(1, 1000)
