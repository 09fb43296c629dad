"""Codes by counts of bits: the same ones as all unions give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.large.data import prepare
from boolfact.large.popcount import code_rows, pack_patterns
from boolfact.large.refit import RowFit
from boolfact.model.packed import PackedMatrix
from large.rows import large_data


def coded(data, V, k):
    """Codes, cost of those found by counts, and which rows are left."""
    B = ((V[:, None] >> np.arange(k)) & 1).astype(bool).T
    n = data.shape[0]
    U, is_left = np.full(n, -7, dtype=np.int64), np.zeros(n, dtype=bool)
    hidden = data.rows.hidden
    cost = code_rows(
        data.rows.ones,
        data.rows.ones[:0] if hidden is None else hidden,
        pack_patterns(B),
        (data.false_one_cost, data.missed_one_cost),
        data.row_weights,
        U,
        is_left,
    )
    return U, cost, is_left


def by_all_unions(data, V, k):
    U = np.zeros(data.shape[0], dtype=np.int64)
    whole = slice(0, data.shape[0])
    cost = RowFit(data, V, k).fit(data.lists(whole), U, data.weights_of(whole))
    return U, cost


@given(st.data(), large_data(max_side=9), st.integers(1, 7))
@settings(max_examples=200)
def test_codes_are_those_of_all_unions(data, rows, k):
    numbers = st.lists(st.integers(0, 2**k - 1), min_size=rows.shape[1], max_size=rows.shape[1])
    V = np.array(data.draw(numbers), dtype=np.int64)
    expected, whole = by_all_unions(rows, V, k)
    together = RowFit(rows, V, k)
    U = np.zeros(rows.shape[0], dtype=np.int64)
    assert together.fit_block(rows, slice(0, rows.shape[0]), U) == whole
    assert (expected == U).all()
    if isinstance(rows.rows, PackedMatrix) and not len(rows.column_weights):
        U, _, is_left = coded(rows, V, k)
        assert (np.where(is_left, -7, expected) == U).all()


@pytest.mark.parametrize(("noise", "share"), [(0.0, 0.9), (0.02, 0.9), (0.1, 0.5)])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_rows_with_little_noise_are_decided_by_counts(noise, share, missing):
    rng = np.random.default_rng(3)
    k, n, m = 10, 2000, 500
    A, B = rng.random((n, k)) < 0.3, rng.random((k, m)) < 0.3
    X = (((A @ B) > 0) ^ (rng.random((n, m)) < noise)).astype(np.int8)
    X[rng.random((n, m)) < missing] = -1
    data = prepare(PackedMatrix.from_dense(X))
    V = (B.T << np.arange(k)).sum(axis=1)
    expected, _ = by_all_unions(data, V, k)
    U, cost, is_left = coded(data, V, k)
    assert (~is_left).mean() >= share
    assert (U[~is_left] == expected[~is_left]).all()
    covered = ((U[~is_left, None] & V) != 0) & (X[~is_left] != -1)
    saved = (covered & (X[~is_left] == 1)).sum() - (covered & (X[~is_left] == 0)).sum()
    assert cost == -saved


def test_rows_that_need_many_branches_are_left():
    rng = np.random.default_rng(5)
    data = prepare(PackedMatrix.from_dense((rng.random((3000, 200)) < 0.5).astype(np.int8)))
    V = rng.integers(0, 1 << 11, 200)
    _, _, is_left = coded(data, V, 11)
    assert is_left.mean() > 0.5
    expected, whole = by_all_unions(data, V, 11)
    U = np.zeros(3000, dtype=np.int64)
    assert RowFit(data, V, 11).fit_block(data, slice(0, 3000), U) == whole
    assert (expected == U).all()


def test_many_patterns_are_coded_too():
    rng = np.random.default_rng(6)
    k, n, m = 40, 500, 1000
    A, B = rng.random((n, k)) < 0.1, rng.random((k, m)) < 0.1
    data = prepare(PackedMatrix.from_dense(((A @ B) > 0).astype(np.int8)))
    V = (B.T.astype(np.int64) << np.arange(k)).sum(axis=1)
    U = np.zeros(n, dtype=np.int64)
    cost = RowFit(data, V, k).fit_block(data, slice(0, n), U)
    assert data.nothing + cost == 0
