"""The search over columns: right for any circle, and to the end."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate.columns import search
from boolfact.certificate.columns.search import Circle, is_too_large, prove_gain_below
from boolfact.certificate.columns.walk import DEPTH, DONE, FOUND, UNFINISHED, advance, make_walk
from boolfact.certificate.search import Answer
from certificate.circles import random_shares, random_usual

import naive

SEEDS = st.integers(0, 2**32 - 1)
KINDS = st.sampled_from([np.int16, np.int32, np.int64])


def random_columns(rng, k, most=4096):
    """Small enough to try all choices."""
    m = int(rng.integers(1, {1: 7, 2: 6, 3: 5}[k]))
    n = int(rng.integers(1, 6))
    columns = rng.integers(-3, 4, (m, n))
    assert (1 << k) ** m <= most
    return columns


@given(SEEDS, st.integers(1, 3), KINDS, st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_the_walk_finds_choices_that_gain_what_is_needed_if_there_are_any(seed, k, kind, budget):
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, k)
    needed = np.sort(rng.integers(-1, 9, len(columns)))
    if rng.random() < 0.3:
        needed = rng.permutation(needed)
    m, n = columns.shape
    shifts = rng.integers(-2, 3, (m, k, n)) * int(rng.random() < 0.6)
    expected = naive.choices_with_gains(columns.T, needed, k, shifts)
    lifts = np.cumsum(shifts, axis=0).astype(kind)
    walk = make_walk(columns.astype(kind), needed.astype(np.int64), lifts, k)
    code = UNFINISHED
    while code == UNFINISHED:
        code = advance(walk, budget)
    if not expected:
        assert code == DONE
        return
    assert code == FOUND
    assert walk.state[DEPTH] == len(columns) - 1
    assert tuple(walk.at[: len(columns)].tolist()) in expected


@given(SEEDS, st.integers(1, 3))
@settings(max_examples=200, deadline=None)
def test_rectangles_in_another_order_are_not_looked_at_again(seed, k):
    """Every set of rectangles comes once: one node more for each column of each."""
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, k)
    m = len(columns)
    nodes = 0
    lifts = np.zeros((m, k, columns.shape[1]), dtype=columns.dtype)
    walk = make_walk(columns, np.append(np.full(m - 1, -1), 1 << 40), lifts, k)
    assert advance(walk, 1 << 40) == DONE
    for depth in range(1, m + 1):
        sides = itertools.product((0, 1), repeat=depth)
        nodes += math.comb(len(list(sides)) + k - 1, k)
    assert walk.state[1] == nodes


@given(SEEDS, st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_any_circle_proves_what_is_true_and_nothing_else(seed, k):
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, k)
    m = len(columns)
    every = itertools.product(range(1 << k), repeat=m)
    best = max(naive.gain_of_choices(columns.T, x, k) for x in every)
    scale = 2 * m
    for target in {1, best - 1, best, best + 1, best + 3}:
        if target < 1:
            continue
        total = int(rng.integers(m, scale * target + 1)) if rng.random() < 0.4 else scale * target
        shares = [int(x) for x in random_shares(rng, m, total)]
        usual = [int(x) for x in random_usual(rng, m)]
        circle = Circle(columns, shares, scale, usual)
        found = prove_gain_below(circle, k, target)
        if target > best:
            assert found.answer is Answer.PROVED
            assert found.starts == m
        else:
            assert found.answer is Answer.REFUTED
            assert target <= found.gain <= best
            assert naive.gain_of_choices(columns.T, found.choices, k) == found.gain


@given(SEEDS, st.integers(1, 3), st.sampled_from([1, 10**4, 10**9, 10**17]))
@settings(max_examples=100, deadline=None)
def test_figures_of_any_size(seed, k, factor):
    """In numbers of 16, 32 or 64 bits: the answer does not change, and the gain grows."""
    rng = np.random.default_rng(seed)
    columns = random_columns(rng, k)
    m = len(columns)
    usual = [int(x) for x in random_usual(rng, m)]
    small = prove_gain_below(Circle(columns, [1] * m, m, usual), k, 1)
    large = prove_gain_below(Circle(columns * factor, [1] * m, m, usual), k, 1)
    assert large.answer is small.answer
    if small.answer is Answer.REFUTED:
        best = 1 + max(
            naive.gain_of_choices(columns.T, x, k)
            for x in itertools.product(range(1 << k), repeat=m)
        )
        below = Circle(columns * factor, [1] * m, m, usual)
        assert prove_gain_below(below, k, (best - 1) * factor).gain == (best - 1) * factor
        assert prove_gain_below(below, k, (best - 1) * factor + 1).answer is Answer.PROVED


@pytest.mark.parametrize("most", [2**15 - 1, 2**15, 2**31 - 1, 2**31, 2**61])
def test_sums_at_the_edge_of_a_type(most):
    half = most // 2
    columns = np.array([[half, -half], [most - half, -(most - half)]])
    circle = Circle(columns, [1, 1], 1)
    assert prove_gain_below(circle, 1, most).gain == most
    assert prove_gain_below(circle, 1, most + 1).answer is Answer.PROVED
    assert prove_gain_below(Circle(-columns, [1, 1], 1), 2, most + 1).answer is Answer.PROVED


def test_shares_above_the_target_are_refused():
    with pytest.raises(ValueError, match="more than the target"):
        prove_gain_below(Circle(np.ones((2, 1), dtype=np.int64), [2, 1], 1), 1, 2)


def test_out_of_time_it_is_open(monkeypatch):
    rng = np.random.default_rng(0)
    columns = rng.integers(-2, 3, (30, 40))
    circle = Circle(columns, [1] * 30, 30)
    found = prove_gain_below(circle, 2, 10**6, deadline=time.monotonic() - 1)
    assert found.answer is Answer.OPEN
    assert found.starts == found.nodes == 0
    # In the middle: the clock goes on by one with each call of the kernel.
    clock = itertools.count()
    monkeypatch.setattr(search.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(search, "_WORK_BUDGET", 1)
    seen = []
    target = int(np.maximum(columns, 0).sum())
    found = prove_gain_below(circle, 2, target, deadline=20, report=seen.append)
    assert found.answer is Answer.OPEN
    assert seen == sorted(seen)
    assert found.nodes == seen[-1] > 0


@pytest.mark.parametrize(
    ("sizes", "too_large"),
    [
        ((200, 100, 2), False),
        ((1, 1, 16), False),
        ((1, 1, 17), True),
        ((1, 4096, 1), False),
        ((1, 4097, 1), True),
        ((2**13, 2**13 - 1, 2), True),
        ((2**17, 2**10 - 1, 1), False),
        ((2**17 + 1, 2**10 - 1, 1), True),
        ((1, 1, 10**30), True),
    ],
)
def test_what_is_beyond_any_search(sizes, too_large):
    assert is_too_large(*sizes) is too_large
