"""Sweeps over all rows, and their kernels, beside trying everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.control.executor import SERIAL, make_executor
from boolfact.control.stop import Stop
from boolfact.large import refit
from boolfact.large.data import prepare
from boolfact.large.refit import RowFit, count, refine, sweep
from boolfact.model.packed import PackedMatrix
from large.rows import error_of, large_data


def codes(data, size, k):
    numbers = data.draw(st.lists(st.integers(0, 2**k - 1), min_size=size, max_size=size))
    return np.array(numbers, dtype=np.uint64).view(np.int64)


def fitted(rows, V, k, U=None):
    """All rows in one block, and the error that the cost stands for."""
    U = np.zeros(rows.shape[0], dtype=np.int64) if U is None else U.copy()
    whole = slice(0, rows.shape[0])
    cost = RowFit(rows, V, k).fit(rows.lists(whole), U, rows.row_weights)
    return U, rows.nothing + cost


def flipped(U, k):
    for i in range(len(U)):
        for u in range(k):
            other = U.copy()
            other[i] ^= np.uint64(1 << u).astype(np.int64)
            yield other


@given(st.data(), large_data(max_side=6), st.integers(1, 4))
def test_few_patterns_are_fitted_exactly(data, rows, k):
    V = codes(data, rows.shape[1], k)
    U, error = fitted(rows, V, k)
    assert error == error_of(rows, U, V)
    for i in range(rows.shape[0]):
        one = rows.take(np.array([i]))
        tried = [error_of(one, np.array([c]), V) for c in range(2**k)]
        assert tried[U[i]] == min(tried)
        for u in range(k):
            if U[i] >> u & 1:
                assert tried[U[i] ^ (1 << u)] > tried[U[i]]


@pytest.mark.parametrize("k", [13, 20, 64])
@given(st.data(), large_data(max_side=5))
@settings(max_examples=30)
def test_many_patterns_are_fitted_until_no_flip_pays(k, data, rows):
    V, start = codes(data, rows.shape[1], k), codes(data, rows.shape[0], k)
    U, error = fitted(rows, V, k, start)
    assert error == error_of(rows, U, V) <= error_of(rows, start, V)
    used = [u for u in range(k) if (V.view(np.uint64) >> np.uint64(u) & np.uint64(1)).any()]
    for i in range(rows.shape[0]):
        one = rows.take(np.array([i]))
        own = error_of(one, U[i : i + 1], V)
        for u in used[:6]:
            other = U[i : i + 1] ^ np.uint64(1 << u).astype(np.int64)
            assert error_of(one, other, V) >= own


@given(st.data(), large_data(max_side=5), st.integers(1, 3), st.booleans())
def test_a_sweep_fits_rows_and_then_columns(data, rows, k, is_exact):
    V = codes(data, rows.shape[1], k)
    kept, refit._TABLE_CELLS = refit._TABLE_CELLS, refit._TABLE_CELLS if is_exact else 0
    try:
        found, is_whole = sweep(rows, V, k, stop=Stop(), executor=SERIAL)
    finally:
        refit._TABLE_CELLS = kept
    assert is_whole
    U, _ = fitted(rows, V, k)
    assert (found.U == U).all()
    assert found.error == error_of(rows, U, found.V)
    for j in range(rows.shape[1]):
        tried = {}
        for c in range(2**k):
            other = V.copy()
            other[j] = c
            tried[c] = error_of(rows, U, other)
        near = [V[j], *(V[j] ^ (1 << u) for u in range(k))]
        best = min(tried.values()) if is_exact else min(tried[c] for c in near)
        assert tried[found.V[j]] == best


@given(st.data(), large_data(max_side=5), st.sampled_from([2, 14]))
@settings(max_examples=40)
def test_refining_and_counting_agree(data, rows, k):
    V = codes(data, rows.shape[1], k)
    found = refine(rows, V, k, stop=Stop(), executor=SERIAL)
    counts = count(rows, found.U, found.V, executor=SERIAL)
    prices = (rows.missed_one_cost, rows.false_one_cost)
    assert found.error == prices[0] * counts.missed_ones + prices[1] * counts.false_ones
    first, _ = sweep(rows, V, k, stop=Stop(), executor=SERIAL)
    assert found.error <= first.error


@given(st.data(), large_data(max_side=5), st.integers(1, 3))
@settings(max_examples=40)
def test_covers_of_zeros_are_counted_as_often_as_they_are_covered(data, rows, k):
    U, V = codes(data, rows.shape[0], k), codes(data, rows.shape[1], k)
    values, expected = rows.rows.values(slice(None)), 0
    for i, j in np.argwhere(values == 0):
        row = int(rows.row_weights[i]) if len(rows.row_weights) else 1
        column = int(rows.column_weights[j]) if len(rows.column_weights) else 1
        expected += bin(int(U[i]) & int(V[j])).count("1") * row * column
    assert count(rows, U, V, executor=SERIAL).covers_of_zeros == expected


@pytest.fixture(scope="module")
def many_blocks():
    rng = np.random.default_rng(0)
    return prepare(PackedMatrix.from_dense((rng.random((6000, 300)) < 0.4).astype(np.int8)))


@pytest.mark.parametrize("k", [4, 14])
def test_workers_change_nothing(many_blocks, k):
    assert len(many_blocks.blocks()) > 2
    V = np.random.default_rng(1).integers(0, 2**k, 300)
    one, _ = sweep(many_blocks, V, k, stop=Stop(), executor=SERIAL)
    with make_executor(3) as executor:
        three, _ = sweep(many_blocks, V, k, stop=Stop(), executor=executor)
        counts = count(many_blocks, three.U, three.V, executor=executor)
    assert (one.U == three.U).all()
    assert (one.V == three.V).all()
    assert one.error == three.error == counts.missed_ones + counts.false_ones


def test_a_sweep_that_is_stopped_says_what_it_reached(many_blocks):
    calls = []
    stop = Stop().child(until=lambda: calls.append(0) or len(calls) > 2)
    V = np.random.default_rng(1).integers(0, 16, 300)
    found, is_whole = sweep(many_blocks, V, 4, stop=stop, executor=SERIAL)
    assert not is_whole
    assert (found.V == V).all()
    assert found.U.any()
    assert not found.U[-1]
    counts = count(many_blocks, found.U, found.V, executor=SERIAL)
    assert found.error == counts.missed_ones + counts.false_ones
