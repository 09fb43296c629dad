"""Matrix files that are read in blocks of rows: npy, npz, parquet and delimited text."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.io.cells import parse_array, parse_text
from boolfact.io.formats import INDEX_TITLES, text_layout
from boolfact.io.limits import check_npy
from boolfact.io.npz import NpzMatrix, npz_shape, read_npz
from boolfact.io.text import (
    SEPARATOR_LINE,
    EncodingError,
    Line,
    delimiter_of,
    encoding_of,
    sample_of,
)
from boolfact.model.packed import PackedMatrix, stacked
from boolfact.model.rows import blocks_of

__all__ = ["is_streamed", "stream_file", "stream_parts", "stream_shape"]

_BLOCK_CELLS = 1 << 20
_HEAD_LINES = 200
"""Lines by which it is decided whether a text file has names."""

_PART_CELLS = 1 << 26
"""Cells of a part of a file that is read by itself, roughly."""

_KINDS = ("npy", "npz", "parquet", "csv", "tsv", "txt")


def is_streamed(path: Path) -> bool:
    """Whether files of this kind are read in blocks."""
    return _kind(path) in _KINDS


def stream_shape(path: Path) -> tuple[int, int] | None:
    """Rows and columns by the head of a file; for text by its size, roughly."""
    kind = _kind(path)
    if kind == "npy":
        shape = _mapped(path).shape
    elif kind == "npz":
        shape = npz_shape(path)
    elif kind == "parquet":
        data = _parquet(path).metadata
        shape = (data.num_rows, data.num_columns)
    else:
        with path.open("rb") as file:
            line = file.readline()
        return max(1, path.stat().st_size // max(1, len(line))), (len(line) + 1) // 2
    return (int(shape[0]), int(shape[1])) if len(shape) == 2 else None


def stream_parts(path: Path) -> list[Any]:
    """What `stream_file` can read by itself: rows of npy, groups of rows of parquet; else [None].

    A part is small enough to be sent to whoever reads it.
    """
    kind = _kind(path)
    if kind == "npy":
        shape = _mapped(path).shape
        if len(shape) == 2 and 0 not in shape:
            return list(blocks_of((int(shape[0]), int(shape[1])), _PART_CELLS))
    elif kind == "parquet":
        data = _parquet(path).metadata
        step = max(1, _PART_CELLS // max(1, data.num_columns))
        parts: list[tuple[int, ...]] = [()]
        size = 0
        for group in range(data.num_row_groups):
            if size and size + data.row_group(group).num_rows > step:
                parts.append(())
                size = 0
            parts[-1] = (*parts[-1], group)
            size += data.row_group(group).num_rows
        return list(parts) if len(parts) > 1 else [None]
    return [None]


def stream_file(path: Path, binarize: float | None, part: Any = None) -> PackedMatrix | NpzMatrix:
    """A packed matrix, or what an npz file holds, if that is sparse.

    `part` is one of `stream_parts`; all of the file by default.
    """
    kind = _kind(path)
    if kind == "npy":
        return _pack_array(path, _mapped(path), binarize, part or slice(0, None))
    if kind == "npz":
        named = read_npz(path)
        if hasattr(named.matrix, "tocoo"):
            return named
        packed = _pack_array(path, named.matrix, binarize, slice(0, None))
        return replace(packed, row_names=named.row_names, column_names=named.column_names)
    if kind == "parquet":
        return _stream_parquet(path, binarize, part)
    return _stream_text(path, kind, binarize)


def _kind(path: Path) -> str:
    return path.suffix.lower().lstrip(".")


def _mapped(path: Path) -> NDArray[Any]:
    try:
        check_npy(path)
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError, OverflowError) as error:
        raise ValueError(f"{path}: not a readable npy file ({error})") from error


def _pack_array(
    path: Path, array: NDArray[Any], binarize: float | None, part: slice
) -> PackedMatrix:
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{path}: expected a matrix with rows and columns, got shape {array.shape}"
        )

    def read(block: NDArray[Any], first: int) -> NDArray[np.int8]:
        return parse_array(
            np.asarray(block),
            lambda i, j: f"{path}: row {part.start + first + i}, column {j}",
            binarize,
        )

    return PackedMatrix.from_dense(array[part], read)


def _parquet(path: Path) -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            f"{path}: reading parquet needs pyarrow; install it with "
            "`pip install 'boolfact[parquet]'`"
        ) from error
    try:
        return pyarrow.parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path}: not a readable parquet file ({error})") from error


def _stream_parquet(
    path: Path, binarize: float | None, groups: tuple[int, ...] | None
) -> PackedMatrix:
    file = _parquet(path)
    data = file.metadata
    wanted = range(data.num_row_groups) if groups is None else groups
    before = sum(data.row_group(group).num_rows for group in range(min(wanted, default=0)))
    titles = list(file.schema_arrow.names)
    index = [t for t in titles if t.startswith("__index_level_")]
    if not index and titles[0].strip().lower() in INDEX_TITLES:
        index = titles[:1]
    columns = [t for t in titles if t not in index]
    n = sum(data.row_group(group).num_rows for group in wanted)
    if n == 0 or not columns:
        raise ValueError(f"{path}: the table is empty: {n} rows and {len(columns)} columns")
    names: list[str] = []

    def blocks() -> Iterator[NDArray[np.int8]]:
        done = before
        for batch in _batches(path, file, list(wanted), max(1, _BLOCK_CELLS // len(titles))):
            if index:
                names.extend(str(name) for name in batch.column(index[-1]).to_pylist())
            cells = _cells(batch, columns)

            def where(i: int, j: int, first: int = done) -> str:
                return f"{path}: row {first + i}, column {columns[j]!r}"

            yield parse_array(cells, where, binarize)
            done += batch.num_rows

    packed = PackedMatrix.from_blocks((n, len(columns)), blocks())
    return replace(packed, row_names=tuple(names) or None, column_names=tuple(columns))


def _batches(path: Path, file: Any, groups: list[int], size: int) -> Iterator[Any]:
    import pyarrow

    try:
        yield from file.iter_batches(batch_size=size, row_groups=groups)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path}: not a readable parquet file ({error})") from error


def _cells(batch: Any, columns: list[str]) -> NDArray[Any]:
    """The cells of a batch as one array: numbers where all columns are numbers without gaps."""
    parts = [batch.column(title) for title in columns]
    kinds = [str(part.type) for part in parts]
    if all(part.null_count == 0 for part in parts) and not {"string", "large_string"} & set(kinds):
        arrays = [part.to_numpy(zero_copy_only=False) for part in parts]
        if all(array.dtype.kind in "buif" for array in arrays):
            return np.column_stack(arrays)
    cells = np.empty((batch.num_rows, len(columns)), dtype=object)
    for j, part in enumerate(parts):
        cells[:, j] = part.to_pylist()
    return cells


def _stream_text(path: Path, kind: str, binarize: float | None) -> PackedMatrix:
    """Delimited text in blocks of lines; its head decides what is a name."""
    with path.open("rb") as file:
        encoding = encoding_of(file.read(4))
    with path.open(encoding=encoding, newline="") as file:
        try:
            said = SEPARATOR_LINE.match(file.readline())
            file.seek(0)
            sample = sample_of(line for line in file if line.strip())
        except UnicodeError as error:
            raise EncodingError(path, file.encoding, error) from error
        file.seek(0)
        if said:
            file.readline()
        delimiter = said[1] if said else delimiter_of(sample, kind)
        lines = _numbered(path, file, delimiter, 1 if said else 0)
        head = list(itertools.islice(lines, _HEAD_LINES))
        head_cells = [cells for _, cells in head]
        layout = text_layout(path, head_cells, None, None, of_numbers=binarize is not None)
        lines = itertools.chain(head[1:] if layout.has_header else head, lines)
        names: list[str] = []
        blocks = []
        while chunk := list(itertools.islice(lines, max(1, _BLOCK_CELLS // layout.width))):
            for number, cells in chunk:
                layout.check(path, number, cells)
            if layout.has_row_names:
                names.extend(cells[0].strip() for _, cells in chunk)
            blocks.append(_text_block(path, chunk, layout.first, binarize))
    packed = stacked(blocks)
    return replace(packed, row_names=tuple(names) or None, column_names=layout.column_names)


def _text_block(
    path: Path, chunk: list[tuple[int, list[str]]], first: int, binarize: float | None
) -> PackedMatrix:
    def where(i: int, j: int) -> str:
        return f"{path}: line {chunk[i][0]}, column {j + first + 1}"

    table = np.array([cells[first:] for _, cells in chunk], dtype=object)
    return PackedMatrix.from_dense(parse_text(table, where, binarize))


def _numbered(path: Path, file: Any, delimiter: str | None, before: int) -> Iterator[Line]:
    """Lines that are not blank, cut into cells, with their numbers."""
    if delimiter is None:
        rows = ((number, line.split()) for number, line in enumerate(file, start=1 + before))
    else:
        reader = csv.reader(file, delimiter=delimiter)
        rows = ((reader.line_num + before, cells) for cells in reader)
    try:
        yield from (row for row in rows if row[1])
    except csv.Error as error:
        raise ValueError(f"{path}: {error}") from error
    except UnicodeError as error:
        raise EncodingError(path, file.encoding, error) from error
