"""Circles and their trials."""

import numpy as np
import pytest

from boolfact.colgen.cover.turn import Turn, changed, first_turns, shorter
from boolfact.control.executor import SERIAL, ThreadExecutor


def is_valid(turn, m):
    return (
        sorted(turn.order.tolist()) == list(range(m))
        and turn.weights.min() >= 1
        and turn.weights.max() <= 1000
        and turn.usual.min() >= 0
        and turn.usual.max() <= 1000
    )


def test_changes_keep_a_circle_a_circle():
    rng = np.random.default_rng(0)
    turn = Turn.of(np.arange(7), np.array([1e-9, 1, 2, 3, 4, 5, 6]), np.linspace(-1, 2, 7))
    seen = set()
    for _ in range(300):
        assert is_valid(turn, 7)
        turn = changed(turn, rng)
        seen.add(str(turn.entry()))
    assert len(seen) > 200


def test_those_to_begin_with():
    rng = np.random.default_rng(1)
    turns = first_turns(rng.integers(-5, 6, (6, 20)), rng.random(6))
    assert len(turns) > 1
    assert all(is_valid(turn, 6) for turn in turns)


def far_from_sorted(turn, factor, cap):
    """Longer the more the order is mixed up, and the lower the level is."""
    mixed = int((turn.order[:-1] > turn.order[1:]).sum())
    return min(cap + 1, int((20_000 + 4_000 * mixed) / factor))


@pytest.mark.parametrize("workers", [1, 3])
def test_trials_find_a_shorter_search(workers):
    rng = np.random.default_rng(2)
    turn = Turn.of(rng.permutation(12), np.ones(12), np.zeros(12))
    with ThreadExecutor(workers) as executor:
        found = shorter([turn], far_from_sorted, 400, executor, lambda: False)
    assert far_from_sorted(found, 1.0, 10**6) < far_from_sorted(turn, 1.0, 10**6)
    same = shorter([turn], far_from_sorted, 400, SERIAL, lambda: False)
    assert found.entry() == same.entry()


def test_without_time_the_first_is_kept():
    turn = Turn.of(np.array([2, 0, 1]), np.ones(3), np.zeros(3))
    found = shorter([turn], far_from_sorted, 400, SERIAL, lambda: True)
    assert found is turn
