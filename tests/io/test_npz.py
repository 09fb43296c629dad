import numpy as np
import pytest
import scipy.sparse

from boolfact import as_matrix
from boolfact.io.npz import npz_shape, read_npz
from boolfact.io.rows import as_rows
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix

ROWS, COLUMNS = ("p", "q"), ("a", "b", "c")
DENSE = np.array([[1.0, 0.0, np.nan], [0.0, 1.0, 1.0]])


def save(path, matrix, **names):
    """With names beside it, as the documentation says."""
    if scipy.sparse.issparse(matrix):
        scipy.sparse.save_npz(path, matrix)
        with np.load(path) as archive:
            parts = dict(archive)
        np.savez(path, **parts, **names)
    else:
        np.savez(path, X=matrix, **names)
    return path


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_names_beside_the_matrix_are_read(tmp_path, make):
    path = save(tmp_path / "x.npz", make(DENSE), row_names=ROWS, column_names=COLUMNS)
    assert npz_shape(path) == (2, 3)
    for matrix in (as_matrix(path), as_rows(path)):
        assert (matrix.row_names, matrix.column_names) == (ROWS, COLUMNS)
    assert as_matrix(path).values.tolist() == [[1, 0, -1], [0, 1, 1]]
    assert as_rows(path).values(slice(None)).tolist() == [[1, 0, -1], [0, 1, 1]]


def test_a_large_sparse_file_stays_sparse_with_its_names(tmp_path):
    dense = np.zeros((40, 50))
    dense[::7, ::11] = 1
    names = [f"right {j}" for j in range(50)]
    path = save(tmp_path / "x.npz", scipy.sparse.csr_array(dense), column_names=names)
    rows = as_rows(path)
    assert isinstance(rows, SparseMatrix)
    assert rows.column_names == tuple(names)
    assert rows.row_names is None
    full = save(tmp_path / "full.npz", scipy.sparse.csr_array(np.ones((4, 5))), row_names=[*"abcd"])
    assert isinstance(as_rows(full), PackedMatrix)
    assert as_rows(full).row_names == tuple("abcd")


def test_one_array_needs_no_name_of_its_own(tmp_path):
    np.savez(tmp_path / "x.npz", whatever=DENSE, column_names=COLUMNS)
    assert npz_shape(tmp_path / "x.npz") == (2, 3)
    assert read_npz(tmp_path / "x.npz").column_names == COLUMNS


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": DENSE, "row_names": ["p"]}, "row_names holds 1 names, and the matrix has 2 rows"),
        ({"X": DENSE, "column_names": [*"abcd"]}, "4 names, and the matrix has 3 columns"),
        ({"row_names": ["p"]}, "expected one array, or one called X"),
        ({"U": DENSE, "V": DENSE}, "expected one array, or one called X"),
        ({"X": np.zeros(3)}, "rows and columns, got shape"),
        ({"X": DENSE, "row_names": np.array(["p", None])}, "not a readable npz file"),
    ],
)
def test_what_does_not_fit_together_is_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "x.npz", **arrays)
    for read in (as_matrix, as_rows):
        with pytest.raises(ValueError, match=rf"x\.npz.*{message}"):
            read(tmp_path / "x.npz")


def test_a_place_in_a_sparse_file_is_named(tmp_path):
    path = save(tmp_path / "x.npz", scipy.sparse.csr_array(np.array([[1.0, 0.0], [0.0, 7.0]])))
    with pytest.raises(ValueError, match="row 1, column 1: value 7"):
        as_rows(path)
