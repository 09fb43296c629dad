"""What the published heuristics refuse, said in the same words by all of them."""

from __future__ import annotations

from collections.abc import Iterable

from boolfact.model.matrix import BinaryMatrix

__all__ = [
    "THRESHOLDS",
    "checked_rank",
    "checked_thresholds",
    "refuse_missing",
    "refuse_weights",
]

THRESHOLDS: tuple[float, ...] = tuple(round(0.1 * step, 1) for step in range(1, 10))
"""The nine thresholds 0.1, ..., 0.9 of the published comparisons."""


def checked_rank(k: int) -> int:
    """The rank, at least 1."""
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return int(k)


def checked_thresholds(thresholds: Iterable[float]) -> list[float]:
    """The thresholds, at least one, each in (0, 1]."""
    chosen = list(thresholds)
    if not chosen:
        raise ValueError("thresholds must hold at least one value")
    for threshold in chosen:
        if not 0 < threshold <= 1:
            raise ValueError(f"thresholds must lie in (0, 1], got {threshold!r}")
    return chosen


def refuse_weights(matrix: BinaryMatrix, method: str) -> None:
    """Say so if a method cannot take weights."""
    if matrix.is_weighted:
        raise ValueError(
            f"method {method} cannot take weights: every observed entry must have weight 1"
        )


def refuse_missing(matrix: BinaryMatrix, method: str) -> None:
    """Say so if a method cannot take missing entries."""
    if matrix.n_missing:
        raise ValueError(
            f"method {method} cannot take missing entries, and the matrix has {matrix.n_missing}"
        )
