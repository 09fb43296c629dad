"""Whole levels: nothing is found above the optimum, and something at it."""

import numpy as np
import pytest

from boolfact.column_search.circle import Circle
from boolfact.column_search.level import Gains, count_nodes, exhaust, open_level
from boolfact.control.executor import ThreadExecutor
from boolfact.datasets.planted import planted
from colgen.cover.points import random_matrix

import naive


def example(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    k = int(rng.integers(1, 4)) if m < 4 else int(rng.integers(1, 3))
    matrix = random_matrix(rng, n, m)
    best = naive.best_error(matrix.values, matrix.weights, k)
    usual = rng.integers(0, 1001, size=m) * (rng.random() < 0.7)
    circle = Circle(rng.permutation(m), rng.uniform(0.01, 1.0, size=m), usual)
    return Gains.of(matrix.values, matrix.weights, k), circle, best


@pytest.mark.parametrize("seed", range(120))
def test_a_level_finds_what_there_is(seed):
    gains, circle, best = example(seed)
    for error in range(1, gains.total + 1):
        target = gains.target(error)
        level = exhaust(gains, circle, target)
        assert level.is_finished == (error <= best)
        assert bool(level.found) == (error > best)
        if level.found:
            gain = naive.gain_of_choices(gains.columns.T, level.found, gains.k)
            assert gain >= target * gains.unit
        else:
            assert count_nodes(gains, circle, target, 10**6) is not None
        assert (count_nodes(gains, circle, target, 10**6) is None) == (error > best)


def test_workers_change_nothing():
    gains, circle, best = example(5)
    with ThreadExecutor(3) as three:
        for error in (best, best + 1):
            one = exhaust(gains, circle, gains.target(error))
            many = exhaust(gains, circle, gains.target(error), executor=three)
            assert (one.nodes, one.found, one.done) == (many.nodes, many.found, many.done)


def test_a_level_can_be_left_and_taken_up_again():
    matrix = planted(40, 9, 4, noise=0.25, seed=1).matrix
    gains = Gains.of(matrix.values, matrix.weights, 2)
    circle = Circle(np.arange(9), np.ones(9))
    target = gains.target(60)
    whole = exhaust(gains, circle, target)
    branches = len(open_level(gains, circle, target).branches)
    assert whole.is_finished
    assert whole.done == list(range(branches))
    some = exhaust(gains, circle, target, most=1)
    assert not some.is_finished
    rest = exhaust(gains, circle, target, done=frozenset(some.done))
    assert rest.is_finished
    assert sorted(some.done + rest.done) == whole.done
    assert not exhaust(gains, circle, target, over=lambda: True).is_finished


def test_sums_that_need_more_than_16_bits_get_them():
    values = np.ones((1, 3), dtype=np.int8)
    small = Gains.of(values, np.full((1, 3), 100), 1)
    large = Gains.of(values, np.full((1, 3), 20_000), 1)
    assert (small.columns.dtype, large.columns.dtype) == (np.int16, np.int32)
    circle = Circle(np.arange(3), np.ones(3))
    assert (small.unit, large.unit) == (16, 64)
    assert exhaust(large, circle, 60_000).found == [1, 1, 1]
    assert exhaust(large, circle, 60_001).is_finished


def test_shifts_make_searches_shorter_where_rows_are_alike():
    matrix = planted(60, 12, 3, noise=0.2, seed=2).matrix
    gains = Gains.of(matrix.values, matrix.weights, 2)
    plain = Circle(np.arange(12), np.ones(12))
    nodes = [
        count_nodes(gains, circle, gains.target(120), 10**7) for circle in (plain, plain.shifted())
    ]
    assert gains.unit > 1
    assert None not in nodes
    assert nodes[1] < nodes[0]


def test_weights_that_leave_no_room_for_finer_numbers_have_no_shifts():
    values = np.array([[1, 1, 0], [1, 0, 1]], dtype=np.int8)
    heavy = Gains.of(values, np.full((2, 3), 1 << 26), 1)
    assert heavy.unit == 1
    assert heavy.shifts(Circle(np.arange(3), np.ones(3)).shifted()) is None
