"""Files that ask for too much, or point outside themselves."""

import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import scipy.sparse

from boolfact.io.limits import check_size
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows


def test_what_fits_is_read_and_what_does_not_is_refused():
    check_size("x", (1000, 1000), 8)
    with pytest.raises(ValueError, match=r"x: shape .* GB of memory"):
        check_size("x", (10**9, 10**9), 1)


def head(shape):
    stream = io.BytesIO()
    header = {"descr": "|i1", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue()


@pytest.mark.parametrize("shape", [(10**9, 10**9), (10**6, 10**5), (2**40, 2**40)])
def test_the_head_of_an_array_is_not_believed(tmp_path, shape):
    path = tmp_path / "x.npy"
    path.write_bytes(head(shape) + b"\x01")
    with pytest.raises(ValueError, match=r"x\.npy"):
        as_matrix(path)


def test_an_archive_that_claims_more_than_the_memory_is_refused_unread(tmp_path):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", head((10**9, 10**6)) + bytes(10**6))
    with pytest.raises(ValueError, match="GB of memory"):
        as_matrix(path)


def test_a_market_file_that_claims_more_than_the_memory_is_refused_unread(tmp_path):
    path = tmp_path / "x.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate integer general\n999999999 999999999 1\n1 1 1\n"
    )
    with pytest.raises(ValueError, match="GB of memory"):
        as_matrix(path)


MARKET = "%%MatrixMarket matrix coordinate integer general\n3 4 {}\n1 1 1\n3 4 1"


@pytest.mark.parametrize("end", ["", " ", "V", " 1", "V" * 5000])
def test_a_market_file_whose_last_line_has_no_end_is_read_or_refused(tmp_path, end):
    """Scipy alone would end the process."""
    code = f"""
from pathlib import Path
from boolfact import as_matrix
path = Path({str(tmp_path / "x.mtx")!r})
path.write_text({MARKET.format(2) + end!r})
for _ in range(100):
    try:
        assert as_matrix(path).values.sum() == 2
    except ValueError as error:
        assert "x.mtx" in str(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("entries", [10**6, 2**31 + 5, 2**62])
def test_a_market_file_that_claims_more_entries_than_it_has_bytes_is_refused(tmp_path, entries):
    path = tmp_path / "x.mtx"
    path.write_text(MARKET.format(entries))
    with pytest.raises(ValueError, match=r"do not fit|not a readable Matrix Market file"):
        as_matrix(path)


@pytest.mark.parametrize("read", [as_matrix, as_rows])
@pytest.mark.parametrize("bad", [10**6, -5])
def test_indices_outside_a_sparse_matrix_are_refused(tmp_path, read, bad):
    """Scipy alone writes to wherever they point, and may end the process."""
    path = tmp_path / "x.npz"
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(np.eye(4)))
    with np.load(path) as archive:
        parts = dict(archive)
    parts["indices"] = np.array([0, 1, bad, 3], dtype=np.int32)
    np.savez(path, **parts)
    with pytest.raises(ValueError, match=r"x\.npz"):
        read(path)


@pytest.mark.parametrize("read", ["as_matrix", "as_rows"])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(
    "pointers", [[0, 1, 2, 3, -65532], [0, 1, 10**6, 3, 0], [0, 2**31 - 1, -(2**31), 3, 4]]
)
def test_pointers_of_a_sparse_matrix_that_go_back_are_refused(tmp_path, read, kind, pointers):
    """Scipy looks at them only where the last one says that there are entries; in a process of
    its own, because it may end it."""
    path = tmp_path / "x.npz"
    matrix = scipy.sparse.csr_matrix(np.eye(4)).asformat(kind)
    scipy.sparse.save_npz(path, matrix)
    with np.load(path) as archive:
        parts = dict(archive)
    parts["indptr"] = np.array(pointers, dtype=np.int32)
    np.savez(path, **parts)
    code = f"""
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows
try:
    {read}({str(path)!r})
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "x.npz: not a sparse matrix" in done.stdout


@pytest.mark.parametrize("read", [as_matrix, as_rows])
@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_a_head_that_is_no_head_is_refused(tmp_path, read, kind):
    """NumPy reads heads as Python reads its own text, and raises what Python does."""
    path = tmp_path / f"x.{kind}"
    broken = head((2, 3)).replace(b"}", b"(") + bytes(6)
    if kind == "npy":
        path.write_bytes(broken)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("X.npy", broken)
    with pytest.raises(ValueError, match=f"not a readable {kind} file"):
        read(path)


