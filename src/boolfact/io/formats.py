"""Readers of matrix files: delimited text, npy, npz, Matrix Market, parquet, h5ad."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.io.annotated import AnnotatedMatrix
from boolfact.io.cells import NoMatrixError, is_value, parse_array, parse_text
from boolfact.io.limits import check_npy, check_size
from boolfact.io.npz import NpzMatrix, read_npz
from boolfact.io.text import TextStyle, read_lines, read_number
from boolfact.model.matrix import BinaryMatrix

__all__ = [
    "FORMATS",
    "ID_TITLE",
    "INDEX_TITLES",
    "TEXT_FORMATS",
    "TextLayout",
    "kind_of",
    "read_file",
    "refuse_workbook",
    "text_layout",
]

TEXT_FORMATS = ("csv", "tsv", "txt")
FORMATS = (*TEXT_FORMATS, "npy", "npz", "mtx", "parquet", "h5ad")
INDEX_TITLES = frozenset({"", "row", "rows", "id", "name", "index", "row_name", "rowname"})

_WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")

# Titles that end as patient_id or CaseNo do.
ID_TITLE = re.compile(r"(?:^|[\W_])(?i:id|nr|no|number|mrn)$|[a-z](?:ID|Id|Nr|No)$")


def read_file(
    path: Path,
    *,
    binarize: float | None = None,
    header: bool | None = None,
    row_names: bool | None = None,
    style: TextStyle | None = None,
) -> BinaryMatrix:
    """Read a matrix file by its ending; see `boolfact.io.read.as_matrix`."""
    kind = kind_of(path)
    if kind in TEXT_FORMATS:
        return _read_text(path, kind, binarize, header, row_names, style or TextStyle())
    if style is not None and not style.is_default:
        raise ValueError(f"{path}: delimiter, decimal and encoding are for csv, tsv and txt files")
    if kind == "h5ad":
        return AnnotatedMatrix(path).dense(binarize)
    if kind == "parquet":
        return _read_parquet(path, binarize)
    named = read_npz(path) if kind == "npz" else NpzMatrix(_READ_BINARY[kind](path))
    array = named.matrix
    if hasattr(array, "tocoo"):
        check_size(path, array.shape, 8)
        array = array.toarray()
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"{path}: expected a matrix with rows and columns, got shape {array.shape}"
        )
    values = parse_array(array, lambda i, j: f"{path}: row {i}, column {j}", binarize)
    return BinaryMatrix(values, row_names=named.row_names, column_names=named.column_names)


def kind_of(path: Path) -> str:
    """The type of a matrix file by its ending; what is not known is refused."""
    kind = path.suffix.lower().lstrip(".")
    refuse_workbook(path)
    if kind not in FORMATS:
        raise NoMatrixError(
            f"{path}: unknown file type {path.suffix!r}; expected one of " + ", ".join(FORMATS)
        )
    return kind


def refuse_workbook(path: Path) -> None:
    """Say what to do with a workbook, which no reader here takes."""
    if path.suffix.lower() in _WORKBOOKS:
        raise ValueError(
            f"{path}: workbooks are not read; save the sheet as CSV (UTF-8) in the spreadsheet, "
            "or give boolfact.binarize what pandas.read_excel reads"
        )


def _read_text(
    path: Path,
    kind: str,
    binarize: float | None,
    header: bool | None,
    row_names: bool | None,
    style: TextStyle,
) -> BinaryMatrix:
    lines = read_lines(path, kind, style)
    all_cells = [cells for _, cells in lines]
    layout = text_layout(path, all_cells, header, row_names, of_numbers=binarize is not None)
    lines = lines[1:] if layout.has_header else lines
    numbers, body = [number for number, _ in lines], [cells for _, cells in lines]
    for number, cells in lines:
        layout.check(path, number, cells)
    first, columns = layout.first, layout.column_names
    names = tuple(cells[0].strip() for cells in body) if layout.has_row_names else None

    def where(i: int, j: int) -> str:
        row = f", row {names[i]!r}" if names else ""
        column = f" ({columns[j]!r})" if columns else ""
        return f"{path}: line {numbers[i]}{row}, column {j + first + 1}{column}"

    table = np.array([row[first:] for row in body], dtype=object)
    values = parse_text(table, where, binarize, style.decimal)
    return BinaryMatrix(values, row_names=names, column_names=columns)


@dataclass(frozen=True)
class TextLayout:
    """What the lines of a text file are: how many cells, and where the names stand."""

    width: int
    has_header: bool
    has_row_names: bool
    column_names: tuple[str, ...] | None

    @property
    def first(self) -> int:
        """The first cell of a line that is an entry of the matrix."""
        return 1 if self.has_row_names else 0

    def check(self, path: Path, number: int, cells: list[str]) -> None:
        """Refuse a line of another length."""
        if len(cells) != self.width:
            raise NoMatrixError(
                f"{path}: ragged rows: line {number} has {len(cells)} cells, expected {self.width}"
            )


def text_layout(
    path: Path,
    body: list[list[str]],
    header: bool | None,
    row_names: bool | None,
    *,
    of_numbers: bool = False,
) -> TextLayout:
    """The layout of a text file by its lines, or by the first of them.

    Where its entries are numbers, for which there is a threshold, a number is not a name unless
    the title above it says so.
    """
    if not body:
        raise ValueError(f"{path}: the file is empty; expected rows of 0, 1 or missing")
    if header is None:
        header = _is_header(body, row_names)
    titles = body[0] if header else None
    body = body[1:] if header else body
    if not body:
        raise ValueError(f"{path}: there is a header but no row below it")
    # R writes no title above the row names: the header is then one cell short.
    short_header = titles is not None and len(titles) == len(body[0]) - 1
    width = len(body[0]) if titles is None or short_header else len(titles)
    if row_names is None:
        first_cells = [cells[0] for cells in body]
        row_names = short_header or _first_column_is_names(titles, first_cells, of_numbers)
    first = 1 if row_names else 0
    if width - first < 1:
        raise ValueError(f"{path}: there is no column besides the row names")
    columns = None
    if titles is not None:
        columns = tuple(title.strip() for title in titles[0 if short_header else first :])
    return TextLayout(width, header, row_names, columns)


def _is_header(body: list[list[str]], row_names: bool | None) -> bool:
    """Whether the first line reads as names: one odd value among data is an error, not a name."""
    first = body[0]
    if row_names is not False and len(first) > 1 and first[0].strip().lower() in INDEX_TITLES:
        strangers = [cell for cell in first[1:] if not is_value(cell)]
        if strangers or first[0].strip():
            return True
    cells = first[1:] if len(first) > 1 else first
    if len(body) > 1 and len(body[1]) == len(first) + 1:
        cells = first
    strangers = [cell for cell in cells if not is_value(cell) and not _is_number(cell)]
    if 2 * len(strangers) > len(cells):
        return True
    # A header of positions: 0, 1, 2, ... or 1, 2, 3, ...
    whole = [cell.strip() for cell in cells]
    start = whole[0]
    return (
        len(whole) > 2
        and start in ("0", "1")
        and whole == [str(int(start) + i) for i in range(len(whole))]
    )


def _first_column_is_names(
    titles: list[str] | None, cells: list[str], of_numbers: bool = False
) -> bool:
    if titles is not None and titles[0].strip().lower() in INDEX_TITLES:
        return True
    if of_numbers and titles is not None and ID_TITLE.search(titles[0].strip()):
        return len(set(cells)) == len(cells)
    strangers = sum(not is_value(cell) and not (of_numbers and _is_number(cell)) for cell in cells)
    return 2 * strangers > len(cells)


def _is_number(text: str) -> bool:
    return any(read_number(text, mark) is not None for mark in ".,")


def _read_npy(path: Path) -> NDArray[Any]:
    try:
        check_npy(path)
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, OverflowError) as error:
        raise ValueError(f"{path}: not a readable npy file ({error})") from error


def _read_mtx(path: Path) -> NDArray[Any]:
    import scipy.io
    import scipy.sparse

    try:
        data = path.read_bytes()
        n, m, entries, *_ = scipy.io.mminfo(io.BytesIO(data))
        check_size(path, (n, m), 8)
        if entries > len(data):
            raise ValueError(f"{entries} entries do not fit into {len(data)} bytes")
        # Scipy reads on beyond a last line that is too long and has no end, and crashes.
        loaded = scipy.io.mmread(io.BytesIO(data + b"\n"))
    except (ValueError, OSError, OverflowError) as error:
        raise ValueError(f"{path}: not a readable Matrix Market file ({error})") from error
    return loaded.toarray() if scipy.sparse.issparse(loaded) else np.asarray(loaded)


def _read_parquet(path: Path, binarize: float | None) -> BinaryMatrix:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            f"{path}: reading parquet needs pyarrow; install it with "
            "`pip install 'boolfact[parquet]'`"
        ) from error
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path}: not a readable parquet file ({error})") from error
    if 0 in table.shape:
        raise ValueError(
            f"{path}: the table is empty: {table.shape[0]} rows and {table.shape[1]} columns"
        )
    names: tuple[str, ...] | None = None
    titles = list(table.column_names)
    columns = {title: table.column(u).to_pylist() for u, title in enumerate(titles)}
    index = [t for t in titles if t.startswith("__index_level_")]
    if not index and titles[0].strip().lower() in INDEX_TITLES:
        index = titles[:1]
    for title in index:
        names = tuple(str(name) for name in columns.pop(title))
    if not columns:
        raise ValueError(f"{path}: there is no column besides the row names")
    titles = list(columns)
    cells = np.empty((table.num_rows, len(titles)), dtype=object)
    for j, title in enumerate(titles):
        cells[:, j] = columns[title]

    def where(i: int, j: int) -> str:
        return f"{path}: row {i}, column {titles[j]!r}"

    values = parse_array(cells, where, binarize)
    return BinaryMatrix(values, row_names=names, column_names=tuple(titles))


_READ_BINARY = {"npy": _read_npy, "mtx": _read_mtx}
