"""Bounds for large data, beside brute force, and their certificates before the verifier."""

import copy

import numpy as np
import pytest
import scipy.sparse

import boolfact
from boolfact.certificate import verify_certificate, verify_result
from boolfact.certificate.document import seal
from boolfact.control.executor import SERIAL
from boolfact.control.progress import silent
from boolfact.control.stop import Stop
from boolfact.model.costs import with_row_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix
from boolfact.solve import large_bound
from boolfact.solve.large_bound import prove_large

import naive


def prove(rows, k, **options):
    n, m = rows.shape
    rng = np.random.default_rng(7)
    factors = Factors(rng.random((n, k)) < 0.5, rng.random((k, m)) < 0.5)
    options = {"stop": Stop(iteration_limit=30), "seed": 0, "executor": SERIAL, **options}
    return prove_large(rows, k, factors=factors, progress=silent, **options)


def dense(rows):
    values = rows.values(slice(0, rows.shape[0]))
    weights = np.where(values == 1, rows.missed_one_cost, rows.false_one_cost).astype(np.int64)
    if rows.row_weights is not None:
        weights *= rows.row_weights[:, None]
    if rows.column_weights is not None:
        weights *= rows.column_weights
    weights[values < 0] = 0
    return values, weights


def random_rows(seed):
    """Few columns, rows that repeat, missing entries, weights and prices, now and then turned."""
    rng = np.random.default_rng(seed)
    n, m = 14, 6
    values = (rng.random((n, m)) < 0.5).astype(np.int8)
    values[rng.random((n, m)) < [0, 0.1][seed % 2]] = -1
    if seed % 3 == 0:
        values = values[rng.integers(0, 5, n)]
    rows = PackedMatrix.from_dense(values)
    rows = PackedMatrix(
        rows.ones,
        m,
        rows.hidden,
        row_weights=rng.integers(1, 4, n) if seed % 4 == 1 else None,
        column_weights=rng.integers(1, 4, m) if seed % 4 == 2 else None,
        false_one_cost=int(rng.integers(1, 3)),
        missed_one_cost=int(rng.integers(1, 3)),
    )
    return rows.T if seed % 5 == 0 else rows


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k", [1, 2])
def test_no_bound_is_above_the_least_error(monkeypatch, seed, k):
    monkeypatch.setattr(large_bound, "_WIDTH", [3, 4, 12][seed % 3] + k - 1)
    monkeypatch.setattr(large_bound, "_MOST_ROWS", [4, 1000][seed % 2])
    rows = random_rows(seed)
    bound = prove(rows, k)
    values, weights = dense(rows)
    turned = values.shape[1] > values.shape[0]
    least = naive.best_error(*((values.T, weights.T) if turned else (values, weights)), k)
    assert bound is None or 0 < bound.rounded <= least
    if seed % 3 == 2 and seed % 2 == 1 and rows.hidden is None:
        # One group of all columns and all rows: nothing is lost.
        assert (0 if bound is None else bound.rounded) == least


def test_two_groups_prove_less_than_one(monkeypatch):
    monkeypatch.setattr(large_bound, "_WIDEST", 4)
    monkeypatch.setattr(large_bound, "_WIDTH", 4)
    values = (np.random.default_rng(3).random((40, 8)) < 0.5).astype(np.int8)
    rows = PackedMatrix.from_dense(values)
    apart = prove(rows, 2)
    assert len(apart.proof.parts) == 2
    monkeypatch.setattr(large_bound, "_WIDEST", 8)
    together = prove(rows, 2)
    assert len(together.proof.parts) == 1
    assert apart.rounded < together.rounded


def test_many_patterns_leave_nothing_to_prove():
    rows = PackedMatrix.from_dense(np.eye(40, dtype=np.int8))
    assert prove(rows, 30) is None


@pytest.fixture(scope="module")
def example():
    matrix = boolfact.planted(300, 30, 4, noise=0.05, seed=1).matrix
    rows = PackedMatrix.from_binary(matrix)
    with pytest.MonkeyPatch.context() as patch:
        # Narrow groups are checked again in a moment.
        patch.setattr(large_bound, "_WIDEST_COVER", 12)
        result = boolfact.factorize(rows, 4, bound="error", time_limit=None, iteration_limit=10)
    return matrix, rows, result


