"""Lists of ones: the same data, without the zeros."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given

from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix

from strategies import matrices


def sparse_of(matrix):
    """With what is missing among the stored entries, and an explicit zero or two."""
    stored = matrix.values != 0
    rows = scipy.sparse.csr_array(np.where(stored, 7, 0))
    return SparseMatrix.from_scipy(rows, matrix.values[stored])


@given(matrices(weighted=False))
def test_lists_lose_nothing(matrix):
    sparse = sparse_of(matrix)
    assert sparse.shape == matrix.shape
    assert (sparse.n_ones, sparse.n_missing) == (matrix.n_ones, matrix.n_missing)
    assert (sparse.values(slice(None)) == matrix.values).all()
    assert (sparse.T.values(slice(None)) == matrix.values.T).all()
    rows = np.arange(matrix.shape[0])[::-2]
    assert (sparse.take(rows).values(slice(None)) == matrix.values[rows]).all()
    assert sparse.digest() == PackedMatrix.from_binary(matrix).digest()


def test_explicit_zeros_and_duplicates_are_understood():
    stored = ([1, 0, 1, 1], ([0, 0, 1, 1], [0, 1, 2, 2]))
    sparse = SparseMatrix.from_scipy(scipy.sparse.coo_array(stored, shape=(2, 3)))
    assert sparse.values(slice(None)).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_empty_data_are_refused():
    with pytest.raises(ValueError, match="empty"):
        SparseMatrix.from_scipy(scipy.sparse.csr_array((0, 3)))
    with pytest.raises(ValueError, match="go together"):
        SparseMatrix(np.array([0, 0]), np.zeros(0, np.int32), 1, np.array([0, 0]))
