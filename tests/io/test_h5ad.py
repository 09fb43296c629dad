import numpy as np
import pytest
import scipy.sparse

import boolfact
from boolfact.io.formats import read_file
from boolfact.io.h5ad import is_anndata

h5py = pytest.importorskip("h5py", reason="the extra 'h5ad' is not installed")

COUNTS = np.array([[0.0, 3.0, 1.0], [2.0, 0.0, 0.0]])
CELLS, GENES = ("cell a", "cell b"), ("g1", "g2", "gö")


def write(path, X, *, index="plain"):
    """A file in the layout that the anndata package documents."""
    with h5py.File(path, "w") as file:
        if scipy.sparse.issparse(X):
            group = file.create_group("X")
            group.attrs["encoding-type"] = f"{X.format}_matrix"
            group.attrs["shape"] = X.shape
            for name in ("data", "indices", "indptr"):
                group[name] = getattr(X, name)
        else:
            file["X"] = X
        for table, names in (("obs", CELLS), ("var", GENES)):
            text = np.array([name.encode() for name in names], dtype=object)
            kind = h5py.string_dtype()
            if index == "old":
                rows = np.array([(name.encode(),) for name in names], dtype=[("index", "S20")])
                file[table] = rows
                continue
            group = file.create_group(table)
            group.attrs["_index"] = "names"
            if index == "plain":
                group.create_dataset("names", data=text, dtype=kind)
            elif index == "nullable":
                group.create_group("names").create_dataset("values", data=text, dtype=kind)
            else:
                inner = group.create_group("names")
                inner.create_dataset("categories", data=text[::-1], dtype=kind)
                inner["codes"] = np.arange(len(names))[::-1]
    return path


@pytest.mark.parametrize("index", ["plain", "nullable", "categorical", "old"])
@pytest.mark.parametrize(
    "kind",
    [np.asarray, scipy.sparse.csr_matrix, scipy.sparse.csc_matrix],
    ids=["dense", "csr", "csc"],
)
def test_counts_above_a_threshold_are_ones_with_both_names(tmp_path, kind, index):
    path = write(tmp_path / "cells.h5ad", kind(COUNTS), index=index)
    X = boolfact.as_matrix(path, binarize=0)
    assert (X.ones == (COUNTS > 0)).all()
    assert X.row_names == CELLS
    assert X.column_names == GENES


def test_counts_without_a_threshold_are_refused_with_both_names(tmp_path):
    path = write(tmp_path / "cells.h5ad", COUNTS)
    with pytest.raises(ValueError, match=r"observation 'cell a', variable 'g2': value 3.0"):
        read_file(path)


@pytest.mark.parametrize("content", [b"nonsense", b""])
def test_a_damaged_file_is_refused(tmp_path, content):
    path = tmp_path / "cells.h5ad"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"cells\.h5ad: not a readable h5ad file"):
        read_file(path)


def test_a_file_whose_parts_do_not_fit_is_refused(tmp_path):
    path = write(tmp_path / "cells.h5ad", COUNTS.T)
    with pytest.raises(ValueError, match=r"X has shape \(3, 2\)"):
        read_file(path)


def test_an_object_like_anndata_is_read(tmp_path):
    class Cells:
        obs = var = None
        obs_names, var_names = CELLS, GENES
        X = scipy.sparse.csr_matrix(COUNTS)

    assert is_anndata(Cells())
    X = boolfact.as_matrix(Cells(), binarize=1)
    assert (X.ones == (COUNTS > 1)).all()
    assert (X.row_names, X.column_names) == (CELLS, GENES)
