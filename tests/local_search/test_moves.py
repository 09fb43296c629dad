"""Flips, seeds, annealing and chains do what they say to the error."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.local_search.anneal import (
    Schedule,
    anneal_columns,
    apply_flip,
    fill_tables,
    flip_gain,
    make_tables,
)
from boolfact.local_search.chain import Rules, descend, run_chain
from boolfact.local_search.flips import descend_bits, fit_rectangle, flip_rows
from boolfact.local_search.problem import codes_of, make_problem, make_work, masks_of
from boolfact.local_search.seeds import seed_rectangle

import naive
from strategies import factors_of, matrices, matrix_and_factors

GO_ON = np.zeros(1, dtype=np.uint8)


def prepared(matrix, k, seed=5):
    problem = make_problem(matrix.ones, matrix.weights)
    return problem, make_work(problem, max(6, k), np.array([seed], np.uint64), GO_ON.copy())


def error_of(matrix, U, V, k):
    return naive.weighted_error(matrix.ones, matrix.weights, masks_of(U, k), masks_of(V, k).T)


def rules(k, **changes):
    base = {"exact": True, "children": 20, "replaced": 2, "slack": 2.0, "target": -1}
    return Rules(k=k, **{**base, **changes})


@given(matrix_and_factors(), st.data())
def test_one_rectangle_gets_its_best_rows(case, data):
    matrix, factors = case
    u = data.draw(st.integers(0, factors.rank - 1))
    problem, _ = prepared(matrix, factors.rank)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    fit_rectangle(problem.columns, U, V, np.int64(1 << u))
    wanted = naive.best_rows_of_rectangle(matrix.ones, matrix.weights, factors.A, factors.B, u)
    A = masks_of(U, factors.rank)
    assert (A[:, u] == wanted).all()
    assert (np.delete(A, u, axis=1) == np.delete(factors.A, u, axis=1)).all()


@given(matrix_and_factors())
def test_flips_save_what_they_report_and_end_where_no_flip_pays(case):
    matrix, factors = case
    k = factors.rank
    problem, _ = prepared(matrix, k)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    before = error_of(matrix, U, V, k)
    saved = flip_rows(problem.columns, U, V, k, GO_ON)
    assert error_of(matrix, U, V, k) == before - saved
    descend_bits(problem, U, V, k, GO_ON)
    after = error_of(matrix, U, V, k)
    assert after <= before - saved
    for codes in (U, V):
        for i in range(len(codes)):
            for u in range(k):
                codes[i] ^= 1 << u
                assert error_of(matrix, U, V, k) >= after
                codes[i] ^= 1 << u


@given(matrix_and_factors(), st.integers(1, 2**40))
def test_a_new_rectangle_saves_what_it_reports(case, seed):
    matrix, factors = case
    k = factors.rank
    problem, work = prepared(matrix, k, seed)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    material = factors.B.copy()
    gain = seed_rectangle(problem, U, V, np.int64(1), material, work)
    A, B = masks_of(U, k), masks_of(V, k).T
    without = naive.weighted_error(matrix.ones, matrix.weights, A[:, 1:], B[1:])
    assert naive.weighted_error(matrix.ones, matrix.weights, A, B) == without - gain
    assert gain >= 0
    assert (A[:, 1:] == factors.A[:, 1:]).all()
    assert (B[1:] == factors.B[1:]).all()


@given(matrices(max_side=6), st.data())
@settings(max_examples=60)
def test_the_gain_of_a_flip_is_exact_and_the_tables_follow_it(matrix, data):
    factors = data.draw(factors_of(matrix.shape, max_rank=4))
    k, m = factors.rank, matrix.shape[1]
    problem, _ = prepared(matrix, k)
    V = codes_of(factors.B.T)
    tables = make_tables(problem, k)
    total = fill_tables(problem.columns, V, k, tables)
    everything = problem.base + int(problem.rows.sum())
    for j, u in data.draw(
        st.lists(st.tuples(st.integers(0, m - 1), st.integers(0, k - 1)), max_size=6)
    ):
        expected = naive.error_with_best_rows(matrix.ones, matrix.weights, masks_of(V, k).T)
        assert everything - total == expected
        bit = np.int64(1 << u)
        rest = V[j] & ~bit
        costs = -problem.columns[j] if rest == V[j] else problem.columns[j].copy()
        gain = flip_gain(costs, rest, bit, k, tables, -np.inf)
        V[j] ^= bit
        flipped = naive.error_with_best_rows(matrix.ones, matrix.weights, masks_of(V, k).T)
        assert gain == expected - flipped
        apply_flip(costs, rest, bit, k, tables)
        total += gain
    again = make_tables(problem, k)
    fill_tables(problem.columns, V, k, again)
    assert (again.by_set == tables.by_set).all()
    assert (again.by_row == tables.by_row).all()
    assert (again.best == tables.best).all()


@given(matrices(max_side=6), st.integers(1, 2**40), st.data())
@settings(max_examples=40)
def test_annealing_returns_the_error_of_the_best_columns_it_met(matrix, seed, data):
    factors = data.draw(factors_of(matrix.shape, max_rank=3))
    k = factors.rank
    problem, work = prepared(matrix, k, seed)
    V = codes_of(factors.B.T)
    before = naive.error_with_best_rows(matrix.ones, matrix.weights, masks_of(V, k).T)
    best = anneal_columns(problem, V, k, 0, Schedule(5), make_tables(problem, k), work)
    assert best == naive.error_with_best_rows(matrix.ones, matrix.weights, masks_of(V, k).T)
    assert best <= before


@given(matrix_and_factors(), st.booleans(), st.integers(1, 2**40))
@settings(max_examples=60)
def test_a_descent_never_raises_the_error_and_reports_it(case, exact, seed):
    matrix, factors = case
    k = factors.rank
    problem, work = prepared(matrix, k, seed)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    before = error_of(matrix, U, V, k)
    after = descend(problem, U, V, rules(k, exact=exact), work)
    assert after == error_of(matrix, U, V, k) <= before


@given(matrix_and_factors(), st.booleans(), st.integers(1, 2**40))
@settings(max_examples=60)
def test_a_chain_keeps_the_best_it_met(case, exact, seed):
    matrix, factors = case
    k = factors.rank
    problem, work = prepared(matrix, k, seed)
    U, V = codes_of(factors.A), codes_of(factors.B.T)
    before = error_of(matrix, U, V, k)
    error, done = run_chain(problem, U, V, factors.B, rules(k, exact=exact), work)
    assert error == error_of(matrix, U, V, k) <= before
    assert done == 20


def test_a_chain_ends_at_its_target():
    rng = np.random.default_rng(0)
    ones = (rng.random((12, 3)) < 0.4).astype(int) @ (rng.random((3, 10)) < 0.4) > 0
    problem = make_problem(ones, np.ones(ones.shape, np.int64))
    work = make_work(problem, 6, np.array([7], np.uint64), GO_ON.copy())
    U, V = np.zeros(12, np.int64), np.zeros(10, np.int64)
    error, done = run_chain(
        problem, U, V, np.zeros((0, 10), bool), rules(3, target=0, children=100_000), work
    )
    assert error == 0
    assert done < 100_000


def test_kernels_end_at_once_when_asked_to_and_leave_valid_codes():
    rng = np.random.default_rng(0)
    ones = rng.random((40, 30)) < 0.5
    problem = make_problem(ones, np.ones(ones.shape, np.int64))
    work = make_work(problem, 8, np.array([7], np.uint64), np.ones(1, np.uint8))
    U, V = rng.integers(0, 256, 40), rng.integers(0, 256, 30)
    start = U.copy(), V.copy()
    none = np.zeros((0, 30), bool)
    error, done = run_chain(problem, U, V, none, rules(8, children=10**9), work)
    assert done == 0
    assert (start[0] == U).all()
    assert (start[1] == V).all()
    expected = naive.weighted_error(
        ones, np.ones(ones.shape, np.int64), masks_of(U, 8), masks_of(V, 8).T
    )
    assert error == expected
    tables = make_tables(problem, 8)
    assert anneal_columns(problem, V, 8, 0, Schedule(10**9), tables, work) <= expected
