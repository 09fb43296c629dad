"""Dask arrays and frames, and files, as parts that are packed one at a time, here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from boolfact.io.cells import parse_array
from boolfact.io.many import files_of, is_collection
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows
from boolfact.io.streams import stream_file, stream_parts
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.packed import PackedMatrix
from boolfact.model.rows import blocks_of
from boolfact.model.sparse import SparseMatrix

__all__ = ["Part", "parts_of", "rows_of_part"]

_FEWEST_ROWS, _MOST_ROWS = 1 << 12, 1 << 17
"""Of a part of a Dask array, where there are enough: a sweep over one takes a fraction of a
second."""


@dataclass(frozen=True)
class Part:
    """Some rows of a matrix.

    Attributes
    ----------
    label : str
        What it is called in a message.
    pack : callable
        Makes a packed matrix of the source, or None if it has no rows.
    source : object
        A path, an array, or something of Dask's that stands for an array or a frame.
    """

    label: str
    pack: Callable[[Any], PackedMatrix | None]
    source: Any


def parts_of(X: Any, *, binarize: float | None, workers: int) -> list[Part]:
    """The parts of a matrix, in order.

    Parameters
    ----------
    X : Dask array or DataFrame, path, pattern, or what `boolfact.as_rows` takes
    binarize : float, optional
        See `boolfact.as_matrix`.
    workers : int
        How many will pack parts at the same time.
    """
    if is_collection(X):
        if hasattr(X, "to_delayed") and hasattr(X, "npartitions") and hasattr(X, "columns"):
            return _parts_of_frame(X, binarize)
        if hasattr(X, "rechunk") and getattr(X, "ndim", 0) == 2:
            return _parts_of_array(X, binarize, workers)
        raise TypeError(
            "expected a Dask array with rows and columns or a Dask DataFrame, got "
            f"{type(X).__name__} of {getattr(X, 'ndim', 'no')} dimensions"
        )
    files = files_of(X)
    if files is None and isinstance(X, str | Path) and Path(X).is_file():
        files = [Path(X)]
    if files is not None:
        return [
            Part(str(path), partial(_pack_file, part=part, binarize=binarize), path.absolute())
            for path in files
            for part in stream_parts(path)
        ]
    rows = _as_packed(as_rows(X, binarize=binarize))
    step = rows_of_part(rows.shape[0], workers)
    cells = step * rows.shape[1]
    return [
        Part(f"row {part.start}", _same, rows.take(np.arange(part.start, part.stop)))
        for part in blocks_of(rows.shape, cells)
    ]


def rows_of_part(n: int, workers: int) -> int:
    """A good number of rows for a part: some parts for each worker, none too large."""
    return int(np.clip(-(-n // (4 * workers)), _FEWEST_ROWS, _MOST_ROWS))


def _parts_of_array(X: Any, binarize: float | None, workers: int) -> list[Part]:
    known = not any(np.isnan(size) for size in X.chunks[0])
    if known and 0 in X.shape:
        raise ValueError(f"the matrix is empty: it has {X.shape[0]} rows and {X.shape[1]} columns")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if known:
        step, sizes = rows_of_part(X.shape[0], workers), X.chunks[0]
        if max(sizes) > step or len(sizes) > 4 * max(1, X.shape[0] // step):
            X = X.rechunk({0: step})
    starts = np.cumsum([0, *X.chunks[0]]) if known else None
    parts = []
    for number, source in enumerate(X.to_delayed().ravel()):
        first = None if starts is None else int(starts[number])
        label = f"chunk {number}" if first is None else f"row {first}"
        parts.append(
            Part(label, partial(_pack_array, first=first, number=number, binarize=binarize), source)
        )
    return parts


def _parts_of_frame(X: Any, binarize: float | None) -> list[Part]:
    return [
        Part(
            f"partition {number}",
            partial(_pack_frame, number=number, binarize=binarize),
            source,
        )
        for number, source in enumerate(X.to_delayed())
    ]


def _same(rows: PackedMatrix) -> PackedMatrix:
    return rows


def _pack_array(
    chunk: Any, first: int | None, number: int, binarize: float | None
) -> PackedMatrix | None:
    if chunk.shape[0] == 0:
        return None
    if hasattr(chunk, "tocoo"):
        return _as_packed(as_rows(chunk, binarize=binarize))
    array = np.asanyarray(chunk)

    def read(block: Any, start: int) -> Any:
        def where(i: int, j: int) -> str:
            if first is None:
                return f"chunk {number}, row {start + i}, column {j}"
            return f"row {first + start + i}, column {j}"

        return parse_array(np.asanyarray(block), where, binarize)

    return PackedMatrix.from_dense(array, read)


def _pack_frame(frame: Any, number: int, binarize: float | None) -> PackedMatrix | None:
    if len(frame) == 0:
        return None
    try:
        matrix = as_matrix(frame.reset_index(drop=True), binarize=binarize)
    except ValueError as error:
        raise ValueError(f"partition {number}: {error}") from error
    packed = PackedMatrix.from_binary(matrix)
    assert packed is not None
    return packed


def _pack_file(path: Path, part: Any, binarize: float | None) -> PackedMatrix:
    if not path.is_file():
        raise FileNotFoundError(
            f"a worker cannot find {path}; all workers must see the files under the same path"
        )
    if part is not None:
        found = stream_file(path, binarize, part)
        assert isinstance(found, PackedMatrix)  # npz files have no parts
        return _as_packed(found)
    return _as_packed(as_rows(path, binarize=binarize))


def _as_packed(rows: PackedMatrix | SparseMatrix | BinaryMatrix | None) -> PackedMatrix:
    assert isinstance(rows, PackedMatrix | SparseMatrix)
    if isinstance(rows, SparseMatrix):
        packed = PackedMatrix.from_blocks(
            rows.shape, (rows.values(part) for part in blocks_of(rows.shape))
        )
        rows = replace(packed, column_names=rows.column_names)
    return replace(rows, row_names=None)