@pytest.mark.parametrize("read", [as_matrix, as_rows])
@pytest.mark.parametrize("name", ["row_names", "data"])
def test_what_is_beside_the_matrix_is_not_believed_either(tmp_path, read, name):
    path = tmp_path / "x.npz"
    parts = {"X": np.eye(2)}
    if name == "data":
        scipy.sparse.save_npz(path, scipy.sparse.csr_matrix(np.eye(2)))
        with np.load(path) as archive:
            parts = {key: value for key, value in archive.items() if key != "data"}
    np.savez(path, **parts)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}.npy", head((10**14,)) + bytes(10**6))
    with pytest.raises(ValueError, match="GB of memory"):
        read(path)


@pytest.mark.parametrize("read", [as_matrix, as_rows])
@pytest.mark.parametrize("where", ["names", "cells"])
def test_text_that_is_not_unicode_is_refused(tmp_path, read, where):
    text = np.array([["1", "0"], ["0", "1"]])
    broken = text[0].copy() if where == "names" else text.copy()
    broken.view(np.uint32).flat[0] = 0x7FFFFFFF
    parts = {"X": text, "row_names": broken} if where == "names" else {"X": broken}
    np.savez(tmp_path / "x.npz", **parts)
    with pytest.raises(ValueError, match=r"not a readable npz file|not Unicode"):
        read(tmp_path / "x.npz")


@pytest.mark.parametrize("read", [as_matrix, as_rows])
def test_a_parquet_file_with_a_damaged_page_is_refused(tmp_path, read):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"a": [1, 0] * 50, "b": [0, 1] * 50}), path)
    page = bytearray(path.read_bytes())
    page[4:40] = bytes([255]) * 36
    path.write_bytes(page)
    with pytest.raises(ValueError, match=r"x\.parquet: not a readable parquet file"):
        read(path)


@pytest.mark.parametrize("read", [as_matrix, as_rows])
@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_pickled_objects_are_never_loaded(tmp_path, read, kind):
    path = tmp_path / f"x.{kind}"
    objects = np.array([[1, None]], dtype=object)
    if kind == "npy":
        np.save(path, objects, allow_pickle=True)
    else:
        np.savez(path, objects)
    with pytest.raises(ValueError, match=f"not a readable {kind} file"):
        read(path)


def test_data_of_another_file_are_not_read(tmp_path):
    h5py = pytest.importorskip("h5py")
    (tmp_path / "secret").write_bytes(bytes(4))
    path = tmp_path / "x.h5ad"
    with h5py.File(path, "w") as file:
        elsewhere = [(str(tmp_path / "secret"), 0, 4)]
        file.create_dataset("X", shape=(2, 2), dtype="i1", external=elsewhere)
        for table in ("obs", "var"):
            file[table] = np.array([(b"a",), (b"b",)], dtype=[("index", "S1")])
    with pytest.raises(ValueError, match="lie in another file"):
        as_matrix(path)


@pytest.mark.parametrize(
    ("part", "values"), [("indices", [0, 7]), ("indptr", [0, 9, 2]), ("indptr", [0, 2])]
)
def test_a_sparse_matrix_of_cells_that_points_outside_itself_is_refused(tmp_path, part, values):
    h5py = pytest.importorskip("h5py")
    parts = {"data": [1, 1], "indices": [0, 1], "indptr": [0, 1, 2], part: values}
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", (2, 2)
        for name, numbers in parts.items():
            group[name] = np.array(numbers)
        for table in ("obs", "var"):
            file[table] = np.array([(b"a",), (b"b",)], dtype=[("index", "S1")])
    with pytest.raises(ValueError, match="not a sparse matrix"):
        as_matrix(tmp_path / "x.h5ad", binarize=0)


def test_starts_of_cells_that_go_back_by_more_than_a_number_holds_are_refused(tmp_path):
    """The difference of the largest number and the least one is 1, as machines count."""
    h5py = pytest.importorskip("h5py")
    edge = 2**63
    starts = np.array([0, edge - 1, -edge, -1, 2], dtype=np.int64)
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", (4, 2)
        group["data"], group["indices"], group["indptr"] = [1, 1], [0, 1], starts
        for table, size in (("obs", 4), ("var", 2)):
            file[table] = np.array([(b"a",)] * size, dtype=[("index", "S1")])
    for read in (as_matrix, as_rows):
        with pytest.raises(ValueError, match="not a sparse matrix"):
            read(tmp_path / "x.h5ad", binarize=0)
