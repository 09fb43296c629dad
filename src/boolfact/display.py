"""What the terminal shows at the end: patterns by name, checks, datasets."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from boolfact.matrix import BinaryMatrix
from boolfact.patterns import describe_patterns
from boolfact.result import Result

__all__ = ["print_datasets", "print_result", "print_verification"]

_EXAMPLES = 5
_WIDE = 80


def _console() -> Console:
    """A console as wide as the terminal; wide and plain when the output goes to a file."""
    if sys.stdout.isatty():
        return Console()
    width = shutil.get_terminal_size((120, 24)).columns
    return Console(width=max(width, 100), force_terminal=False)


def print_result(result: Result, matrix: BinaryMatrix) -> None:
    """Figures and patterns by name."""
    console = _console()
    summary = result.summary().splitlines()
    for line in summary[: len(summary) - result.k]:
        console.print(Text(line))
    console.print(_pattern_table(result, matrix, console.width))


def _pattern_table(result: Result, matrix: BinaryMatrix, width: int) -> Table:
    """One line a pattern; examples of rows only where there is room for them."""
    wide = width >= _WIDE
    table = Table(show_lines=True)
    table.add_column("#", justify="right")
    table.add_column("rows", justify="right")
    table.add_column("true", justify="right")
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
            "-" if math.isnan(pattern.precision) else f"{100 * pattern.precision:.0f} %",
            str(pattern.gain),
            Text(", ".join(pattern.column_names) or "(empty)"),
            *([Text(examples + more)] if wide else []),
        )
    table.caption = "true: share of ones in the pattern; gain: errors more without it"
    return table


def print_verification(verification: Any) -> None:
    """One line a check, and a verdict."""
    console = _console()
    for check in verification.checks:
        console.print(Text(f"{check.state.value:<12} {check.name}: {check.message}"))
    if not verification.ok:
        verdict = "REFUSED: a check failed"
    elif verification.complete:
        verdict = "verified: every claim was checked"
    else:
        verdict = "nothing failed, but some claims could not be checked in the time given"
    console.print(Text(verdict, style="bold"))


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
