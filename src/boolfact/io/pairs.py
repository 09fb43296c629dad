"""Pairs and lists: users with their permissions, edges of a graph, baskets of items."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from boolfact.io.answers import answers_of
from boolfact.io.cells import is_value, value_code
from boolfact.io.formats import TEXT_FORMATS, refuse_workbook
from boolfact.io.limits import check_size
from boolfact.io.table import read_table
from boolfact.io.text import Line, TextStyle, cut_lines, encoding_of, read_lines, read_number
from boolfact.model.matrix import MISSING, BinaryMatrix
from boolfact.model.sparse import SparseMatrix

__all__ = ["PairMatrix", "looks_like_pairs", "read_pairs"]

_HEAD_BYTES = 1 << 16
_TITLE_WORDS = """
user users person employee account member patient customer client case sample
subject source from row object document node cell order basket transaction tid
target to column permission permissions right rights role group privilege action
entitlement item items product attribute feature tag word gene event name id
value
"""
_TITLES = frozenset(_TITLE_WORDS.split())
_COMMENTS = ("#", "%")
_FEWEST_LINES = 3
_DENSE_CELLS = 10_000_000


@dataclass(frozen=True, eq=False)
class PairMatrix:
    """A matrix that is given by its ones, not yet read: rows and columns in the order they come.

    Parameters
    ----------
    source : path, iterable of pairs or triples, or pandas DataFrame
        Of a path: a text or parquet file. The first of a pair is the row, the second the column.
        A third is the entry: 0, 1 or missing. What is not listed is 0.
    baskets : bool, optional
        Whether each line is a list of columns, named by what stands before a colon, or by its
        number. By default lines of two cells are pairs, and lines of different lengths baskets.
    header : bool, optional
        Whether the first line holds titles; found out by default.
    binarize : float, optional
        For the third: take values above this as 1 and the others as 0.
    drop : sequence of str
        Titles of columns to leave out.
    style : TextStyle

    Examples
    --------
    >>> PairMatrix([("ann", "read"), ("bob", "read"), ("bob", "pay")]).dense().values
    array([[1, 0],
           [1, 1]], dtype=int8)
    """

    source: Any
    baskets: bool | None = None
    header: bool | None = None
    binarize: float | None = None
    drop: Sequence[str] = ()
    style: TextStyle = field(default_factory=TextStyle)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; the pairs are read for it."""
        return len(self._read.rows), len(self._read.columns)

    def dense(self, binarize: float | None = None) -> BinaryMatrix:
        """As a matrix of one byte per cell."""
        read = self._reading(binarize)
        check_size(self._label, (len(read.rows), len(read.columns)), 1)
        values = np.zeros((len(read.rows), len(read.columns)), dtype=np.int8)
        values[read.i, read.j] = read.codes
        return BinaryMatrix(values, row_names=read.rows, column_names=read.columns)

    def in_rows(self, binarize: float | None = None) -> SparseMatrix:
        """By its ones."""
        import scipy.sparse

        read = self._reading(binarize)
        shape = (len(read.rows), len(read.columns))
        listed = read.codes != 0
        entries = (read.codes[listed], (read.i[listed], read.j[listed]))
        rows = scipy.sparse.csr_array(entries, shape=shape)
        rows.sort_indices()
        made = SparseMatrix.from_scipy(rows, rows.data)
        return replace(made, row_names=read.rows, column_names=read.columns)

    def told(self) -> str:
        """What was read, in one sentence."""
        read = self._read
        n, m = self.shape
        ones = int((read.codes == 1).sum())
        what = "lists" if read.is_baskets else "pairs"
        titles = f" of {read.titles[0]} and {read.titles[1]}" if read.titles else ""
        text = f"{self._label}: read as {what}{titles}: {n:,} rows, {m:,} columns, {ones:,} ones"
        if read.repeated:
            times = "1 was" if read.repeated == 1 else f"{read.repeated:,} were"
            text += f"; {times} given more than once"
        return text

    @property
    def _label(self) -> str:
        return str(self.source) if isinstance(self.source, str | os.PathLike) else "the pairs"

    @cached_property
    def _read(self) -> _Read:
        return self._read_with(self.binarize)

    def _reading(self, binarize: float | None) -> _Read:
        if binarize is None or binarize == self.binarize:
            return self._read
        return self._read_with(binarize)

    def _read_with(self, binarize: float | None) -> _Read:
        lines = [(number, [cell.strip() for cell in cells]) for number, cells in self._lines()]
        # What a spreadsheet leaves of rows that were emptied.
        lines = [(number, cells) for number, cells in lines if any(cells)]
        if not lines:
            raise ValueError(f"{self._label}: the list is empty; expected pairs, or lists of items")
        lines = self._without_dropped(lines)
        widths = {len(cells) for _, cells in lines}
        baskets = len(widths) > 1 if self.baskets is None else self.baskets
        if baskets:
            return self._from_baskets(lines)
        if widths - {2, 3} or len(widths) > 1:
            number, cells = next(line for line in lines if len(line[1]) not in (2, 3))
            raise ValueError(
                f"{self._label}: line {number} has {len(cells)} cells; expected two, or three "
                "with an entry, in each line. Columns can be left out by their titles (drop), and "
                "lines can be taken as lists of items (baskets)"
            )
        return self._from_pairs(lines, binarize)

    def _lines(self) -> list[Line]:
        if isinstance(self.source, str | os.PathLike):
            path = Path(self.source)
            if not path.is_file():
                raise FileNotFoundError(f"pairs are read from a text file; no file {str(path)!r}")
            refuse_workbook(path)
            if _is_parquet(path):
                table = read_table(path, row_names=False)
                return self._lines_of(
                    list(table.columns), zip(*table.columns.values(), strict=True)
                )
            lines = read_lines(path, _kind(path), self.style)
            return list(_without_comments(lines))
        if hasattr(self.source, "iloc") and hasattr(self.source, "columns"):
            frame = self.source
            body = frame.astype(object).where(frame.notna(), None).values.tolist()
            return self._lines_of([str(name) for name in frame.columns], body)
        return [(i, [str(part) for part in pair]) for i, pair in enumerate(self.source)]

    def _lines_of(self, titles: list[str], rows: Iterable[Sequence[Any]]) -> list[Line]:
        """The rows of a table as if they were lines of text."""
        body = [["" if cell is None else str(cell) for cell in row] for row in rows]
        return list(enumerate([titles, *body] if self.header is not False else body))

    def _without_dropped(self, lines: list[Line]) -> list[Line]:
        if not self.drop:
            return lines
        titles = lines[0][1]
        for name in self.drop:
            if name not in titles:
                raise ValueError(
                    f"{self._label}: there is no column {name!r}; there is {', '.join(titles)}"
                )
        keep = [j for j, title in enumerate(titles) if title not in self.drop]
        for number, cells in lines:
            if len(cells) != len(titles):
                raise ValueError(
                    f"{self._label}: line {number} has {len(cells)} cells, expected {len(titles)}"
                )
        return [(number, [cells[j] for j in keep]) for number, cells in lines]

    def _from_pairs(self, lines: list[Line], binarize: float | None) -> _Read:
        is_frame = hasattr(self.source, "iloc") or _is_parquet(self.source)
        header = self.header
        if header is None:
            header = bool(self.drop) or is_frame or _has_titles([cells for _, cells in lines])
        titles = tuple(lines[0][1]) if header else None
        lines = lines[1:] if header else lines
        if not lines:
            raise ValueError(f"{self._label}: there are titles but no pair below them")
        collected = _Collector()
        for number, cells in lines:
            if "" in cells[:2]:
                side = "row" if cells[0] == "" else "column"
                raise ValueError(f"{self._label}: line {number}: the {side} has no name")
            code = 1
            if len(cells) == 3:
                code = self._entry(number, cells[2], binarize)
            before = collected.add(cells[0], cells[1], code)
            if before != code:
                raise ValueError(
                    f"{self._label}: line {number}: {cells[0]!r}, {cells[1]!r} is given with "
                    "different entries"
                )
        return collected.read(titles, False)

    def _entry(self, number: int, cell: str, binarize: float | None) -> int:
        code = value_code(cell)
        if binarize is not None and code != MISSING:
            value = read_number(cell, self.style.decimal or ".")
            code = None if value is None else int(value > binarize)
        if code is None:
            expected = "0, 1 or missing" if binarize is None else "a number"
            hint = (
                ""
                if binarize is not None
                else " (or give a threshold to binarize numbers, or leave the third column out by "
                "its title: drop)"
            )
            raise ValueError(
                f"{self._label}: line {number}: entry {cell!r} is not understood; expected "
                f"{expected}{hint}"
            )
        return code

    def _from_baskets(self, lines: list[Line]) -> _Read:
        lines = lines[1:] if self.header else lines
        named = all(_basket_name(cells[0]) is not None for _, cells in lines)
        collected = _Collector()
        for number, cells in lines:
            name = f"line {number}"
            if named:
                name, first = _basket_name(cells[0]) or ("", "")
                cells = [first, *cells[1:]]
            collected.row(name)
            for item in cells:
                if item:
                    collected.add(name, item, 1)
        if not collected.columns:
            raise ValueError(f"{self._label}: there is no item in the lists")
        return collected.read(None, True)


