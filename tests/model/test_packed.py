"""Bits in words: the same data, an eighth of a byte per cell."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from boolfact.model.costs import weight_of_ones, with_costs, with_row_costs
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.packed import PackedMatrix, pack_bits, prices_of, unpack_bits

import naive
from strategies import matrices


@given(matrices(max_side=70))
def test_bits_are_where_they_should_be(matrix):
    words = pack_bits(matrix.ones)
    assert (words.astype(object) == naive.pack(matrix.ones)).all()
    assert (unpack_bits(words, matrix.shape[1]) == matrix.ones).all()


@given(matrices(weighted=False))
def test_packing_loses_nothing(matrix):
    packed = PackedMatrix.from_binary(matrix)
    assert packed.shape == matrix.shape
    assert (packed.values(slice(None)) == matrix.values).all()
    assert (packed.n_ones, packed.n_missing) == (matrix.n_ones, matrix.n_missing)
    assert (packed.T.values(slice(None)) == matrix.values.T).all()
    rows = np.arange(matrix.shape[0])[::2]
    assert (packed.take(rows).values(slice(None)) == matrix.values[rows]).all()
    assert (packed.hidden is None) == (matrix.n_missing == 0)


@given(matrices(weighted=False))
def test_the_digest_is_that_of_the_data(matrix):
    packed = PackedMatrix.from_binary(matrix)
    assert packed.digest() == PackedMatrix.from_binary(matrix).digest()
    values = matrix.values.copy()
    values[0, 0] = {-1: 0, 0: 1, 1: -1}[int(values[0, 0])]
    for changed in (
        PackedMatrix.from_dense(values),
        replace(packed, false_one_cost=2),
        replace(packed, row_weights=np.full(matrix.shape[0], 2)),
    ):
        assert changed.digest() != packed.digest()


def test_prices_are_found_in_the_weights():
    matrix = BinaryMatrix(np.array([[1, 0], [1, -1]]))
    assert prices_of(matrix) == (1, 1)
    assert prices_of(with_costs(matrix, false_one_cost=3, missed_one_cost=2)) == (3, 2)
    below = PackedMatrix.from_binary(with_costs(matrix, from_below=True))
    assert below.false_one_cost == 3
    assert prices_of(BinaryMatrix(matrix.values, np.array([[1, 2], [3, 4]]))) is None


@given(matrices(weighted=False))
def test_prices_of_rows_are_those_of_the_matrix(matrix):
    packed = PackedMatrix.from_binary(matrix)
    assert weight_of_ones(packed) == matrix.n_ones
    priced = with_row_costs(packed, missed_one_cost=2, from_below=True)
    assert priced.false_one_cost == 2 * matrix.n_ones + 1
    double = replace(packed, row_weights=np.full(matrix.shape[0], 2))
    assert weight_of_ones(double) == 2 * matrix.n_ones


def test_blocks_must_fit():
    with pytest.raises(ValueError, match="does not fit"):
        PackedMatrix.from_blocks((2, 3), [np.zeros((1, 2), np.int8)])
    with pytest.raises(ValueError, match="expected 2 rows, got 1"):
        PackedMatrix.from_blocks((2, 3), [np.zeros((1, 3), np.int8)])
    with pytest.raises(ValueError, match="empty"):
        PackedMatrix.from_blocks((0, 3), [])


def test_packing_in_blocks_takes_little_more_than_the_bits():
    n, m = 40_000, 640

    def blocks():
        for first in range(0, n, 1000):
            yield np.full((1000, m), first % 2, dtype=np.int8)

    tracemalloc.start()
    packed = PackedMatrix.from_blocks((n, m), blocks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert packed.nbytes == n * m // 8
    assert peak < packed.nbytes + 5 * 1000 * m


def test_a_complete_matrix_of_unit_weights_holds_no_weights():
    values = np.zeros((2000, 1000), dtype=np.int8)
    tracemalloc.start()
    matrix = BinaryMatrix(values)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * values.nbytes
    assert (matrix.weights == 1).all()
    assert matrix.weights.dtype == np.int64
