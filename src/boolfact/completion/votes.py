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
        of_entries = (rows, columns, values, *(
            said[rows, columns] for said in (scores, probabilities, ones, zeros)
        ))  # fmt: skip
        entries = zip(*(part.tolist() for part in of_entries), because, strict=True)
        for i, j, value, score, probability, says_one, says_zero, why in entries:
            found.append(
                Vote(
                    row=i,
                    column=j,
                    row_name=matrix.row_label(i),
                    column_name=matrix.column_label(j),
                    value=value,
                    score=score,
                    probability=probability,
                    says_one=says_one,
                    says_zero=says_zero,
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
    counts = np.zeros((len(rows), 2 * m), dtype=np.int32)
    for member in members:
        counts += member.named(rows, columns, values)
    # A pattern also names what this very row lacks: that is no reason.
    facts = matrix.values[rows]
    counts = np.where(facts == 1, counts[:, :m], counts[:, m:])
    counts[facts == MISSING] = 0
    names = [matrix.column_label(j) for j in range(m)]
    named = [f"not {name}" for name in names], names
    order = np.argsort(-counts, axis=1, kind="stable")[:, :reasons]
    chosen = (order, *(np.take_along_axis(part, order, axis=1) for part in (facts, counts)))
    for columns_of, facts_of, counts_of in zip(*(part.tolist() for part in chosen), strict=True):
        yield tuple(
            (named[fact][j], count)
            for j, fact, count in zip(columns_of, facts_of, counts_of, strict=True)
            if count
        )
