"""Candidates for what is not covered, counted cell by cell."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.datasets.planted import planted
from boolfact.large.associations import best_candidate, candidate_gains, uncovered_together
from boolfact.large.data import prepare
from boolfact.model.packed import PackedMatrix
from large.rows import cell_costs, large_data


def random_codes(rows, seed):
    rng = np.random.default_rng(seed)
    n, m = rows.shape
    return rng.integers(0, 4, n), rng.integers(0, 4, m), rng


@given(large_data(max_side=5), st.integers(0, 100))
@settings(max_examples=50)
def test_ones_that_come_together_are_counted(rows, seed):
    U, V, rng = random_codes(rows, seed)
    n, m = rows.shape
    slots = np.full(m, -1)
    slots[int(rng.integers(m))] = 0
    together = np.zeros((1, m), dtype=np.int64)
    lists = rows.lists(slice(0, n))
    uncovered_together(lists, U, V, slots, rows.row_weights, together)
    free = (rows.rows.values(slice(None)) == 1) & ((U[:, None] & V) == 0)
    weights = rows.row_weights if len(rows.row_weights) else np.ones(n, dtype=np.int64)
    expected = (free * weights[:, None])[free[:, slots == 0][:, 0]].sum(axis=0)
    assert (together[0] == expected).all()


@given(large_data(max_side=5), st.integers(0, 100))
@settings(max_examples=50)
def test_gains_are_those_of_the_rows_where_a_candidate_pays(rows, seed):
    U, V, rng = random_codes(rows, seed)
    n, m = rows.shape
    candidate = rng.random(m) < 0.5
    columns = rows.column_weights if len(rows.column_weights) else np.ones(m, dtype=np.int64)
    credit = rows.credits[0] * columns
    gains = np.zeros(1, dtype=np.int64)
    price = np.array([rows.column_prices()[candidate].sum()])
    lists = rows.lists(slice(0, n))
    codes = candidate.astype(np.int64)
    candidate_gains(lists, U, V, codes, credit, price, rows.row_weights, gains)
    free = (rows.rows.values(slice(None)) == 1) & ((U[:, None] & V) == 0)
    weights = rows.row_weights if len(rows.row_weights) else np.ones(n, dtype=np.int64)
    earned = (free * credit)[:, candidate].sum(axis=1) - price[0]
    assert gains[0] == (np.maximum(earned, 0) * weights).sum()
    # What it would really save is no less: zeros that are covered already cost nothing.
    zeros, ones = cell_costs(rows)
    saved = np.where((U[:, None] & V) == 0, ones - zeros, 0)[:, candidate].sum(axis=1)
    assert np.maximum(saved, 0).sum() >= gains[0]


def test_the_pattern_that_is_missing_is_proposed():
    example = planted(500, 30, 2, noise=0.01, seed=2)
    rows = prepare(PackedMatrix.from_dense(example.matrix.values))
    U, V = example.factors.A[:, 0].astype(np.int64), example.factors.B[0].astype(np.int64)
    found = best_candidate(rows, U, V, np.random.default_rng(0))
    missing = example.factors.B[1] & ~example.factors.B[0]
    assert (found & ~example.factors.B[0] == missing).mean() > 0.9


def test_nothing_is_proposed_where_nothing_is_uncovered():
    rows = prepare(PackedMatrix.from_dense(np.ones((3, 4), dtype=np.int8)))
    U, V = np.ones(3, dtype=np.int64), np.ones(4, dtype=np.int64)
    assert best_candidate(rows, U, V, np.random.default_rng(0)) is None
