"""From categories and numbers to zeros and ones, with names that say what each column means."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from boolfact.io.columns import Column, Kind, Note, Request, TooManyValuesError, make_column
from boolfact.io.table import Table, as_table, read_table
from boolfact.io.text import TextStyle
from boolfact.model.labels import shown
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["COMMAND", "PYTHON", "Binarized", "Words", "binarize", "binarize_table", "read_table"]


@dataclass(frozen=True)
class Words:
    """How the options are spelled: on the command line or in Python."""

    is_command: bool

    def drop(self, name: str) -> str:
        """To leave a column out."""
        return self._option("drop", name)

    def index(self, name: str) -> str:
        """To take a column as the names of the rows."""
        return f"--index {shlex.quote(name)}" if self.is_command else f"index={name!r}"

    def categorical(self, name: str) -> str:
        """To take a column as categories."""
        return self._option("categorical", name)

    def missing(self, cell: str) -> str:
        """To take a cell as missing."""
        return self._option("missing", cell)

    def decimal(self) -> str:
        """To say which mark stands before decimals."""
        return "--decimal . or --decimal ," if self.is_command else "decimal='.' or decimal=','"

    def _option(self, option: str, value: str) -> str:
        return f"--{option} {shlex.quote(value)}" if self.is_command else f"{option}=[{value!r}]"


COMMAND, PYTHON = Words(True), Words(False)


@dataclass(frozen=True, eq=False)
class Binarized:
    """A table as zeros and ones, and what became of each of its columns.

    Parameters
    ----------
    matrix : BinaryMatrix
    columns : tuple of Column
        In the order of the table.
    """

    matrix: BinaryMatrix
    columns: tuple[Column, ...]

    def warnings(self, words: Words = PYTHON) -> list[str]:
        """What may not be meant, a sentence for each column that it is about."""
        return [_told(column, words) for column in self.columns if column.note is not None]


def binarize(
    frame: Any,
    *,
    categorical: Iterable[str] = (),
    thresholds: Mapping[str, Any] | None = None,
    both: bool = False,
    unknown: Literal["missing", "zero"] = "missing",
    most_values: int = 50,
    drop: Iterable[str] = (),
    index: str | None = None,
    missing: Iterable[str] = (),
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> BinaryMatrix:
    """Turn a table of categories, numbers, dates and yes/no answers into a 0/1 matrix.

    A yes/no column (true/false, yes/no, 0/1, or the two words of another European language such as
    ja/nein, oui/non, sí/no, wahr/falsch) stays one column. A numeric column becomes two,
    `name<=t` and `name>t`, where t is its median; so does a column of dates. Any other column
    becomes one for each of its values, `name=value`. Columns without a value, or with the same in
    every row, are left out. You are warned of those, and of columns that may be meant otherwise.

    Parameters
    ----------
    frame : pandas or polars DataFrame, mapping of columns, or path
        A file is csv, tsv, txt or parquet. Names of rows come from the index of a pandas frame,
        unless it only counts, or from the first column of a file, if it looks like names.
    categorical : iterable of str
        Columns to take as categories although their values are numbers. Columns of pandas type
        category are taken so anyway.
    thresholds : mapping of str to float or date, optional
        Where to split columns of numbers or dates, instead of at the median.
    both : bool
        Give a yes/no column two columns, `name=no` and `name=yes` (or `name=nein` and `name=ja`),
        so its absence can be part of a pattern too.
    unknown : {"missing", "zero"}
        Whether a missing value is missing in all the columns made from it, or 0 in all.
    most_values : int
        A column with more categories than this is refused: it is a name rather than a category.
    drop : iterable of str
        Columns to leave out.
    index : str, optional
        The column that names the rows.
    missing : iterable of str
        Cells that stand for a missing value, besides empty ones, ?, NA and nan.
    delimiter, decimal, encoding : str, optional
        How a text file is written, such as ";", "," and "cp1252"; found out by default, but for
        encodings other than Unicode.

    Examples
    --------
    >>> X = binarize({"sex": ["f", "m", "f"], "age": [31, 50, None], "smokes": ["no", "yes", "no"]})
    >>> X.column_names
    ('sex=f', 'sex=m', 'age<=40.5', 'age>40.5', 'smokes')
    >>> X.values.tolist()
    [[1, 0, 1, 0, 0], [0, 1, 0, 1, 1], [1, 0, -1, -1, 0]]
    """
    style = TextStyle(delimiter, decimal, encoding)
    made = binarize_table(
        as_table(frame, style=style, missing=missing),
        categorical=categorical,
        thresholds=thresholds,
        both=both,
        unknown=unknown,
        most_values=most_values,
        drop=drop,
        index=index,
        decimal=decimal,
    )
    for text in made.warnings():
        warnings.warn(text, stacklevel=2)
    return made.matrix


def binarize_table(
    table: Table,
    *,
    categorical: Iterable[str] = (),
    thresholds: Mapping[str, Any] | None = None,
    both: bool = False,
    unknown: str = "missing",
    most_values: int = 50,
    drop: Iterable[str] = (),
    index: str | None = None,
    decimal: str | None = None,
    words: Words = PYTHON,
) -> Binarized:
    """The same of a table that was read, with what became of each column.

    Parameters
    ----------
    table : Table
    words : Words
        How options are spelled in messages.

    Examples
    --------
    >>> made = binarize_table(as_table({"grade": [1, 2, 3, 1], "kind": list("abab")}))
    >>> [(column.kind.value, column.made_names) for column in made.columns]
    [('numbers', ('grade<=1.5', 'grade>1.5')), ('categories', ('kind=a', 'kind=b'))]
    >>> made.warnings()[0].partition(";")[0]
    "column 'grade' holds a few whole numbers only, split as numbers"
    """
    if unknown not in ("missing", "zero"):
        raise ValueError(f"unknown must be 'missing' or 'zero', got {unknown!r}")
    categories, splits, dropped = set(categorical), dict(thresholds or {}), set(drop)
    table.check_names([*categories, *splits, *dropped, *([] if index is None else [index])])
    for name in sorted(categories & set(splits)):
        raise ValueError(f"column {name!r} cannot be split at a threshold and be categorical")
    left_out = [Column(name, Kind.LEFT_OUT) for name in table.columns if name in dropped]
    if dropped & set(table.columns):
        table = table.without(dropped)
    if index is not None:
        table = table.indexed_by(index)
    columns, refused = [], []
    for name, cells in table.columns.items():
        request = Request(
            categorical=name in categories,
            threshold=splits.get(name),
            both=both,
            ordered=table.ordered.get(name),
            decimal=decimal or table.decimal,
            most_values=most_values,
        )
        try:
            columns.append(make_column(name, cells, request))
        except TooManyValuesError as error:
            refused.append(error)
    if refused:
        raise ValueError(_refusal(refused, most_values, words))
    made = [column for found in columns for column in found.made]
    if not made:
        raise ValueError("the table has no column with different values in it")
    values = np.column_stack([codes for _, codes in made])
    if unknown == "zero":
        values = np.where(values == MISSING, 0, values).astype(np.int8)
    rows = [] if table.rows_from is None else [Column(table.rows_from, Kind.NAMES)]
    matrix = BinaryMatrix(
        values, row_names=table.rows, column_names=tuple(name for name, _ in made)
    )
    return Binarized(matrix, (*rows, *left_out, *columns))


def _refusal(errors: Sequence[TooManyValuesError], most_values: int, words: Words) -> str:
    """All of them at once, so that they can be mended at once."""
    told = []
    for error in errors:
        text = f"column {error.name!r} has {error.count} different values"
        if error.note is Note.MIXED:
            examples = " and ".join(map(repr, error.examples[:2]))
            text += (
                f"; most are numbers, but not {examples}: {words.missing(error.examples[0])} "
                "takes such cells as missing"
            )
        elif error.note is Note.THOUSANDS:
            text += f", such as {error.examples[0]!r}: say {words.decimal()}"
        else:
            text += (
                f", too many for categories: leave it out with {words.drop(error.name)}, or "
                f"take it as the names of the rows with {words.index(error.name)}"
            )
        told.append(text)
    limit = "" if words.is_command else f" (most_values = {most_values})"
    return f"{'; '.join(told)}{limit}"


def _told(column: Column, words: Words) -> str:
    name, examples = column.name, column.examples
    text = f"column {name!r} {column.note}" if column.note else ""
    if column.note is Note.CONSTANT:
        text = f"column {name!r} has the same value {examples[0]!r} in every row; left out"
    elif column.note is Note.IDENTIFIER:
        text += f"; {words.index(name)} makes it the names of the rows, {words.drop(name)} drops it"
    elif column.note is Note.DATES:
        text += f"; {words.drop(name)} leaves them out"
    elif column.note is Note.CODES:
        text += f"; {words.categorical(name)} takes them so"
    elif column.note is Note.TWO_WAYS:
        text += f": {', '.join(examples)}; write them as 2021-03-04 to use them"
    elif column.note is Note.MIXED:
        cells = ", ".join(map(repr, examples))
        text += f": {cells}; {words.missing(examples[0])} takes such a cell as missing"
    elif column.note is Note.THOUSANDS:
        text += f": {examples[0]!r}; say {words.decimal()}"
    return shown(text)
