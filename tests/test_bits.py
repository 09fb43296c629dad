import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.bits import pack_rows, packed_error, packed_product, popcount, unpack_rows

import naive
from strategies import matrix_and_factors

bool_matrices = hnp.arrays(
    np.bool_, st.tuples(st.integers(1, 6), st.integers(1, 150)), elements=st.booleans()
)


@given(bool_matrices)
def test_packing_puts_bit_j_into_word_j_over_64(matrix):
    assert (pack_rows(matrix).astype(object) == naive.pack(matrix)).all()


@given(bool_matrices)
def test_unpacking_undoes_packing(matrix):
    assert (unpack_rows(pack_rows(matrix), matrix.shape[1]) == matrix).all()


@given(st.integers(0, 2**64 - 1))
def test_popcount_counts_ones(x):
    assert popcount(np.uint64(x)) == x.bit_count()


@given(matrix_and_factors(max_side=70))
def test_packed_product_and_error_equal_the_obvious_ones(case):
    matrix, factors = case
    product = packed_product(factors.A, pack_rows(factors.B))
    expected = naive.product(factors.A, factors.B)
    assert (unpack_rows(product, matrix.shape[1]) == expected).all()
    observed = ~matrix.missing
    error = packed_error(pack_rows(matrix.ones), pack_rows(observed), product)
    assert error == ((matrix.ones != expected) & observed).sum()
