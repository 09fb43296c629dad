"""What two sets are worth together, against all choices of all rows."""

import itertools

import numpy as np
import pytest

from boolfact.colgen.cover.point import rounded
from boolfact.enumeration.joint import joint_data, pair_deficits
from boolfact.enumeration.tuples import APART
from colgen.cover.points import random_layout, random_prices


def worth_of_rows(point, columns_of_rows):
    """Every covered one, less the charges of all covered zeros of its row and its column."""
    layout = point.layout
    total = 0
    for e, (i, c) in enumerate(zip(layout.one_row, layout.one_column, strict=True)):
        if not columns_of_rows[i][c]:
            continue
        left = int(point.p[e])
        for d in range(layout.shape[1]):
            if columns_of_rows[i][d]:
                left -= int(point.along[e, d])
        first = layout.block_start[layout.block_of[i]]
        last = layout.block_start[layout.block_of[i] + 1]
        for r in range(first, last):
            if columns_of_rows[r][c]:
                left -= int(point.across[e, r - first])
        total += max(left, 0)
    return total


def joint_worth(point, u, v):
    """The largest worth over all choices of nothing, u, v or both for every row."""
    n = point.layout.shape[0]
    choices = [np.zeros_like(u), u, v, u | v]
    return max(worth_of_rows(point, rows) for rows in itertools.product(choices, repeat=n))


@pytest.mark.parametrize("seed", range(25))
def test_deficits_are_what_the_pair_falls_short(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, 4, 4, 3)
    point = rounded(layout, random_prices(rng, layout), 1)
    B = rng.random((5, 4)) < 0.6
    data = joint_data(point, B)
    for u in range(5):
        assert data.worths[u] == joint_worth(point, B[u], np.zeros_like(B[u]))
    room = int(data.worths.sum()) + 1
    for u in range(4):
        row = np.full(5, APART, dtype=np.uint16)
        unit = max(1, -(-room // (APART - 2)))
        pair_deficits(data, u, u + 1, 5, room, unit, row)
        for v in range(u + 1, 5):
            exact = int(data.worths[u] + data.worths[v]) - joint_worth(point, B[u], B[v])
            assert row[v] == exact // unit
