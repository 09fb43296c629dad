"""The walk over columns, against all choices there are."""

import numpy as np
import pytest

from boolfact.column_search.kernel import FOUND, NODES, make_branch, walk

import naive


def example(seed):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(1, 5)), int(rng.integers(1, 5)), int(rng.integers(1, 6))
    m = min(m, {3: 3, 4: 2, 5: 2}.get(k, m))
    gains = rng.integers(-3, 4, size=(n, m))
    thresholds = np.cumsum(rng.integers(-1, 4, size=m))
    kind = rng.choice([np.int16, np.int32])
    shifts = None
    if rng.random() < 0.6:
        shifts = rng.integers(-3, 4, size=(m, k, n))
        shifts[int(rng.integers(m))] -= shifts.sum(axis=0)
        shifts = shifts.astype(kind)
    return gains, np.ascontiguousarray(gains.T.astype(kind)), thresholds, k, shifts


def all_found(branch, budget):
    found = []
    finished = False
    while not finished:
        finished = walk(branch, budget)
        count = int(branch.state[FOUND])
        found += [tuple(int(x) for x in row[: branch.bottom]) for row in branch.found[:count]]
        branch.state[FOUND] = 0
    return found


@pytest.mark.parametrize("seed", range(60))
def test_it_reports_what_passes_all_thresholds(seed):
    gains, columns, thresholds, k, shifts = example(seed)
    m = len(columns)
    none = np.zeros(0, dtype=np.int64)
    for bottom in range(1, m + 1):
        expected = naive.choices_above_thresholds(gains, thresholds, k, bottom, shifts)
        for room, budget in ((1000, 10**6), (1, 3), (2, 1)):
            branch = make_branch(
                columns, thresholds, k, decided=none, bottom=bottom, room=room, shifts=shifts
            )
            assert all_found(branch, budget) == expected


@pytest.mark.parametrize("seed", range(60))
def test_branches_below_the_first_choices_make_up_the_whole(seed):
    gains, columns, thresholds, k, shifts = example(seed)
    m = len(columns)
    for top in range(1, m):
        found = []
        for decided in naive.choices_above_thresholds(gains, thresholds, k, top, shifts):
            branch = make_branch(
                columns, thresholds, k, decided=np.array(decided), bottom=m, room=7, shifts=shifts
            )
            assert branch.state[NODES] == 0
            found += all_found(branch, 5)
        assert found == naive.choices_above_thresholds(gains, thresholds, k, m, shifts)


def test_the_budget_is_kept_to():
    columns = np.ones((6, 3), dtype=np.int16)
    branch = make_branch(
        columns, np.zeros(6, dtype=np.int64), 2, decided=np.zeros(0, int), bottom=6, room=10**4
    )
    assert not walk(branch, 10)
    assert branch.state[NODES] == 10
    assert walk(branch, 10**6)
