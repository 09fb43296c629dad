"""Equal rows and columns of packed data merge; the error stays the same."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolfact.model import merging
from boolfact.model.merging import reduce_packed
from boolfact.model.packed import PackedMatrix

from strategies import factors_of, matrices


def weighted_error(packed, factors):
    values, product = packed.values(slice(None)), factors.product()
    wrong = (values != -1) & ((values == 1) != product)
    rows = 1 if packed.row_weights is None else packed.row_weights[:, None]
    columns = 1 if packed.column_weights is None else packed.column_weights
    return int((wrong * rows * columns).sum())


@given(st.data(), matrices(max_side=6, weighted=False))
def test_lifted_factors_have_the_same_error(data, matrix):
    packed = PackedMatrix.from_binary(matrix)
    reduced = reduce_packed(packed)
    factors = data.draw(factors_of(reduced.matrix.shape))
    assert weighted_error(packed, reduced.lift(factors)) == weighted_error(reduced.matrix, factors)
    values = reduced.matrix.values(slice(None))
    assert len(np.unique(values, axis=0)) == len(values)
    assert len(np.unique(values.T, axis=0)) == values.shape[1]
    assert (values[np.ix_(reduced.row_map, reduced.column_map)] == matrix.values).all()


@given(matrices(max_side=6, weighted=False))
def test_a_useless_hash_merges_no_different_rows(matrix):
    packed = PackedMatrix.from_binary(matrix)
    kept, merging._hashes = merging._hashes, lambda words: np.zeros(len(words[0]), np.uint64)
    try:
        reduced = reduce_packed(packed)
    finally:
        merging._hashes = kept
    values = reduced.matrix.values(slice(None))
    assert (values[np.ix_(reduced.row_map, reduced.column_map)] == matrix.values).all()


def test_weights_that_are_there_add_up():
    values = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.int8)
    packed = replace(PackedMatrix.from_dense(values), row_weights=np.array([2, 3, 4]))
    assert reduce_packed(packed).matrix.row_weights.tolist() == [5, 4]
