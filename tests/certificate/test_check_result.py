"""Whole results: error, objective and bounds are recomputed, and false ones are refused."""

import dataclasses
import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.certificate import State, make_certificate, search, verify_result
from boolfact.certificate.check_result import _check_bound, _check_status, _Known
from boolfact.model.bound import float_below
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from boolfact.results.result import Result
from boolfact.results.status import Status
from boolfact.results.tally import Tally
from boolfact.solve.factorize import factorize
from certificate.proofs import both_bounds, dual_bound

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
    certificate = make_certificate(reduction, K, both_bounds(reduction.matrix, K))
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
    assert {"data", "error", "objective", "objective lower bound", "error lower bound"} <= set(
        states(report)
    )


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
        ("objective_lower_bound", 1, "objective lower bound"),
        ("error_lower_bound", 1, "error lower bound"),
    ],
)
def test_a_figure_off_by_a_little_is_refused(result, field, by, name):
    false = dataclasses.replace(result, **{field: getattr(result, field) + by})
    report = verify_result(false, X)
    assert [check.name for check in report.failed()] == [name]


@pytest.mark.parametrize(
    ("field", "towards", "name"),
    [
        ("objective", math.inf, "objective"),
        ("objective", -math.inf, "objective"),
        ("objective_lower_bound", math.inf, "objective lower bound"),
        ("error_lower_bound", math.inf, "error lower bound"),
    ],
)
def test_one_unit_in_the_last_place_is_not_forgiven(result, field, towards, name):
    off = math.nextafter(getattr(result, field), towards)
    report = verify_result(dataclasses.replace(result, **{field: off}), X)
    assert [check.name for check in report.failed()] == [name]


@pytest.mark.parametrize("rho", [Fraction(19, 20), Fraction(1, 3), Fraction(1, 7)])
def test_fractions_that_no_float_can_hold_are_checked_exactly(rho):
    """Where the nearest float is above the proved fraction, it is a false claim."""
    bound, matrix, factors = proved_but_not_a_float(rho)
    reduction = reduce_matrix(matrix)
    exact = Fraction(naive.objective(matrix.values, matrix.weights, factors.A, factors.B, rho))
    honest = Result(
        A=factors.A,
        B=factors.B,
        error=naive.error(matrix.values, matrix.weights, factors.A, factors.B),
        objective=float(exact),
        status=Status.BOUNDED,
        k=1,
        method="auto",
        digest=matrix.digest(),
        rho=rho,
        objective_lower_bound=float_below(bound.rounded),
        certificate=make_certificate(reduction, 1, [bound]),
    )
    assert verify_result(honest, matrix).complete
    assert Fraction(float(bound.rounded)) > bound.rounded
    false = dataclasses.replace(honest, objective_lower_bound=float(bound.rounded))
    report = verify_result(false, matrix)
    assert [check.name for check in report.failed()] == ["objective lower bound"]


def proved_but_not_a_float(rho):
    """Rank 1, a dominant block: MIP(rho) is rho times the zeros in it, whatever their weight."""
    for weight in range(1, 200):
        weights = np.full((2, 2), 1000)
        weights[1, 1] = weight
        matrix = BinaryMatrix(np.array([[1, 1], [1, 0]], dtype=np.int8), weights)
        bound = dual_bound(matrix, 1, rho, bits=4)
        if bound.value > 0 and Fraction(float(bound.rounded)) > bound.rounded:
            return bound, matrix, Factors(np.ones((2, 1)), np.ones((1, 2)))
    raise AssertionError("no such matrix")


@pytest.mark.parametrize("field", ["objective_lower_bound", "error_lower_bound"])
def test_a_weaker_bound_is_true_as_well(result, field):
    assert verify_result(dataclasses.replace(result, **{field: 1.0}), X).complete


def test_a_bound_without_a_certificate_is_refused(result):
    report = verify_result(dataclasses.replace(result, certificate=None), X)
    assert states(report)["objective lower bound"] is State.FAILED
    assert states(report)["error lower bound"] is State.FAILED
    assert "no certificate" in report["objective lower bound"].message


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
    assert "objective lower bound" not in states(report)


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
    assert "objective lower bound" in [check.name for check in verify_result(false, X).failed()]


