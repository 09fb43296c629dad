"""Files that ask for too much, or point outside themselves."""

import io
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
