"""Writing matrices and explanations as CSV, whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from boolfact.completion import Vote, filled_entries
from boolfact.factors import Factors
from boolfact.matrix import MISSING, BinaryMatrix
from boolfact.writing import write_whole

__all__ = ["write_filled", "write_matrix", "write_votes"]


def write_matrix(path: Path, matrix: BinaryMatrix) -> None:
    """Write 0, 1 and empty cells, with names where there are any."""
    n = matrix.shape[0]
    rows: list[list[Any]] = []
    if matrix.column_names:
        rows.append([*(["row"] if matrix.row_names else []), *matrix.column_names])
    for i in range(n):
        cells = ["" if v == MISSING else str(int(v)) for v in matrix.values[i]]
        rows.append([*([matrix.row_names[i]] if matrix.row_names else []), *cells])
    _write(path, rows)


def write_filled(path: Path, factors: Factors, matrix: BinaryMatrix) -> None:
    """Write one line for each missing entry: row, column, value, patterns that cover it."""
    entries = (
        [entry.row_name, entry.column_name, entry.value, " ".join(map(str, entry.patterns))]
        for entry in filled_entries(factors, matrix)
    )
    _write(path, [["row", "column", "value", "patterns"], *entries])


def write_votes(path: Path, votes: Iterable[Vote]) -> None:
    """Write one line for each missing entry: value, score, who says so and because of what."""
    entries = (
        [
            vote.row_name,
            vote.column_name,
            vote.value,
            f"{vote.score:.4f}",
            f"{vote.probability:.4f}",
            vote.says_one,
            vote.says_zero,
            vote.members,
            "; ".join(f"{name} ({count})" for name, count in vote.because),
        ]
        for vote in votes
    )
    head = [
        "row",
        "column",
        "value",
        "score",
        "probability",
        "says_one",
        "says_zero",
        "members",
        "because",
    ]
    _write(path, [head, *entries])


def _write(path: Path, rows: Iterable[Iterable[Any]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    write_whole(path, text.getvalue())
