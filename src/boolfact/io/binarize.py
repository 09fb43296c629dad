"""From categories and numbers to zeros and ones, with names that say what each column means."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boolfact.io.cells import value_code
from boolfact.io.formats import INDEX_TITLES, read_lines
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["binarize", "read_table"]

_Column = tuple[str, NDArray[np.int8]]


def binarize(
    frame: Any,
    *,
    categorical: Iterable[str] = (),
    thresholds: Mapping[str, float] | None = None,
    both: bool = False,
    unknown: Literal["missing", "zero"] = "missing",
    most_values: int = 50,
) -> BinaryMatrix:
    """Turn a table of categories, numbers and yes/no answers into a 0/1 matrix.

    A yes/no column (true/false, yes/no, 0/1) stays one column. A numeric column becomes two,
    `name<=t` and `name>t`, where t is its median. Any other column becomes one for each of its
    values, `name=value`.

    Parameters
    ----------
    frame : pandas or polars DataFrame, mapping of columns, or path of a csv, tsv or txt file
        Names of rows come from the index of a pandas frame, unless it only counts.
    categorical : iterable of str
        Columns to take as categories although their values are numbers. Columns of pandas type
        category are taken so anyway.
    thresholds : mapping of str to float, optional
        Where to split numeric columns, instead of at the median.
    both : bool
        Give a yes/no column two columns, `name=no` and `name=yes`, so its absence can be
        part of a pattern too.
    unknown : {"missing", "zero"}
        Whether a missing value is missing in all the columns made from it, or 0 in all.
    most_values : int
        A column with more categories than this is refused: it is a name rather than a category.

    Examples
    --------
    >>> X = binarize({"sex": ["f", "m", "f"], "age": [31, 50, None], "smokes": ["no", "yes", "no"]})
    >>> X.column_names
    ('sex=f', 'sex=m', 'age<=40.5', 'age>40.5', 'smokes')
    >>> X.values.tolist()
    [[1, 0, 1, 0, 0], [0, 1, 0, 1, 1], [1, 0, -1, -1, 0]]
    """
    if unknown not in ("missing", "zero"):
        raise ValueError(f"unknown must be 'missing' or 'zero', got {unknown!r}")
    table = _as_table(frame)
    categories, splits = set(categorical), dict(thresholds or {})
    for name in sorted((categories | set(splits)) - set(table.columns)):
        raise ValueError(f"there is no column {name!r}; the table has {', '.join(table.columns)}")
    made: list[_Column] = []
    for name, cells in table.columns.items():
        if all(cell is None for cell in cells):
            warnings.warn(f"column {name!r} has no value at all; left out", stacklevel=2)
        elif name in splits or (
            name not in categories and name not in table.ordered and _is_numeric(cells)
        ):
            made += _split_numbers(name, cells, splits.get(name))
        elif name not in categories and name not in table.ordered and _is_yes_no(cells):
            made += _yes_no(name, cells, both)
        else:
            made += _one_hot(name, cells, table.ordered.get(name), most_values)
    if not made:
        raise ValueError("the table has no column with a value in it")
    values = np.column_stack([codes for _, codes in made])
    if unknown == "zero":
        values = np.where(values == MISSING, 0, values).astype(np.int8)
    return BinaryMatrix(values, row_names=table.rows, column_names=tuple(name for name, _ in made))


@dataclass(frozen=True)
class _Table:
    """Columns of cells by name, None where missing; categories of ordered columns in order."""

    columns: dict[str, list[Any]]
    rows: tuple[str, ...] | None = None
    ordered: Mapping[str, Sequence[Any]] = ()  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "ordered", dict(self.ordered))
        if not self.columns or not next(iter(self.columns.values())):
            raise ValueError("the table is empty")
        for name, cells in self.columns.items():
            size = len(next(iter(self.columns.values())))
            if len(cells) != size:
                raise ValueError(f"column {name!r} has {len(cells)} cells, expected {size}")


def _as_table(frame: Any) -> _Table:
    if isinstance(frame, _Table):
        return frame
    if isinstance(frame, str | os.PathLike):
        return read_table(frame)
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):
        return _from_pandas(frame)
    if type(frame).__module__.split(".")[0] == "polars":
        return _Table({name: _cells(frame[name].to_list()) for name in frame.columns})
    if isinstance(frame, Mapping):
        return _Table({str(name): _cells(cells) for name, cells in frame.items()})
    raise TypeError(
        "frame must be a pandas or polars DataFrame, a mapping of columns, or a path, "
        f"got {type(frame).__name__}"
    )


def _from_pandas(frame: Any) -> _Table:
    names = [str(name) for name in frame.columns]
    if len(set(names)) != len(names):
        raise ValueError("the frame has two columns of the same name")
    columns, ordered = {}, {}
    for j, name in enumerate(names):
        series = frame.iloc[:, j]
        cells = series.astype(object).where(series.notna(), None).tolist()
        columns[name] = _cells(cells)
        if hasattr(series, "cat"):
            ordered[name] = list(series.cat.categories)
    counts = type(frame.index).__name__ == "RangeIndex"
    rows = None if counts else tuple(str(name) for name in frame.index)
    return _Table(columns, rows, ordered)


def _cells(cells: Iterable[Any]) -> list[Any]:
    """None where a cell is missing; text is stripped."""
    read: list[Any] = []
    for cell in cells:
        if isinstance(cell, str):
            text = cell.strip()
            read.append(None if value_code(text) == MISSING else text)
        elif cell is None or (isinstance(cell, float) and math.isnan(cell)):
            read.append(None)
        else:
            read.append(cell)
    return read


def read_table(
    path: str | os.PathLike[str], *, header: bool | None = None, row_names: bool | None = None
) -> Any:
    """Read a csv, tsv or txt file for `binarize`.

    The first line holds the names unless `header` is False. The first column holds names of
    rows if `row_names` says so, if its title is one such as id or name, or if it is text and no
    two cells of it are equal.
    """
    source = Path(path)
    kind = source.suffix.lower().lstrip(".")
    if kind not in ("csv", "tsv", "txt"):
        raise ValueError(f"{source}: expected a csv, tsv or txt file")
    lines = read_lines(source, kind)
    if not lines:
        raise ValueError(f"{source}: the file is empty; expected rows of values")
    titles = [f"column {j + 1}" for j in range(len(lines[0][1]))]
    if header is not False:
        titles = [title.strip() for title in lines[0][1]]
        lines = lines[1:]
    if not lines:
        raise ValueError(f"{source}: there is a header but no row below it")
    for number, cells in lines:
        if len(cells) != len(titles):
            raise ValueError(
                f"{source}: ragged rows: line {number} has {len(cells)} cells, "
                f"expected {len(titles)}"
            )
    repeated = {title for title in titles if titles.count(title) > 1}
    if repeated:
        raise ValueError(f"{source}: two columns are called {sorted(repeated)[0]!r}")
    columns = [_cells(cells[j] for _, cells in lines) for j in range(len(titles))]
    names = None
    if row_names or (row_names is None and _is_names(titles[0], columns[0])):
        names = tuple("" if cell is None else str(cell) for cell in columns[0])
        titles, columns = titles[1:], columns[1:]
        if not columns:
            raise ValueError(f"{source}: there is no column besides the row names")
    return _Table(dict(zip(titles, columns, strict=True)), names)


def _is_names(title: str, cells: list[Any]) -> bool:
    if title.lower() in INDEX_TITLES:
        return True
    return len(cells) > 2 and len(set(cells)) == len(cells) and not _is_numeric(cells)


def _is_yes_no(cells: list[Any]) -> bool:
    return all(cell is None or value_code(str(cell)) in (0, 1) for cell in cells)


def _is_numeric(cells: list[Any]) -> bool:
    return not _is_yes_no(cells) and all(
        _number(cell) is not None for cell in cells if cell is not None
    )


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _coded(cells: list[Any], is_one: Callable[[Any], bool]) -> NDArray[np.int8]:
    return np.array(
        [MISSING if cell is None else int(is_one(cell)) for cell in cells], dtype=np.int8
    )


def _yes_no(name: str, cells: list[Any], both: bool) -> list[_Column]:
    yes = _coded(cells, lambda cell: value_code(str(cell)) == 1)
    if not both:
        return [(name, yes)]
    no = np.where(yes == MISSING, MISSING, 1 - yes).astype(np.int8)
    return [(f"{name}=no", no), (f"{name}=yes", yes)]


def _split_numbers(name: str, cells: list[Any], threshold: float | None) -> list[_Column]:
    numbers = [None if cell is None else _number(cell) for cell in cells]
    for cell, number in zip(cells, numbers, strict=True):
        if cell is not None and number is None:
            raise ValueError(f"column {name!r}: value {cell!r} is not a number")
    known = sorted({number for number in numbers if number is not None})
    if threshold is None:
        threshold = float(np.median([number for number in numbers if number is not None]))
        if threshold == known[-1] and len(known) > 1:
            # More than half have the largest value: split below it, or nobody would be above.
            threshold = known[-2]
    below = _coded(numbers, lambda number: number <= threshold)
    above = np.where(below == MISSING, MISSING, 1 - below).astype(np.int8)
    return [(f"{name}<={threshold:g}", below), (f"{name}>{threshold:g}", above)]


def _one_hot(
    name: str, cells: list[Any], ordered: Sequence[Any] | None, most_values: int
) -> list[_Column]:
    seen = {cell for cell in cells if cell is not None}
    if len(seen) > most_values:
        raise ValueError(
            f"column {name!r} has {len(seen)} different values, more than most_values = "
            f"{most_values}: leave it out, or make it the index if it names the rows"
        )
    in_order = sorted(seen, key=str) if ordered is None else [v for v in ordered if v in seen]
    return [
        (f"{name}={value}", _coded(cells, lambda cell, value=value: cell == value))  # type: ignore[misc]
        for value in in_order
    ]
