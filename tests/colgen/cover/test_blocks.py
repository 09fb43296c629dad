"""Blocks in pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.blocks import merged_blocks
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import random_matrix


@given(st.integers(0, 2**32), st.integers(1, 12), st.booleans())
def test_a_partition_into_blocks_that_are_not_too_large(seed, most, with_codes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 15))
    matrix = random_matrix(rng, n, int(rng.integers(1, 7)))
    codes = rng.random((n, 3)) < 0.5 if with_codes else None
    blocks = [[i] for i in range(n)]
    while True:
        merged = merged_blocks(matrix, blocks, most, codes)
        assert sorted(i for block in merged for i in block) == list(range(n))
        assert max(len(block) for block in merged) <= most
        # Each is one of the old blocks, or two of them together.
        for block in merged:
            assert sum(set(old) <= set(block) for old in blocks) in (1, 2)
        if len(merged) == len(blocks):
            break
        blocks = merged
    # It ended because no two are small enough together.
    sizes = sorted(len(block) for block in blocks)
    assert len(sizes) < 2 or sizes[0] + sizes[1] > most


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [0, 2, 1, 3], [3, 0, 1, 2]])
def test_rows_that_are_alike_come_together(order):
    values = np.array(
        [[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]
    )
    merged = merged_blocks(BinaryMatrix(values[order]), [[0], [1], [2], [3]], 2, None)
    assert sorted(sorted(order[i] for i in block) for block in merged) == [[0, 1], [2, 3]]


def test_codes_decide_between_rows_that_are_alike():
    values = np.ones((4, 3), dtype=np.int8)
    codes = np.array([[1, 0], [0, 1], [1, 0], [0, 1]], dtype=bool)
    merged = merged_blocks(BinaryMatrix(values), [[0], [1], [2], [3]], 2, codes)
    assert sorted(sorted(block) for block in merged) == [[0, 2], [1, 3]]
