"""The restricted master: its two values enclose that of the linear program over its pool."""

import numpy as np
import pytest

from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.master import CoverMaster
from boolfact.colgen.cover.prices import even_prices
from boolfact.colgen.cover.worth import rectangle_worths
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import random_blocks, random_layout, random_matrix, random_prices
from colgen.cover.test_prices import assert_inside

import naive

ROUNDING = 1e-5
"""The master works in single precision."""


def small_pool(rng, n, m, count=12):
    rectangles = naive.all_rectangles(n, m)
    chosen = rng.permutation(len(rectangles))[:count]
    return [rectangles[u] for u in chosen]


def arrays(rectangles, layout):
    A, B = (np.array(part) for part in zip(*rectangles, strict=True))
    return A[:, layout.rows], B


def value_of(matrix, k, layout, rectangles):
    return naive.assigned_cover(matrix.values, matrix.weights, k, layout.blocks, rectangles)


@pytest.mark.parametrize("seed", range(25))
def test_the_two_values_enclose_the_linear_program(seed):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(1, 5)), int(rng.integers(1, 5)), int(rng.integers(1, 3))
    matrix = random_matrix(rng, n, m)
    layout = make_layout(matrix, random_blocks(rng, n, 3))
    pool = small_pool(rng, n, m)
    value = value_of(matrix, k, layout, pool)
    master = CoverMaster(layout, k, random_prices(rng, layout))
    A, B = arrays(pool, layout)
    assert master.add(A, B) == len(pool)
    top = max(1.0, value)
    for iterations in (1, 2, 7, 20, 50, 4000):
        point = master.solve(iterations, 1e-4 * top)
        assert point.lower <= value + ROUNDING * top
        assert point.upper >= value - ROUNDING * top
        assert_inside(layout, point.prices)
        worths = rectangle_worths(
            layout,
            point.prices.p,
            point.prices.along,
            point.prices.across,
            *_of_matrix(A, B, layout),
        )
        np.testing.assert_allclose(master.worths(point.prices), worths, atol=ROUNDING * top)
        assert point.lower == pytest.approx(
            point.prices.p.sum() - k * worths.max(), abs=ROUNDING * top
        )
        assert sum(master.shares()) <= k * (1 + 1e-6)
    assert point.gap <= 1e-2 * top


def _of_matrix(A, B, layout):
    """Rows in the order of the matrix again."""
    out = np.zeros_like(A)
    out[:, layout.rows] = A
    return out, B


@pytest.mark.parametrize("seed", range(12))
def test_rectangles_come_and_go(seed):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, 4, 4)
    layout = make_layout(matrix, random_blocks(rng, 4, 3))
    master = CoverMaster(layout, 2)
    pool = []
    for _ in range(5):
        new = small_pool(rng, 4, 4, 6)
        known = {(a.tobytes(), b.tobytes()) for a, b in pool}
        fresh = [(a, b) for a, b in new if (a.tobytes(), b.tobytes()) not in known]
        # What is known already, and what comes twice, is not taken in again.
        assert master.add(*arrays(new + new, layout)) == len(fresh)
        pool += fresh
        value = value_of(matrix, 2, layout, pool)
        point = master.solve(30, 0.0)
        assert point.lower - ROUNDING <= value <= point.upper + ROUNDING
        keep = rng.random(len(pool)) < 0.6
        master.purge(keep)
        pool = [rectangle for rectangle, kept in zip(pool, keep, strict=True) if kept]
        assert len(master) == len(pool) == len(master.shares())
        A, B = arrays(pool, layout) if pool else (np.zeros((0, 4)), np.zeros((0, 4)))
        assert master.A.tolist() == A.tolist()
        assert master.B.tolist() == B.tolist()
        value = value_of(matrix, 2, layout, pool)
        point = master.solve(30, 0.0)
        assert point.lower - ROUNDING <= value <= point.upper + ROUNDING


def test_without_rectangles_everything_stays_uncovered():
    layout = random_layout(np.random.default_rng(0), 4, 4)
    master = CoverMaster(layout, 2)
    point = master.solve(40, 1e-6)
    assert point.upper == pytest.approx(layout.one_weights.sum())
    assert point.lower == pytest.approx(layout.one_weights.sum())


def test_empty_rectangles_are_not_taken_in():
    layout = random_layout(np.random.default_rng(0), 3, 4)
    A, B = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0]], bool), np.zeros((3, 4), bool)
    B[1] = True
    assert CoverMaster(layout, 1).add(A, B) == 0


def test_it_ends_when_told():
    rng = np.random.default_rng(2)
    matrix = random_matrix(rng, 4, 4)
    layout = make_layout(matrix)
    master = CoverMaster(layout, 1)
    master.add(*arrays(small_pool(rng, 4, 4), layout))
    asked = []

    def over():
        asked.append(True)
        return True

    master.solve(10_000, -1.0, over)
    assert len(asked) == 1


@pytest.mark.parametrize(
    "values",
    [[[1]], [[1, 1]], [[1], [1]], [[1, 0], [0, 1]], [[1, 1], [1, 1]], [[0, 0], [0, 1]]],
    ids=str,
)
def test_tiny_matrices_with_all_rectangles(values):
    matrix = BinaryMatrix(np.array(values))
    n, m = matrix.shape
    layout = make_layout(matrix, [range(n)])
    everything = naive.all_rectangles(n, m)
    master = CoverMaster(layout, 1, even_prices(layout))
    master.add(*arrays(everything, layout))
    point = master.solve(2000, 1e-5)
    value = value_of(matrix, 1, layout, everything)
    assert point.lower == pytest.approx(value, abs=1e-2)
    assert point.upper == pytest.approx(value, abs=1e-2)
