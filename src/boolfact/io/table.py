"""Tables of categories and numbers: frames and files as columns of cells, None where missing."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from boolfact.io.cells import value_code
from boolfact.io.formats import ID_TITLE, INDEX_TITLES, TEXT_FORMATS, kind_of
from boolfact.io.text import TextStyle, read_lines, read_number
from boolfact.model.matrix import MISSING

__all__ = ["Table", "as_table", "is_number_like", "read_table"]


@dataclass(frozen=True)
class Table:
    """Columns of cells by name, None where missing.

    Parameters
    ----------
    columns : dict of str to list
    rows : tuple of str, optional
        Names of the rows.
    rows_from : str, optional
        The column that they were taken from.
    ordered : mapping of str to sequence
        The categories of a column in their order, for columns that are known to have some.
    decimal : str, optional
        The mark before decimals in cells of text; found out from the cells by default.
    """

    columns: dict[str, list[Any]]
    rows: tuple[str, ...] | None = None
    rows_from: str | None = None
    ordered: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    decimal: str | None = None

    def __post_init__(self) -> None:
        if not self.columns or not next(iter(self.columns.values())):
            raise ValueError("the table is empty")
        size = len(next(iter(self.columns.values())))
        for name, cells in self.columns.items():
            if len(cells) != size:
                raise ValueError(f"column {name!r} has {len(cells)} cells, expected {size}")

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse names of columns that there are not, with the nearest that there are."""
        known = [*self.columns, *([] if self.rows_from is None else [self.rows_from])]
        for name in sorted(set(names) - set(known)):
            near = difflib.get_close_matches(name, known, 3, 0.5)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ValueError(f"there is no column {name!r}{hint} (there is {', '.join(known)})")

    def without(self, names: Iterable[str]) -> Table:
        """The table without some columns."""
        names = set(names)
        kept = {name: cells for name, cells in self.columns.items() if name not in names}
        if not kept:
            raise ValueError("there is no column left")
        return replace(self, columns=kept)

    def indexed_by(self, name: str) -> Table:
        """The table with one of its columns as the names of its rows."""
        if name == self.rows_from:
            return self
        cells = self.columns[name]
        empty = next((i for i, cell in enumerate(cells) if cell is None), None)
        if empty is not None:
            raise ValueError(f"column {name!r} cannot name the rows: row {empty} of it is empty")
        rows = tuple(map(_text_of, cells))
        return replace(self.without([name]), rows=rows, rows_from=name)


def as_table(
    frame: Any,
    *,
    header: bool | None = None,
    row_names: bool | None = None,
    style: TextStyle | None = None,
    missing: Iterable[str] = (),
) -> Table:
    """Read what `boolfact.binarize` takes."""
    words = frozenset(word.strip().lower() for word in missing)
    if isinstance(frame, str | os.PathLike):
        return read_table(frame, header=header, row_names=row_names, style=style, missing=words)
    if isinstance(frame, Table):
        return frame
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):
        return _from_pandas(frame, words)
    if type(frame).__module__.split(".")[0] == "polars":
        return Table({name: _cells(frame[name].to_list(), words) for name in frame.columns})
    if isinstance(frame, Mapping):
        return Table({str(name): _cells(cells, words) for name, cells in frame.items()})
    raise TypeError(
        "frame must be a pandas or polars DataFrame, a mapping of columns, or a path, "
        f"got {type(frame).__name__}"
    )


