"""Text files: how they are written, and their lines cut into cells."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "SEPARATOR_LINE",
    "EncodingError",
    "Line",
    "TextStyle",
    "cut_lines",
    "delimiter_of",
    "encoding_of",
    "read_lines",
    "read_number",
    "sample_of",
]

Line = tuple[int, list[str]]
"""The number of a line and its cells."""

_WORDS = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";", "\\t": "\t"}
_CANDIDATES = {"csv": ",;\t|", "tsv": "\t"}
_SAMPLE_LINES = 20
"""Lines by which the delimiter is found."""

# The first line of a file by which Excel is told of the delimiter.
SEPARATOR_LINE = re.compile(r'^"?sep=(.)"?\s*$', re.IGNORECASE)


def _number_pattern(decimal: str, thousands: bool) -> re.Pattern[str]:
    other = "," if decimal == "." else "."
    marks = f"[{re.escape(other)} \u00a0\u202f]"
    whole = rf"\d{{1,3}}(?:{marks}\d{{3}})+|\d+" if thousands else r"\d+"
    part = re.escape(decimal)
    return re.compile(rf"^[+-]?(?:(?:{whole})(?:{part}\d*)?|{part}\d+)(?:[eE][+-]?\d+)?$")


_NUMBERS = {
    (decimal, thousands): _number_pattern(decimal, thousands)
    for decimal in (".", ",")
    for thousands in (False, True)
}


class EncodingError(ValueError):
    """A text file is not written in the encoding that was expected."""

    def __init__(self, path: object, encoding: str, error: UnicodeError) -> None:
        name = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16"}.get(encoding, encoding)
        self.plain = f"{path}: not a {name} text file ({error})"
        super().__init__(f"{self.plain}; encoding='cp1252' reads what Excel on Windows saves")


@dataclass(frozen=True)
class TextStyle:
    """How a text file is written; None where that is found out from the file.

    Parameters
    ----------
    delimiter : str, optional
        Between the cells: one character, or tab, space, comma or semicolon in words.
    decimal : {".", ","}, optional
        The mark between the whole part of a number and the rest.
    encoding : str, optional
        Of the letters, such as cp1252. Without it: UTF-8, or UTF-16 where the file begins so.

    Examples
    --------
    >>> TextStyle(delimiter="tab").delimiter
    '\\t'
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            mark = _WORDS.get(self.delimiter.lower(), self.delimiter)
            if len(mark) != 1 or mark in '"\r\n':
                raise ValueError(
                    "delimiter must be one character, or tab, space, comma or semicolon, got "
                    f"{self.delimiter!r}"
                )
            object.__setattr__(self, "delimiter", mark)
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal must be '.' or ',', got {self.decimal!r}")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except (LookupError, ValueError) as error:
                raise ValueError(
                    f"encoding {self.encoding!r} is not known; utf-8 and cp1252 are two that are"
                ) from error

    @property
    def is_default(self) -> bool:
        """Whether everything is found out from the file."""
        return self == TextStyle()


def read_lines(path: Path, kind: str, style: TextStyle | None = None) -> list[Line]:
    """Lines of a text file that are not blank, cut into cells, each with its line number."""
    style = style or TextStyle()
    data = path.read_bytes()
    encoding = style.encoding or encoding_of(data[:4])
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        raise EncodingError(path, encoding, error) from error
    return cut_lines(path, text.removeprefix("\ufeff"), kind, style)


def cut_lines(path: Path, text: str, kind: str, style: TextStyle) -> list[Line]:
    """The same of a text that was read before."""
    # Lines end where those of files end; str.splitlines would also cut at form feeds and the like.
    lines = list(io.StringIO(text, newline=""))
    said = SEPARATOR_LINE.match(lines[0]) if lines else None
    skipped = 1 if said else 0
    delimiter = style.delimiter
    if delimiter is None:
        body = (line for line in lines[skipped:] if line.strip())
        delimiter = said[1] if said else delimiter_of(sample_of(body), kind)
    if delimiter is None or delimiter == " ":
        rows = ((i, line.split()) for i, line in enumerate(lines, start=1))
        return [(i, cells) for i, cells in rows if cells and i > skipped]
    reader = csv.reader(lines[skipped:], delimiter=delimiter)
    try:
        return [(reader.line_num + skipped, cells) for cells in reader if cells]
    except csv.Error as error:
        raise ValueError(f"{path}: line {reader.line_num + skipped}: {error}") from error


def encoding_of(head: bytes) -> str:
    """UTF-8, or UTF-16 for what begins as spreadsheets begin their Unicode text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    return "utf-8-sig"


def sample_of(lines: Iterable[str]) -> list[str]:
    """The lines by which the delimiter is found."""
    return list(itertools.islice(lines, _SAMPLE_LINES))


def delimiter_of(lines: Sequence[str], kind: str) -> str | None:
    """What separates the cells of some lines that are not blank; None for white space.

    A mark that cuts all lines into the same number of cells is taken before one that does not,
    and a comma last: it also stands in numbers.

    Examples
    --------
    >>> delimiter_of(["name, first name;age", "Roe, Ann;30,5"], "csv")
    ';'
    >>> delimiter_of(["1 0 1"], "txt") is None
    True
    """
    candidates = _CANDIDATES.get(kind, "\t,;|")
    widths = {mark: _width(lines, mark) for mark in sorted(candidates, key=",".__eq__)}
    best = max(widths.values(), default=0)
    if best > 1:
        other = max((width for mark, width in widths.items() if mark != ","), default=0)
        return next(mark for mark, width in widths.items() if width == (other or best))
    first = lines[0] if lines else ""
    delimiter = max(candidates, key=first.count)
    is_text = kind not in _CANDIDATES
    return None if first.count(delimiter) == 0 and is_text else delimiter


def _width(lines: Sequence[str], mark: str) -> int:
    """In how many cells all lines are cut; 0 where they differ, or are not cut at all."""
    try:
        found = {len(cells) for cells in csv.reader(lines, delimiter=mark) if cells}
    except csv.Error:
        return 0
    width = found.pop() if len(found) == 1 else 0
    return width if width > 1 else 0


def read_number(text: str, decimal: str = ".", *, thousands: bool = False) -> float | None:
    """The number that a cell holds; None for anything else.

    Parameters
    ----------
    text : str
    decimal : {".", ","}
    thousands : bool
        Whether the other mark may stand between thousands.

    Examples
    --------
    >>> read_number("1.234,5", ",", thousands=True), read_number("1,5"), read_number("-2e3")
    (1234.5, None, -2000.0)
    """
    text = text.strip()
    if not _NUMBERS[decimal, thousands].match(text):
        return None
    for mark in ("," if decimal == "." else ".", " ", "\u00a0", "\u202f"):
        text = text.replace(mark, "")
    value = float(text.replace(",", "."))
    return value if math.isfinite(value) else None
