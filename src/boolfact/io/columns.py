"""One column of a table: what it is taken as, and the 0/1 columns that are made of it."""

from __future__ import annotations

import datetime
import enum
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.io.answers import Answers, answers_of
from boolfact.io.formats import ID_TITLE
from boolfact.io.table import is_number_like
from boolfact.io.text import read_number
from boolfact.model.matrix import MISSING

__all__ = ["Column", "Kind", "Note", "Request", "TooManyValuesError", "make_column"]

_CODES = 6
"""So few whole numbers may be codes of categories."""
_FEWEST = 8
"""Rows from which it tells that no two have the same value."""
_SURELY = 20
_MOST_SHOWN = 3


class Kind(enum.StrEnum):
    """What a column is taken as."""

    ANSWERS = "yes/no"
    CATEGORIES = "categories"
    NUMBERS = "numbers"
    DATES = "dates"
    NAMES = "names of the rows"
    LEFT_OUT = "left out"


class Note(enum.StrEnum):
    """What may not be meant, of a column."""

    EMPTY = "has no value at all; left out"
    CONSTANT = "has the same value in every row; left out"
    CONSTANT_ANSWER = "has the same value in every row"
    IDENTIFIER = "has a different value in every row, as identifiers have"
    CODES = "holds a few whole numbers only, split as numbers; they may be codes of categories"
    DATES = "holds dates, split at the median date"
    TWO_WAYS = "holds dates that can be read in two ways (day or month first); left out"
    MIXED = "holds numbers and some cells that are not; taken as categories"
    THOUSANDS = "holds numbers that can be read in two ways; taken as categories"


@dataclass(frozen=True, eq=False)
class Column:
    """What became of a column.

    Parameters
    ----------
    name : str
    kind : Kind
    made : tuple of (str, ndarray of int8)
        The columns made of it, with their names.
    detail : str
        Where numbers are split, how many values there are.
    missing : int
        Cells without a value.
    note : Note or None
    examples : tuple of str
        The cells that the note is about.
    """

    name: str
    kind: Kind
    made: tuple[tuple[str, NDArray[np.int8]], ...] = ()
    detail: str = ""
    missing: int = 0
    note: Note | None = None
    examples: tuple[str, ...] = ()

    @property
    def made_names(self) -> tuple[str, ...]:
        """Names of the columns made of it."""
        return tuple(name for name, _ in self.made)


@dataclass(frozen=True)
class Request:
    """What the user says about a column."""

    categorical: bool = False
    threshold: Any = None
    both: bool = False
    ordered: Sequence[Any] | None = None
    decimal: str | None = None
    most_values: int = field(default=50)


def make_column(name: str, cells: list[Any], request: Request) -> Column:
    """The 0/1 columns of a column, and what may not be meant.

    Examples
    --------
    >>> made = make_column("age", ["31", "50", None], Request())
    >>> made.kind.value, made.detail, made.made_names
    ('numbers', 'split at 40.5', ('age<=40.5', 'age>40.5'))
    """
    known = [cell for cell in cells if cell is not None]
    missing = len(cells) - len(known)
    if not known:
        return Column(name, Kind.LEFT_OUT, missing=missing, note=Note.EMPTY)
    as_is = request.categorical or request.ordered is not None
    answers = None if as_is or request.threshold is not None else answers_of(known)
    if answers is not None:
        return _answered(name, cells, answers, request.both, missing)
    if not as_is:
        numbers = _numbers(known, request.decimal)
        if numbers is not None or request.threshold is not None:
            dates = None if numbers is not None else _dates(known)
            if dates is not None and dates != "two ways":
                return _split_dates(name, cells, dates, request.threshold, missing)
            return _split_numbers(name, cells, numbers, request, missing)
        dates = _dates(known)
        if dates == "two ways":
            shown = tuple(map(str, known[:_MOST_SHOWN]))
            return Column(name, Kind.LEFT_OUT, (), "", missing, Note.TWO_WAYS, shown)
        if dates is not None:
            return _split_dates(name, cells, dates, None, missing)
    return _categories(name, cells, request, missing)


