"""What the terminal shows at the end: patterns by name, checks, datasets."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from boolfact.model.labels import shown
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.closing import COMMAND, closing_lines
from boolfact.results.format import shown_bound, shown_share, shown_value
from boolfact.results.names import named_members, pattern_labels
from boolfact.results.patterns import Pattern, describe_patterns, overlap_matrix
from boolfact.results.prices import price_lines
from boolfact.results.result import Result

if TYPE_CHECKING:
    from boolfact.rank.path import RankPath

__all__ = [
    "capped",
    "console",
    "print_columns",
    "print_datasets",
    "print_methods",
    "print_rank_path",
    "print_result",
    "print_verification",
    "tell",
]

_WIDE = 100
"""From here on there is room for a table of patterns; below it they are paragraphs."""
_LINES_OF_NAMES = 4
"""A list of names takes about so many lines of a pattern, and is cut off after them."""
_FIGURES_WIDTH = 62
"""What the figures of a pattern and the lines of its table take."""
_LEAST_ROOM = 60
_MOST_COLUMNS = 40
"""Columns of a table of which it is said what was made of them, unless all were asked for."""
_MOST_OVERLAPS = 15
"""Patterns whose overlaps can still be read."""


def console() -> Console:
    """As wide as the terminal; plain when the output goes to a file, and 120 wide or `COLUMNS`."""
    if sys.stdout.isatty():
        return Console()
    return Console(width=max(40, shutil.get_terminal_size((120, 24)).columns), force_terminal=False)


def capped(names: Sequence[str], room: int) -> str:
    """Names with commas between them, at least one; what has no room is counted.

    Examples
    --------
    >>> capped(["hair", "milk", "toothed", "backbone"], 12)
    'hair, milk and 2 more'
    >>> capped(["hair", "milk"], 12), capped([], 12)
    ('hair, milk', '(none)')
    """
    if not names:
        return "(none)"
    names = [shown(name) for name in names]
    if len(", ".join(names)) <= room:
        return ", ".join(names)
    count = 1
    while count < len(names) and len(", ".join(names[: count + 1])) <= room:
        count += 1
    rest = len(names) - count
    return ", ".join(names[:count]) + (f" and {rest:,} more" if rest else "")


def _text(text: str) -> Text:
    """Text that the terminal shows and does not obey, whatever names are in it."""
    return Text(shown(text))


def print_result(result: Result, matrix: BinaryMatrix | None, *, verbose: bool = False) -> None:
    """Patterns by name, and then what the run comes to.

    Without a matrix, as for large data, what each pattern covers is not counted.
    """
    screen = console()
    names = pattern_labels(result.k, result.pattern_names)
    described = None if matrix is None else describe_patterns(result.factors, matrix)
    if screen.width < _WIDE or described is None:
        _print_paragraphs(screen, result, described, names)
    else:
        screen.print(_pattern_table(described, names, screen.width))
    if matrix is not None:
        overlaps = _overlap_table(result, matrix, screen.width)
        if overlaps is not None:
            screen.print(Text("observed entries that two patterns both cover, and those of each:"))
            screen.print(overlaps)
    screen.print()
    _print_closing(screen, closing_lines(result, COMMAND, verbose=verbose))
    for line in price_lines(result, matrix):
        _print_wrapped(screen, "", line, "  ")


def _print_closing(screen: Console, lines: Sequence[tuple[str, str]]) -> None:
    for label, text in lines:
        _print_wrapped(screen, f"{label:<10} ", text, " " * 11, label=label)


def _print_wrapped(
    screen: Console, first: str, text: str, indent: str, *, label: str = "", style: str = ""
) -> None:
    """A paragraph whose lines end with their last word, so that it can be copied."""
    wrapped = textwrap.fill(
        shown(text),
        screen.width,
        initial_indent=shown(first),
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    paragraph = Text(wrapped, style=style)
    paragraph.stylize("bold", 0, len(label))
    screen.print(paragraph, soft_wrap=True)


def _print_paragraphs(
    screen: Console, result: Result, described: list[Pattern] | None, names: Sequence[str]
) -> None:
    """For narrow terminals and large data: a few lines for each pattern."""
    room = max(_LEAST_ROOM, 3 * (screen.width - 4))
    for u, name in enumerate(names):
        rows = named_members(result.row_names, result.A[:, u])
        columns = named_members(result.column_names, result.B[u])
        figures = f"{len(rows):,} rows, {len(columns):,} columns"
        if described is not None:
            pattern = described[u]
            figures += (
                f"; precision {shown_share(pattern.precision)}, recall "
                f"{shown_share(pattern.recall)}, gain {pattern.gain:,}"
            )
        _print_wrapped(screen, "", f"{name}: {figures}", "  ", label=name)
        _print_wrapped(screen, "  ", capped(columns, room), "  ")
        _print_wrapped(screen, "  ", f"rows: {capped(rows, room // 2)}", "  ", style="dim")
    if described is not None:
        _print_wrapped(screen, "", _LEGEND_SHORT, "", style="dim")


_LEGEND_SHORT = (
    "Precision: share of ones among the observed entries that a pattern covers. Recall: share "
    "of all ones that it covers. Gain: by how much the error would rise without it."
)
_LEGEND = (
    "Precision: share of ones among the observed entries that the pattern covers. "
    "Recall: share of all ones that it covers. "
    "Alone: ones that no other pattern covers. Shared: ones that others cover too. "
    "Gain: by how much the error would rise without it."
)


def _pattern_table(patterns: list[Pattern], names: Sequence[str], width: int) -> Table:
    """One line per pattern; the lists of names share the room that is left by the figures."""
    numbers = [str(pattern.index + 1) for pattern in patterns]
    is_numbered = [f"pattern {number}" for number in numbers] == list(names)
    firsts = numbers if is_numbered else list(names)
    left = max(_LEAST_ROOM // 2, width - _FIGURES_WIDTH - max(map(len, firsts)))
    table = Table(show_lines=True)
    table.add_column("#" if is_numbered else "pattern", justify="right", overflow="fold")
    for title in ("rows", "precision", "recall", "alone", "shared", "gain"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("columns", overflow="fold", ratio=3)
    table.add_column("for example rows", overflow="fold", ratio=2)
    for pattern, first in zip(patterns, firsts, strict=True):
        table.add_row(
            _text(first),
            f"{len(pattern.rows):,}",
            shown_share(pattern.precision),
            shown_share(pattern.recall),
            f"{pattern.unique_ones:,}",
            f"{pattern.shared_ones:,}",
            f"{pattern.gain:,}",
            Text(capped(pattern.column_names, _LINES_OF_NAMES * left * 3 // 5)),
            Text(capped(pattern.row_names, _LINES_OF_NAMES * left // 5)),
        )
    table.caption = _LEGEND
    return table


def _overlap_table(result: Result, matrix: BinaryMatrix, width: int) -> Table | None:
    """Entries that two patterns both cover; None where no two meet, or where it has no room."""
    if result.k > _MOST_OVERLAPS:
        return None
    overlap = overlap_matrix(result.factors, matrix)
    if not (overlap - np.diag(overlap.diagonal())).any():
        return None
    if (result.k + 1) * (len(str(overlap.max())) + 2) > width:
        return None
    table = Table(box=None, header_style="dim")
    table.add_column("", justify="right", style="dim")
    for u in range(result.k):
        table.add_column(str(u + 1), justify="right")
    for u, row in enumerate(overlap):
        table.add_row(str(u + 1), *(str(size) if size else "·" for size in row))
    return table


def print_verification(verification: Any) -> None:
    """One line per check, and a verdict."""
    screen = console()
    for check in verification.checks:
        screen.print(_text(f"{check.state.value:<12} {check.name}: {check.message}"))
    if not verification.ok:
        verdict = "REFUSED: a check failed"
    elif verification.complete:
        verdict = "verified: every claim was checked"
    else:
        verdict = "nothing failed, but some claims could not be checked in the time given"
    screen.print(Text(verdict, style="bold"))


def print_rank_path(path: RankPath) -> None:
    """One line per rank, the recommended one marked, and why it is."""
    screen, table = console(), Table()
    mark = "recommended" if screen.width >= _WIDE else "<"
    for title in ("k", "error", "proved at least", "bits", "hidden entries wrong", "stability", ""):
        table.add_column(title, justify="right" if title else "left", overflow="fold")
    for point in path.points:
        chosen = point.k == path.recommended
        table.add_row(
            str(point.k),
            shown_value(point.error),
            shown_bound(point.error_lower_bound),
            f"{point.description_length:,.0f}",
            "-" if point.hidden_error is None else f"{100 * point.hidden_error:.1f} %",
            "-" if point.stability is None else f"{point.stability:.2f}",
            mark if chosen else "",
            style="bold" if chosen else None,
        )
    screen.print(table)
    screen.print(Text(f"recommended: {path.reason}"))
    if path.interrupted:
        screen.print(Text("ended early: some ranks or figures are not there"))


def tell(text: str) -> None:
    """A line on standard error, beside the progress."""
    print(f"boolfact: {shown(text)}", file=sys.stderr)


def print_columns(
    columns: Sequence[Any], *, to_errors: bool = False, most: int | None = _MOST_COLUMNS
) -> None:
    """What each column of a table is taken as, and what is made of it."""
    screen = console()
    if to_errors:
        screen = Console(stderr=True, width=None if sys.stderr.isatty() else screen.width)
    shown_columns = columns if most is None else columns[:most]
    table = Table()
    table.add_column("column", overflow="fold")
    table.add_column("taken as")
    table.add_column("makes", justify="right", no_wrap=True)
    table.add_column("missing", justify="right", no_wrap=True)
    for column in shown_columns:
        kind = f"{column.kind.value}{', ' if column.detail else ''}{column.detail}"
        made = f"{len(column.made):,}" if column.made else ""
        missing = f"{column.missing:,}" if column.missing else ""
        table.add_row(_text(column.name), _text(kind), made, missing)
    screen.print(table)
    if len(shown_columns) < len(columns):
        screen.print(Text(f"and {len(columns) - len(shown_columns):,} more columns"))


def print_methods(methods: Sequence[Any]) -> None:
    """What `fit --method` takes, and what each proves."""
    screen, table = console(), Table()
    table.add_column("method", no_wrap=True)
    table.add_column("proves a bound on", max_width=11 if screen.width < _WIDE else None)
    table.add_column("what it is")
    for method in methods:
        table.add_row(method.name, method.proves.value, method.description)
    screen.print(table)


def print_datasets(rows: Sequence[dict[str, Any]]) -> None:
    """The bundled datasets as a table; what they are of is said where there is room for it."""
    screen, table = console(), Table()
    titles = ["name", "n", "m", "ones", "missing", "rows", "columns", "credit"]
    if screen.width < _WIDE:
        titles = titles[:5]
    for title in titles:
        is_number = title in ("n", "m", "ones", "missing")
        table.add_column(
            title,
            justify="right" if is_number else "left",
            no_wrap=is_number or title == "name",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(_text(str(row[title])) for title in titles))
    screen.print(table)
    if "credit" not in titles:
        screen.print(Text("what they are of, and whom to credit: boolfact datasets --json"))
