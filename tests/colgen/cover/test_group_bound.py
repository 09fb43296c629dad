"""The bound of the groups, against every set that continues a given one."""

import numpy as np
import pytest

from boolfact.colgen.cover.group_bound import group_bound
from boolfact.colgen.cover.plan import NEVER, plan_walk
from boolfact.colgen.cover.point import rounded
from colgen.cover.points import all_set_arguments, random_layout, random_prices

import naive


def random_point(rng, m):
    layout = random_layout(rng, int(rng.integers(1, 7)), m)
    return rounded(layout, random_prices(rng, layout), 1)


def worths(point):
    sets, values = naive.worths_of_all_sets(*all_set_arguments(point))
    return {b.tobytes(): int(x) for b, x in zip(sets, values, strict=True)}


@pytest.mark.parametrize("m", [6, 9, 11, 12])
def test_the_bound_of_the_groups_holds_for_every_continuation(m):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        point = random_point(rng, m)
        worth_of = worths(point)
        walk = plan_walk(point)
        columns = [c for c in range(walk.high) if (walk.high - c) % 5 == 0]
        for column in columns:
            for _ in range(4):
                taken = rng.random(column) < 0.6
                base = walk.p.copy()
                for c in range(column):
                    if taken[c]:
                        base -= walk.charges[c]
                    else:
                        base[walk.starts[c] : walk.starts[c + 1]] = NEVER
                bound = group_bound(base, walk, column)
                for rest in naive.binary_vectors(m - column):
                    b = np.zeros(m, dtype=bool)
                    b[walk.order] = np.concatenate([taken, rest])
                    assert bound >= worth_of[b.tobytes()]
