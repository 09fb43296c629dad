"""Exact pricing around a circle, against every set of columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.colgen.cover.around import Around, price_around
from boolfact.colgen.cover.climb import climb_all
from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.point import rounded
from boolfact.colgen.cover.prices import even_prices
from boolfact.colgen.cover.turn import SizeTurn, Turn
from boolfact.control.executor import SERIAL, ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from colgen.cover.points import all_set_arguments, random_matrix, random_prices

import naive


def random_point(seed):
    """Single rows, or some of them in pairs."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 7)), int(rng.integers(1, 9))
    rows = rng.permutation(n)
    pairs = [list(rows[2 * u : 2 * u + 2]) for u in range(int(rng.integers(0, n // 2 + 1)))]
    layout = make_layout(random_matrix(rng, n, m), pairs)
    return rng, rounded(layout, random_prices(rng, layout), 1)


def random_turn(rng, m):
    return Turn(rng.permutation(m), rng.integers(1, 1001, m), rng.integers(0, 1001, m))


def truth(point):
    sets, worths = naive.worths_of_all_sets(*all_set_arguments(point))
    return {b.tobytes(): int(x) for b, x in zip(sets, worths, strict=True)}, int(worths.max())


def check(point, threshold, last=None, executor=SERIAL):
    worth_of, most = truth(point)
    good = np.zeros((0, point.layout.shape[1]), dtype=np.bool_)
    result, around = price_around(point, threshold, executor, good=good, last=last)
    assert result.upper_bound >= most
    assert [worth_of[b.tobytes()] for b in result.B] == result.worths.tolist()
    assert all(x > threshold for x in result.worths)
    if threshold >= most:
        assert result.is_complete
        assert result.upper_bound <= threshold
    else:
        assert len(result.B)
        assert not result.is_complete
    m = point.layout.shape[1]
    assert sorted(around.turn.order.tolist()) == list(range(m))
    return result, around


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_levels_around_the_truth(seed):
    rng, point = random_point(seed)
    most = truth(point)[1]
    m = point.layout.shape[1]
    for threshold in {0, most // 2, max(0, most - 1), most, most + 1, 2 * most}:
        turn = random_turn(rng, m) if rng.random() < 0.5 else SizeTurn(rng.permutation(m))
        last = Around(turn) if rng.random() < 0.8 else None
        check(point, threshold, last)


def test_the_circle_is_kept_for_the_next_pricing():
    _, point = random_point(3)
    most = truth(point)[1]
    _, around = check(point, most)
    result, again = check(point, most + 1, around)
    assert result.is_complete
    assert len(again.turn.order) == point.layout.shape[1]


def test_a_search_by_size_is_kept_for_single_rows_only():
    rng = np.random.default_rng(5)
    matrix = random_matrix(rng, 6, 8)
    for blocks, kind in (([], SizeTurn), ([[0, 1], [2, 3]], Turn)):
        layout = make_layout(matrix, blocks)
        prices = random_prices(rng, layout)
        point = rounded(layout, prices, 1)
        assert point.across.any() == bool(blocks)
        _, around = check(point, truth(point)[1], Around(SizeTurn(rng.permutation(8))))
        assert isinstance(around.turn, kind)


def test_without_time_nothing_is_tried_out():
    layout = make_layout(load_dataset("apb"), [])
    point = rounded(layout, even_prices(layout), 1)
    good = np.eye(layout.shape[1], dtype=np.bool_)
    result, around = price_around(point, point.scale, SERIAL, good=good, stop=Stop(1e-6))
    assert not result.is_complete
    assert result.upper_bound == point.total
    assert around.nodes == 0
    assert not around.is_settled


def test_where_ones_are_few_the_search_goes_by_size():
    layout = make_layout(load_dataset("apb"), [])
    point = rounded(layout, even_prices(layout), 1)
    good = np.eye(layout.shape[1], dtype=np.bool_)
    most = int(climb_all(point, good)[1].max())
    result, around = price_around(point, most, SERIAL, good=good)
    assert isinstance(around.turn, SizeTurn)
    assert result.is_complete or len(result.B)


@pytest.mark.parametrize("seed", range(3))
def test_workers_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    layout = make_layout(random_matrix(rng, 12, 14), [[0, 3], [1, 2]] if seed else [])
    point = rounded(layout, random_prices(rng, layout), 1)
    threshold = truth(point)[1]
    got = []
    for workers in (1, 2):
        with ThreadExecutor(workers) as executor:
            result, around = check(point, threshold, executor=executor)
        got.append((result.upper_bound, result.walked, around.turn.entry()))
    assert got[0] == got[1]


def test_cut_short_it_has_a_bound_all_the_same():
    rng = np.random.default_rng(5)
    layout = make_layout(random_matrix(rng, 9, 10))
    point = rounded(layout, random_prices(rng, layout), 1)
    most = truth(point)[1]
    stop = Stop(1e-9)
    good = np.zeros((0, 10), dtype=np.bool_)
    result, _ = price_around(point, most, SERIAL, good=good, stop=stop)
    assert not result.is_complete
    assert most <= result.upper_bound <= point.total


def test_seconds_are_noted_in_the_unit_of_the_caller():
    rng = np.random.default_rng(5)
    layout = make_layout(random_matrix(rng, 9, 10))
    point = rounded(layout, random_prices(rng, layout), 1)
    most = truth(point)[1]
    good = np.zeros((0, 10), dtype=np.bool_)
    assert 1.2 * most < point.total
    _, around = price_around(point, int(1.2 * most), SERIAL, good=good, unit=most)
    assert around.took[-1][0] == pytest.approx(1.2, rel=1e-3)
    assert [level for level, _ in around.took] == sorted((x for x, _ in around.took), reverse=True)
