import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.model.bound import float_below
from boolfact.results.format import decimal, shown_bound, shown_gap, shown_value

amounts = st.fractions(min_value=0, max_value=10**6)


def number(text):
    return Fraction(text.replace(",", ""))


@given(amounts)
def test_a_bound_is_never_shown_above_itself(bound):
    for given_as in (bound, float_below(bound)):
        assert bound - Fraction(2, 100) < number(shown_bound(given_as)) <= bound
    assert number(decimal(bound)) <= bound <= number(decimal(bound, up=True))


@given(amounts)
def test_a_value_is_never_shown_below_itself(value):
    assert value <= number(shown_value(value)) < value + Fraction(1, 100)


def test_a_float_just_below_a_hundredth_is_not_lifted_to_it():
    below = math.nextafter(0.05, 0)
    assert below * 100 == 5
    assert shown_bound(below) == "0.04"


@pytest.mark.parametrize("parts", [20, 3, 7])
def test_values_and_bounds_of_one_fraction_have_no_gap(parts):
    for units in range(1, 2000):
        exact = Fraction(units, parts)
        assert shown_gap(float(exact), float_below(exact)) == "0.0 %"
        assert shown_gap(exact, exact) == "0.0 %"


@given(st.integers(1, 10**15))
def test_only_a_closed_gap_is_shown_as_zero(error):
    assert shown_gap(error, error - 1) != "0.0 %"
    assert shown_gap(error, error) == "0.0 %"