def test_a_certificate_for_a_smaller_rank_proves_nothing(result):
    wider = dataclasses.replace(
        result, k=3, A=np.c_[A, np.zeros(5, bool)], B=np.r_[B, np.zeros((1, 5), bool)]
    )
    failed = [check.name for check in verify_result(wider, X).failed()]
    assert failed == ["error lower bound", "objective lower bound"]


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


@pytest.mark.parametrize("name", ["observed", "ones", "missed_ones", "false_ones"])
@pytest.mark.parametrize("by", [1, -1])
def test_a_count_off_by_one_is_refused(result, name, by):
    covered = (A.astype(int) @ B.astype(int)) > 0
    counts = {
        "observed": int((X.values >= 0).sum()),
        "ones": int((X.values == 1).sum()),
        "missed_ones": int(((X.values == 1) & ~covered).sum()),
        "false_ones": int(((X.values == 0) & covered).sum()),
    }
    honest = dataclasses.replace(result, tally=Tally(**counts))
    assert states(verify_result(honest, X))["counts"] is State.PASSED
    false = dataclasses.replace(result, tally=Tally(**{**counts, name: counts[name] + by}))
    assert [check.name for check in verify_result(false, X).failed()] == ["counts"]


def test_entries_of_weight_zero_are_not_counted(result):
    weights = np.ones(X.shape, dtype=np.int64)
    # A missed one, a covered zero, and one entry of each kind that is right.
    weights[[3, 2, 0, 0], [0, 4, 0, 4]] = 0
    light = BinaryMatrix(X.values, weights)
    covered = (A.astype(int) @ B.astype(int)) > 0
    seen = (X.values >= 0) & (weights > 0)
    counts = Tally(
        observed=int(seen.sum()),
        ones=int(((X.values == 1) & seen).sum()),
        missed_ones=int(((X.values == 1) & seen & ~covered).sum()),
        false_ones=int(((X.values == 0) & seen & covered).sum()),
    )
    claim = dataclasses.replace(
        result,
        error=naive.error(X.values, weights, A, B),
        objective=float(naive.objective(X.values, weights, A, B, 1)),
        digest=light.digest(),
        tally=counts,
        certificate=None,
        objective_lower_bound=None,
        error_lower_bound=None,
    )
    report = verify_result(claim, light)
    assert report.complete, report.checks
    for name in ("observed", "ones", "missed_ones", "false_ones"):
        wrong = dataclasses.replace(counts, **{name: getattr(counts, name) + 1})
        report = verify_result(dataclasses.replace(claim, tally=wrong), light)
        assert [check.name for check in report.failed()] == ["counts"]


@pytest.mark.parametrize(
    ("bound", "with_certificate", "message"),
    [
        (0.0, False, "0: nothing is below 0"),
        (-1.0, False, "-1: nothing is below 0"),
        (1.0, False, "1 is not proved: no certificate proves it"),
        (1.0, True, "1 is proved"),
        (4.0, True, "4 is not proved: the certificate proves 3"),
        (99.0, True, "99 is above 5, which A and B reach"),
    ],
)
def test_what_is_said_of_a_bound(result, bound, with_certificate, message):
    claim = dataclasses.replace(
        result,
        error_lower_bound=bound,
        objective_lower_bound=None,
        certificate=result.certificate if with_certificate else None,
    )
    assert verify_result(claim, X)["error lower bound"].message == message


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.OBJECTIVE_OPTIMAL])
def test_a_status_that_the_certificate_does_not_prove_is_refused(result, status):
    """The stored floats have no say: they may meet the solution and prove nothing."""
    false = dataclasses.replace(
        result,
        status=status,
        error_lower_bound=float(result.error),
        objective_lower_bound=result.objective,
    )
    assert result.error_lower_bound < result.error
    assert result.objective_lower_bound < result.objective
    assert states(verify_result(false, X))["status"] is State.FAILED
    bare = dataclasses.replace(result, status=status, certificate=None)
    assert states(verify_result(bare, X))["status"] is State.FAILED