def _answered(name: str, cells: list[Any], answers: Answers, both: bool, missing: int) -> Column:
    yes = _coded(cells, answers.is_yes)
    note = Note.CONSTANT_ANSWER if len(set(yes[yes != MISSING].tolist())) == 1 else None
    if not both:
        return Column(name, Kind.ANSWERS, ((name, yes),), answers.detail, missing, note)
    no = np.where(yes == MISSING, MISSING, 1 - yes).astype(np.int8)
    made = ((f"{name}={answers.no}", no), (f"{name}={answers.yes}", yes))
    return Column(name, Kind.ANSWERS, made, "both answers", missing, note)


def _split_numbers(
    name: str, cells: list[Any], numbers: list[float] | None, request: Request, missing: int
) -> Column:
    known = [cell for cell in cells if cell is not None]
    if numbers is None:
        bad = next(cell for cell in known if _number(cell, request.decimal or ".") is None)
        raise ValueError(f"column {name!r}: value {bad!r} is not a number")
    threshold = request.threshold
    if isinstance(threshold, str):
        wanted = read_number(threshold)
        if wanted is None:
            raise ValueError(f"column {name!r}: threshold {threshold!r} is not a number")
        threshold = wanted
    different = sorted(set(numbers))
    if threshold is None and len(different) == 1:
        return Column(name, Kind.LEFT_OUT, (), "", missing, Note.CONSTANT, (str(known[0]),))
    note = None if threshold is not None else _note_on_numbers(name, numbers, different)
    split = _split_point(numbers, different) if threshold is None else float(threshold)
    made = _halves(name, cells, iter(numbers), split, f"{split:.10g}")
    return Column(name, Kind.NUMBERS, made, f"split at {split:.10g}", missing, note, _some(known))


def _note_on_numbers(name: str, numbers: list[float], different: list[float]) -> Note | None:
    whole = all(value.is_integer() for value in different)
    if not whole:
        return None
    if len(different) == len(numbers) and len(numbers) >= _FEWEST:
        consecutive = different[-1] - different[0] == len(different) - 1
        if len(numbers) >= _SURELY or consecutive or ID_TITLE.search(name):
            return Note.IDENTIFIER
    if len(different) <= _CODES and len(different) < len(numbers):
        return Note.CODES
    return None


def _split_point(numbers: list[float], different: list[float]) -> float:
    middle = float(np.median(numbers))
    # More than half may have the largest value: split below it, or nobody would be above.
    return different[-2] if middle == different[-1] and len(different) > 1 else middle


def _halves(
    name: str, cells: list[Any], numbers: Any, split: float, label: str
) -> tuple[tuple[str, NDArray[np.int8]], ...]:
    below = np.array(
        [MISSING if cell is None else int(next(numbers) <= split) for cell in cells], dtype=np.int8
    )
    above = np.where(below == MISSING, MISSING, 1 - below).astype(np.int8)
    return (f"{name}<={label}", below), (f"{name}>{label}", above)


def _split_dates(
    name: str, cells: list[Any], days: list[int], threshold: Any, missing: int
) -> Column:
    known = [cell for cell in cells if cell is not None]
    different = sorted(set(days))
    if threshold is None and len(different) == 1:
        return Column(name, Kind.LEFT_OUT, (), "", missing, Note.CONSTANT, (str(known[0]),))
    if threshold is None:
        split = math.floor(
            _split_point([float(day) for day in days], [float(d) for d in different])
        )
    else:
        wanted = _dates([threshold])
        if wanted is None or wanted == "two ways":
            raise ValueError(
                f"column {name!r} holds dates; its threshold must be one such as 2021-03-04, "
                f"got {threshold!r}"
            )
        split = wanted[0]
    label = datetime.date.fromordinal(split).isoformat()
    made = _halves(name, cells, iter(days), split, label)
    note = Note.DATES if threshold is None else None
    return Column(name, Kind.DATES, made, f"split at {label}", missing, note, _some(known))


