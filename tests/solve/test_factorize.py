import dataclasses
import importlib
import os
import signal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boolfact
from boolfact.certificate import verify_result
from boolfact.colgen.settings import LoopSettings
from boolfact.control.ending import Ending
from boolfact.datasets import load_dataset
from boolfact.model.bound import Bound, Quantity, float_below
from boolfact.model.costs import with_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from boolfact.results.status import Status
from boolfact.solve.factorize import factorize
from boolfact.solve.method import METHODS, methods

import naive
from strategies import matrices

ANY_DATA = [name for name in methods() if name != "nmf"]
QUICK = {"time_limit": 5, "iteration_limit": 2, "workers": 1}


@settings(max_examples=30)
@given(matrices(max_side=5), st.integers(1, 6), st.sampled_from(ANY_DATA))
def test_every_method_returns_factors_of_the_reported_error(matrix, k, method):
    useful = min(k, *matrix.shape)
    options = QUICK
    if method == "exact":
        # It counts nodes, not iterations.
        options = {"time_limit": 5, "node_limit": 2, "workers": 1}
    result = factorize(matrix, useful, method=method, **options)
    assert result.A.shape == (matrix.shape[0], useful)
    assert result.B.shape == (useful, matrix.shape[1])
    assert result.error == naive.error(matrix.values, matrix.weights, result.A, result.B)
    expected = naive.objective(matrix.values, matrix.weights, result.A, result.B, 1)
    assert result.objective == expected
    assert result.error <= matrix.ones_weight


@settings(max_examples=40)
@given(matrices(max_side=4), st.integers(1, 2))
def test_no_bound_exceeds_the_optimum(matrix, k):
    k = min(k, *matrix.shape)
    result = factorize(matrix, k, bound="error", time_limit=5, workers=1, iteration_limit=3)
    best = naive.best_error(matrix.values, matrix.weights, k)
    assert result.error >= best
    if result.error_lower_bound is not None:
        assert result.error_lower_bound <= best
    if result.status is Status.OPTIMAL:
        assert result.error == best


def test_with_as_many_patterns_as_columns_the_matrix_is_reproduced():
    X = boolfact.load_dataset("zoo")
    result = factorize(X, 17)
    assert result.error == 0
    assert result.status is Status.OPTIMAL


def test_a_rank_that_is_too_large_is_cut_with_a_warning():
    with pytest.warns(UserWarning, match="using k = 2"):
        result = factorize([[1, 0], [0, 1], [1, 1]], 5)
    assert result.k == 2
    assert result.B.shape == (2, 2)


@pytest.mark.parametrize("fill", [0, 1, -1])
def test_constant_matrices_are_solved(fill):
    result = factorize(BinaryMatrix(np.full((3, 4), fill)), 2)
    assert result.error == 0
    assert result.status is Status.OPTIMAL


def test_names_and_settings_are_carried_over():
    result = factorize("zoo", 2, method="k_greedy", rho=0.95, seed=5)
    assert result.dataset == "zoo"
    assert result.rho == Fraction(19, 20)
    assert result.column_names[0] == "hair"
    assert result.settings["time_limit"] == 60.0
    assert result.seed == 5


def test_prices_decide_what_is_best():
    X = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]])
    assert factorize(X, 1, missed_one_cost=1, **QUICK).error == 1
    strict = factorize(X, 1, from_below=True, **QUICK)
    assert not (Factors(strict.A, strict.B).product() & (X == 0)).any()
    dear = factorize(X, 1, missed_one_cost=10, **QUICK)
    assert (Factors(dear.A, dear.B).product() >= X).all()


@pytest.mark.parametrize(("name", "k"), [("zoo", 4), ("apb", 4)])
def test_from_below_covers_no_zero_of_real_data(name, k):
    X = load_dataset(name)
    result = factorize(X, k, from_below=True, **QUICK)
    product = Factors(result.A, result.B).product()
    assert not (product & ~X.ones).any()
    assert result.error == X.n_ones - product.sum() < X.n_ones


