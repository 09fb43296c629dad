"""Every set of columns above a limit is listed, with its worth, and no other one."""

import itertools

import numpy as np
import pytest

from boolfact.certificate.cover.listing import list_sets
from certificate.cover.test_search import hard_cover, random_matrix
from certificate.covers import random_cover


def worth(cover, columns):
    """The worth of the best rectangle with these columns, trying all rows of each block."""
    total = 0
    for block in cover.blocks:
        best = 0
        for chosen in itertools.product([False, True], repeat=len(block)):
            rows = {i for i, is_in in zip(block, chosen, strict=True) if is_in}
            left = {(i, j): x for (i, j), x in cover.prices.items() if i in rows and j in columns}
            for ((i, j), one), x in cover.charges.items():
                if one in left and i in rows and j in columns:
                    left[one] -= x
            best = max(best, sum(max(0, x) for x in left.values()))
        total += best
    return total


@pytest.mark.parametrize("seed", range(12))
def test_all_sets_above_a_limit(seed):
    rng = np.random.default_rng(seed)
    while not (cover := random_cover(rng, random_matrix(rng))).prices:
        pass
    m = cover.shape[1]
    worths = {bits: worth(cover, {j for j in range(m) if bits >> j & 1}) for bits in range(1 << m)}
    values = sorted(set(worths.values()))
    for limit in {-1, 0, values[len(values) // 2], values[-1] - 1, values[-1]}:
        told = []
        found = list_sets(cover.duals(), limit, most=10**6, report=told.append)
        expected = {bits: value for bits, value in worths.items() if value > limit}
        assert dict(zip(found.sets.tolist(), found.worths.tolist(), strict=True)) == expected
        assert len(found.sets) == len(expected)
        assert found.complete
        assert told
        assert told[-1] == found.nodes
        if expected:
            few = list_sets(cover.duals(), limit, most=len(expected) - 1)
            assert not few.complete
            assert list_sets(cover.duals(), limit, most=len(expected)).complete


def test_out_of_time_the_list_is_not_complete():
    found = list_sets(hard_cover().duals(), 0, most=10**6, deadline=0.0)
    assert not found.complete
    assert len(found.sets) == 0
