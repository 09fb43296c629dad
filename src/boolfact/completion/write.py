"""Filled entries as CSV: which patterns or which votes filled them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from boolfact.completion.filling import filled_entries
from boolfact.completion.votes import Vote
from boolfact.io.write import write_csv
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["write_filled", "write_votes"]


def write_filled(path: Path, factors: Factors, matrix: BinaryMatrix) -> None:
    """Write one line for each missing entry: row, column, value, patterns that cover it."""
    entries = (
        [entry.row_name, entry.column_name, entry.value, " ".join(map(str, entry.patterns))]
        for entry in filled_entries(factors, matrix)
    )
    write_csv(path, [["row", "column", "value", "patterns"], *entries])


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
    write_csv(path, [head, *entries])