@settings(max_examples=20, deadline=None)
@given(matrices(), st.integers(1, 2))
def test_from_below_is_as_good_as_brute_force(matrix, k):
    small = BinaryMatrix(matrix.values[:4, :4])
    k = min(k, *small.shape)
    strict = with_costs(small, from_below=True)
    result = factorize(small, k, from_below=True, **QUICK)
    assert result.error == naive.best_error(strict.values, strict.weights, k)
    assert not (Factors(result.A, result.B).product() & (small.values == 0)).any()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"k": 0}, ValueError, "k must be at least 1, got 0"),
        ({"k": 2.5}, TypeError, "k must be a whole number of patterns, got 2.5"),
        ({"k": True}, TypeError, "k must be a whole number"),
        ({"method": "magic"}, ValueError, "method must be one of auto"),
        ({"rho": -1}, ValueError, "rho must be positive and finite"),
        ({"rho": float("nan")}, ValueError, "rho must be positive and finite"),
        ({"rho": "1"}, TypeError, "rho must be a number"),
        ({"seed": -1}, ValueError, "seed must not be negative"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number"),
        ({"workers": 0}, ValueError, "workers must be at least 1"),
        ({"workers": 1.5}, TypeError, "workers must be a whole number"),
        ({"time_limit": 0}, ValueError, "time_limit must be a positive"),
        ({"bound": "tight"}, ValueError, "bound must be"),
        ({"weights": [[1, 1]]}, ValueError, "weights must have the shape"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        factorize("zoo", **{"k": 2, **arguments})


@pytest.mark.parametrize(
    "name", [method.name for method in METHODS.values() if not method.takes_start]
)
def test_baselines_are_methods_and_give_what_the_function_gives(name):
    X = boolfact.load_dataset("lymp")
    result = factorize(X, 4, method=name)
    given = reduce_matrix(X).matrix if METHODS[name].merges else X
    function = getattr(importlib.import_module(f"boolfact.baselines.{name}"), name)
    assert result.error == function(given, 4).error(given)
    assert result.status is Status.HEURISTIC


def test_how_the_data_was_read_is_kept_with_the_settings():
    said = {"binarize": 0.5, "header": True, "row_names": None, "one_hot": None}
    result = factorize("zoo", 2, method="asso", reading=said)
    assert {name: result.settings[name] for name in said} == said


def test_a_bound_is_never_stored_above_what_is_proved():
    result = factorize("zoo", 3, rho=0.95, iteration_limit=150, time_limit=None, workers=1)
    entries = [e for e in result.certificate["bounds"] if e["on"] == "objective"]
    assert entries
    assert Fraction(result.objective_lower_bound) <= Fraction(entries[0]["rounded"])
    assert result.objective_lower_bound == pytest.approx(float(Fraction(entries[0]["rounded"])))


def test_the_relaxation_behind_each_bound_is_named():
    options = {"iteration_limit": 2, "time_limit": None}
    assert factorize("zoo", 2, bound="error", **options).error_bound_by == "search over columns"
    result = factorize("zoo", 6, bound="error", iteration_limit=8, time_limit=None)
    assert result.error_bound_by.startswith("assigned cover")
    assert result.objective_bound_by == "MLP(1)"
    named = [entry["relaxation"] for entry in result.certificate["bounds"]]
    assert named == [result.objective_bound_by, result.error_bound_by]
    alone = factorize("zoo", 3, bound="objective", iteration_limit=8, time_limit=None)
    assert (alone.error_bound_by, alone.objective_bound_by) == (None, "MLP(1)")
    # An error of 0 needs no relaxation.
    assert factorize(np.eye(3), 3, time_limit=5).error_bound_by is None


def test_a_method_that_cannot_take_the_data_says_so():
    with pytest.raises(ValueError, match="nmf cannot take missing entries"):
        factorize("votes_missing", 2, method="nmf")
    with pytest.raises(ValueError, match="nmf cannot take weights"):
        factorize("zoo", 2, method="nmf", missed_one_cost=3)


def test_progress_tells_the_objective_of_the_best_solution_and_the_nodes(monkeypatch):
    chatty = LoopSettings(seconds_between_events=0.0)
    monkeypatch.setattr("boolfact.colgen.loop.DEFAULTS", chatty)
    events = []
    result = factorize(
        "zoo", 5, bound="objective", iteration_limit=200, workers=1, progress=events.append
    )
    told = [event for event in events if event.objective is not None]
    assert told
    assert all(event.error <= event.objective for event in told)
    assert all(
        event.objective_lower_bound is None or event.objective_lower_bound <= 127 for event in told
    )
    assert result.objective == told[-1].objective == 127
    assert told[-1].nodes > 0


def test_an_iteration_limit_alone_ends_a_run_with_the_same_bounds_for_any_workers():
    runs = [
        factorize("lymp", 5, iteration_limit=4, time_limit=None, workers=workers)
        for workers in (1, 2)
    ]
    assert (runs[0].A == runs[1].A).all()
    assert (runs[0].B == runs[1].B).all()
    assert runs[0].objective_lower_bound == runs[1].objective_lower_bound is not None
    assert runs[0].error_lower_bound == runs[1].error_lower_bound


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_and_its_best_is_kept(number):
    sent = []

    def send_once(event):
        if event.phase == "local search" and not sent:
            sent.append(number)
            os.kill(os.getpid(), number)

    # Tests in the background may be deaf to it.
    deaf = signal.getsignal(number) is signal.SIG_IGN and number != signal.SIGINT
    earlier = signal.signal(number, signal.SIG_DFL) if deaf else None
    try:
        result = factorize("lymp", 10, bound="none", time_limit=300, workers=1, progress=send_once)
    finally:
        if deaf:
            signal.signal(number, earlier)
    assert sent
    assert result.ending is Ending.INTERRUPTED
    assert result.error < 1500
    assert result.seconds < 60


@pytest.mark.parametrize("rho", [Fraction(19, 20), Fraction(1, 3), Fraction(1, 7)])
def test_a_stored_bound_is_never_above_the_proved_one(rho):
    """With rho = 19/20 rounding to six places gave floats above the bound."""
    X = boolfact.planted(14, 9, 3, noise=0.1, seed=5).matrix
    for k in (1, 2, 3):
        result = boolfact.factorize(X, k, rho=rho, time_limit=20, iteration_limit=20, workers=1)
        proved = {entry["on"]: Fraction(entry["rounded"]) for entry in result.certificate["bounds"]}
        assert proved.keys() >= {"objective"}
        assert Fraction(result.objective_lower_bound) <= proved["objective"]
        assert result.objective_lower_bound == float_below(proved["objective"])
        assert verify_result(result, X).ok


class Unneeded:
    def entry(self):
        raise AssertionError("a bound below 0 needs no certificate")


def test_a_bound_below_zero_says_nothing(monkeypatch):
    def run(task, state, reporter):
        state.prove(
            Bound(Quantity.OBJECTIVE, Fraction(-3, 2), task.k, "a test", Unneeded(), task.rho)
        )
        return Ending.DONE

    known = METHODS["local"]
    monkeypatch.setitem(METHODS, "local", dataclasses.replace(known, run=run))
    result = factorize("zoo", 5, method="local", time_limit=5)
    assert (result.objective_lower_bound, result.objective_bound_by) == (None, None)
    assert result.certificate is None


@pytest.mark.parametrize("method", ["local", "exact"])
def test_a_rho_that_would_be_rounded_to_nothing_is_refused(method):
    with pytest.raises(ValueError, match="rho must be at least 1/10000, got 1e-05"):
        boolfact.factorize([[1, 1, 0], [1, 0, 1], [0, 1, 1]], 1, rho=1e-5, method=method)