def read_table(
    path: str | os.PathLike[str],
    *,
    header: bool | None = None,
    row_names: bool | None = None,
    style: TextStyle | None = None,
    missing: Iterable[str] = (),
) -> Table:
    """Read a csv, tsv, txt or parquet file for `binarize`.

    The first line of text holds the names unless `header` is False. The first column holds names
    of rows if `row_names` says so, if its title is one such as id or name, or if it is text and no
    two cells of it are equal.
    """
    source, words = Path(path), frozenset(missing)
    if not source.is_file():
        raise FileNotFoundError(f"a table is read from a file; there is no file {str(source)!r}")
    kind = kind_of(source)
    if kind == "parquet":
        return _from_parquet(source, row_names, words)
    if kind not in TEXT_FORMATS:
        hint = "; counts of an h5ad file need no table: fit it with binarize=0 (--binarize 0)"
        raise ValueError(
            f"{source}: expected a table: a csv, tsv, txt or parquet file"
            f"{hint if kind == 'h5ad' else ''}"
        )
    style = style or TextStyle()
    lines = read_lines(source, kind, style)
    if not lines:
        raise ValueError(f"{source}: the file is empty; expected rows of values")
    titles = [f"column {j + 1}" for j in range(len(lines[0][1]))]
    if header is not False:
        titles = [title.strip() for title in lines[0][1]]
        lines = lines[1:]
    # What a spreadsheet leaves of rows that were emptied.
    lines = [(number, cells) for number, cells in lines if any(cell.strip() for cell in cells)]
    if not lines:
        raise ValueError(f"{source}: there is a header but no row below it")
    for number, cells in lines:
        if len(cells) != len(titles):
            raise ValueError(
                f"{source}: ragged rows: line {number} has {len(cells)} cells, "
                f"expected {len(titles)}"
            )
    columns = [_cells((cells[j] for _, cells in lines), words) for j in range(len(titles))]
    named: dict[str, list[Any]] = {}
    for j, (title, column) in enumerate(zip(titles, columns, strict=True)):
        if not title and all(cell is None for cell in column):
            continue
        # The first column of a file often has names and no title.
        name = title or ("" if j == 0 else f"column {j + 1}")
        if name in named:
            raise ValueError(f"{source}: two columns are called {name!r}")
        named[name] = column
    return _named(str(source), Table(named, decimal=style.decimal), row_names)


def _named(where: str, table: Table, row_names: bool | None) -> Table:
    """With the first column as names of the rows, if it is that."""
    title, cells = next(iter(table.columns.items()))
    if not (row_names or (row_names is None and _is_names(title, cells))):
        return table
    if len(table.columns) == 1:
        raise ValueError(f"{where}: there is no column besides the row names")
    names = tuple("" if cell is None else _text_of(cell) for cell in cells)
    return replace(table.without([title]), rows=names, rows_from=title)


def _is_names(title: str, cells: list[Any]) -> bool:
    if title.lower() in INDEX_TITLES:
        return True
    different = len(cells) > 2 and len(set(cells)) == len(cells) and None not in cells
    if not different:
        return False
    if ID_TITLE.search(title):
        return True
    return not all(is_number_like(cell) for cell in cells)


def is_number_like(cell: Any) -> bool:
    """Whether a cell is a number, or text that can be read as one with either mark."""
    if isinstance(cell, str):
        return any(read_number(cell, mark, thousands=True) is not None for mark in ".,")
    return True


def _text_of(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _cells(cells: Iterable[Any], missing: frozenset[str]) -> list[Any]:
    """None where a cell is missing; text is stripped."""
    read: list[Any] = []
    for cell in cells:
        if isinstance(cell, str):
            text = cell.strip()
            absent = value_code(text) == MISSING or text.lower() in missing
            read.append(None if absent else text)
        elif cell is None or (isinstance(cell, float) and math.isnan(cell)):
            read.append(None)
        else:
            read.append(cell)
    return read


def _from_pandas(frame: Any, missing: frozenset[str]) -> Table:
    names = [str(name) for name in frame.columns]
    if len(set(names)) != len(names):
        raise ValueError("the frame has two columns of the same name")
    columns, ordered = {}, {}
    for j, name in enumerate(names):
        series = frame.iloc[:, j]
        cells = series.astype(object).where(series.notna(), None).tolist()
        columns[name] = _cells(cells, missing)
        if hasattr(series, "cat"):
            ordered[name] = list(series.cat.categories)
    counts = type(frame.index).__name__ == "RangeIndex"
    rows = None if counts else tuple(str(name) for name in frame.index)
    return Table(columns, rows, ordered=ordered)


def _from_parquet(path: Path, row_names: bool | None, missing: frozenset[str]) -> Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            f"{path}: reading parquet needs pyarrow; install it with "
            "`pip install 'boolfact[parquet]'`"
        ) from error
    try:
        stored = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path}: not a readable parquet file ({error})") from error
    if 0 in stored.shape:
        raise ValueError(
            f"{path}: the table is empty: {stored.shape[0]} rows and {stored.shape[1]} columns"
        )
    columns, ordered = {}, {}
    for title in stored.column_names:
        column = stored.column(title)
        columns[title] = _cells(column.to_pylist(), missing)
        if pyarrow.types.is_dictionary(column.type):
            chunks = column.combine_chunks()
            ordered[title] = list(getattr(chunks, "dictionary", chunks).to_pylist())
    table = Table(columns, ordered=ordered)
    index = [title for title in columns if title.startswith("__index_level_")]
    if index:
        return table.indexed_by(index[0]).without(index[1:])
    return _named(str(path), table, row_names)
