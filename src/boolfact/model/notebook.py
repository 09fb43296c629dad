"""Small HTML tables, as notebooks show them; names from the data stay text."""

from __future__ import annotations

import html
from collections.abc import Sequence

from boolfact.model.labels import shown

__all__ = ["capped", "html_table"]

_LEFT = ' style="text-align:left"'


def html_table(
    caption: str, lines: Sequence[Sequence[object]], head: Sequence[object] | None = None
) -> str:
    """A table with a caption; the first cell of a line is its heading.

    Examples
    --------
    >>> html_table("a < b", [["error", 3]])[:40]
    '<table><caption>a &lt; b</caption><tbody'
    """

    def line(tag: str, cells: Sequence[object]) -> str:
        first, *rest = (html.escape(shown(str(cell))) for cell in cells)
        others = "".join(f"<{tag}{_LEFT}>{cell}</{tag}>" for cell in rest)
        return f"<tr><th{_LEFT}>{first}</th>{others}</tr>"

    top = "" if head is None else f"<thead>{line('th', head)}</thead>"
    body = "".join(line("td", cells) for cells in lines)
    title = html.escape(shown(caption))
    return f"<table><caption>{title}</caption>{top}<tbody>{body}</tbody></table>"


def capped(names: Sequence[str], most: int) -> str:
    """Names in a row, and how many more there are.

    Examples
    --------
    >>> capped(["a", "b", "c"], 2), capped([], 2)
    ('a, b and 1 more', '(none)')
    """
    if len(names) <= most:
        return ", ".join(names) or "(none)"
    return f"{', '.join(names[:most])} and {len(names) - most:,} more"
