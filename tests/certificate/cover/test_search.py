"""The search for the best rectangle of an assigned cover: right in every lane, and to the end."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate.cover import pieces, search, tables
from boolfact.certificate.cover.search import prove_worth_at_most
from boolfact.certificate.cover.tables import halves, make_scratch, make_tables
from boolfact.certificate.search import Answer
from boolfact.model.matrix import BinaryMatrix
from certificate.covers import Cover, random_cover

import naive

SEEDS = st.integers(0, 2**32 - 1)


def random_matrix(rng, most_rows=5, most_columns=6, missing=0.15):
    shape = int(rng.integers(1, most_rows + 1)), int(rng.integers(1, most_columns + 1))
    values = (rng.random(shape) < rng.uniform(0.2, 0.9)).astype(np.int8)
    values[rng.random(shape) < missing] = -1
    return BinaryMatrix(values, rng.integers(0, 4, shape))


def hard_cover(rows=14, columns=14, most=4):
    rng = np.random.default_rng(0)
    matrix = BinaryMatrix((rng.random((rows, columns)) < 0.6).astype(np.int8))
    return random_cover(rng, matrix, most, scale=8)


def settle(cover, omega):
    """Proved at the truth and above, refuted below, with a worth that some rectangle has."""
    duals = cover.duals()
    for slack in (0, 1, 5):
        found = prove_worth_at_most(duals, omega + slack)
        assert found.answer is Answer.PROVED
        assert found.upper_bound == omega + slack
    for limit in {omega - 1, omega // 2, 0}:
        if 0 <= limit < omega:
            found = prove_worth_at_most(duals, limit)
            assert found.answer is Answer.REFUTED
            assert limit < found.value <= omega <= found.upper_bound


@given(SEEDS, st.sampled_from([0, 1, 3, 5]))
@settings(max_examples=300, deadline=None)
def test_it_proves_what_is_true_and_nothing_below(seed, lane_columns):
    cover = random_cover(np.random.default_rng(seed), random_matrix(np.random.default_rng(seed)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_LANE_COLUMNS", lane_columns)
        patch.setattr(search, "_SMALL_PIECE", 1 + seed % 4)
        settle(cover, cover.omega())


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_single_rows_may_go_around_the_circle(seed):
    rng = np.random.default_rng(seed)
    cover = random_cover(rng, random_matrix(rng), most=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_FEW_COLUMNS", 0)
        settle(cover, cover.omega())


@given(SEEDS)
@settings(max_examples=50, deadline=None)
def test_numbers_of_64_bits_are_as_right(seed):
    rng = np.random.default_rng(seed)
    small = random_cover(rng, random_matrix(rng))
    factor = 2**40
    large = Cover(
        small.shape,
        small.scale * factor,
        small.blocks,
        {e: x * factor for e, x in small.prices.items()},
        {pair: x * factor for pair, x in small.charges.items()},
    )
    settle(large, small.omega() * factor)


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_blocks_of_up_to_seven_rows_in_pieces(seed):
    rng = np.random.default_rng(seed)
    cover = random_cover(rng, random_matrix(rng, most_rows=7, most_columns=4), most=7)
    settle(cover, cover.omega())


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_every_piece_has_the_value_of_its_best_rows(seed):
    """All columns in lanes: the kernel against the twin, for each set and each piece."""
    rng = np.random.default_rng(seed)
    cover = random_cover(rng, random_matrix(rng, most_columns=4))
    if not cover.prices:
        return
    tree = make_tables(cover.duals(), 4, 2)
    scratch = make_scratch(tree)
    lanes = len(scratch.total)
    scratch.live[:] = np.arange(lanes)
    order = [i for block in cover.blocks for i in block]
    for u, (low, high) in enumerate(tree.layout.pieces):
        no_cross = np.zeros(tree.lanes.cross.shape[0], dtype=tree.prices.dtype)
        pieces.piece_values(tree.layout, u, tree.lanes, tree.prices, no_cross, scratch, lanes)
        for lane in range(lanes):
            b = np.zeros(cover.shape[1], dtype=bool)
            b[[c for d, c in enumerate(tree.columns) if lane >> d & 1]] = True
            best = 0
            for chosen in itertools.product([False, True], repeat=int(high - low)):
                a = np.zeros(cover.shape[0], dtype=bool)
                a[order[low:high]] = chosen
                best = max(best, naive.cover_worth(cover.blocks, cover.prices, cover.charges, a, b))
            assert scratch.best[0, lane] == best


def test_halves_come_before_the_whole_whatever_they_gain():
    blocks = [list(range(12)), [12], list(range(13, 18))]
    assert halves(blocks, 3) == [
        *[(13, 15), (0, 3), (3, 6), (6, 9), (9, 12), (15, 18)],
        *[(13, 18), (0, 6), (6, 12), (0, 12)],
    ]
    tree = search.Walk(hard_cover(rows=24, most=12).duals())
    layout = tree.tables.layout
    rng = np.random.default_rng(0)
    for _ in range(20):
        layout.gains[:] = rng.integers(0, 100, len(layout.gains))
        tree.reorder()
        seen = []
        for low, high in layout.pieces.tolist():
            assert not any(a <= low and high <= b for a, b in seen)
            seen.append((low, high))


def test_large_blocks_have_fewer_lanes(monkeypatch):
    cover = hard_cover(rows=24, most=12)
    assert make_tables(cover.duals(), 5, 4).lanes.left.shape[1] == 32
    monkeypatch.setattr(tables, "_MOST_AT_ONCE", 1)
    assert make_tables(cover.duals(), 5, 4).lanes.left.shape[1] == 1
    found = prove_worth_at_most(cover.duals(), cover.duals().total - 1)
    assert found.answer is Answer.PROVED


def test_out_of_time_a_weaker_limit_is_proved(monkeypatch):
    cover = hard_cover()
    duals = cover.duals()
    omega = least_limit(duals)
    monkeypatch.setattr(search, "_WORK_BUDGET", 1)
    assert prove_worth_at_most(duals, omega).answer is Answer.PROVED
    # The clock stands still until the first search has used up its part of the time.
    calls = itertools.count()
    monkeypatch.setattr(search.time, "monotonic", lambda: 0.0 if next(calls) == 0 else 7.0)
    found = prove_worth_at_most(duals, omega, deadline=10.0)
    assert found.answer is Answer.OPEN
    assert omega < found.upper_bound < duals.total
    found = prove_worth_at_most(duals, omega, deadline=5.0)
    assert found.answer is Answer.OPEN
    assert found.upper_bound == duals.total


def least_limit(duals):
    low, high = -1, duals.total
    while high - low > 1:
        middle = (low + high) // 2
        if prove_worth_at_most(duals, middle).answer is Answer.PROVED:
            high = middle
        else:
            low = middle
    return high


def test_the_walk_can_be_stopped_anywhere(monkeypatch):
    duals = hard_cover().duals()
    omega = least_limit(duals)
    at_once = prove_worth_at_most(duals, omega)
    calls = []
    monkeypatch.setattr(search, "_WORK_BUDGET", 1)
    in_steps = prove_worth_at_most(duals, omega, report=calls.append)
    assert in_steps.answer is at_once.answer is Answer.PROVED
    assert in_steps.nodes == at_once.nodes == calls[-1]
    assert calls == sorted(calls)
    assert len(calls) > 10


def test_nothing_is_promised_where_the_walk_would_never_end():
    shape = 2, 70
    prices = {(i, j): 1 for i in range(2) for j in range(70) if (i + j) % 2}
    charges = {((0, 0), (1, 2)): 1}
    cover = Cover(shape, 1, [[0, 1]], prices, charges)
    found = prove_worth_at_most(cover.duals(), 3, deadline=math.inf)
    assert found.answer is Answer.OPEN
    assert found.upper_bound == len(prices)


def test_a_deadline_in_the_past_is_kept():
    start = time.monotonic()
    found = prove_worth_at_most(hard_cover(rows=40, columns=22).duals(), 1, deadline=start - 1)
    assert found.answer is not Answer.PROVED
