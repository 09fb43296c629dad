"""The lemma, and circles that keep to it."""

import numpy as np
import pytest

from boolfact.column_search.circle import SCALE, Circle, changed, first_circles

import naive


def random_circle(rng, m):
    return Circle(rng.permutation(m), rng.uniform(0.01, 1.0, size=m), rng.integers(0, 1001, size=m))


@pytest.mark.parametrize("seed", range(40))
def test_what_gains_the_target_passes_from_some_start(seed):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(1, 6)), int(rng.integers(2, 7)), int(rng.integers(1, 4))
    gains = rng.integers(-3, 5, size=(n, m))
    for _ in range(20):
        choices = rng.integers(0, 1 << k, size=m)
        target = naive.gain_of_choices(gains, choices, k)
        if target < 1:
            continue
        circle = random_circle(rng, m)
        unit = int(rng.choice([1, 2, 64]))
        shifts = circle.shifts(unit * gains.T, k)
        assert not shifts.sum(axis=0).any()
        passes = []
        for start in range(m):
            columns = circle.columns(start)
            turned = np.roll(shifts, -start, axis=0)
            reached = [
                naive.gain_of_choices(unit * gains[:, columns[:t]], choices[columns[:t]], k, turned)
                for t in range(1, m + 1)
            ]
            assert reached[-1] == unit * naive.gain_of_choices(gains, choices, k)
            passes.append(all(reached >= circle.thresholds(target, start, unit)))
        assert any(passes)


def test_expected_gains_are_given_to_all_columns():
    gains = np.array([[8, 0], [0, 4]])
    circle = Circle(np.array([1, 0]), np.array([1.0, 3.0]), np.array([500, 1000]))
    # Of one rectangle: half of the 4 and all of the 8 are expected; a quarter goes to column 1.
    assert circle.shifts(gains, 1)[:, 0].tolist() == [[2, -2 + 0], [-2, 2]]


def test_shifts_of_columns_that_are_never_expected_are_nothing():
    circle = Circle(np.arange(3), np.ones(3))
    assert not circle.has_shifts
    assert not circle.shifts(np.ones((3, 2), dtype=np.int64), 2).any()
    assert circle.shifted().has_shifts


@pytest.mark.parametrize("target", [1, 7, 1000])
def test_shares_are_positive_and_add_up(target):
    rng = np.random.default_rng(target)
    for m in (1, 2, 50):
        circle = Circle(np.arange(m), rng.uniform(1e-9, 1.0, size=m) ** 4)
        shares = circle.shares(target)
        assert shares.min() >= 1
        assert shares.sum() == SCALE * target
        assert circle.thresholds(target, 0)[-1] == target


def test_a_target_too_small_for_the_columns_is_refused():
    with pytest.raises(ValueError, match="a gain of 0 is too little for 3 columns"):
        Circle(np.arange(3), np.ones(3)).shares(0)


def test_circles_go_through_every_column_once():
    rng = np.random.default_rng(0)
    circles = first_circles(np.array([5, -1, 0, 7, 2]), np.array([9, 3, 0, 8, 2]))
    for circle in circles + [changed(circle, rng) for circle in circles for _ in range(50)]:
        assert sorted(circle.order) == list(range(5))
        assert circle.weights.min() > 0
        assert len(circle.weights) == len(circle.usual) == 5
        assert circle.usual.min() >= 0
        assert circle.usual.max() <= 1000


def test_weights_stay_with_their_columns():
    rng = np.random.default_rng(1)
    circle = Circle(np.arange(30), np.arange(1.0, 31.0))
    for _ in range(100):
        other = changed(circle, rng)
        moved = other.weights == other.order + 1
        # All but the few whose shares were changed.
        assert moved.sum() >= 27
