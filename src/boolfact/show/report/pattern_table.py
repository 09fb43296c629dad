"""The patterns on the page: a line of a table each, and the numbers to choose them by."""

from __future__ import annotations

import math
from collections.abc import Sequence

from boolfact.results.format import shown_share
from boolfact.results.patterns import Pattern
from boolfact.show.report.text import escape as _escape
from boolfact.show.report.theme import pattern_mark

__all__ = ["pattern_chips", "pattern_head", "pattern_row"]

_MOST_NAMES = 12
_FIGURES = ("Rows", "Columns", "Ones", "Zeros", "Gain", "Precision", "Recall")


def pattern_head() -> str:
    """The headings, each a button that sorts."""

    def head(title: str, more: str = "") -> str:
        return (
            f'<th scope="col" role="columnheader"{more}><button type="button">{title}</button></th>'
        )

    names = head("Which columns", ' class="names" data-kind="text"')
    return head("Pattern", ' class="which"') + names + "".join(map(head, _FIGURES))


def pattern_row(pattern: Pattern, name: str | None, drawn: bool) -> str:
    """A line of the table; the names of its rows come from the data of the drawn matrix."""
    u = pattern.index
    given = "" if name is None else f'<span class="given">{_escape(name)}</span>'
    first = (
        f'<td role="cell" class="which" data-value="{u + 1}">'
        f"{_button(u, name, 'pattern', str(u + 1)) if drawn else f'{pattern_mark(u)}{u + 1}'}"
        f"{given}</td>"
    )
    counts = (len(pattern.rows), len(pattern.columns), pattern.ones, pattern.zeros, pattern.gain)
    numbers: list[tuple[float, str]] = [(value, f"{value:,}") for value in counts]
    numbers += [
        (_sortable(share), shown_share(share, 1)) for share in (pattern.precision, pattern.recall)
    ]
    cells = "".join(
        f'<td role="cell" data-label="{label}" data-value="{value}">{text}</td>'
        for label, (value, text) in zip(_FIGURES, numbers, strict=True)
    )
    return f'<tr role="row">{first}{_names(pattern, drawn)}{cells}</tr>'


def pattern_chips(names: Sequence[str | None]) -> str:
    """Numbers, and names where there are any, that choose patterns above the matrix."""
    return "".join(
        _button(u, name, "chip", str(u + 1) if name is None else f"{u + 1} {name}")
        for u, name in enumerate(names)
    )


def _button(u: int, name: str | None, kind: str, text: str) -> str:
    called = f"Pattern {u + 1}" if name is None else f"Pattern {u + 1}, {name}"
    return (
        f'<button type="button" class="{kind}" data-pattern="{u}" aria-pressed="false" '
        f'aria-label="{_escape(called)}: frame it in the matrix">{pattern_mark(u)}{_escape(text)}'
        "</button>"
    )


def _names(pattern: Pattern, drawn: bool) -> str:
    names = pattern.column_names
    text = _escape(", ".join(names[:_MOST_NAMES]) or "(none)")
    more = len(names) - _MOST_NAMES
    if more > 0:
        text += (
            f" <details><summary>and {more:,} more</summary>"
            f"<p>{_escape(', '.join(names[_MOST_NAMES:]))}</p></details>"
        )
    if drawn:
        count = len(pattern.rows)
        summary = f"<summary>{count:,} {'row' if count == 1 else 'rows'}</summary>"
        text += f'<details data-pattern="{pattern.index}">{summary}<p></p></details>'
    value = _escape(", ".join(names) or "(none)")
    return f'<td role="cell" class="names" data-value="{value}">{text}</td>'


def _sortable(share: float) -> float:
    return -1.0 if math.isnan(share) else share
