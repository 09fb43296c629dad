"""How members are weighed and where the threshold is, by entries that they did not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boolfact.completion.folds import Scores, score_entries
from boolfact.completion.members import EnsembleMember
from boolfact.model.matrix import BinaryMatrix

__all__ = ["Decision", "Metric", "decide"]

Metric = Literal["f1", "accuracy"]

_THRESHOLDS = np.arange(1, 80) / 80
"""The steps of a mean over 40 members, each of which says 0, 1/2 or 1."""
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the members with complementary columns that are tried."""


@dataclass(frozen=True, eq=False)
class Decision:
    """Scores of all entries, the weight and the threshold behind them, and what to expect."""

    scores: NDArray[np.float64]
    weight: float
    threshold: float
    expected: Scores


def decide(matrix: BinaryMatrix, team: Sequence[EnsembleMember], metric: Metric) -> Decision:
    """Weigh the two kinds of members and set the threshold, on what each did not see."""
    sides = [
        _side_scores(matrix, [member for member in team if member.by_columns == by_columns])
        for by_columns in (True, False)
    ]
    options = _WEIGHTS if all(side is not None for side in sides) else (1.0,)
    first, second = sides[0], sides[1]
    assert first is not None, "members with complementary columns come first"
    best: tuple[float, float, float, NDArray[np.float64]] | None = None
    for weight in options:
        scores = first if second is None else weight * first + (1 - weight) * second
        threshold, value = _best_threshold(matrix, scores, metric)
        if best is None or value > best[0]:
            best = value, weight, threshold, scores
    assert best is not None
    _, weight, threshold, scores = best
    known = np.isfinite(scores) & ~matrix.missing
    expected = score_entries(matrix, scores > threshold, known)
    return Decision(scores, weight, threshold, expected)


def _side_scores(
    matrix: BinaryMatrix, team: Sequence[EnsembleMember]
) -> NDArray[np.float64] | None:
    """Mean of 1 for a one, 0 for a zero, 1/2 for both or neither, over who did not see it."""
    if not team:
        return None
    total, count = np.zeros(matrix.shape), np.zeros(matrix.shape)
    for member in team:
        one, zero = member.halves
        blind = member.hidden | matrix.missing
        total += blind * (1 + one.astype(np.float64) - zero) / 2
        count += blind
    with np.errstate(invalid="ignore"):
        return np.asarray(total / count)


def _best_threshold(
    matrix: BinaryMatrix, scores: NDArray[np.float64], metric: Metric
) -> tuple[float, float]:
    """The middle of the thresholds that predict best, and how well they do."""
    known = np.isfinite(scores) & ~matrix.missing
    if not known.any():
        return 0.5, 0.0
    # Sorted once, so that each threshold only has to be looked up: these are the figures of
    # `score_entries`.
    of_ones, of_zeros = (np.sort(scores[known & side]) for side in (matrix.ones, ~matrix.ones))
    hits, false = (
        len(side) - np.searchsorted(side, _THRESHOLDS, side="right") for side in (of_ones, of_zeros)
    )
    if metric == "accuracy":
        values = (hits + len(of_zeros) - false) / (len(of_ones) + len(of_zeros))
    else:
        values = 2 * hits / np.maximum(1, len(of_ones) + hits + false)
    start = int(np.argmax(values))
    end = start
    while end + 1 < len(values) and values[end + 1] == values[start]:
        end += 1
    return float((_THRESHOLDS[start] + _THRESHOLDS[end]) / 2), float(values[start])
