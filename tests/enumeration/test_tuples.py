"""The walk over choices of sets, against all of them."""

import itertools

import numpy as np
import pytest

from boolfact.enumeration.tuples import APART, ERROR, LEAVES, make_tuples, walk_tuples


def heaviest_matching(chosen, deficits):
    """Of the chosen sets, some in pairs."""
    if len(chosen) < 2:
        return 0
    first, *rest = chosen
    alone = heaviest_matching(rest, deficits)
    paired = (
        int(deficits[first, other]) + heaviest_matching(rest[:t] + rest[t + 1 :], deficits)
        for t, other in enumerate(rest)
    )
    return max(alone, *paired)


def true_error(sets, gains, total):
    m = gains.shape[0]
    B = np.array([[s >> c & 1 for c in range(m)] for s in sets], dtype=bool)
    codes = itertools.product([False, True], repeat=len(sets))
    covers = np.array([B[list(code)].any(axis=0) for code in codes])
    return total - int((covers.astype(int) @ gains).max(axis=0).sum())


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_all_choices_in_the_room_are_tried(seed, k):
    rng = np.random.default_rng(seed)
    N, m, n = 7, 5, 6
    sets = rng.choice(np.arange(1, 1 << m), N, replace=False)
    short = np.sort(rng.integers(0, 5, N))
    short[0] = 0
    deficits = rng.integers(0, 8, (N, N)).astype(np.uint16)
    deficits[rng.random((N, N)) < 0.15] = APART
    deficits = np.minimum(deficits, deficits.T)
    np.fill_diagonal(deficits, 4)
    gains, room = rng.integers(-2, 3, (m, n)), 9
    total = int(np.maximum(gains, 0).sum())
    inside = [
        chosen
        for chosen in itertools.combinations_with_replacement(range(N), k)
        if sum(int(short[u]) for u in chosen) + heaviest_matching(list(chosen), deficits) <= room
    ]
    errors = [true_error(sets[list(chosen)], gains, total) for chosen in inside]

    def walk(limit, budget=10**6):
        made = make_tuples(
            sets, short, deficits, k=k, room=room, gains=gains, total=total, limit=limit
        )
        while not walk_tuples(made, budget) and made.state[ERROR] > limit:
            pass
        return made

    for budget in (10**6, 3):
        whole = walk(-1, budget)
        assert whole.state[LEAVES] == len(inside)
        assert whole.state[ERROR] == min(errors)
    assert true_error(sets[whole.found], gains, total) == min(errors)
    assert walk(min(errors)).state[ERROR] <= min(errors)
