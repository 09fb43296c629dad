"""What covering an entry is worth while a factorisation is being built."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix

__all__ = ["checked_rank", "refuse_missing", "refuse_weights", "worth_of_covering"]


def worth_of_covering(
    matrix: BinaryMatrix, covered: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """The weight of a one, minus the weight of a zero, 0 where missing or covered already."""
    worth = np.where(matrix.ones, matrix.weights, -matrix.weights).astype(np.float64)
    if covered is not None:
        worth[covered] = 0.0
    return worth


def checked_rank(k: int) -> int:
    """The rank, at least 1."""
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    return int(k)


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
