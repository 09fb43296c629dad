"""The verifier's own search: proofs are right, refutations have a witness, nothing is lost."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.certificate import search, tree
from boolfact.certificate.search import Outcome, prove_at_most

import naive

UNIT = 2.0**24


@st.composite
def worths(draw, max_side=7):
    n, m = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    low, high = draw(st.sampled_from([(-9, 9), (-3, 1), (-1, 3), (-9, 0), (0, 9), (-1, 1)]))
    H = draw(hnp.arrays(np.int64, (n, m), elements=st.integers(low, high)))
    copies = st.integers(1, 3)
    columns = draw(hnp.arrays(np.int64, m, elements=copies))
    rows = draw(hnp.arrays(np.int64, n, elements=copies))
    return H, columns, rows


@given(worths(), st.integers(0, 3))
def test_it_proves_what_is_true_and_nothing_below(case, slack):
    H, columns, rows = case
    omega = naive.largest_worth(H)
    proof = prove_at_most(H, omega + slack, column_copies=columns, row_copies=rows)
    assert proof.outcome is Outcome.PROVED
    assert proof.upper_bound == omega + slack
    for limit in {omega - 1, omega // 2, 0}:
        if 0 <= limit < omega:
            proof = prove_at_most(H, limit, column_copies=columns, row_copies=rows)
            assert proof.outcome is Outcome.REFUTED
            assert limit < proof.value <= omega <= proof.upper_bound
            assert H[np.ix_(proof.a, proof.b)].sum() == proof.value


@given(worths())
def test_the_tree_finds_what_the_first_look_misses(case):
    H, columns, rows = case
    omega = naive.largest_worth(H)
    if omega == 0:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_good_rectangle", lambda H: (
            0, np.zeros(H.shape[0], dtype=bool), np.zeros(H.shape[1], dtype=bool)))
        proof = prove_at_most(H, omega - 1, column_copies=columns, row_copies=rows)
    assert proof.outcome is Outcome.REFUTED
    assert H[np.ix_(proof.a, proof.b)].sum() == proof.value == omega


@given(worths(), st.integers(1, 60))
def test_out_of_time_it_reports_a_valid_bound(case, pieces):
    H, columns, rows = case
    omega = naive.largest_worth(H)
    clock = iter(range(10**9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search.time, "monotonic", lambda: next(clock))
        patch.setattr(search, "_WORK_BUDGET", 1)
        proof = prove_at_most(H, omega, column_copies=columns, row_copies=rows,
                              deadline=pieces)
    assert proof.outcome in (Outcome.PROVED, Outcome.OPEN)
    assert proof.upper_bound >= omega


def test_out_of_time_at_once_leaves_it_open():
    rng = np.random.default_rng(0)
    H = rng.integers(-20, 16, (12, 12))
    # Far above what alternation finds, below what a first bound excludes.
    reached = prove_at_most(H, 10**6).value
    proof = prove_at_most(H, reached, deadline=time.monotonic() - 1)
    assert proof.outcome is Outcome.OPEN
    assert proof.upper_bound >= reached
    assert prove_at_most(H, reached).nodes > 0


@given(worths(), st.integers(1, 7))
def test_the_bound_of_a_node_is_that_of_its_twin(case, t):
    H = case[0]
    n, m = H.shape
    t = min(t, m)
    price = np.maximum(0, -H.min(axis=1)).astype(float)
    G = H + price[:, None]
    frames, cells = np.zeros((1, tree.FRAME), dtype=np.int64), np.zeros(tree.frame_size(n, m))
    tree.first_frame(G, price, t, frames, cells)
    bound, _, _ = tree.node_bound(cells, frames[0], UNIT, np.empty(m), np.empty(m))
    exact = naive.chord_bound(-t * price, G, t)
    # A slope is rounded up by at most one unit.
    assert exact <= Fraction(bound) <= exact + Fraction(int(G.sum())) / Fraction(UNIT)
    best = max(sum(max(0, int(x)) for x in H[:, b].sum(axis=1))
               for b in naive.binary_vectors(m) if b.sum() == t)
    assert best <= bound


@given(worths(max_side=5), st.integers(0, 20))
@settings(max_examples=30)
def test_slopes_of_few_digits_stay_valid(case, shift):
    """Large numbers leave little room for slopes: weaker bounds, the same answers."""
    H, columns, rows = case
    H = H * 2**shift
    omega = naive.largest_worth(H)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_MOST_SLOPE_BITS", 4)
        assert prove_at_most(H, omega, column_copies=columns).outcome is Outcome.PROVED
        if omega:
            assert prove_at_most(H, omega - 1, row_copies=rows).outcome is Outcome.REFUTED


def test_numbers_too_large_for_exact_arithmetic_are_refused():
    H = np.array([[2**50, -(2**50)], [-1, 2**50]])
    with pytest.raises(OverflowError, match="too large for exact arithmetic"):
        prove_at_most(H, 2**51)


def test_copies_with_a_huge_common_multiple_are_merged_instead():
    H = np.array([[5, -3, 2, 1], [-2, 4, 1, -1]])
    copies = np.array([4093, 4091, 4079, 4073])
    omega = naive.largest_worth(H)
    assert prove_at_most(H, omega, row_copies=10**5 * np.ones(2, int),
                         column_copies=copies).outcome is Outcome.PROVED


def test_a_negative_limit_is_refused():
    with pytest.raises(ValueError, match="limit must not be negative, got -1"):
        prove_at_most(np.array([[1]]), -1)


def test_the_arena_grows_with_the_search():
    rng = np.random.default_rng(3)
    H = rng.integers(-10, 10, (14, 14))
    omega = naive.largest_worth(H)
    sizes = []
    original = search.np.concatenate

    def growing(parts):
        sizes.append(len(parts[0]))
        return original(parts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search.np, "concatenate", growing)
        assert prove_at_most(H, omega).outcome is Outcome.PROVED
    assert sizes


def test_progress_counts_nodes():
    rng = np.random.default_rng(0)
    H = rng.integers(-20, 16, (12, 12))
    seen = []
    proof = prove_at_most(H, prove_at_most(H, 10**6).value + 5,
                          report=lambda *counts: seen.append(counts))
    assert proof.outcome is not Outcome.OPEN
    assert seen[-1][0] == proof.nodes
    assert all(done < trees for _, done, trees in seen)
    assert math.isfinite(proof.seconds)
