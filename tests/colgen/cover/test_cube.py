"""Exact pricing by a walk, against every set of columns with every subset of rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.colgen.cover.cube import price_by_walking
from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.point import CoverPoint, rounded
from boolfact.colgen.cover.prices import Prices
from boolfact.control.executor import SERIAL, ThreadExecutor
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import all_set_arguments, random_layout, random_prices

import naive


def random_point(seed, m=None, **options):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    layout = random_layout(rng, n, int(rng.integers(1, 9)) if m is None else m, **options)
    return rounded(layout, random_prices(rng, layout), 1)


def truth(point):
    """Every set as bytes with its worth, and the largest."""
    sets, worths = naive.worths_of_all_sets(*all_set_arguments(point))
    return {b.tobytes(): int(x) for b, x in zip(sets, worths, strict=True)}, int(worths.max())


def check(point, threshold, executor=SERIAL):
    worth_of, most = truth(point)
    result = price_by_walking(point, threshold, executor)
    assert result.is_complete
    assert result.upper_bound == max(threshold, most)
    assert [worth_of[b.tobytes()] for b in result.B] == result.worths.tolist()
    assert len({b.tobytes() for b in result.B}) == len(result.B)
    assert (np.diff(result.worths) <= 0).all()
    assert all(x > threshold for x in result.worths)
    assert bool(len(result.B)) == (most > max(threshold, 0))
    if len(result.B):
        assert result.worths[0] == most
    return result


@pytest.fixture(params=[1, 3, 256])
def tasks(request, monkeypatch):
    """With 256 tasks, twelve columns leave no tree to walk; with one they are all walked."""
    monkeypatch.setattr("boolfact.colgen.cover.cube._TASKS", request.param)
    return request.param


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.floats(-0.2, 1.3))
def test_the_maximum_over_all_sets_and_all_rows(seed, share):
    point = random_point(seed)
    check(point, int(share * truth(point)[1]))


@pytest.mark.parametrize("m", range(1, 13))
@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_columns(m, workers, tasks):
    with ThreadExecutor(workers) as executor:
        for seed in range(4):
            point = random_point(seed, m)
            _, most = truth(point)
            for threshold in (0, most // 2, most - 1, most, most + 1):
                check(point, threshold, executor)


def test_all_sets_above_the_threshold_are_found_where_there_is_room():
    found = 0
    for seed in range(30):
        point = random_point(seed, 6)
        worth_of, most = truth(point)
        threshold = int(0.8 * most)
        result = check(point, threshold)
        # A task keeps 64 sets; with six columns there are two tasks of 32.
        assert len(result.B) == sum(x > threshold for x in worth_of.values())
        found += len(result.B)
    assert found > 30


@pytest.mark.parametrize("size", [1, 2, 5, 8, 12])
def test_blocks_of_all_sizes(size):
    for seed in range(1 if size > 8 else 3):
        rng = np.random.default_rng(seed)
        values = (rng.random((min(12, size + 2), 5)) < 0.6).astype(np.int8)
        values[0, 0] = 1
        layout = make_layout(BinaryMatrix(values), [list(range(size))])
        point = rounded(layout, random_prices(rng, layout), 1)
        check(point, int(0.9 * truth(point)[1]))


def test_the_answer_does_not_depend_on_the_workers():
    point = random_point(5, 12)
    alone = price_by_walking(point, 0, SERIAL)
    with ThreadExecutor(2) as executor:
        together = price_by_walking(point, 0, executor)
    assert alone.B.tolist() == together.B.tolist()
    assert alone.worths.tolist() == together.worths.tolist()


@pytest.mark.parametrize("calls", [0, 1, 2, 5, 30])
def test_a_walk_cut_short_at_any_moment_has_a_valid_bound(calls, tasks, monkeypatch):
    # One evaluation a call, so that there are many moments.
    monkeypatch.setattr("boolfact.colgen.cover.cube._WORK_PER_CALL", 1)
    cut = 0
    for seed in range(8):
        point = random_point(seed, 11)
        worth_of, most = truth(point)
        for threshold in (0, int(0.9 * most)):
            asked = itertools.count()
            over = lambda asked=asked: next(asked) >= calls  # noqa: E731
            result = price_by_walking(point, threshold, SERIAL, over)
            assert result.upper_bound >= most
            assert [worth_of[b.tobytes()] for b in result.B] == result.worths.tolist()
            cut += not result.is_complete
    assert cut > 0


def test_one_entry_with_nearly_all_the_weight_there_may_be():
    # A price near 2^30: whoever skips it must not see any of it. Of five columns none is walked.
    weights = np.ones((3, 5), dtype=np.int64)
    weights[1, 2] = (1 << 30) - 20
    values = np.array([[1, 0, 1, 1, 0], [1, 1, 1, 0, 1], [0, 1, 1, 1, 1]])
    layout = make_layout(BinaryMatrix(values, weights), [[0, 1]])
    point = rounded(layout, random_prices(np.random.default_rng(0), layout), 1)
    heavy = CoverPoint(layout, layout.one_weights.astype(np.int32), point.along, point.across, 1, 1)
    assert heavy.p.max() > 1 << 29
    check(heavy, 0)


def test_weights_that_are_too_large_for_32_bits_are_refused():
    weights = np.full((2, 2), 1 << 29, dtype=np.int64)
    layout = make_layout(BinaryMatrix(np.array([[1, 0], [1, 1]]), weights))
    ones = len(layout.one_row)
    prices = Prices(layout.one_weights, np.zeros((ones, 2)), np.zeros((ones, 1)))
    with pytest.raises(ValueError, match="too large"):
        rounded(layout, prices, 1)


def test_too_many_columns_are_refused():
    layout = make_layout(BinaryMatrix(np.ones((1, 61), dtype=np.int8)))
    prices = Prices(layout.one_weights, np.zeros((61, 61)), np.zeros((61, 1)))
    with pytest.raises(ValueError, match="at most 60 columns"):
        price_by_walking(rounded(layout, prices, 1), 0, SERIAL)
