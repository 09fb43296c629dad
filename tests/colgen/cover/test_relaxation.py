"""Assigned cover in the loop of column generation."""

import math
from fractions import Fraction

import numpy as np
import pytest

from boolfact.colgen.cover.grow import LOOP, STRATEGY
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.loop import generate_columns
from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import random_blocks, random_matrix

import naive


def small(seed, most=4):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, most + 1, 2))
    return random_matrix(rng, n, m), int(rng.integers(1, 3)), random_blocks(rng, n, 3)


def value_of(matrix, k, blocks):
    named = {i for block in blocks for i in block}
    blocks = blocks + [[i] for i in range(matrix.shape[0]) if i not in named]
    everything = naive.all_rectangles(*matrix.shape)
    return naive.assigned_cover(matrix.values, matrix.weights, k, blocks, everything)


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_is_the_value_over_all_rectangles(seed):
    matrix, k, blocks = small(seed, 3)
    result = generate_columns(AssignedCover(matrix, k, blocks), stop=Stop(iteration_limit=300))
    value = value_of(matrix, k, blocks)
    best = naive.best_error(matrix.values, matrix.weights, k)
    assert value <= best + 1e-6
    assert result.bound is not None
    assert result.bound.on is Quantity.ERROR
    assert result.bound.value <= value + 1e-6
    assert result.bound.rounded <= best
    assert result.master_value >= value - 1e-6
    if result.ending is Ending.PROVED:
        # The bound is rounded up, so the value lies within one below it.
        assert result.bound.rounded == max(0, math.ceil(value - 1e-3 * max(1, value)))


@pytest.mark.parametrize("seed", range(40, 60))
def test_with_the_settings_of_the_growth(seed):
    matrix, k, blocks = small(seed)
    result = generate_columns(
        AssignedCover(matrix, k, blocks),
        strategy=STRATEGY,
        settings=LOOP,
        stop=Stop(iteration_limit=200),
    )
    best = naive.best_error(matrix.values, matrix.weights, k)
    assert 0 <= result.bound.rounded <= best
    assert result.master_value >= result.bound.value - 1e-6


def test_exact_pricing_finds_the_best_rectangle_and_proves_it():
    for seed in range(20):
        matrix, k, blocks = small(seed, 6)
        relaxation = AssignedCover(matrix, k, blocks)
        point = relaxation.point_of(None)
        n, m = matrix.shape
        A, B = (np.array(part) for part in zip(*naive.all_rectangles(n, m), strict=True))
        most = int(point.worths(A, B).max())
        result = relaxation.price_exactly(point)
        assert result.is_optimal
        assert result.value == result.upper_bound == most
        assert int(point.worths(result.a[None], result.b[None])[0]) == most
        above = relaxation.price_exactly(point, cutoff=most)
        assert above.upper_bound == most
        for worth, a, b in result.found:
            assert int(point.worths(a[None], b[None])[0]) == worth


@pytest.mark.parametrize("seconds", [1e-9, 5.0])
def test_exact_pricing_with_a_clock_is_never_wrong(seconds):
    for seed in range(10):
        matrix, k, blocks = small(seed, 6)
        relaxation = AssignedCover(matrix, k, blocks)
        point = relaxation.point_of(None)
        most = relaxation.price_exactly(point).value
        for cutoff in (0, most // 3, most - 1, most, 2 * most):
            relaxation = AssignedCover(matrix, k, blocks)
            result = relaxation.price_exactly(point, cutoff=cutoff, stop=Stop(seconds))
            assert result.upper_bound >= most
            assert result.value <= most


def test_heuristic_pricing_is_honest():
    for seed in range(20):
        matrix, k, blocks = small(seed, 6)
        relaxation = AssignedCover(matrix, k, blocks)
        prices = relaxation.master().state()[1].flat()
        pool = relaxation.pool_of(np.eye(matrix.shape[1], dtype=bool))
        found = relaxation.find_columns(prices, STRATEGY, pool, np.random.default_rng(0))
        # Its values are those of the rounded prices.
        np.testing.assert_allclose(
            found.values, relaxation.worths(prices, found.A, found.B), rtol=1e-3, atol=1e-2
        )
        assert (np.diff(found.values) <= 0).all()


@pytest.mark.parametrize(
    ("values", "k", "best"),
    [
        ([[1]], 1, 0),
        ([[1], [1], [1]], 1, 0),
        ([[1, 1, 1]], 1, 0),
        ([[1, 1], [1, 1]], 2, 0),
        ([[1, 0], [0, 0]], 1, 0),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1, 2),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 5, 0),
    ],
    ids=str,
)
@pytest.mark.parametrize("blocks", [[], "all"])
def test_degenerate_matrices(values, k, best, blocks):
    matrix = BinaryMatrix(np.array(values))
    blocks = [list(range(matrix.shape[0]))] if blocks == "all" else []
    result = generate_columns(AssignedCover(matrix, k, blocks), stop=Stop(iteration_limit=200))
    assert result.bound.rounded == best


def test_what_it_cannot_take_is_refused():
    with pytest.raises(ValueError, match="k must be at least 1"):
        AssignedCover(BinaryMatrix(np.array([[1]])), 0)
    with pytest.raises(ValueError, match="at most 60 columns"):
        AssignedCover(BinaryMatrix(np.ones((1, 61), dtype=np.int8)), 1)
    for weights in (None, [[0, 0]]):
        values = np.array([[0, 0]] if weights is None else [[1, 0]])
        with pytest.raises(ValueError, match="at least one one"):
            AssignedCover(BinaryMatrix(values, weights), 1)


def test_a_run_goes_on_in_larger_blocks_from_where_it_was():
    rng = np.random.default_rng(0)
    matrix = BinaryMatrix((rng.random((8, 7)) < 0.5).astype(np.int8))
    first = generate_columns(AssignedCover(matrix, 2), stop=Stop(iteration_limit=40))
    pairs = AssignedCover(matrix, 2, [[0, 1], [2, 3], [4, 5], [6, 7]])
    # Larger blocks begin with the value of the smaller ones.
    prices = first.state[1]
    A, B = rng.random((200, 8)) < 0.5, rng.random((200, 7)) < 0.5
    before = AssignedCover(matrix, 2).worths(prices.flat(), A, B)
    moved = pairs.master(start=first.state).state()[1]
    np.testing.assert_allclose(pairs.worths(moved.flat(), A, B), before, atol=1e-9)
    second = generate_columns(pairs, start=first.state, stop=Stop(iteration_limit=40))
    assert second.bound.value >= first.bound.value
    assert first.bound.value > Fraction(0)
