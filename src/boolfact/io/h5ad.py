"""Annotated data of single cells: `.h5ad` files and AnnData objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.io.cells import parse_array
from boolfact.io.limits import check_size, checked_sparse
from boolfact.model.matrix import BinaryMatrix

__all__ = ["from_anndata", "is_anndata", "read_h5ad"]


def is_anndata(X: Any) -> bool:
    """Whether this is an AnnData object, told by what it has: anndata is not needed."""
    return all(hasattr(X, name) for name in ("obs_names", "var_names", "X", "obs", "var"))


def from_anndata(data: Any, binarize: float | None = None) -> BinaryMatrix:
    """Observations as rows, variables as columns, from an AnnData object."""
    values = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X)
    rows = tuple(str(name) for name in data.obs_names)
    columns = tuple(str(name) for name in data.var_names)
    return _matrix(values, rows, columns, "AnnData", binarize)


def read_h5ad(path: Path, binarize: float | None = None) -> BinaryMatrix:
    """Read X with the names of observations and variables; anndata itself is not needed."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"{path}: reading h5ad needs h5py; install it with `pip install 'boolfact[h5ad]'`"
        ) from error
    try:
        with h5py.File(path, "r") as file:
            values = _values(file["X"])
            rows, columns = _index(file["obs"]), _index(file["var"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not a readable h5ad file ({error})") from error
    if values.shape != (len(rows), len(columns)):
        raise ValueError(
            f"{path}: X has shape {values.shape}, but there are {len(rows)} names of observations "
            f"and {len(columns)} of variables"
        )
    return _matrix(values, rows, columns, str(path), binarize)


def _values(stored: Any) -> NDArray[Any]:
    """A dense array, or a group that holds a sparse matrix."""
    if hasattr(stored, "dtype"):
        if stored.is_virtual or stored.external:
            raise ValueError("X lies in another file, which is not read")
        check_size("X", stored.shape, stored.dtype.itemsize)
        return np.asarray(stored[()])
    import scipy.sparse

    kind = stored.attrs.get("encoding-type", stored.attrs.get("h5sparse_format", b"csr"))
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    n, m = stored.attrs.get("shape", stored.attrs.get("h5sparse_shape"))
    make = scipy.sparse.csc_array if kind.startswith("csc") else scipy.sparse.csr_array
    parts = (stored["data"][()], stored["indices"][()], stored["indptr"][()])
    check_size("X", (int(n), int(m)), 8)
    return np.asarray(checked_sparse("X", make(parts, shape=(int(n), int(m)))).toarray())


def _index(stored: Any) -> tuple[str, ...]:
    """The names in an obs or var table: a group of columns now, one compound array in old files."""
    if hasattr(stored, "dtype"):
        return _texts(stored["index" if "index" in stored.dtype.names else "_index"])
    column = stored[stored.attrs["_index"]]
    if hasattr(column, "dtype"):
        return _texts(column[()])
    if "codes" in column:
        categories = _texts(column["categories"][()])
        return tuple(categories[code] for code in column["codes"][()])
    return _texts(column["values"][()])


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(v.decode("utf-8") if isinstance(v, bytes) else str(v) for v in values)


def _matrix(
    values: NDArray[Any],
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    what: str,
    binarize: float | None,
) -> BinaryMatrix:
    if 0 in values.shape:
        raise ValueError(f"{what}: the matrix is empty: shape {values.shape}")

    def where(i: int, j: int) -> str:
        return f"{what}: observation {rows[i]!r}, variable {columns[j]!r}"

    return BinaryMatrix(parse_array(values, where, binarize), row_names=rows, column_names=columns)
