"""The matrices in an `.h5ad` file and their names, read with h5py; anndata is not needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boolfact.io.hdf5 import check_heaps

__all__ = ["check_inside", "index_of", "is_by_columns", "matrices_of", "open_h5ad", "stored_shape"]


@contextmanager
def open_h5ad(path: Path) -> Iterator[Any]:
    """The open file; whatever is wrong with it is said with its name."""
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"{path}: reading h5ad needs h5py; install it with `pip install 'boolfact[h5ad]'`"
        ) from error
    try:
        if path.is_file():
            check_heaps(path)
        file = h5py.File(path, "r")
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: not a readable h5ad file ({error})") from error
    with file:
        yield file


def matrices_of(file: Any) -> dict[str, tuple[Any, Any]]:
    """What is stored for each matrix of a file, and the table with the names of its variables.

    The names are "X", "raw" and "layer NAME". Old files have `raw.X` where newer ones have `raw/X`.
    """
    found = {}
    if "X" in file:
        found["X"] = (file["X"], file["var"])
    for stored, variables in (("raw/X", "raw/var"), ("raw.X", "raw.var")):
        if stored in file and variables in file:
            found["raw"] = (file[stored], file[variables])
    layers = file.get("layers", ())
    for name in layers:
        found[f"layer {name}"] = (layers[name], file["var"])
    return found


def check_inside(stored: Any) -> None:
    """Refuse a matrix whose values lie in another file: reading it would open that file."""
    parts = [stored] if hasattr(stored, "dtype") else [stored[name] for name in stored]
    if any(part.is_virtual or part.external for part in parts if hasattr(part, "is_virtual")):
        raise TypeError("its values lie in another file, which is not read")


def stored_shape(stored: Any) -> tuple[int, int]:
    """Rows and columns of a dense array, or of a group that holds a sparse matrix."""
    shape = stored.shape if hasattr(stored, "dtype") else _attribute(stored, "shape")
    if shape is None or len(shape) != 2:
        raise ValueError(f"expected a matrix with rows and columns, got shape {shape}")
    return int(shape[0]), int(shape[1])


def is_by_columns(stored: Any) -> bool:
    """Whether a group holds its entries column by column."""
    kind = _attribute(stored, "encoding-type") or _attribute(stored, "format") or "csr"
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    return kind.startswith("csc")


def _attribute(stored: Any, name: str) -> Any:
    return stored.attrs.get(name, stored.attrs.get(f"h5sparse_{name}"))


def index_of(stored: Any) -> tuple[str, ...]:
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
