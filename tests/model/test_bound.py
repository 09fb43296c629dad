import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.model.bound import Bound, Quantity, better_bound, float_below


class Nothing:
    def entry(self):
        return {"kind": "nothing"}


@pytest.mark.parametrize("parts", [20, 3, 7])
def test_no_multiple_is_stored_above_itself(parts):
    for units in range(1, 3000 * parts):
        value = Fraction(units, parts)
        below = float_below(value)
        assert Fraction(below) <= value < Fraction(math.nextafter(below, math.inf))


@given(st.fractions())
def test_it_is_the_largest_float_that_is_not_above(value):
    below = float_below(value)
    assert Fraction(below) <= value < Fraction(math.nextafter(below, math.inf))


def test_a_bound_on_the_error_has_no_rho_and_one_on_the_objective_has():
    with pytest.raises(ValueError, match="a bound on the error cannot have rho 1"):
        Bound(Quantity.ERROR, Fraction(1), 2, "", Nothing(), Fraction(1))
    with pytest.raises(ValueError, match="a bound on the objective cannot have rho None"):
        Bound(Quantity.OBJECTIVE, Fraction(1), 2, "", Nothing())


def test_a_bound_is_rounded_up_to_what_its_quantity_can_be():
    assert Bound(Quantity.ERROR, Fraction(7, 2), 2, "", Nothing()).rounded == 4
    assert Bound(Quantity.ERROR, Fraction(-7, 2), 2, "", Nothing()).rounded == 0
    rho = Fraction(19, 20)
    bound = Bound(Quantity.OBJECTIVE, Fraction(7, 3), 2, "", Nothing(), rho)
    assert bound.rounded == Fraction(47, 20)


def test_bounds_on_different_quantities_are_never_compared():
    on_error = Bound(Quantity.ERROR, Fraction(3), 2, "", Nothing())
    higher = Bound(Quantity.ERROR, Fraction(4), 2, "", Nothing())
    on_objective = Bound(Quantity.OBJECTIVE, Fraction(4), 2, "", Nothing(), Fraction(1))
    assert better_bound(on_error, higher) is better_bound(higher, on_error) is higher
    assert better_bound(None, on_error) is better_bound(on_error, None) is on_error
    with pytest.raises(ValueError, match="different quantities"):
        better_bound(on_error, on_objective)


def test_of_equal_bounds_the_first_is_kept():
    first, second = (Bound(Quantity.ERROR, Fraction(3), 2, "", Nothing()) for _ in range(2))
    assert better_bound(first, second) is first
    assert better_bound(second, first) is second
    assert better_bound(None, None) is None


def test_bounds_of_other_ranks_prices_or_nodes_are_never_compared():
    plain = {"on": Quantity.OBJECTIVE, "value": Fraction(3), "k": 2, "relaxation": ""}
    here = Bound(**plain, proof=Nothing(), rho=Fraction(1))
    for other in ({"k": 3}, {"rho": Fraction(1, 2)}, {"node": "elsewhere"}):
        there = Bound(**{**plain, "proof": Nothing(), "rho": Fraction(1), **other})
        for pair in ((here, there), (there, here)):
            with pytest.raises(ValueError, match="cannot be compared"):
                better_bound(*pair)


def test_a_bound_that_is_a_possible_value_stays_as_it_is():
    for value in (Fraction(0), Fraction(4), Fraction(-1, 20)):
        assert Bound(Quantity.ERROR, value, 2, "", Nothing()).rounded == max(0, value)
    rho = Fraction(19, 20)
    for units in (-1, 0, 1, 47):
        value = Fraction(units, 20)
        assert Bound(Quantity.OBJECTIVE, value, 2, "", Nothing(), rho).rounded == max(0, value)
