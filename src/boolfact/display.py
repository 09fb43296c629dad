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

from boolfact.figures import shown_bound, shown_value
from boolfact.matrix import BinaryMatrix
from boolfact.patterns import describe_patterns
from boolfact.result import Result
from boolfact.selection import RankPath

__all__ = ["print_datasets", "print_rank_path", "print_result", "print_verification"]

_EXAMPLES = 5


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
    console.print(_pattern_table(result, matrix))


def _pattern_table(result: Result, matrix: BinaryMatrix) -> Table:
    table = Table(show_lines=True)
    table.add_column("#", justify="right")
    table.add_column("rows", justify="right")
    table.add_column("true", justify="right")
    table.add_column("gain", justify="right")
    table.add_column("columns", overflow="fold", ratio=3)
    table.add_column("for example rows", overflow="fold", ratio=2)
    for pattern in describe_patterns(result.factors, matrix):
        examples = ", ".join(pattern.row_names[:_EXAMPLES])
        table.add_row(
            str(pattern.index + 1),
            str(len(pattern.rows)),
            "-" if math.isnan(pattern.precision) else f"{100 * pattern.precision:.0f} %",
            str(pattern.gain),
            Text(", ".join(pattern.column_names) or "(empty)"),
            Text(examples + (", …" if len(pattern.rows) > _EXAMPLES else "")),
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


def print_rank_path(path: RankPath) -> None:
    """One line a rank, the recommended one marked, and why it is."""
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
