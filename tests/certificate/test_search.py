"""The verifier's own search: proofs are right, refutations have a witness, nothing is lost."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.certificate import arcs, search
from boolfact.certificate.search import Answer, prove_at_most

import naive


@st.composite
def worths(draw, max_side=7):
    n, m = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    low, high = draw(st.sampled_from([(-9, 9), (-3, 1), (-1, 3), (-9, 0), (0, 9), (-1, 1)]))
    return draw(hnp.arrays(np.int64, (n, m), elements=st.integers(low, high)))


def look_nowhere(H):
    return 0, np.zeros(H.shape[0], dtype=bool), np.zeros(H.shape[1], dtype=bool)


def hard_matrix():
    return np.random.default_rng(0).integers(-20, 16, (12, 12))


@given(worths(), st.integers(0, 3))
@settings(max_examples=200)
def test_it_proves_what_is_true_and_nothing_below(H, slack):
    omega = naive.largest_worth(H)
    proof = prove_at_most(H, omega + slack)
    assert proof.answer is Answer.PROVED
    assert proof.upper_bound == omega + slack
    for limit in {omega - 1, omega // 2, 0}:
        if 0 <= limit < omega:
            proof = prove_at_most(H, limit)
            assert proof.answer is Answer.REFUTED
            assert limit < proof.value <= omega <= proof.upper_bound
            assert H[np.ix_(proof.a, proof.b)].sum() == proof.value


@given(worths())
@settings(max_examples=200)
def test_the_tree_finds_what_the_first_look_misses(H):
    omega = naive.largest_worth(H)
    if omega == 0:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_good_rectangle", look_nowhere)
        proof = prove_at_most(H, omega - 1)
    assert proof.answer is Answer.REFUTED
    assert H[np.ix_(proof.a, proof.b)].sum() == proof.value == omega


@given(worths(max_side=5), st.data())
def test_every_set_has_a_place_from_which_all_arcs_carry_their_share(H, data):
    """The theorem, for any shares that add up to the worth of the set."""
    columns = [[int(h) for h in column] for column in H.T]
    m = len(columns)
    chosen = data.draw(st.lists(st.booleans(), min_size=m, max_size=m))
    parts = data.draw(st.lists(st.integers(0, 5), min_size=m, max_size=m))
    if not any(chosen) or not any(parts):
        return
    worth = naive.sum_of_positive([columns[j] for j in range(m) if chosen[j]])
    shares = [Fraction(part * worth, sum(parts)) for part in parts]
    assert naive.good_starts(columns, chosen, shares)


@given(worths(), st.integers(1, 3), st.data())
def test_the_kernel_keeps_exactly_the_sets_whose_prefixes_carry_their_shares(H, budget, data):
    """From one place: FOUND if and only if some set passes every prefix."""
    columns = np.ascontiguousarray(H.T)
    m, n = columns.shape
    steps = data.draw(st.lists(st.integers(0, 6), min_size=m, max_size=m))
    shares = np.concatenate([[0], np.cumsum(steps)])
    reach = np.zeros((m + 1, n), dtype=np.int64)
    for r in range(m):
        reach[r] = np.maximum(columns[r:], 0).sum(axis=0)
    state, stack = np.zeros(2, dtype=np.int64), np.zeros((m + 1, 3), dtype=np.int64)
    answer = arcs.UNFINISHED
    sums = np.zeros((m + 1, n), dtype=np.int64)
    while answer == arcs.UNFINISHED:
        answer = arcs.advance(columns, reach, shares, sums, stack, state, budget)
    passing = [
        b
        for b in naive.binary_vectors(m)
        if all(
            np.maximum(columns[:r][b[:r]].sum(axis=0), 0).sum() >= shares[r] for r in range(m + 1)
        )
    ]
    assert (answer == arcs.FOUND) == bool(passing)
    if answer == arcs.FOUND:
        b = np.zeros(m, dtype=bool)
        b[stack[: state[arcs.DEPTH], 2]] = True
        assert any((b == other).all() for other in passing)


def passes_from_one_place(columns, shares):
    """Whether every prefix of some set carries its share."""
    m = len(columns)
    sets = np.array(list(naive.binary_vectors(m)), dtype=np.int64)
    fits = np.ones(len(sets), dtype=bool)
    for r in range(m + 1):
        fits &= np.maximum(sets[:, :r] @ columns[:r], 0).sum(axis=1) >= shares[r]
    return bool(fits.any())


def test_the_kernel_leaves_out_no_set():
    """Mistakes in the way back show in one of a hundred matrices, so there are many."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(3000):
        n, m = (int(x) for x in rng.integers(1, 7, 2))
        columns = rng.integers(-5, 6, (m, n))
        shares = np.concatenate([[0], np.cumsum(rng.integers(0, 7, m))])
        reach = np.zeros((m + 1, n), dtype=np.int64)
        for r in range(m):
            reach[r] = np.maximum(columns[r:], 0).sum(axis=0)
        stack = np.zeros((m + 1, 3), dtype=np.int64)
        sums, state = np.zeros((m + 1, n), dtype=np.int64), np.zeros(2, dtype=np.int64)
        answer = arcs.advance(columns, reach, shares, sums, stack, state, 10**6)
        assert (answer == arcs.FOUND) == passes_from_one_place(columns, shares)
        found += answer == arcs.FOUND
    assert 300 < found < 2700


