"""The bound without dividing the columns."""

from fractions import Fraction

import numpy as np
import pytest

from boolfact.colgen.cover.grow import LOOP, STRATEGY, CoverSettings, bound_by_cover
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.cover.whole import Whole, expected_seconds
from boolfact.colgen.loop import generate_columns
from boolfact.control.executor import SERIAL
from boolfact.control.progress import silent
from boolfact.control.stop import Stop
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import random_matrix
from colgen.cover.test_grow import case, check_entry

import naive

SLACKS = (Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2))


def check(seed, limit):
    _, matrix, k, best = case(seed)
    if matrix.shape[0] < matrix.shape[1]:
        matrix = matrix.T
    if not matrix.ones_weight:
        return None, best
    slack = SLACKS[seed % len(SLACKS)]
    pairs = [[u, u + 1] for u in range(0, matrix.shape[0] - 1, 2)][: seed % 4]
    result = generate_columns(
        AssignedCover(matrix, k, pairs, slack=slack, around=True),
        strategy=STRATEGY,
        settings=LOOP,
        stop=Stop(iteration_limit=limit),
        seed=seed,
    )
    if result.bound is None:
        return None, best
    assert result.bound.k == k
    assert result.bound.rounded <= best
    check_entry(result.bound, matrix, k)
    return int(result.bound.rounded), best


def test_no_bound_exceeds_the_best_error():
    proved = [check(seed, 4 + seed % 9) for seed in range(150)]
    some = [(bound, best) for bound, best in proved if bound is not None and best > 0]
    # With a slack bounds are weaker, but not all of them.
    assert len(some) > 40
    assert sum(bound >= 0.5 * best for bound, best in some) > 0.3 * len(some)


@pytest.mark.slow
def test_no_bound_exceeds_the_best_error_in_thousands():
    for seed in range(1000, 3000):
        check(seed, 3 + seed % 9)


@pytest.mark.parametrize("seed", range(4))
def test_the_whole_beside_its_parts(seed):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, 7, 5)
    best = naive.best_error(matrix.values, matrix.weights, 2)
    settings = CoverSettings(
        whole_columns=2,
        part_columns=2,
        hasty_columns=2,
        sizes=(1, 2),
        times_dearer=(1.0, 2.0),
        undivided_seconds=(0.0, 0.0),
        circle_seconds=0.0,
        circle_columns=int(rng.integers(2, 4)),
        circle_share=(0.8, 0.8),
    )
    growth = bound_by_cover(matrix, 2, stop=Stop(0.6), settings=settings, seed=seed)
    if growth.bound is not None:
        assert growth.bound.rounded <= best
        check_entry(growth.bound, matrix, 2)


def test_a_matrix_that_groups_of_columns_say_little_about():
    # Three columns in pairs: a rectangle over all of them is counted in each.
    values = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]] * 2, dtype=np.int8)
    weights = np.full((6, 3), 3)
    matrix = BinaryMatrix(values, weights)
    one_each = {
        "whole_columns": 1,
        "part_columns": 1,
        "hasty_columns": 1,
        "sizes": (1,),
        "times_dearer": (1.0,),
    }
    parts = bound_by_cover(
        matrix,
        2,
        stop=Stop(0.5),
        settings=CoverSettings(**one_each, undivided_seconds=(1e9, 1e9), circle_seconds=1e9),
    )
    whole = bound_by_cover(
        matrix, 2, stop=Stop(1.0), settings=CoverSettings(**one_each, undivided_seconds=(0.0, 0.0))
    )
    assert parts.bound is None
    assert whole.bound is not None
    assert 0 < whole.bound.rounded <= naive.best_error(values, weights, 2)
    assert "circle" in whole.bound.proof.entry()["parts"][0]


def test_a_circle_takes_up_to_two_rows_and_a_slack_of_at_least_one():
    matrix = BinaryMatrix(np.eye(3, dtype=np.int8))
    with pytest.raises(ValueError, match="up to two rows"):
        AssignedCover(matrix, 1, [[0, 1, 2]], around=True)
    with pytest.raises(ValueError, match="slack must be at least 1"):
        AssignedCover(matrix, 1, slack=Fraction(1, 2))


def test_the_forecast_follows_what_was_seen():
    took = ((4.0, 0.0), (2.0, 0.01), (1.5, 0.1))
    assert expected_seconds(took, 3.0) == pytest.approx(0.1)
    assert expected_seconds(took, 1.2) == pytest.approx(1.0)
    assert expected_seconds((), 1.0) == 0.0


def test_a_matrix_with_very_many_columns_is_left_in_groups():
    rng = np.random.default_rng(0)
    matrix = BinaryMatrix((rng.random((9, 6)) < 0.5).astype(np.int8))
    settings = CoverSettings(
        whole_columns=2,
        part_columns=2,
        hasty_columns=2,
        undivided_seconds=(0.0, 0.0),
        circle_numbers=20,
    )
    growth = bound_by_cover(matrix, 1, stop=Stop(0.5), settings=settings)
    if growth.bound is not None:
        assert all("circle" not in part for part in growth.bound.proof.entry()["parts"])


def test_a_matrix_that_is_solved_is_gone_on_with_fewer_even_charges_and_then_in_pairs():
    rng = np.random.default_rng(3)
    matrix = BinaryMatrix((rng.random((12, 6)) < 0.5).astype(np.int8))
    best = naive.best_error(matrix.values, matrix.weights, 1)
    seen = []

    def stage():
        return whole.evenness + bool(whole.blocks)

    whole = Whole(
        matrix=matrix,
        k=1,
        sets=np.eye(6, dtype=np.bool_),
        seed=0,
        executor=SERIAL,
        progress=silent,
        incumbent=None,
        loop=LOOP,
        strategy=STRATEGY,
        note=lambda columns, trace: seen.append((stage(), columns.bound)),
    )
    whole.run(Stop(60.0))
    assert whole.is_done
    assert whole.slack == 1
    assert max(len(block) for block in whole.blocks) == 2
    assert sorted({stage for stage, _ in seen}) == [0, 1, 2, 3]
    bounds = [bound for _, bound in seen if bound is not None]
    assert 0 < max(bound.rounded for bound in bounds) <= best
    for bound in bounds:
        check_entry(bound, matrix, 1)
    before = len(seen)
    whole.run(Stop(60.0))
    assert len(seen) == before
