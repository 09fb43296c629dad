"""Missing entries filled by the patterns of one factorisation, with the patterns that did it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["FilledEntry", "filled_entries"]


@dataclass(frozen=True)
class FilledEntry:
    """A missing entry, the value it was given, and the patterns that cover it."""

    row: int
    column: int
    row_name: str
    column_name: str
    value: int
    patterns: tuple[int, ...]


def filled_entries(factors: Factors, matrix: BinaryMatrix) -> list[FilledEntry]:
    """For each missing entry: its value, and by which patterns (numbered from 1) it is covered."""
    filled = []
    for i, j in np.argwhere(matrix.missing):
        covering = np.flatnonzero(factors.A[i] & factors.B[:, j])
        filled.append(
            FilledEntry(
                row=int(i),
                column=int(j),
                row_name=matrix.row_label(int(i)),
                column_name=matrix.column_label(int(j)),
                value=int(len(covering) > 0),
                patterns=tuple(int(u) + 1 for u in covering),
            )
        )
    return filled