@given(worths(), st.integers(1, 60))
def test_out_of_time_it_reports_a_valid_bound(H, pieces):
    omega = naive.largest_worth(H)
    clock = iter(range(10**9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search.time, "monotonic", lambda: next(clock))
        patch.setattr(search, "_WORK_BUDGET", 1)
        proof = prove_at_most(H, omega, deadline=pieces)
    assert proof.answer in (Answer.PROVED, Answer.OPEN)
    assert proof.upper_bound >= omega


def test_out_of_time_at_once_leaves_it_open():
    H = hard_matrix()
    reached = prove_at_most(H, 10**6).value
    proof = prove_at_most(H, reached, deadline=time.monotonic() - 1)
    assert proof.answer is Answer.OPEN
    assert proof.upper_bound == H[H > 0].sum()
    assert prove_at_most(H, reached).nodes > 0


def test_out_of_time_it_proves_something_weaker(monkeypatch):
    """The first part of the time is not enough for the limit, the rest is for twice as much."""
    H = hard_matrix()
    omega = naive.largest_worth(H)
    done = []
    original = search._Circle.search

    def impatient(circle, target, deadline, report):
        done.append(target)
        return (
            original(circle, target, deadline, report) if target > 1.9 * omega else arcs.UNFINISHED
        )

    monkeypatch.setattr(search._Circle, "search", impatient)
    proof = prove_at_most(H, omega)
    assert proof.answer is Answer.OPEN
    assert omega < proof.upper_bound == math.ceil(2.0 * omega)
    assert done[0] == omega + 1


def test_sums_beyond_32_bits_are_exact():
    H = hard_matrix() * 2**40 + 1
    omega = naive.largest_worth(H)
    assert omega > 2**33
    assert prove_at_most(H, omega).answer is Answer.PROVED
    assert prove_at_most(H, omega - 1).answer is Answer.REFUTED


def test_numbers_too_large_for_exact_arithmetic_are_refused():
    H = np.array([[2**61, -(2**61)], [-1, 2**61]])
    with pytest.raises(OverflowError, match="too large for 64-bit arithmetic"):
        prove_at_most(H, 2**61)


def test_a_negative_limit_is_refused():
    with pytest.raises(ValueError, match="limit must not be negative, got -1"):
        prove_at_most(np.array([[1]]), -1)


def test_progress_counts_nodes():
    H = hard_matrix()
    seen = []
    proof = prove_at_most(H, naive.largest_worth(H), report=lambda *counts: seen.append(counts))
    assert proof.answer is Answer.PROVED
    assert seen[-1] == (proof.nodes, 11, 12)
    assert math.isfinite(proof.seconds)
