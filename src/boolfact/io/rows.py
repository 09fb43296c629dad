"""Large data into bits or lists of ones, a block of rows at a time, never as a dense copy."""

from __future__ import annotations

import numbers
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.io.annotated import AnnotatedMatrix
from boolfact.io.cells import parse_array
from boolfact.io.many import check_columns, files_of, is_collection
from boolfact.io.meant import meant_matrix
from boolfact.io.pairs import PairMatrix
from boolfact.io.read import as_matrix
from boolfact.io.streams import is_streamed, stream_file, stream_shape
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.packed import PackedMatrix, stacked
from boolfact.model.sparse import SparseMatrix

__all__ = ["as_rows", "shape_of"]

_SPARSE_SHARE = 1 / 32
"""Share of stored entries up to which lists of 32-bit numbers take less than bits."""


def shape_of(X: Any, binarize: float | None = None) -> tuple[int, int] | None:
    """Rows and columns of data, without reading them; None where that is not known.

    Parameters
    ----------
    X : see `as_rows`
    binarize : float, optional
        Where numbers are to be split, which says that they are not names of pairs.

    Examples
    --------
    >>> shape_of(np.zeros((2, 3))), shape_of([[1, 0]])
    ((2, 3), None)
    """
    X = meant_matrix(X, binarize=binarize)
    files = files_of(X)
    if files is not None:
        shapes = [shape_of(path, binarize) for path in files]
        known = [shape for shape in shapes if shape is not None]
        return (sum(n for n, _ in known), known[0][1]) if len(known) == len(files) else None
    if isinstance(X, str | os.PathLike):
        path = Path(X)
        return stream_shape(path) if path.is_file() and is_streamed(path) else None
    shape = getattr(X, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2:
        return None
    if not all(isinstance(side, numbers.Integral) for side in shape):
        # Dask does not always know.
        return None
    return int(shape[0]), int(shape[1])


def as_rows(X: Any, *, binarize: float | None = None) -> PackedMatrix | SparseMatrix | None:
    """Data in bits, or by their ones if these are few.

    Parameters
    ----------
    X : PackedMatrix, SparseMatrix, BinaryMatrix, AnnData, array, sparse matrix, path or pattern
        An array may be memory-mapped, or one of Dask; AnnData may be backed. Files in npy, npz,
        parquet, h5ad and text formats are read in blocks; several files are packed one after
        another, and so are the parts of Dask arrays and frames. Other kinds are read as
        `boolfact.as_matrix` does, and
        then packed.
    binarize : float, optional
        See `boolfact.as_matrix`.

    Returns
    -------
    PackedMatrix or SparseMatrix
        Or None for a `BinaryMatrix` whose entries have weights that are not those of two prices.

    Examples
    --------
    >>> as_rows(np.eye(3)).ones[:, 0]
    array([1, 2, 4], dtype=uint64)
    """
    X = meant_matrix(X, binarize=binarize)
    if isinstance(X, AnnotatedMatrix | PairMatrix):
        X = X.in_rows(binarize)
        return _smaller(X) if isinstance(X, SparseMatrix) else X
    if isinstance(X, PackedMatrix | SparseMatrix):
        return X
    if isinstance(X, BinaryMatrix):
        return PackedMatrix.from_binary(X)
    files = files_of(X)
    if files is not None or is_collection(X):
        return _from_parts(X, binarize)
    if isinstance(X, str | os.PathLike) and Path(X).is_file() and is_streamed(Path(X)):
        found = stream_file(Path(X), binarize)
        if isinstance(found, PackedMatrix):
            return found
        rows = _from_sparse(found.matrix, binarize)
        return replace(rows, row_names=found.row_names, column_names=found.column_names)
    if hasattr(X, "tocoo") and hasattr(X, "nnz"):
        return _from_sparse(X, binarize)
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "buif" and X.size:
        return PackedMatrix.from_dense(X, lambda block, first: _parsed(block, first, binarize))
    return PackedMatrix.from_binary(as_matrix(X, binarize=binarize))


def _from_parts(X: Any, binarize: float | None) -> PackedMatrix:
    """Several files, or something of Dask's: only one part at a time is not in bits."""
    from boolfact.io.parts import parts_of

    found = []
    for part in parts_of(X, binarize=binarize, workers=1):
        source = part.source.compute() if hasattr(part.source, "compute") else part.source
        packed = part.pack(source)
        if packed is not None:
            found.append((part.label, packed))
    if not found:
        raise ValueError("the matrix is empty: it has 0 rows")
    check_columns(
        [label for label, _ in found],
        [packed.n_columns for _, packed in found],
        [packed.column_names for _, packed in found],
    )
    names = found[0][1].column_names
    return replace(stacked([packed for _, packed in found]), column_names=names)


def _parsed(
    block: NDArray[Any], first: int, binarize: float | None
) -> NDArray[np.int8] | NDArray[np.bool_]:
    block = np.asanyarray(block)
    if binarize is None and _holds_bits(block):
        return block.view(np.bool_)
    return parse_array(block, lambda i, j: f"row {first + i}, column {j}", binarize)


def _holds_bits(block: NDArray[Any]) -> bool:
    """Whether all are bytes that are 0 or 1, and so the same as bools."""
    if isinstance(block, np.ma.MaskedArray) or block.dtype not in (np.bool_, np.int8, np.uint8):
        return False
    return block.dtype == np.bool_ or bool(block.max() <= 1 and block.min() >= 0)


def _from_sparse(X: Any, binarize: float | None) -> PackedMatrix | SparseMatrix:
    if len(X.shape) != 2 or 0 in X.shape:
        raise ValueError(f"expected a matrix with rows and columns, got shape {X.shape}")
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if binarize is not None and binarize < 0:
        raise ValueError(
            f"binarize = {binarize} makes every entry that is not stored a one; "
            "give a threshold of 0 or more for sparse data"
        )

    def where(_: int, p: int) -> str:
        i = int(np.searchsorted(rows.indptr, p, side="right")) - 1
        return f"row {i}, column {int(rows.indices[p])}"

    codes = parse_array(rows.data[None], where, binarize)[0]
    return _smaller(SparseMatrix.from_scipy(rows, codes))


def _smaller(sparse: SparseMatrix) -> PackedMatrix | SparseMatrix:
    """The same data in bits, where these take less than lists."""
    n, m = sparse.shape
    if sparse.n_ones + sparse.n_missing <= _SPARSE_SHARE * n * m:
        return sparse
    step = max(1, (1 << 22) // m)
    blocks = (sparse.values(slice(first, first + step)) for first in range(0, n, step))
    packed = PackedMatrix.from_blocks((n, m), blocks)
    return replace(packed, row_names=sparse.row_names, column_names=sparse.column_names)
