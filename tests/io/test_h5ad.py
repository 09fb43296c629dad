import numpy as np
import pytest
import scipy.sparse

import boolfact
from boolfact.io.formats import read_file
from boolfact.io.rows import as_rows, shape_of

h5py = pytest.importorskip("h5py", reason="the extra 'h5ad' is not installed")

COUNTS = np.array([[0.0, 3.0, 1.0], [2.0, 0.0, 0.0]])
CELLS, GENES = ("cell a", "cell b"), ("g1", "g2", "gö")


def store(file, name, X):
    if not scipy.sparse.issparse(X):
        file[name] = X
        return
    group = file.create_group(name)
    group.attrs["encoding-type"] = f"{X.format}_matrix"
    group.attrs["shape"] = X.shape
    for part in ("data", "indices", "indptr"):
        group[part] = getattr(X, part)


def write(path, X, *, index="plain", layers=None, raw=None, old_raw=False):
    """A file in the layout that the anndata package documents."""
    with h5py.File(path, "w") as file:
        store(file, "X", X)
        for name, values in (layers or {}).items():
            store(file, f"layers/{name}", values)
        if raw is not None:
            store(file, "raw.X" if old_raw else "raw/X", raw[0])
            names = np.array([(name.encode(),) for name in raw[1]], dtype=[("index", "S20")])
            file["raw.var" if old_raw else "raw/var"] = names
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
    with pytest.raises(ValueError, match=r"X, observation 'cell a', variable 'g2': value 3.0"):
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


def test_a_layer_is_read_in_place_of_x(tmp_path):
    path = write(tmp_path / "cells.h5ad", COUNTS, layers={"more": COUNTS + 1})
    assert boolfact.as_matrix(path, binarize=1, layer="more").ones.tolist() == (
        (COUNTS > 0).tolist()
    )


@pytest.mark.parametrize("old_raw", [False, True])
def test_raw_is_read_with_its_own_variables(tmp_path, old_raw):
    values = np.array([[0, 1, 1, 0], [1, 1, 0, 0]])
    raw = (scipy.sparse.csr_matrix(values), ("g1", "g2", "g3", "g4"))
    path = write(tmp_path / "cells.h5ad", COUNTS, raw=raw, old_raw=old_raw)
    X = boolfact.as_matrix(path, raw=True)
    assert X.values.tolist() == values.tolist()
    assert X.column_names == raw[1]


def test_what_is_not_in_the_file_is_refused_with_what_is(tmp_path):
    path = write(tmp_path / "cells.h5ad", COUNTS, layers={"more": COUNTS})
    with pytest.raises(ValueError, match="there is no layer less; there is X, layer more"):
        boolfact.as_matrix(path, layer="less")
    with pytest.raises(ValueError, match="there is no raw"):
        boolfact.as_matrix(path, raw=True)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csc_matrix])
def test_entries_stored_twice_are_added_before_the_threshold(tmp_path, kind):
    parts = kind(
        (
            np.array([1.0, 1.0, 3.0]),
            np.array([1, 1, 2]) if kind is scipy.sparse.csr_matrix else np.array([0, 0, 1]),
            np.array([0, 2, 3]) if kind is scipy.sparse.csr_matrix else np.array([0, 0, 2, 3]),
        ),
        shape=(2, 3),
    )
    path = write(tmp_path / "cells.h5ad", parts)
    assert boolfact.as_matrix(path, binarize=1.5).values.tolist() == [[0, 1, 0], [0, 0, 1]]


def test_a_large_file_is_read_in_blocks_and_never_made_dense(tmp_path, monkeypatch):
    counts = scipy.sparse.random(2, 3, 0.6, format="csc", random_state=1)
    path = write(tmp_path / "cells.h5ad", counts)
    monkeypatch.setattr("boolfact.io.annotated._STORED_AT_A_TIME", 1)
    monkeypatch.setattr(scipy.sparse.csr_array, "toarray", None)
    monkeypatch.setattr(scipy.sparse.csc_array, "toarray", None)
    assert shape_of(path) == (2, 3)
    rows = as_rows(path, binarize=0)
    monkeypatch.undo()
    assert (rows.values(slice(0, 2)) == (counts.toarray() > 0)).all()
    assert (rows.row_names, rows.column_names) == (CELLS, GENES)