def _categories(name: str, cells: list[Any], request: Request, missing: int) -> Column:
    known = [cell for cell in cells if cell is not None]
    seen = set(known)
    note, examples = _note_on_categories(known, seen, request)
    if len(seen) > request.most_values:
        raise TooManyValuesError(name, len(seen), note, examples)
    if len(seen) == 1 and not request.categorical and request.ordered is None:
        return Column(name, Kind.LEFT_OUT, (), "", missing, Note.CONSTANT, (str(known[0]),))
    ordered = request.ordered
    in_order = sorted(seen, key=str) if ordered is None else [v for v in ordered if v in seen]
    made = tuple(
        (f"{name}={value}", _coded(cells, lambda cell, value=value: cell == value))  # type: ignore[misc]
        for value in in_order
    )
    values = "1 value" if len(made) == 1 else f"{len(made)} values"
    return Column(name, Kind.CATEGORIES, made, values, missing, note, examples)


class TooManyValuesError(ValueError):
    """A column of text has too many values to be one of categories."""

    def __init__(self, name: str, count: int, note: Note | None, examples: tuple[str, ...]) -> None:
        self.name, self.count, self.note, self.examples = name, count, note, examples
        super().__init__(f"column {name!r} has {count} different values")


def _note_on_categories(
    known: list[Any], seen: set[Any], request: Request
) -> tuple[Note | None, tuple[str, ...]]:
    if request.categorical or request.ordered is not None:
        return None, ()
    strangers = [cell for cell in known if not is_number_like(cell)]
    if not strangers:
        return Note.THOUSANDS, _some(known)
    if 2 * len(strangers) < len(known):
        return Note.MIXED, _some(list(dict.fromkeys(map(str, strangers))))
    if len(seen) == len(known) and len(known) >= _FEWEST:
        return Note.IDENTIFIER, _some(known)
    return None, ()


def _some(cells: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(str, cells[:_MOST_SHOWN]))


def _coded(cells: list[Any], is_one: Callable[[Any], bool]) -> NDArray[np.int8]:
    return np.array(
        [MISSING if cell is None else int(is_one(cell)) for cell in cells], dtype=np.int8
    )


def _numbers(known: list[Any], decimal: str | None) -> list[float] | None:
    """All cells as numbers, with points or with commas for decimals; None if they are not."""
    for mark in (".", ",") if decimal is None else (decimal,):
        thousands = decimal is not None
        found = [_number(cell, mark, thousands) for cell in known]
        if None not in found:
            # 1,234 may be a thousand and more, or a little more than one.
            unclear = mark == "," and decimal is None and _may_be_thousands(known)
            return None if unclear else found  # type: ignore[return-value]
    return None


def _may_be_thousands(known: list[Any]) -> bool:
    with_mark = [cell for cell in known if isinstance(cell, str) and "," in cell]
    return all(re.fullmatch(r"[+-]?\d{1,3},\d{3}", cell) for cell in with_mark)


def _number(cell: Any, mark: str, thousands: bool = False) -> float | None:
    if isinstance(cell, str):
        return read_number(cell, mark, thousands=thousands)
    if isinstance(cell, bool):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


_ISO = re.compile(r"^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T].*)?$")
_DOTTED = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d{4})(?: .*)?$")
_SLASHED = re.compile(r"^(\d{1,2})/(\d{1,2})/(\d{4})(?: .*)?$")


def _dates(known: list[Any]) -> Any:
    """Days by number; "two ways" if it is not clear which is the month; None for other cells."""
    if all(isinstance(cell, datetime.date) for cell in known):
        return [cell.toordinal() for cell in known]
    if not all(isinstance(cell, str) for cell in known):
        return None
    for pattern, orders in ((_ISO, ((0, 1, 2),)), (_DOTTED, ((2, 1, 0),)),
                            (_SLASHED, ((2, 1, 0), (2, 0, 1)))):  # fmt: skip
        matches = [pattern.match(cell) for cell in known]
        if None in matches:
            continue
        parts = [tuple(map(int, match.groups())) for match in matches if match]
        read = [_days(parts, order) for order in orders]
        possible = [days for days in read if days is not None]
        if len(possible) > 1 and possible[0] != possible[1]:
            return "two ways"
        return possible[0] if possible else None
    return None


def _days(parts: list[tuple[int, ...]], order: tuple[int, ...]) -> list[int] | None:
    try:
        return [datetime.date(*(part[place] for place in order)).toordinal() for part in parts]
    except ValueError:
        return None
