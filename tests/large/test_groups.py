"""Groups of columns and their most frequent rows."""

import numpy as np
import pytest

from boolfact.control.stop import Stop
from boolfact.large.groups import collect, column_groups
from boolfact.model.packed import PackedMatrix


@pytest.mark.parametrize(("m", "width"), [(1, 12), (12, 12), (13, 12), (50, 7)])
def test_groups_have_every_column_once(m, width):
    codes = np.random.default_rng(m).integers(0, 4, m)
    groups = column_groups(codes, width)
    assert sorted(np.concatenate(groups)) == list(range(m))
    assert max(map(len, groups)) <= width


@pytest.mark.parametrize("seed", range(6))
def test_weights_are_those_of_all_equal_rows(seed):
    rng = np.random.default_rng(seed)
    values = (rng.random((60, 9)) < 0.4).astype(np.int8)
    values[rng.random((60, 9)) < 0.05] = -1
    heights = rng.integers(1, 5, 60)
    packed = PackedMatrix.from_dense(values)
    rows = PackedMatrix(packed.ones, 9, packed.hidden, heights, None, 3, 2)
    columns = np.sort(rng.permutation(9)[:4])
    (group,) = collect(rows, [columns], 5, Stop())
    counts = {}
    for row, height in zip(values[:, columns], heights, strict=True):
        if row.min() >= 0 and row.max() == 1:
            counts[tuple(row)] = counts.get(tuple(row), 0) + int(height)
    heaviest = sorted(counts.values())[::-1][:5]
    found = []
    for row, weights in zip(group.matrix.values, group.matrix.weights, strict=True):
        height = counts[tuple(row)]
        found.append(height)
        assert (weights == np.where(row == 1, 2, 3) * height).all()
    assert sorted(found)[::-1] == heaviest


def test_a_group_without_a_row_that_is_whole_is_left_out():
    values = np.array([[1, -1], [0, 0]], dtype=np.int8)
    assert collect(PackedMatrix.from_dense(values), [np.arange(2)], 5, Stop()) == []


@pytest.mark.parametrize("cost", [2**58, 2**61, 2**64])
def test_a_group_whose_weights_cannot_be_added_up_is_left_out(cost):
    values = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0]] * 3, dtype=np.int8)
    packed = PackedMatrix.from_dense(values)
    columns = [np.arange(3)]
    for costs in ((cost, 1), (1, cost)):
        rows = PackedMatrix(packed.ones, 3, None, None, None, *costs)
        assert collect(rows, columns, 5, Stop()) == []
    (group,) = collect(PackedMatrix(packed.ones, 3, None, None, None, 2**56, 1), columns, 5, Stop())
    assert group.matrix.weights.max() == 3 * 2**56
