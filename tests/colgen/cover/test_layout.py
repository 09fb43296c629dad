"""The data in the order of its blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.layout import make_layout
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import cells, charged_by, random_blocks, random_layout, random_matrix

import naive


@given(st.integers(0, 2**32))
def test_everything_is_where_it_says(seed):
    rng = np.random.default_rng(seed)
    n, m = (int(x) for x in rng.integers(1, 7, 2))
    matrix, blocks = random_matrix(rng, n, m), random_blocks(rng, n)
    layout = make_layout(matrix, blocks)
    assert sorted(layout.rows.tolist()) == list(range(n))
    named = {i for block in blocks for i in block}
    assert layout.blocks == blocks + [[i] for i in range(n) if i not in named]
    assert layout.slots == max(len(block) for block in layout.blocks)
    ones = np.argwhere((matrix.values == 1) & (matrix.weights > 0)).tolist()
    assert sorted(cells(layout)) == [tuple(e) for e in ones]
    assert (np.diff(layout.one_row) >= 0).all()
    for i in range(n):
        inside = range(layout.row_start[i], layout.row_start[i + 1])
        assert [layout.one_row[e] for e in inside] == [i] * len(inside)
    for e, (i, j) in enumerate(zip(layout.one_row, layout.one_column, strict=True)):
        assert layout.one_at[i, j] == e
        assert layout.one_weights[e] == matrix.weights[layout.rows[i], j]
    assert (layout.one_at >= 0).sum() == len(ones)
    zeros = (matrix.values == 0) & (matrix.weights > 0)
    assert layout.zeros.tolist() == zeros[layout.rows].tolist()


@given(st.integers(0, 2**32))
def test_a_zero_weighs_no_more_than_what_it_may_charge(seed):
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, int(rng.integers(1, 6)), int(rng.integers(1, 6)))
    weights = np.zeros(layout.across_weights.shape)
    for i, c in np.argwhere(layout.zeros):
        along, across = charged_by(layout, i, c)
        total = sum(layout.one_weights[e] for e, _ in along + across)
        assert layout.weights[i, c] <= total
        for e, slot in across:
            weights[e, slot] = layout.weights[i, c]
    assert layout.across_weights.tolist() == weights.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_cutting_the_weights_of_zeros_off_costs_no_bound(seed):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, 3, 3, missing=False)
    matrix = BinaryMatrix(matrix.values, np.where(matrix.values == 0, 50, matrix.weights))
    layout = make_layout(matrix, [[0, 1]])
    weights = np.empty((3, 3))
    weights[layout.rows] = layout.weights
    everything = naive.all_rectangles(3, 3)
    full, cut = (
        naive.assigned_cover(matrix.values, w, 1, layout.blocks, everything)
        for w in (matrix.weights, weights)
    )
    assert full == pytest.approx(cut, abs=1e-6)


@pytest.mark.parametrize("blocks", [[[0, 1], [1]], [[0, 0]], [[3]], [[-1]]])
def test_blocks_that_overlap_or_lie_outside_are_refused(blocks):
    with pytest.raises(ValueError, match="disjoint sets of the rows 0 to 2"):
        make_layout(BinaryMatrix(np.ones((3, 2), dtype=np.int8)), blocks)


def test_a_block_with_too_many_rows_is_refused():
    with pytest.raises(ValueError, match="more than 12 rows"):
        make_layout(BinaryMatrix(np.ones((13, 2), dtype=np.int8)), [range(13)])
