"""Groups of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.parts import column_groups, make_parts
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from colgen.cover.points import random_matrix


@given(st.integers(0, 2**32), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_groups_are_disjoint_have_their_sizes_and_cover_all_columns(seed, sizes):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(rng, int(rng.integers(1, 7)), sum(sizes))
    groups = column_groups(matrix, sizes, seed)
    assert [len(group) for group in groups] == sizes
    assert sorted(np.concatenate(groups).tolist()) == list(range(sum(sizes)))
    again = column_groups(matrix, sizes, seed)
    assert [group.tolist() for group in groups] == [group.tolist() for group in again]


def test_sizes_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="add up to 3, got 4"):
        column_groups(BinaryMatrix(np.ones((2, 3), dtype=np.int8)), [2, 2])


def test_columns_that_occur_together_come_together():
    rng = np.random.default_rng(0)
    causes = rng.random((60, 2)) < 0.5
    values = causes[:, [0, 1, 0, 1, 0, 1]] ^ (rng.random((60, 6)) < 0.1)
    groups = column_groups(BinaryMatrix(values.astype(np.int8)), [3, 3])
    assert sorted(group.tolist() for group in groups) == [[0, 2, 4], [1, 3, 5]]


def parts_of(seed, most=4):
    rng = np.random.default_rng(seed)
    n, m, k = int(rng.integers(2, 8)), int(rng.integers(2, 13)), int(rng.integers(1, 3))
    matrix = random_matrix(rng, n, m)
    limit = Stop(iteration_limit=2)
    return rng, matrix, k, make_parts(matrix, k, most, stop=limit, seed=seed)


@pytest.mark.parametrize("seed", range(30))
def test_parts_are_what_their_maps_say(seed):
    _, matrix, k, parts = parts_of(seed)
    used = np.zeros(matrix.shape[1], dtype=int)
    for part in parts:
        inside = np.flatnonzero(part.column_map >= 0)
        assert set(inside) <= set(part.columns)
        assert part.matrix.shape[1] <= len(part.columns) <= 4
        assert k < min(part.matrix.shape)
        used[part.columns] += 1
        weights = np.zeros(part.matrix.shape, dtype=int)
        for i, j in np.ndindex(matrix.shape):
            place = part.row_map[i], part.column_map[j]
            if min(place) >= 0:
                weights[place] += matrix.weights[i, j]
                if matrix.weights[i, j]:
                    assert part.matrix.values[place] == matrix.values[i, j]
            elif j in part.columns and matrix.weights[i, j]:
                assert matrix.values[i, j] != 1
        original = part.reduction.original
        assert original.values.tolist() == matrix.values[:, part.columns].tolist()
        assert original.weights.tolist() == matrix.weights[:, part.columns].tolist()
        assert weights.tolist() == part.matrix.weights.tolist()
        assert part.error == part.factors.error(part.matrix) > 0
    assert used.max(initial=0) <= 1


@pytest.mark.parametrize("seed", range(30))
def test_the_error_of_factors_is_at_least_the_sum_over_the_parts(seed):
    rng, matrix, k, parts = parts_of(seed)
    n, m = matrix.shape
    whole = Factors(rng.random((n, k)) < 0.5, rng.random((k, m)) < 0.5)
    groups = [part.reduction.original for part in parts]
    own = [Factors(whole.A, whole.B[:, part.columns]) for part in parts]
    errors = [factors.error(group) for factors, group in zip(own, groups, strict=True)]
    left = np.setdiff1d(np.arange(m), [j for part in parts for j in part.columns])
    rest = 0
    if len(left):
        outside = BinaryMatrix(matrix.values[:, left], matrix.weights[:, left])
        rest = Factors(whole.A, whole.B[:, left]).error(outside)
    assert sum(errors) + rest == whole.error(matrix)
    # What is reduced has no more error: the bound of the part holds for the group.
    for part, factors, error in zip(parts, own, errors, strict=True):
        assert part.reduction.restrict(factors).error(part.matrix) <= error


@pytest.mark.parametrize("seed", range(10))
def test_sets_of_the_whole_in_a_part(seed):
    rng, matrix, _, parts = parts_of(seed)
    B = rng.random((8, matrix.shape[1])) < 0.4
    for part in parts:
        expected = set()
        for b in B:
            inside = {int(part.column_map[j]) for j in np.flatnonzero(b)} - {-1}
            if inside:
                expected.add(frozenset(inside))
        got = [frozenset(np.flatnonzero(b).tolist()) for b in part.sets(B)]
        assert len(got) == len(set(got))
        assert set(got) == expected


def test_what_proves_nothing_or_cannot_be_priced_is_left_out():
    few = Stop(iteration_limit=2)
    assert make_parts(BinaryMatrix(np.zeros((4, 4), dtype=np.int8)), 1, 4, stop=few) == []
    assert make_parts(BinaryMatrix(np.eye(4, dtype=np.int8)), 4, 4, stop=few) == []
    heavy = BinaryMatrix(np.eye(4, dtype=np.int8), np.full((4, 4), 1 << 29))
    assert make_parts(heavy, 1, 4, stop=few) == []
    # Each group of two columns can be had without error.
    assert make_parts(BinaryMatrix(np.eye(4, dtype=np.int8)), 2, 2, stop=few) == []
