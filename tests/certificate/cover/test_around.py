"""The search around the circle of a part: any circle proves what is true, and nothing below."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate.cover import around, search
from boolfact.certificate.cover.circle import read_circle
from boolfact.certificate.cover.lift import lift
from boolfact.certificate.cover.search import prove_worth_at_most
from boolfact.certificate.search import Answer
from boolfact.model.matrix import BinaryMatrix
from certificate.cover.test_lift import scaled
from certificate.cover.test_search import hard_cover, least_limit, random_matrix
from certificate.covers import Cover, random_cover, random_ring

SEEDS = st.integers(0, 2**32 - 1)


def ring(rng, m):
    return read_circle(random_ring(rng, m), m)


def settle(cover, circle, omega):
    """Proved at the truth and above, refuted below, with a worth that some rectangle has."""
    duals = cover.duals()
    for slack in (0, 1, 5):
        found = prove_worth_at_most(duals, omega + slack, circle=circle)
        assert found.answer is Answer.PROVED
        assert found.upper_bound == omega + slack
    for limit in {omega - 1, omega // 2, 0}:
        if 0 <= limit < omega:
            found = prove_worth_at_most(duals, limit, circle=circle)
            assert found.answer is Answer.REFUTED
            assert limit < found.value <= omega <= found.upper_bound


@given(SEEDS, st.integers(1, 4))
@settings(max_examples=300, deadline=None)
def test_every_circle_proves_what_is_true_and_nothing_below(seed, most):
    rng = np.random.default_rng(seed)
    cover = random_cover(rng, random_matrix(rng), most)
    omega = cover.omega()
    for _ in range(2):
        settle(cover, ring(rng, cover.shape[1]), omega)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_blocks_of_up_to_seven_rows(seed):
    rng = np.random.default_rng(seed)
    cover = random_cover(rng, random_matrix(rng, most_rows=7, most_columns=4), most=7)
    settle(cover, ring(rng, cover.shape[1]), cover.omega())


@given(SEEDS, st.integers(1, 45))
@settings(max_examples=100, deadline=None)
def test_numbers_of_any_size_are_as_right(seed, doublings):
    rng = np.random.default_rng(seed)
    small = random_cover(rng, random_matrix(rng))
    omega = small.omega() * 2**doublings
    settle(scaled(small, 2**doublings), ring(rng, small.shape[1]), omega)


def test_both_types_are_used():
    rng = np.random.default_rng(0)
    cover, circle = hard_cover(), ring(rng, 14)
    small, large = (lift(scaled(cover, factor).duals(), circle) for factor in (1, 2**30))
    assert (small.steps.dtype, large.steps.dtype) == (np.int32, np.int64)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_it_agrees_with_the_walk(most):
    cover = hard_cover(rows=12, columns=12, most=most)
    omega = least_limit(cover.duals())
    rng = np.random.default_rng(most)
    for factor in (1, 2**30):
        settle(scaled(cover, factor), ring(rng, 12), omega * factor)


def test_figures_that_may_not_fit_stay_open():
    cover = Cover((1, 2), 2**59, [[0]], {(0, 0): 2**59, (0, 1): 1}, {})
    found = prove_worth_at_most(cover.duals(), 2**59, circle=ring(np.random.default_rng(0), 2))
    assert found.answer is Answer.OPEN
    assert found.upper_bound == 2**59 + 1


def test_many_columns_that_the_walk_could_not_pass():
    """Two kinds of rows that share no column: the best rectangle takes one kind."""
    n, m = 8, 80
    values = np.zeros((n, m), dtype=np.int8)
    values[: n // 2, : m // 2] = values[n // 2 :, m // 2 :] = 1
    prices = {(int(i), int(j)): 2 for i, j in np.argwhere(values == 1)}
    charges = {}
    for i, c in np.argwhere(values == 0).tolist():
        e = i, (c + m // 2) % m
        charges[(i, c), e] = 2
    cover = Cover((n, m), 2, [[i, i + 1] for i in range(0, n, 2)], prices, charges)
    order = [j for pair in zip(range(m // 2), range(m // 2, m), strict=True) for j in pair]
    circle = read_circle({"order": order, "weights": [1] * m, "usual": [0] * m}, m)
    # Ever so many sets are worth as much as one kind of rows: every column or its counterpart.
    omega = 2 * (n // 2) * (m // 2)
    duals = cover.duals()
    assert prove_worth_at_most(duals, omega - 1).answer is Answer.OPEN
    assert prove_worth_at_most(duals, omega - 1, circle=circle).answer is Answer.REFUTED
    found = prove_worth_at_most(duals, omega * 11 // 10, circle=circle)
    assert found.answer is Answer.PROVED
    assert found.nodes > 0


def test_the_search_can_be_stopped_anywhere(monkeypatch):
    cover = hard_cover(rows=10, columns=10)
    duals, circle = cover.duals(), ring(np.random.default_rng(1), 10)
    omega = least_limit(duals)
    at_once = prove_worth_at_most(duals, omega, circle=circle)
    calls = []
    monkeypatch.setattr(around, "_WORK_BUDGET", 1)
    in_steps = prove_worth_at_most(duals, omega, circle=circle, report=calls.append)
    assert in_steps.answer is at_once.answer is Answer.PROVED
    assert in_steps.nodes == at_once.nodes == calls[-1]
    assert calls == sorted(calls)
    assert len(calls) > 10


def test_out_of_time_a_weaker_limit_is_proved(monkeypatch):
    cover = hard_cover()
    duals, circle = cover.duals(), ring(np.random.default_rng(2), 14)
    omega = least_limit(duals)
    monkeypatch.setattr(around, "_WORK_BUDGET", 1)
    # The clock stands still until the first search has used up its part of the time.
    calls = itertools.count()
    monkeypatch.setattr(search.time, "monotonic", lambda: 0.0 if next(calls) == 0 else 7.0)
    found = prove_worth_at_most(duals, omega, circle=circle, deadline=10.0)
    assert found.answer is Answer.OPEN
    assert omega < found.upper_bound < duals.total
    found = prove_worth_at_most(duals, omega, circle=circle, deadline=5.0)
    assert found.answer is Answer.OPEN
    assert found.upper_bound == duals.total


def test_a_deadline_in_the_past_is_kept():
    cover = hard_cover(rows=40, columns=22)
    circle = ring(np.random.default_rng(3), 22)
    found = prove_worth_at_most(cover.duals(), 1, circle=circle, deadline=time.monotonic() - 1)
    assert found.answer is Answer.OPEN
    assert math.isfinite(found.upper_bound)


def test_a_circle_without_a_price_has_nothing_to_prove():
    matrix = BinaryMatrix(np.zeros((2, 3), dtype=np.int8))
    cover = Cover(matrix.shape, 1, [[0], [1]], {}, {})
    found = prove_worth_at_most(cover.duals(), 0, circle=ring(np.random.default_rng(4), 3))
    assert found.answer is Answer.PROVED
