"""Blocks of two rows around a circle: the layout of their numbers, and their worth."""

import numpy as np
import pytest

from boolfact.colgen.cover.climb import set_worths
from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.pairs import _search, _worth, make_pairs, search_pairs_a_little
from boolfact.colgen.cover.point import rounded
from colgen.cover.points import random_matrix, random_prices


def random_point(seed, n=None, most=2):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 45)) if n is None else n
    m = int(rng.integers(1, 7))
    rows = rng.permutation(n)
    count = int(rng.integers(1, n // most + 1))
    blocks = [list(rows[most * u : most * u + most]) for u in range(count)]
    layout = make_layout(random_matrix(rng, n, m), blocks)
    return rounded(layout, random_prices(rng, layout), 1)


@pytest.mark.parametrize("seed", range(60))
def test_what_columns_bring_adds_up_to_the_worth_of_their_sets(seed):
    point = random_point(seed)
    pairs, brought = make_pairs(point)
    m = point.layout.shape[1]
    sets = (np.arange(1 << m)[:, None] >> np.arange(m) & 1).astype(bool)
    parts = np.zeros((6, 16), dtype=np.int32)
    found = [int(_worth(brought[b].sum(axis=0).astype(np.int32), pairs, parts)) for b in sets]
    assert found == set_worths(point, sets).tolist()


def test_some_of_these_points_have_charges_across_rows():
    points = [random_point(seed) for seed in range(60)]
    charged = [point for point in points if point.across.any()]
    assert len(charged) > 30
    assert any(make_pairs(point)[0].long[:, 1].any() for point in charged)
    # More than one group of 16 blocks.
    assert any(len(make_pairs(point)[0].first) > 1 for point in charged)


def test_larger_blocks_are_refused():
    with pytest.raises(ValueError, match="at most two rows are priced so, got one of 3"):
        make_pairs(random_point(0, n=9, most=3))


def test_the_kernel_is_there_after_a_little():
    search_pairs_a_little()
    if hasattr(_search, "signatures"):
        assert _search.signatures
