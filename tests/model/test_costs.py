import numpy as np
import pytest
from hypothesis import given

from boolfact.model.costs import with_costs
from boolfact.model.matrix import BinaryMatrix

from strategies import matrix_and_factors


@given(matrix_and_factors())
def test_the_priced_error_counts_both_kinds_of_mistakes_at_their_price(case):
    matrix, factors = case
    product = factors.product()
    false_ones = matrix.weights[product & ~matrix.ones].sum()
    missed = matrix.weights[~product & matrix.ones].sum()
    dear = with_costs(matrix, false_one_cost=5, missed_one_cost=2)
    assert factors.error(dear) == 5 * false_ones + 2 * missed


@given(matrix_and_factors())
def test_from_below_any_covered_zero_is_worse_than_covering_nothing(case):
    matrix, factors = case
    strict = with_costs(matrix, from_below=True)
    covers_a_zero = bool((factors.product() & ~matrix.ones & (matrix.weights > 0)).any())
    assert covers_a_zero == (factors.error(strict) > strict.ones_weight)


def test_the_usual_prices_change_nothing():
    X = BinaryMatrix(np.array([[1, 0, -1]]))
    assert with_costs(X) is X


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"false_one_cost": 0}, ValueError, "false_one_cost must be at least 1, got 0"),
        ({"missed_one_cost": 1.5}, TypeError, "missed_one_cost must be a whole number, got 1.5"),
        ({"missed_one_cost": True}, TypeError, "whole number"),
        ({"from_below": True, "false_one_cost": 2}, ValueError, "from_below"),
    ],
)
def test_bad_prices_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        with_costs(BinaryMatrix(np.array([[1, 0]])), **arguments)


@pytest.mark.parametrize(
    ("weight", "costs"),
    [
        (2**40, {"false_one_cost": 2**24}),
        (2**40, {"missed_one_cost": 2**24}),
        (1, {"false_one_cost": 2**64}),
        (1, {"missed_one_cost": 2**61}),
        (2**59, {"from_below": True}),
        (2**30, {"missed_one_cost": 2**30, "from_below": True}),
    ],
)
def test_prices_that_cannot_be_added_up_are_refused(weight, costs):
    X = BinaryMatrix(np.array([[1, 1, 0], [1, 0, 1]]), np.full((2, 3), weight))
    with pytest.raises(ValueError, match="too large"):
        with_costs(X, **costs)
