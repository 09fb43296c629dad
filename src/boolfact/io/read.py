"""From whatever the user has (array, frame, file, bundled name) to a BinaryMatrix."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.datasets import find_dataset, nearest_datasets
from boolfact.io.annotated import AnnotatedMatrix, select_matrix
from boolfact.io.cells import parse_array
from boolfact.io.formats import FORMATS, read_file
from boolfact.io.many import check_columns, files_of, is_collection
from boolfact.io.meant import meant_matrix
from boolfact.io.pairs import PairMatrix
from boolfact.io.text import TextStyle
from boolfact.model.matrix import BinaryMatrix

__all__ = ["as_matrix"]


def as_matrix(
    X: Any,
    *,
    binarize: float | None = None,
    weights: Any = None,
    header: bool | None = None,
    row_names: bool | None = None,
    layer: str | None = None,
    raw: bool = False,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> BinaryMatrix:
    """Read 0/1/missing data of any supported kind.

    Parameters
    ----------
    X : BinaryMatrix, array-like, sparse matrix, DataFrame, AnnData, path, pattern or name
        A frame or AnnData object keeps its names. A string or path is a file (csv, tsv, txt,
        npy, npz, mtx, parquet, h5ad), a pattern such as "data/*.csv" for several files whose rows
        follow one another, or, where there is no such file, the name of a bundled dataset.
        Arrays and frames of Dask are computed.
        Missing entries are NaN, None, NA or masked.
    binarize : float, optional
        Take values above this threshold as 1 and the others as 0. Without it, anything but
        0, 1, true, false, yes, no and missing is refused.
    weights : array-like of int, optional
        The price of each entry, see `BinaryMatrix`.
    header, row_names : bool, optional
        For text files: whether the first line holds the column names, and the first column
        the row names. Detected from the content by default.
    layer : str, optional
        For AnnData and h5ad files: read this layer instead of X.
    raw : bool
        For AnnData and h5ad files: read `raw`, with its own variables, instead of X.
    delimiter, decimal, encoding : str, optional
        For text files: what stands between the cells and before decimals, and how letters are
        encoded, such as "cp1252". Found out from the file by default; decimals follow a point,
        and letters are UTF-8, or UTF-16 where the file begins so.

    Examples
    --------
    >>> as_matrix([[1, 0], [None, 1]]).values
    array([[ 1,  0],
           [-1,  1]], dtype=int8)
    >>> as_matrix("zoo").shape
    (101, 17)
    """
    style = TextStyle(delimiter, decimal, encoding)
    is_plain = header is None and row_names is None and style.is_default
    X = meant_matrix(X, layer, raw, binarize) if is_plain else select_matrix(X, layer, raw)
    if is_collection(X):
        X = X.compute()
    files = files_of(X)
    if not style.is_default and not isinstance(X, str | os.PathLike):
        raise ValueError(
            f"delimiter, decimal and encoding are for text files; this is a {type(X).__name__}"
        )
    if isinstance(X, BinaryMatrix):
        matrix = X
    elif isinstance(X, AnnotatedMatrix | PairMatrix):
        matrix = X.dense(binarize)
    elif files is not None:
        matrix = _from_files(files, binarize, header, row_names, style)
    elif isinstance(X, str | os.PathLike):
        matrix = _from_name(X, binarize, header, row_names, style)
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        matrix = _from_pandas(X, binarize)
    elif type(X).__module__.split(".")[0] == "polars":
        matrix = _from_polars(X, binarize)
    elif hasattr(X, "tocoo") and hasattr(X, "nnz"):
        matrix = from_sparse(X, binarize)
    else:
        matrix = _from_array(X, binarize)
    if weights is None:
        return matrix
    return BinaryMatrix(matrix.values, np.asarray(weights), matrix.row_names, matrix.column_names)


def _from_name(
    name: str | os.PathLike[str],
    binarize: float | None,
    header: bool | None,
    row_names: bool | None,
    style: TextStyle,
) -> BinaryMatrix:
    path = Path(name)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; expected a file ({', '.join(FORMATS)})")
    if path.exists():
        return read_file(path, binarize=binarize, header=header, row_names=row_names, style=style)
    bundled = find_dataset(str(name))
    if bundled is not None:
        return read_file(bundled, binarize=binarize)
    near = nearest_datasets(str(name))
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise FileNotFoundError(
        f"{str(name)!r} is neither a file nor a bundled dataset{hint} "
        "(list_datasets() and `boolfact datasets` name the bundled ones)"
    )


def _from_files(
    files: Sequence[Path],
    binarize: float | None,
    header: bool | None,
    row_names: bool | None,
    style: TextStyle,
) -> BinaryMatrix:
    """One below the other; they have names of rows if all of them do."""
    parts = [_from_name(path, binarize, header, row_names, style) for path in files]
    columns = [part.column_names for part in parts]
    check_columns([str(path) for path in files], [part.shape[1] for part in parts], columns)
    named = [part.row_names for part in parts if part.row_names is not None]
    rows = None
    if len(named) == len(parts):
        rows = tuple(name for names in named for name in names)
    values = np.vstack([part.values for part in parts])
    return BinaryMatrix(values, row_names=rows, column_names=columns[0])


def _where(rows: Any = None, columns: Any = None) -> Callable[[int, int], str]:
    def where(i: int, j: int) -> str:
        row = f"row {i}" + (f" ({rows[i]})" if rows is not None else "")
        column = f"column {j}" + (f" ({columns[j]})" if columns is not None else "")
        return f"{row}, {column}"

    return where


def _from_array(X: Any, binarize: float | None) -> BinaryMatrix:
    array: NDArray[Any]
    if isinstance(X, np.ndarray):
        array = X
    else:
        try:
            array = np.asarray(X)
        except ValueError:
            array = _ragged(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array (rows and columns), got {array.ndim}D array instead. "
            "Reshape your data with array.reshape(1, -1) if it is a single row"
        )
    if 0 in array.shape:
        raise ValueError(
            f"the matrix is empty: it has {array.shape[0]} rows and {array.shape[1]} columns"
        )
    return BinaryMatrix(parse_array(array, _where(), binarize))


def _ragged(X: Any) -> NDArray[Any]:
    lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            raise ValueError(f"ragged rows: row {i} has {length} entries, row 0 has {lengths[0]}")
    return np.array([list(row) for row in X], dtype=object)


def from_sparse(X: Any, binarize: float | None = None) -> BinaryMatrix:
    """Read a scipy sparse matrix or array; what is not stored is 0."""
    if len(X.shape) != 2:
        raise ValueError(f"a sparse matrix must have two dimensions, got shape {X.shape}")
    return _from_array(X.toarray(), binarize)


def _from_pandas(frame: Any, binarize: float | None) -> BinaryMatrix:
    columns = [str(c) for c in frame.columns]
    default = type(frame.index).__name__ == "RangeIndex"
    rows = None if default else [str(r) for r in frame.index]
    if 0 in frame.shape:
        raise ValueError(
            f"the frame is empty: it has {frame.shape[0]} rows and {frame.shape[1]} columns"
        )
    missing = frame.isna().to_numpy(dtype=bool)
    array = frame.to_numpy()
    if array.dtype.kind not in "buif":
        array = array.astype(object)
        array[missing] = None
    values = parse_array(array, _where(rows, columns), binarize)
    return BinaryMatrix(
        values, row_names=None if rows is None else tuple(rows), column_names=tuple(columns)
    )


def _from_polars(frame: Any, binarize: float | None) -> BinaryMatrix:
    if not hasattr(frame, "columns") or not hasattr(frame, "to_numpy"):
        raise TypeError(f"expected a polars DataFrame, got {type(frame).__name__}")
    columns = list(frame.columns)
    array = np.empty(frame.shape, dtype=object)
    if 0 in array.shape:
        raise ValueError(
            f"the frame is empty: it has {array.shape[0]} rows and {array.shape[1]} columns"
        )
    for j, name in enumerate(columns):
        array[:, j] = frame[name].to_list()
    values = parse_array(array, _where(None, columns), binarize)
    return BinaryMatrix(values, column_names=tuple(columns))
