"""What the members say of each missing entry, and because of what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.completion.members import EnsembleMember
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["Vote", "cast_votes"]

_AT_ONCE = 4096
"""Entries whose reasons are counted together."""


@dataclass(frozen=True)
class Vote:
    """A missing entry: what it is filled with, who says so, and because of what.

    Attributes
    ----------
    row, column : int
    row_name, column_name : str
    value : int
    score : float
        From 0 (all members say zero) to 1 (all say one).
    probability : float
        Share of ones among the observed entries with such a score.
    says_one, says_zero, members : int
        How many members cover the entry as a one, as a zero, and how many there are.
    because : tuple of (str, int)
        What else the patterns that agree with the value name and the row is observed to have
        ("milk") or to lack ("not eggs"), and in how many members; most frequent first.
    """

    row: int
    column: int
    row_name: str
    column_name: str
    value: int
    score: float
    probability: float
    says_one: int
    says_zero: int
    members: int
    because: tuple[tuple[str, int], ...]


def cast_votes(
    matrix: BinaryMatrix,
    members: Sequence[EnsembleMember],
    *,
    scores: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    threshold: float,
    reasons: int,
) -> list[Vote]:
    """For each missing entry its value, who says so, and at most this many reasons."""
    ones, zeros = np.zeros((2, *matrix.shape), dtype=np.int32)
    for member in members:
        one, zero = member.halves
        ones += one
        zeros += zero
    places = np.argwhere(matrix.missing)
    found = []
    for first in range(0, len(places), _AT_ONCE):
        rows, columns = places[first : first + _AT_ONCE].T
        values = (scores[rows, columns] > threshold).astype(np.int64)
        because = _because(matrix, members, rows, columns, values, reasons)
        for i, j, value, why in zip(rows, columns, values, because, strict=True):
            found.append(
                Vote(
                    row=int(i),
                    column=int(j),
                    row_name=matrix.row_label(int(i)),
                    column_name=matrix.column_label(int(j)),
                    value=int(value),
                    score=float(scores[i, j]),
                    probability=float(probabilities[i, j]),
                    says_one=int(ones[i, j]),
                    says_zero=int(zeros[i, j]),
                    members=len(members),
                    because=why,
                )
            )
    return found


def _because(
    matrix: BinaryMatrix,
    members: Sequence[EnsembleMember],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.int64],
    reasons: int,
) -> Iterator[tuple[tuple[str, int], ...]]:
    """The most frequent facts, for each of some entries."""
    m = matrix.shape[1]
    counts = np.zeros((len(rows), 2 * m), dtype=np.int64)
    for member in members:
        counts += member.named(rows, columns, values)
    # A pattern also names what this very row lacks: that is no reason.
    facts = matrix.values[rows]
    counts = np.where(facts == 1, counts[:, :m], counts[:, m:])
    counts[facts == MISSING] = 0
    for own, fact in zip(counts, facts, strict=True):
        order = np.argsort(-own, kind="stable")[:reasons]
        yield tuple(
            (("" if fact[j] else "not ") + matrix.column_label(int(j)), int(own[j]))
            for j in order
            if own[j]
        )
