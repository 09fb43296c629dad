"""Large data in blocks: the same matrix as the dense readers give."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from boolfact.io import streams
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows, shape_of
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix


@pytest.fixture
def values():
    return np.random.default_rng(0).integers(-1, 2, (50, 7)).astype(np.int8)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(streams, "_BLOCK_CELLS", 70)


def as_float(values):
    return np.where(values == -1, np.nan, values)


def frame(values, names=True):
    columns = [f"c{j}" for j in range(values.shape[1])]
    index = [f"r{i}" for i in range(len(values))] if names else None
    return pd.DataFrame(as_float(values), index=index, columns=columns)


def write(path, values):
    if path.suffix == ".npy":
        np.save(path, as_float(values))
    elif path.suffix == ".npz":
        np.savez(path, X=as_float(values))
    elif path.suffix == ".parquet":
        frame(values).to_parquet(path)
    elif path.suffix == ".csv":
        frame(values).to_csv(path)
    else:
        np.savetxt(
            path, as_float(values), fmt="%.0f", delimiter="\t" if "tsv" in path.name else " "
        )


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "x.parquet", "x.csv", "x.tsv", "x.txt"])
def test_files_in_blocks_are_read_as_the_dense_reader_does(tmp_path, values, name):
    path = tmp_path / name
    write(path, values)
    rows, dense = as_rows(path), as_matrix(path)
    assert isinstance(rows, PackedMatrix)
    assert (rows.values(slice(None)) == dense.values).all()
    assert (rows.row_names, rows.column_names) == (dense.row_names, dense.column_names)
    n, m = shape_of(path)
    assert n * m > 0
    if name.endswith(("npy", "npz")):
        assert (n, m) == values.shape


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.coo_array])
def test_sparse_data_stay_sparse_if_that_is_smaller(tmp_path, make):
    dense = np.zeros((40, 50), dtype=np.float64)
    dense[::7, ::11] = 1
    dense[3, 4] = np.nan
    rows = as_rows(make(dense))
    assert isinstance(rows, SparseMatrix)
    expected = np.where(np.isnan(dense), -1, dense)
    assert (rows.values(slice(None)) == expected).all()
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(dense))
    assert shape_of(tmp_path / "x.npz") == (40, 50)
    assert isinstance(as_rows(tmp_path / "x.npz"), SparseMatrix)
    full = as_rows(make(np.ones((4, 5))))
    assert isinstance(full, PackedMatrix)
    assert full.n_ones == 20


def test_a_threshold_is_applied_to_what_is_stored():
    rows = as_rows(scipy.sparse.csr_array(np.array([[5.0, 1.0], [0.0, 2.0]])), binarize=1.5)
    assert rows.values(slice(None)).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="threshold of 0 or more"):
        as_rows(scipy.sparse.csr_array(np.eye(2)), binarize=-1)


def test_what_is_not_understood_is_named_by_its_place(tmp_path, values):
    bad = as_float(values)
    bad[45, 3] = 7
    np.save(tmp_path / "x.npy", bad)
    with pytest.raises(ValueError, match="row 45, column 3: value 7"):
        as_rows(tmp_path / "x.npy")
    with pytest.raises(ValueError, match="row 45, column 3: value 7"):
        as_rows(bad)
    with pytest.raises(ValueError, match="row 45, column 3: value 7"):
        as_rows(scipy.sparse.csr_array(bad))
    lines = ["0,1,0"] * 40 + ["0,1"]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    with pytest.raises(ValueError, match="line 41 has 2 cells, expected 3"):
        as_rows(tmp_path / "x.csv")
    np.save(tmp_path / "y.npy", np.zeros(3))
    with pytest.raises(ValueError, match="expected a matrix"):
        as_rows(tmp_path / "y.npy")


def test_other_kinds_are_packed(values):
    assert (as_rows(frame(values)).values(slice(None)) == values).all()
    assert as_rows("zoo").shape == (101, 17)
    assert shape_of("zoo") is None
    weighted = as_matrix(as_float(values), weights=np.arange(values.size).reshape(values.shape))
    assert as_rows(weighted) is None


def test_a_mapped_file_takes_little_more_than_its_bits(tmp_path):
    values = np.zeros((40_000, 512), dtype=np.int8)
    values[::3, ::5] = 1
    np.save(tmp_path / "x.npy", values)
    tracemalloc.start()
    rows = as_rows(tmp_path / "x.npy")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows.n_ones == values.sum()
    # Blocks of four million cells, and what parsing one of them takes.
    assert peak < rows.nbytes + 10 * (1 << 22)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, float])
def test_numbers_of_every_size_are_packed_alike(dtype):
    values = np.random.default_rng(2).integers(0, 2, (70, 130))
    given = np.asfortranarray(values.astype(dtype))
    assert (as_rows(given).values(slice(None)) == values).all()


@pytest.mark.parametrize(("dtype", "value"), [(np.int8, -1), (np.uint8, 255), (np.int8, 2)])
def test_bytes_other_than_0_and_1_are_refused_with_their_place(dtype, value):
    values = np.zeros((3000, 200), dtype=dtype)
    values[2900, 7] = value
    with pytest.raises(ValueError, match="row 2900, column 7"):
        as_rows(values)


def test_masked_bytes_are_missing():
    values = np.ma.MaskedArray(np.ones((2, 3), dtype=np.int8), mask=[[0, 1, 0], [0, 0, 0]])
    assert (as_rows(values).values(slice(None)) == [[1, -1, 1], [1, 1, 1]]).all()
