"""What a block loses by the charges between its rows, against all subsets."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.minima import LANES
from boolfact.colgen.cover.point import rounded
from boolfact.colgen.cover.refine import charged_blocks, make_space, refine_block
from colgen.cover.points import random_layout, random_prices


def best_subset(point, block, left):
    """The largest worth of any rows of a block, where `left` is left of each one."""
    layout = point.layout
    rows = range(layout.block_start[block], layout.block_start[block + 1])
    best = 0
    for chosen in itertools.product([False, True], repeat=len(rows)):
        taken = [i for i, is_in in zip(rows, chosen, strict=True) if is_in]
        worth = 0
        for e in np.flatnonzero(np.isin(layout.one_row, taken)):
            charge = sum(int(point.across[e, i - rows[0]]) for i in taken)
            worth += max(0, int(left[e]) - charge) if left[e] > 0 else 0
        best = max(best, worth)
    return best


@given(st.integers(0, 2**32))
def test_the_totals_fall_to_the_best_subsets(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, int(rng.integers(2, 8)), int(rng.integers(1, 6)), 5)
    point = rounded(layout, random_prices(rng, layout), 1)
    charged = charged_blocks(point)
    base = np.where(rng.random(len(point.p)) < 0.8, point.p, -(1 << 30)).astype(np.int32)
    off = rng.integers(0, point.scale, (len(base), LANES)).astype(np.int32)
    total = np.zeros((1, LANES), dtype=np.int32)
    expected = np.zeros(LANES, dtype=np.int64)
    space = make_space(charged)
    for q in range(len(charged.rows) - 1):
        first = charged.one[charged.ones[charged.rows[q]]]
        block = layout.block_of[layout.one_row[first]]
        own = layout.block_of[layout.one_row] == block
        for lane in range(LANES):
            left = base.astype(np.int64) - off[:, lane]
            expected[lane] += best_subset(point, block, left)
            total[0, lane] += np.maximum(left, 0)[own].sum()
        refine_block(charged, q, base, off[charged.one], space, total)
    assert total[0].tolist() == expected.tolist()


@given(st.integers(0, 2**32))
def test_only_blocks_with_charges_between_rows_are_named(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, 8, 4, 4)
    point = rounded(layout, random_prices(rng, layout), 1)
    charged = charged_blocks(point)
    total = [
        int(point.across[layout.block_of[layout.one_row] == u].sum())
        for u in range(len(layout.block_start) - 1)
    ]
    ones = [charged.one[charged.ones[first]] for first in charged.rows[:-1]]
    named = [int(layout.block_of[layout.one_row[e]]) for e in ones]
    assert sorted(named) == [u for u, x in enumerate(total) if x > 0]
    assert [total[u] for u in named] == sorted((total[u] for u in named), reverse=True)