def test_a_result_has_a_bound_with_a_certificate(example):
    matrix, rows, result = example
    assert 0 < result.error_lower_bound <= result.error
    assert "groups of columns, each by assigned cover" in result.summary()
    sparse = SparseMatrix.from_scipy(scipy.sparse.csr_array(matrix.ones.astype(np.int8)))
    for data in (rows, sparse, matrix):
        verification = verify_result(result, data)
        assert verification.complete, list(verification)
    assert not verify_result(result, PackedMatrix.from_dense(1 - matrix.values)).ok


def test_workers_do_not_matter(example, monkeypatch):
    monkeypatch.setattr(large_bound, "_WIDEST_COVER", 12)
    _, rows, result = example
    again = boolfact.factorize(
        rows, 4, bound="error", time_limit=None, iteration_limit=10, workers=2
    )
    assert again.certificate == result.certificate


def test_small_ranks_and_wide_data_and_missing_entries_are_proved_too(monkeypatch):
    monkeypatch.setattr(large_bound, "_WIDEST", 12)
    values = boolfact.planted(200, 30, 2, noise=0.1, seed=2).matrix.values.copy()
    values[::9, ::4] = -1
    for X in (values, values.T):
        rows = PackedMatrix.from_dense(np.ascontiguousarray(X))
        rows = with_row_costs(rows, from_below=X is values)
        result = boolfact.factorize(rows, 2, bound="error", time_limit=None, iteration_limit=10)
        assert 0 < result.error_lower_bound <= result.error
        verification = verify_result(result, rows)
        assert verification.complete, list(verification)


def altered(example, change):
    _, rows, result = example
    certificate = copy.deepcopy(result.certificate)
    change(certificate["bounds"][0])
    return verify_certificate({**certificate, "seal": seal(certificate)}, rows)


def first_part(change):
    return lambda bound: change(bound["parts"][0])


def raise_by_one(entry):
    for name in ("bound", "rounded"):
        entry[name] = str(int(entry[name]) + 1)


def raise_everywhere(bound):
    raise_by_one(bound)
    raise_by_one(bound["parts"][0]["proof"])


def twice(bound):
    bound["parts"].append(copy.deepcopy(bound["parts"][0]))
    for name in ("bound", "rounded"):
        bound[name] = str(int(bound[name]) + int(bound["parts"][0]["proof"][name]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (raise_by_one, "what the groups add up to"),
        (raise_everywhere, "what the parts add up to"),
        (twice, "in the groups twice"),
        (first_part(lambda part: part["rows"].append(part["rows"][0])), "each of them once"),
        (first_part(lambda part: part["rows"].reverse()), "where there is none"),
        (first_part(lambda part: part["columns"].reverse()), ""),
        (first_part(lambda part: part["columns"].__setitem__(0, 30)), "the data have 30"),
        (first_part(lambda part: part["rows"].__setitem__(0, "01")), "0 or 1"),
        (first_part(lambda part: part.update(weights=[1])), "fields that a group does not have"),
        (first_part(lambda part: part["proof"].update(kind="column_groups")), "kind must be one"),
        (first_part(lambda part: part["proof"].update(on="objective")), "must be on the error"),
        (lambda bound: bound.update(on="objective"), "bound the error"),
        (lambda bound: bound.update(transposed=1), "true or false"),
        (lambda bound: bound.update(transposed=True), ""),
        (lambda bound: bound.update(kind="assigned_cover"), "kind must be one"),
    ],
)
def test_an_altered_certificate_is_refused(example, change, message):
    report = altered(example, change)
    assert not report.ok
    assert not report.bounds
    assert message in report.failed()[0].message


def test_an_unaltered_one_is_not(example):
    assert altered(example, lambda bound: None).complete


def test_other_data_are_refused(example):
    matrix, _, result = example
    values = matrix.values.copy()
    values[0, 0] = 1 - values[0, 0]
    for data in (PackedMatrix.from_dense(values), BinaryMatrix(values)):
        report = verify_certificate(result.certificate, data)
        assert "other data" in report.failed()[0].message
