"""What the terminal shows at the end: patterns by name, checks, datasets."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from boolfact.model.labels import shown
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.format import shown_bound, shown_share, shown_value
from boolfact.results.patterns import describe_patterns, overlap_matrix
from boolfact.results.result import Result

if TYPE_CHECKING:
    from boolfact.rank.path import RankPath

__all__ = ["print_datasets", "print_rank_path", "print_result", "print_verification"]

_EXAMPLES = 5
_WIDE = 80
_MOST_OVERLAPS = 15
"""Patterns whose overlaps still fit on a screen."""


def _console() -> Console:
    """A console as wide as the terminal; wide and plain when the output goes to a file."""
    if sys.stdout.isatty():
        return Console()
    width = shutil.get_terminal_size((120, 24)).columns
    return Console(width=max(width, 100), force_terminal=False)


def _text(text: str) -> Text:
    """Text that the terminal shows and does not obey, whatever names are in it."""
    return Text(shown(text))


def print_result(result: Result, matrix: BinaryMatrix) -> None:
    """Figures and patterns by name."""
    console = _console()
    for line in result.headlines():
        console.print(_text(line))
    console.print(_pattern_table(result, matrix, console.width))
    overlaps = _overlap_table(result, matrix)
    if overlaps is not None:
        console.print(Text("observed entries that two patterns both cover, and those of each:"))
        console.print(overlaps)


def _pattern_table(result: Result, matrix: BinaryMatrix, width: int) -> Table:
    """One line per pattern; examples of rows only where there is room for them."""
    wide = width >= _WIDE
    table = Table(show_lines=True)
    table.add_column("#", justify="right")
    table.add_column("rows", justify="right")
    table.add_column("precision", justify="right")
    table.add_column("recall", justify="right")
    table.add_column("alone", justify="right")
    table.add_column("shared", justify="right")
    table.add_column("gain", justify="right")
    table.add_column("columns", overflow="fold", ratio=3)
    if wide:
        table.add_column("for example rows", overflow="fold", ratio=2)
    for pattern in describe_patterns(result.factors, matrix):
        examples = ", ".join(pattern.row_names[:_EXAMPLES])
        more = ", …" if len(pattern.rows) > _EXAMPLES else ""
        table.add_row(
            str(pattern.index + 1),
            str(len(pattern.rows)),
            shown_share(pattern.precision),
            shown_share(pattern.recall),
            str(pattern.unique_ones),
            str(pattern.shared_ones),
            str(pattern.gain),
            _text(", ".join(pattern.column_names) or "(empty)"),
            *([_text(examples + more)] if wide else []),
        )
    table.caption = (
        "Precision: share of ones among the observed entries that the pattern covers. "
        "Recall: share of all ones that it covers. "
        "Alone: ones that no other pattern covers. Shared: ones that others cover too. "
        "Gain: by how much the error would rise without it."
    )
    return table


def _overlap_table(result: Result, matrix: BinaryMatrix) -> Table | None:
    """Entries that two patterns both cover; None where no two meet."""
    overlap = overlap_matrix(result.factors, matrix)
    if result.k > _MOST_OVERLAPS or not (overlap - np.diag(overlap.diagonal())).any():
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
    console = _console()
    for check in verification.checks:
        console.print(_text(f"{check.state.value:<12} {check.name}: {check.message}"))
    if not verification.ok:
        verdict = "REFUSED: a check failed"
    elif verification.complete:
        verdict = "verified: every claim was checked"
    else:
        verdict = "nothing failed, but some claims could not be checked in the time given"
    console.print(Text(verdict, style="bold"))


def print_rank_path(path: RankPath) -> None:
    """One line per rank, the recommended one marked, and why it is."""
    table = Table()
    for title in ("k", "error", "proved at least", "bits", "hidden entries wrong", "stability", ""):
        table.add_column(title, justify="right" if title else "left")
    for point in path.points:
        chosen = point.k == path.recommended
        table.add_row(
            str(point.k),
            shown_value(point.error),
            shown_bound(point.error_lower_bound),
            f"{point.description_length:,.0f}",
            "-" if point.hidden_error is None else f"{100 * point.hidden_error:.1f} %",
            "-" if point.stability is None else f"{point.stability:.2f}",
            "recommended" if chosen else "",
            style="bold" if chosen else None,
        )
    console = _console()
    console.print(table)
    console.print(Text(f"recommended: {path.reason}"))
    if path.interrupted:
        console.print(Text("ended early: some ranks or figures are not there"))


def print_datasets(rows: Sequence[dict[str, Any]]) -> None:
    """The bundled datasets as a table."""
    table = Table()
    for title, justify in (
        ("name", "left"),
        ("n", "right"),
        ("m", "right"),
        ("ones", "right"),
        ("missing", "right"),
        ("rows", "left"),
        ("columns", "left"),
        ("credit", "left"),
    ):
        table.add_column(title, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    _console().print(table)