def read_pairs(
    source: Any,
    *,
    baskets: bool | None = None,
    header: bool | None = None,
    binarize: float | None = None,
    drop: Sequence[str] = (),
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> BinaryMatrix | SparseMatrix:
    """Read pairs (user and permission, edges of a graph) or lists of items into a matrix.

    Parameters
    ----------
    source : path, iterable of pairs or triples, or pandas DataFrame
        Of a path: a text or parquet file. The first of a pair is the row, the second the column.
        A third is the entry: 0, 1 or missing. What is not listed is 0.
    baskets : bool, optional
        Whether each line of a file is a list of items, named by what stands before a colon, or
        by its number. By default lines of two cells are pairs, and lines of different lengths
        are lists.
    header : bool, optional
        Whether the first line holds titles; found out by default.
    binarize : float, optional
        For the third of a triple: take values above this as 1 and the others as 0.
    drop : sequence of str
        Titles of columns to leave out.
    delimiter, decimal, encoding : str, optional
        See `boolfact.as_matrix`.

    Returns
    -------
    BinaryMatrix or SparseMatrix
        The latter, which holds the ones only, above ten million cells.

    Examples
    --------
    >>> X = read_pairs([("ann", "read"), ("bob", "read"), ("bob", "pay")])
    >>> X.row_names, X.column_names, X.values.tolist()
    (('ann', 'bob'), ('read', 'pay'), [[1, 0], [1, 1]])
    """
    style = TextStyle(delimiter, decimal, encoding)
    pairs = PairMatrix(source, baskets, header, binarize, tuple(drop), style)
    n, m = pairs.shape
    return pairs.dense() if n * m <= _DENSE_CELLS else pairs.in_rows()


def looks_like_pairs(path: Path, binarize: float | None = None) -> bool:
    """Whether a text file clearly holds pairs or lists of names, by its head.

    It does if every line has two cells, or the lines have different lengths; if no cell could be
    an entry of a matrix or a number; and if names come again. Pairs of whole numbers are clear
    where titles or a comment stand before them as in files of graphs, unless there is a threshold
    for numbers.
    """
    if path.suffix.lower().lstrip(".") not in TEXT_FORMATS or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        whole = len(head) < _HEAD_BYTES
    try:
        text = head.decode(encoding_of(head[:4]), errors="ignore" if not whole else "strict")
        lines = cut_lines(path, text.removeprefix("\ufeff"), _kind(path), TextStyle())
    except ValueError:
        return False
    if not whole:
        lines = lines[:-1]
    rows = [[cell.strip() for cell in cells] for _, cells in _without_comments(lines)]
    is_commented = len(rows) < len(lines)
    widths = {len(cells) for cells in rows}
    if len(rows) < _FEWEST_LINES or min(widths, default=0) < 1:
        return False
    body = rows[1:]
    cells = [cell for row in body for cell in row]
    if widths == {2} and all(cell.isdecimal() for cell in cells):
        is_graph = _has_titles(rows) or (is_commented and all(map(str.isdecimal, rows[0])))
        pairs = body if _has_titles(rows) else rows
        return (
            binarize is None
            and is_graph
            and not {"0", "1"}.issuperset(cells)
            and _come_again(pairs)
        )
    if any(is_value(cell) or read_number(cell) is not None for cell in cells):
        return False
    if widths == {2}:
        # A small table of two questions is none.
        asked = any(answers_of(side) is not None for side in zip(*body, strict=True))
        return not asked and _come_again(body)
    # Lists need a mark between their items, or any prose would be one.
    is_cut = any(mark in text for mark in ",;\t|")
    return len(widths) > 1 and is_cut and 2 * len(set(cells)) <= len(cells)


def _come_again(pairs: list[list[str]]) -> bool:
    """Whether both names of some pairs come again, but no pair does.

    Of a table with two columns of categories or numbers, some lines would be the same.
    """
    first, second = zip(*pairs, strict=True)
    different = len({tuple(pair) for pair in pairs}) == len(pairs)
    return different and len(set(first)) < len(first) and len(set(second)) < len(second)


@dataclass(frozen=True, eq=False)
class _Read:
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    i: Any
    j: Any
    codes: Any
    titles: tuple[str, ...] | None
    is_baskets: bool
    repeated: int


class _Collector:
    """Names in the order they come, and the entry of each pair."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.columns: dict[str, int] = {}
        self._entries: dict[tuple[int, int], int] = {}
        self._repeated = 0

    def row(self, name: str) -> int:
        return self.rows.setdefault(name, len(self.rows))

    def add(self, row: str, column: str, code: int) -> int:
        """The entry that the pair has now: that of its first time."""
        key = (self.row(row), self.columns.setdefault(column, len(self.columns)))
        self._repeated += key in self._entries
        return self._entries.setdefault(key, code)

    def read(self, titles: tuple[str, ...] | None, is_baskets: bool) -> _Read:
        places = np.array(list(self._entries), dtype=np.int64).reshape(-1, 2)
        return _Read(
            tuple(self.rows),
            tuple(self.columns),
            places[:, 0],
            places[:, 1],
            np.fromiter(self._entries.values(), dtype=np.int8, count=len(self._entries)),
            titles,
            is_baskets,
            self._repeated,
        )


def _is_parquet(source: Any) -> bool:
    is_path = isinstance(source, str | os.PathLike)
    return is_path and Path(source).suffix.lower() == ".parquet"


def _kind(path: Path) -> str:
    kind = path.suffix.lower().lstrip(".")
    return kind if kind in TEXT_FORMATS else "txt"


def _without_comments(lines: Iterable[Line]) -> Iterator[Line]:
    """Graphs often begin with a few lines that are about them."""
    body = False
    for number, cells in lines:
        body = body or not cells[0].lstrip().startswith(_COMMENTS)
        if body:
            yield number, cells


def _has_titles(rows: list[list[str]]) -> bool:
    """Whether the first pair is none: its words are titles, and come nowhere else."""
    first, body = rows[0], rows[1:]
    if any(first[side] == row[side] for row in body for side in (0, 1)):
        return False
    if len(first) == 3 and not is_value(first[2]) and read_number(first[2]) is None:
        return True
    words = [set(title.lower().replace("_", " ").replace("-", " ").split()) for title in first[:2]]
    return all(_TITLES & said for said in words)


def _basket_name(cell: str) -> tuple[str, str] | None:
    name, colon, rest = cell.partition(":")
    return (name.strip(), rest.strip()) if colon and name.strip() else None
