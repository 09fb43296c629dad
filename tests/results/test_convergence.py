import dataclasses

from boolfact.control.trace import Trace, TracePoint
from boolfact.results.convergence import convergence_curves

from sample_results import sample


def test_curves_hold_the_best_so_far_and_end_with_the_result():
    result, _ = sample()
    result = dataclasses.replace(result, error=20, error_lower_bound=4, objective_lower_bound=9.5)
    error, on_error, on_objective = convergence_curves(result)
    assert (error.seconds, error.values) == ((1.0, 3.0, 4.0), (30, 20, 20))
    assert (on_error.seconds, on_error.values) == ((2.0, 4.0), (1, 4))
    assert (on_objective.seconds, on_objective.values) == ((1.0, 4.0), (2.5, 9.5))
    assert "error" in on_error.label
    assert "objective" in on_objective.label


def test_what_is_not_known_is_left_out():
    result, _ = sample()
    result = dataclasses.replace(result, trace=Trace())
    assert [curve.name for curve in convergence_curves(result)] == ["error"]


def test_a_bound_below_zero_says_zero():
    result, _ = sample()
    points = [
        TracePoint(1.0, objective_lower_bound=-7.5),
        TracePoint(2.0, objective_lower_bound=3.0),
    ]
    result = dataclasses.replace(result, objective_lower_bound=3.0, trace=Trace(points))
    assert convergence_curves(result)[1].values == (0, 3.0, 3.0)


def test_points_out_of_order_are_put_in_order():
    result, _ = sample()
    points = [TracePoint(3.0, error=5), TracePoint(1.0, error=9), TracePoint(2.0, error=7)]
    result = dataclasses.replace(result, error=5, trace=Trace(points))
    assert convergence_curves(result)[0].values == (9, 7, 5, 5)
