"""Tables with the paper's figures beside ours and the difference, as CSV and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from boolfact.results.format import short_number

__all__ = ["Entry", "as_csv", "as_markdown"]


@dataclass(frozen=True)
class Entry:
    """One figure of a table.

    Attributes
    ----------
    dataset : str
    k : int or None
    row : str
        What it is a figure of: a method, or a quantity.
    ours, paper : float or None
        None where there is none; then there is no difference either.
    seconds : float or None
    note : str
        Said in brackets beside ours.
    """

    dataset: str
    k: int | None
    row: str
    ours: float | None
    paper: float | None = None
    seconds: float | None = None
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        if self.ours is None or self.paper is None:
            return None
        return round(self.ours - self.paper, 6)


def as_csv(entries: Sequence[Entry]) -> str:
    """One line per figure."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["dataset", "k", "row", "ours", "paper", "difference", "seconds", "note"])
    for entry in entries:
        figures = (entry.ours, entry.paper, entry.difference, entry.seconds)
        k = "" if entry.k is None else entry.k
        writer.writerow([entry.dataset, k, entry.row, *map(short_number, figures), entry.note])
    return stream.getvalue()


def as_markdown(title: str, remark: str, entries: Sequence[Entry]) -> str:
    """The layout of the paper: a column per dataset; each cell is ours (paper's, difference)."""
    datasets = list(dict.fromkeys(entry.dataset for entry in entries))
    rows = list(dict.fromkeys((entry.k, entry.row) for entry in entries))
    by_place = {(entry.dataset, entry.k, entry.row): entry for entry in entries}
    with_k = any(k is not None for k, _ in rows)
    head = (["k"] if with_k else []) + ["", *datasets]
    lines = [f"# {title}", "", remark, "", "Each cell: ours (the paper's, the difference).", ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for k, row in rows:
        cells = [_cell(by_place.get((dataset, k, row))) for dataset in datasets]
        first = ([str(k)] if with_k else []) + [row]
        lines.append("| " + " | ".join([*first, *cells]) + " |")
    return "\n".join(lines) + "\n"


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    ours = "–" if entry.ours is None else short_number(entry.ours)
    if entry.note:
        ours = f"{ours} [{entry.note}]"
    if entry.paper is None:
        return ours
    if entry.difference is None:
        return f"{ours} ({short_number(entry.paper)})"
    difference = short_number(entry.difference)
    sign = "+" if entry.difference > 0 and difference != "0" else ""
    return f"{ours} ({short_number(entry.paper)}, {sign}{difference})"
