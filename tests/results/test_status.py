from fractions import Fraction

import pytest

from boolfact.results.status import Status, status_of


@pytest.mark.parametrize(
    ("error", "objective", "on_error", "on_objective", "status"),
    [
        (5, 6, None, None, Status.HEURISTIC),
        (5, 6, 0, 0, Status.HEURISTIC),
        (5, 6, 4, None, Status.BOUNDED),
        (5, 6, None, 1, Status.BOUNDED),
        (5, 6, 0, 6, Status.OBJECTIVE_OPTIMAL),
        (5, 6, 5, 6, Status.OPTIMAL),
        (5, 6, 5, None, Status.OPTIMAL),
        (0, 0, None, None, Status.OPTIMAL),
    ],
)
def test_the_status_follows_from_the_bounds(error, objective, on_error, on_objective, status):
    bounds = (None if bound is None else Fraction(bound) for bound in (on_error, on_objective))
    assert status_of(error, Fraction(objective), *bounds) is status


def test_a_bound_that_is_short_by_the_least_bit_is_not_optimal():
    objective = Fraction(817, 20)
    below = objective - Fraction(1, 10**30)
    assert float(below) == float(objective)
    assert status_of(40, objective, None, below) is Status.BOUNDED
