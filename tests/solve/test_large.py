"""Large data end to end, with the limit lowered so that small data are large."""

import numpy as np
import pytest
import scipy.sparse

import boolfact
from boolfact.certificate import verify_result
from boolfact.control.ending import Ending
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix
from boolfact.solve import large
from boolfact.solve.large import large_rows


@pytest.fixture
def example(monkeypatch):
    monkeypatch.setattr(large, "LARGE_CELLS", 1000)
    return boolfact.planted(300, 40, 3, noise=0.02, seed=1)


def fit(X, k=3, **options):
    options = {"iteration_limit": 40, "time_limit": None, **options}
    return boolfact.factorize(X, k, **options)


@pytest.mark.parametrize("turned", [False, True])
def test_a_large_matrix_is_solved_from_its_rows(example, turned):
    matrix = example.matrix.T if turned else example.matrix
    result = fit(matrix, progress=None)
    assert result.digest.startswith("rows:")
    assert result.error == result.factors.error(matrix) == example.factors.error(example.matrix)
    assert result.objective == result.factors.objective(matrix)
    assert verify_result(result, matrix).ok
    assert not verify_result(result, boolfact.BinaryMatrix(1 - matrix.values)).ok


def test_missing_entries_cost_nothing(example):
    values = example.matrix.values.copy()
    values[::7, ::3] = -1
    matrix = boolfact.BinaryMatrix(values)
    result = fit(matrix)
    assert result.error == result.factors.error(matrix)


@pytest.mark.parametrize(
    "prices", [{"false_one_cost": 3}, {"missed_one_cost": 2}, {"from_below": True}]
)
def test_prices_are_paid(example, prices):
    from boolfact.model.costs import with_costs

    result = fit(example.matrix, **prices)
    priced = with_costs(example.matrix, **prices)
    assert result.error == result.factors.error(priced) < priced.ones_weight
    assert verify_result(result, priced).ok
    if "from_below" in prices:
        assert not (result.factors.product() & ~example.matrix.ones).any()


def test_sparse_and_packed_data_give_the_same_answer(example):
    ones = example.matrix.ones.astype(np.int8)
    found = [
        fit(X, method="local", seed=2)
        for X in (
            ones,
            PackedMatrix.from_dense(ones),
            SparseMatrix.from_scipy(scipy.sparse.csr_array(ones)),
        )
    ]
    assert len({result.digest for result in found}) == 1
    assert found[0].error == found[1].error
    for result in found:
        assert result.error == result.factors.error(example.matrix)


@pytest.mark.parametrize("k", [3, 14])
def test_a_start_is_never_made_worse(example, k):
    known = fit(example.matrix, k, iteration_limit=2)
    again = fit(example.matrix, k, start=known, iteration_limit=1)
    assert again.error <= known.error


def test_workers_do_not_matter(example):
    one, two = (fit(example.matrix, 2, workers=w) for w in (1, 2))
    assert one.error == two.error
    assert (one.A == two.A).all()
    assert (one.B == two.B).all()


def test_a_time_limit_and_a_target_end_the_run(example):
    result = boolfact.factorize(example.matrix, 2, method="local", time_limit=0.5)
    assert result.ending is Ending.TIME_LIMIT
    assert result.error == result.factors.error(example.matrix)
    reached = boolfact.factorize(example.matrix, 3, target=result.error, time_limit=60)
    assert reached.ending is Ending.TARGET
    assert reached.error <= result.error


def test_what_needs_a_dense_matrix_says_so(example):
    packed = PackedMatrix.from_binary(example.matrix)
    for options, message in [
        ({"method": "asso"}, "method asso needs a dense matrix; auto and local"),
        ({"weights": np.ones((300, 40))}, "weights of entries need a dense matrix"),
        ({"bound": "objective"}, "bound='objective' needs a dense matrix"),
    ]:
        with pytest.raises(ValueError, match=message):
            boolfact.factorize(packed, 2, **options)


def test_the_dense_way_is_kept_where_it_is_needed(example):
    plain = {"bound": "auto", "weights": None, "binarize": None}
    assert large_rows(example.matrix, 3, "auto", **plain) is not None
    assert large_rows(example.matrix, 65, "auto", **plain) is None
    assert large_rows(example.matrix, 3, "asso", **plain) is None
    assert large_rows(example.matrix, 3, "auto", **{**plain, "bound": "objective"}) is None
    assert large_rows(example.matrix, 3, "auto", **{**plain, "bound": "error"}) is not None
    assert large_rows("zoo", 3, "auto", **plain) is None
    with pytest.raises(ValueError, match="at most 64"):
        large_rows(PackedMatrix.from_binary(example.matrix), 65, "auto", **plain)
