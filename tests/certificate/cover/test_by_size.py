"""The search by size: any order proves what is true, and nothing below."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate.cover import by_size, search, weigh
from boolfact.certificate.cover.circle import read_circle
from boolfact.certificate.cover.search import prove_worth_at_most
from boolfact.certificate.search import Answer
from boolfact.model.matrix import BinaryMatrix
from certificate.cover.test_lift import scaled
from certificate.cover.test_search import hard_cover, least_limit, random_matrix
from certificate.covers import Cover, random_cover
from certificate.covers import random_order as random_order_of

SEEDS = st.integers(0, 2**32 - 1)


def random_order(rng, m):
    return read_circle(random_order_of(rng, m), m)


def plain_order(m):
    return read_circle({"order": list(range(m))}, m)


def worths(cover):
    """What each set of columns is worth, by the definition."""
    columns = range(cover.shape[1])
    for size in range(len(columns) + 1):
        for b in itertools.combinations(columns, size):
            yield sum(
                max(0, p - sum(x for ((i, c), f), x in cover.charges.items() if f == e and c in b))
                for e, p in cover.prices.items()
                if e[1] in b
            )


def settle(cover, order, values):
    """Proved at the truth and above; a unit below refuted, with exactly the worth that there is."""
    duals, omega = cover.duals(), max(values)
    for slack in (0, 1, 5):
        found = prove_worth_at_most(duals, omega + slack, circle=order)
        assert found.answer is Answer.PROVED
        assert found.upper_bound == omega + slack
    for limit in {omega - 1, omega // 2, 0}:
        if 0 <= limit < omega:
            found = prove_worth_at_most(duals, limit, circle=order)
            assert found.answer is Answer.REFUTED
            assert limit < found.value <= omega <= found.upper_bound
            assert found.value in values


@given(SEEDS)
@settings(max_examples=400, deadline=None)
def test_every_order_proves_what_is_true_and_nothing_below(seed):
    rng = np.random.default_rng(seed)
    cover = random_cover(rng, random_matrix(rng), most=1)
    values = set(worths(cover))
    assert max(values) == cover.omega()
    for _ in range(2):
        settle(cover, random_order(rng, cover.shape[1]), values)


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_more_columns(seed):
    rng = np.random.default_rng(seed)
    cover = random_cover(rng, random_matrix(rng, most_rows=6, most_columns=10), most=1)
    settle(cover, random_order(rng, cover.shape[1]), set(worths(cover)))


@given(SEEDS, st.integers(1, 45))
@settings(max_examples=100, deadline=None)
def test_numbers_of_any_size_are_as_right(seed, doublings):
    rng = np.random.default_rng(seed)
    small = random_cover(rng, random_matrix(rng), most=1)
    values = {x * 2**doublings for x in worths(small)}
    settle(scaled(small, 2**doublings), random_order(rng, small.shape[1]), values)


@pytest.mark.parametrize("doublings", range(17, 24))
def test_at_the_edge_of_32_bits(doublings):
    """Sums of a column and charges on a one are each just below and just above what fits."""
    rng = np.random.default_rng(doublings)
    for rows in (1, 7, 8, 9):
        matrix = BinaryMatrix((rng.random((rows, 7)) < 0.5).astype(np.int8))
        small = random_cover(rng, matrix, most=1, scale=37)
        values = {x * 2**doublings for x in worths(small)}
        settle(scaled(small, 2**doublings), random_order(rng, 7), values)


def test_32_bits_only_where_they_suffice():
    """One column of three ones, and another that charges them."""
    prices = {(0, 0): 2**28, (1, 0): 2**28, (2, 0): 2**28 - 1, (3, 1): 1}
    order = plain_order(2)

    def kind(charge, size):
        charges = {((0, 1), (0, 0)): charge}
        cover = Cover((4, 2), 2**32, [[i] for i in range(4)], prices, charges)
        steps = weigh.weigh(cover.duals(), order).steps(size)
        assert steps[1, 0] == 2**28 - size * charge
        return steps.dtype

    assert kind(2**29, 1) == kind(2**29, 2) == np.int32
    assert kind(2**30 - 1, 2) == np.int32
    assert kind(2**30, 2) == np.int64
    prices[2, 0] = 2**30
    assert kind(1, 1) == np.int32
    assert kind(1, 2) == np.int64


def test_figures_that_may_not_fit_stay_open(monkeypatch):
    cover = Cover((1, 2), 2**59, [[0]], {(0, 0): 2**59, (0, 1): 1}, {})
    found = prove_worth_at_most(cover.duals(), 2**59, circle=plain_order(2))
    assert found.answer is Answer.OPEN
    assert found.upper_bound == 2**59 + 1
    cover = Cover((1, 2), 2**50, [[0]], {(0, 0): 2**50, (0, 1): 1}, {})
    found = prove_worth_at_most(cover.duals(), 2**50, circle=plain_order(2))
    assert (found.answer, found.value) == (Answer.REFUTED, 2**50 + 1)
    monkeypatch.setattr(weigh, "_MOST_NUMBERS", 10)
    found = prove_worth_at_most(cover.duals(), 2**50, circle=plain_order(2))
    assert found.answer is Answer.OPEN


def test_it_agrees_with_the_walk():
    cover = hard_cover(rows=12, columns=12, most=1)
    omega = least_limit(cover.duals())
    rng = np.random.default_rng(5)
    for factor in (1, 2**30):
        duals, order = scaled(cover, factor).duals(), random_order(rng, 12)
        assert prove_worth_at_most(duals, omega * factor, circle=order).answer is Answer.PROVED
        found = prove_worth_at_most(duals, omega * factor - 1, circle=order)
        assert (found.answer, found.value) == (Answer.REFUTED, omega * factor)


def test_many_columns():
    """Two kinds of rows that share no column: the best rectangle takes one kind."""
    n, m = 8, 80
    values = np.zeros((n, m), dtype=np.int8)
    values[: n // 2, : m // 2] = values[n // 2 :, m // 2 :] = 1
    prices = {(int(i), int(j)): 2 for i, j in np.argwhere(values == 1)}
    charges = {((i, c), (i, (c + 40) % m)): 2 for i, c in np.argwhere(values == 0).tolist()}
    cover = Cover((n, m), 2, [[i] for i in range(n)], prices, charges)
    order = [j for pair in zip(range(m // 2), range(m // 2, m), strict=True) for j in pair]
    circle = read_circle({"order": order}, m)
    omega = 2 * (n // 2) * (m // 2)
    duals = cover.duals()
    found = prove_worth_at_most(duals, 3, circle=circle)
    # The sets of one column come first.
    assert (found.answer, found.value) == (Answer.REFUTED, n)
    found = prove_worth_at_most(duals, omega * 15 // 8, circle=circle)
    assert found.answer is Answer.PROVED
    assert found.nodes > m


def test_the_search_can_be_stopped_anywhere(monkeypatch):
    cover = hard_cover(rows=10, columns=10, most=1)
    duals, order = cover.duals(), random_order(np.random.default_rng(1), 10)
    omega = least_limit(duals)
    at_once = prove_worth_at_most(duals, omega, circle=order)
    calls = []
    monkeypatch.setattr(by_size, "_WORK_BUDGET", 1)
    in_steps = prove_worth_at_most(duals, omega, circle=order, report=calls.append)
    assert in_steps.answer is at_once.answer is Answer.PROVED
    assert in_steps.nodes == at_once.nodes == calls[-1]
    assert calls == sorted(calls)
    assert len(calls) > 10


def test_out_of_time_a_weaker_limit_is_proved(monkeypatch):
    cover = hard_cover(most=1)
    duals, order = cover.duals(), random_order(np.random.default_rng(2), 14)
    omega = least_limit(duals)
    # The clock stands still until the first search has used up its part of the time.
    calls = itertools.count()
    monkeypatch.setattr(search.time, "monotonic", lambda: 0.0 if next(calls) == 0 else 7.0)
    found = prove_worth_at_most(duals, omega, circle=order, deadline=10.0)
    assert found.answer is Answer.OPEN
    assert omega < found.upper_bound < duals.total
    found = prove_worth_at_most(duals, omega, circle=order, deadline=5.0)
    assert found.answer is Answer.OPEN
    assert found.upper_bound == duals.total


def test_a_deadline_in_the_past_is_kept():
    cover = hard_cover(rows=40, columns=22, most=1)
    order = random_order(np.random.default_rng(3), 22)
    found = prove_worth_at_most(cover.duals(), 1, circle=order, deadline=time.monotonic() - 1)
    assert found.answer is Answer.OPEN
    assert math.isfinite(found.upper_bound)


def test_an_order_without_a_price_has_nothing_to_prove():
    cover = Cover((2, 3), 1, [[0], [1]], {}, {})
    assert prove_worth_at_most(cover.duals(), 0, circle=plain_order(3)).answer is Answer.PROVED
