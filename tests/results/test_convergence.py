import dataclasses

from boolfact.control.trace import Trace, TracePoint
from boolfact.model.bound import Quantity
from boolfact.results.convergence import convergence_panels

from sample_results import asked, sample


def test_curves_hold_the_best_so_far_and_end_with_the_result():
    result, _ = sample()
    result = asked(result, error=20, error_lower_bound=4, objective_lower_bound=9.5)
    of_error, of_objective = convergence_panels(result)
    error, on_error = of_error.curves
    objective, on_objective = of_objective.curves
    assert (error.seconds, error.values) == ((1.0, 3.0, 4.0), (30, 20, 20))
    assert (on_error.seconds, on_error.values) == ((2.0, 4.0), (1, 4))
    assert (on_objective.seconds, on_objective.values) == ((1.0, 4.0), (2.5, 9.5))
    assert (objective.seconds, objective.values) == ((4.0,), (result.objective,))
    assert (of_error.quantity, of_objective.quantity) == (Quantity.ERROR, Quantity.OBJECTIVE)
    assert [curve.name for curve in of_error.curves] == ["error", "error_lower_bound"]
    assert [curve.name for curve in of_objective.curves] == ["objective", "objective_lower_bound"]
    assert [curve.is_bound for curve in of_error.curves] == [False, True]


def test_the_objective_is_left_out_where_nobody_asked_for_it():
    result, _ = sample()
    result = dataclasses.replace(result, error_lower_bound=4, objective_lower_bound=9.5)
    (panel,) = convergence_panels(result)
    assert [curve.name for curve in panel.curves] == ["error", "error_lower_bound"]


def test_the_objective_is_that_of_the_solution_with_the_least_error_and_may_rise():
    result, _ = sample()
    points = [
        TracePoint(1.0, error=9, objective=9.0, objective_lower_bound=1.0),
        TracePoint(2.0, error=7, objective=12.0),
    ]
    result = asked(result, error=7, objective=12.0, trace=Trace(points))
    _, of_objective = convergence_panels(result)
    assert of_objective.curves[0].values == (9.0, 12.0, 12.0)


def test_what_is_not_known_is_left_out():
    result, _ = sample()
    result = dataclasses.replace(result, trace=Trace())
    (panel,) = convergence_panels(result)
    assert [curve.name for curve in panel.curves] == ["error"]


def test_a_bound_below_zero_says_zero():
    result, _ = sample()
    points = [
        TracePoint(1.0, objective_lower_bound=-7.5),
        TracePoint(2.0, objective_lower_bound=3.0),
    ]
    result = asked(result, objective_lower_bound=3.0, trace=Trace(points))
    assert convergence_panels(result)[1].curves[1].values == (0, 3.0, 3.0)


def test_points_out_of_order_are_put_in_order():
    result, _ = sample()
    points = [TracePoint(3.0, error=5), TracePoint(1.0, error=9), TracePoint(2.0, error=7)]
    result = dataclasses.replace(result, error=5, trace=Trace(points))
    assert convergence_panels(result)[0].curves[0].values == (9, 7, 5, 5)
