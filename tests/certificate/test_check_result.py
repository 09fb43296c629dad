"""Whole results: error, objective and bounds are recomputed, and false ones are refused."""

import dataclasses
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.certificate import State, make_certificate, search, verify_result
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from boolfact.results.result import Result, Status
from certificate.proofs import dual_bound

import naive
from strategies import matrix_and_factors

K = 2
X = BinaryMatrix(
    np.array(
        [
            [1, 1, 1, 0, 0],
            [1, 1, 1, 0, 0],
            [0, 1, 1, 1, 0],
            [1, 0, 0, 1, 1],
            [0, -1, 1, 1, 1],
        ],
        dtype=np.int8,
    )
)
A = np.array([[1, 0], [1, 0], [0, 1], [0, 0], [0, 1]], dtype=bool)
B = np.array([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]], dtype=bool)


@pytest.fixture(scope="module")
def result():
    reduction = reduce_matrix(X)
    bounds = [dual_bound(reduction.matrix, K, rho) for rho in (Fraction(1), Fraction(1, K))]
    certificate = make_certificate(reduction, K, bounds)
    objective, error = (Fraction(entry["rounded"]) for entry in certificate["bounds"])
    assert 1 < error <= objective
    return Result(
        A=A,
        B=B,
        error=naive.error(X.values, X.weights, A, B),
        objective=float(naive.objective(X.values, X.weights, A, B, 1)),
        status=Status.HEURISTIC,
        k=K,
        method="auto",
        digest=X.digest(),
        objective_lower_bound=float(objective),
        error_lower_bound=float(error),
        certificate=certificate,
    )


def states(report):
    return {check.name: check.state for check in report}


def test_a_true_result_is_verified(result):
    report = verify_result(result, X)
    assert report.complete
    assert {"data", "error", "objective", "lower bound", "error lower bound"} <= set(states(report))


def test_a_saved_result_is_verified(result, tmp_path):
    result.save(tmp_path / "run")
    assert verify_result(tmp_path / "run", X).complete


@pytest.mark.parametrize(
    ("field", "by", "name"),
    [
        ("error", 1, "error"),
        ("error", -1, "error"),
        ("objective", 1, "objective"),
        ("objective", -1e-6, "objective"),
        ("objective_lower_bound", 1, "lower bound"),
        ("objective_lower_bound", 1e-6, "lower bound"),
        ("error_lower_bound", 1, "error lower bound"),
        ("error_lower_bound", 1e-6, "error lower bound"),
    ],
)
def test_a_figure_off_by_a_little_is_refused(result, field, by, name):
    false = dataclasses.replace(result, **{field: getattr(result, field) + by})
    report = verify_result(false, X)
    assert [check.name for check in report.failed()] == [name]


@pytest.mark.parametrize("field", ["objective_lower_bound", "error_lower_bound"])
def test_a_weaker_bound_is_true_as_well(result, field):
    assert verify_result(dataclasses.replace(result, **{field: 1.0}), X).complete


def test_a_bound_without_a_certificate_is_refused(result):
    report = verify_result(dataclasses.replace(result, certificate=None), X)
    assert states(report)["lower bound"] is State.FAILED
    assert states(report)["error lower bound"] is State.FAILED
    assert "no certificate" in report["lower bound"].message


def test_a_bound_of_zero_needs_no_certificate(result):
    plain = dataclasses.replace(
        result, certificate=None, objective_lower_bound=0, error_lower_bound=0
    )
    assert verify_result(plain, X).complete


def test_no_bound_needs_no_certificate(result):
    plain = dataclasses.replace(
        result, certificate=None, objective_lower_bound=None, error_lower_bound=None
    )
    report = verify_result(plain, X)
    assert report.complete
    assert "lower bound" not in states(report)


def test_a_bound_on_the_objective_is_none_on_the_error(result):
    only = dict(result.certificate, bounds=result.certificate["bounds"][:1])
    from boolfact.certificate.document import seal

    false = dataclasses.replace(result, certificate={**only, "seal": seal(only)})
    assert [check.name for check in verify_result(false, X).failed()] == ["error lower bound"]


def test_a_bound_for_a_larger_rho_is_none_for_this_one(result):
    false = dataclasses.replace(
        result,
        rho=Fraction(9, 10),
        objective=float(naive.objective(X.values, X.weights, A, B, Fraction(9, 10))),
    )
    assert "lower bound" in [check.name for check in verify_result(false, X).failed()]


def test_a_certificate_for_a_smaller_rank_proves_nothing(result):
    wider = dataclasses.replace(
        result, k=3, A=np.c_[A, np.zeros(5, bool)], B=np.r_[B, np.zeros((1, 5), bool)]
    )
    failed = [check.name for check in verify_result(wider, X).failed()]
    assert failed == ["lower bound", "error lower bound"]


@pytest.mark.parametrize("bound", [float("nan"), float("inf")])
def test_a_bound_that_is_no_number_is_refused(result, bound):
    assert not verify_result(dataclasses.replace(result, objective_lower_bound=bound), X).ok


def test_other_data_is_refused(result):
    values = X.values.copy()
    values[0, 0] = 0
    report = verify_result(result, BinaryMatrix(values))
    assert [check.name for check in report] == ["data"]
    assert not report.ok


def test_factors_of_another_shape_are_refused(result):
    assert not verify_result(dataclasses.replace(result, B=B[:, :4]), X).ok


def test_a_status_needs_its_bound(result):
    for status in (Status.OPTIMAL, Status.OBJECTIVE_OPTIMAL):
        report = verify_result(dataclasses.replace(result, status=status), X)
        met = (
            result.error_lower_bound >= result.error
            if status is Status.OPTIMAL
            else result.objective_lower_bound >= result.objective
        )
        assert states(report)["status"] is (State.PASSED if met else State.FAILED)
        unbounded = dataclasses.replace(
            result, status=status, objective_lower_bound=None, error_lower_bound=None
        )
        assert states(verify_result(unbounded, X))["status"] is State.FAILED


def test_out_of_time_the_bounds_are_not_confirmed(result, monkeypatch):
    monkeypatch.setattr(search, "_WORK_BUDGET", 1)
    clock = iter(range(10**9))
    monkeypatch.setattr(search.time, "monotonic", lambda: next(clock))
    report = verify_result(result, X, time_limit=1.0)
    assert report.ok
    assert not report.complete
    assert states(report)["lower bound"] is State.NOT_CHECKED
    assert "not confirmed: proved only" in report["lower bound"].message
    above = dataclasses.replace(result, error_lower_bound=float(result.error + 1))
    assert states(verify_result(above, X))["error lower bound"] is State.FAILED


def test_the_report_is_ready_for_json(result):
    document = json.loads(json.dumps(verify_result(result, X).as_dict()))
    assert document["ok"] is document["complete"] is True
    assert {check["state"] for check in document["checks"]} == {"passed"}


@given(matrix_and_factors())
@settings(max_examples=60)
def test_error_and_objective_are_recomputed(case):
    matrix, factors = case
    for rho in (Fraction(1), Fraction(1, 3)):
        honest = Result(
            A=factors.A,
            B=factors.B,
            error=naive.error(matrix.values, matrix.weights, factors.A, factors.B),
            objective=float(
                naive.objective(matrix.values, matrix.weights, factors.A, factors.B, rho)
            ),
            status=Status.HEURISTIC,
            k=factors.rank,
            method="auto",
            digest=matrix.digest(),
            rho=rho,
        )
        assert verify_result(honest, matrix).complete
        assert not verify_result(dataclasses.replace(honest, error=honest.error + 1), matrix).ok