def test_a_status_that_the_certificate_proves_passes_without_stored_bounds():
    matrix = BinaryMatrix(np.eye(3, dtype=np.int8))
    A = np.eye(3, 2, dtype=bool)
    reduction = reduce_matrix(matrix)
    for status in (Status.OPTIMAL, Status.OBJECTIVE_OPTIMAL):
        proved = Result(
            A=A,
            B=A.T,
            error=1,
            objective=1.0,
            status=status,
            k=2,
            method="auto",
            digest=matrix.digest(),
            certificate=make_certificate(reduction, 2, both_bounds(reduction.matrix, 2)),
        )
        report = verify_result(proved, matrix)
        assert states(report)["status"] is State.PASSED
        assert report.complete


def test_bounded_needs_a_bound(result):
    bounded = dataclasses.replace(result, status=Status.BOUNDED)
    assert states(verify_result(bounded, X))["status"] is State.PASSED
    nothing = dataclasses.replace(
        bounded, certificate=None, objective_lower_bound=None, error_lower_bound=None
    )
    assert [check.name for check in verify_result(nothing, X).failed()] == ["status"]


def test_out_of_time_the_bounds_are_not_confirmed(result, monkeypatch):
    monkeypatch.setattr(search, "_WORK_BUDGET", 1)
    clock = iter(range(10**9))
    monkeypatch.setattr(search.time, "monotonic", lambda: next(clock))
    report = verify_result(result, X, time_limit=1.0)
    assert report.ok
    assert not report.complete
    assert states(report)["objective lower bound"] is State.NOT_CHECKED
    assert "not confirmed: proved only" in report["objective lower bound"].message
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


def test_large_numbers_are_told_with_commas():
    many = BinaryMatrix(np.repeat(X.values, 1500, axis=0))
    result = factorize(many, 2, bound="objective", time_limit=None, iteration_limit=5, workers=1)
    told = " ".join(check.message for check in verify_result(result, many).checks)
    assert f"recomputed from A and B: {result.error:,} " in f"{told} "
    assert f"{result.tally.false_ones:,} zeros covered" in told
    assert min(result.error, result.tally.false_ones, result.objective_lower_bound) > 999
    assert re.findall(r"(?<![.\d])\d{4,}", told) == []


@pytest.mark.parametrize(
    ("sure", "claimed", "bound", "message"),
    [
        (0, 1, 2, "2 is not proved: the certificate proves 1"),
        (0, Fraction(1, 2), 2, "2 is not proved: the certificate proves 1/2"),
        (0, 0, 2, "2 is not proved: no certificate proves it"),
        (1, 2, 2, "2 not confirmed: proved only 1"),
        (2, 2, 2, "2 is proved"),
        (2, 2, 0, "0: nothing is below 0"),
        (9, 9, 9, "9 is above 8, which A and B reach"),
        (8, 8, 8, "8 is proved"),
    ],
)
def test_a_bound_is_judged_by_what_is_known(sure, claimed, bound, message):
    known = _Known(Fraction(sure), Fraction(claimed))
    (check,) = _check_bound("x", float(bound), Fraction(8), known)
    assert check.message == message
    passed = message.endswith(("is proved", "below 0"))
    assert (check.state is State.PASSED) == passed
    assert (check.state is State.NOT_CHECKED) == ("confirmed" in message)


@pytest.mark.parametrize("status", [Status.BOUNDED, Status.OPTIMAL, Status.OBJECTIVE_OPTIMAL])
@pytest.mark.parametrize(("sure", "state"), [(5, State.PASSED), (0, State.NOT_CHECKED)])
def test_a_status_is_as_sure_as_its_bound(result, status, sure, state):
    known, five = _Known(Fraction(sure), Fraction(5)), Fraction(5)
    (check,) = _check_status(dataclasses.replace(result, status=status), five, known, five, known)
    assert check.state is state
    assert ("confirmed" in check.message) == (sure == 0)
    nothing = _Known(Fraction(0), Fraction(0))
    (check,) = _check_status(
        dataclasses.replace(result, status=status), five, nothing, five, nothing
    )
    assert check.state is State.FAILED
