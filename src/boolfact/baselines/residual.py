"""What covering an entry is worth while a factorisation is being built."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix

__all__ = ["worth_of_covering"]


def worth_of_covering(
    matrix: BinaryMatrix, covered: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """The weight of a one, minus the weight of a zero, 0 where missing or covered already."""
    worth = np.where(matrix.ones, matrix.weights, -matrix.weights).astype(np.float64)
    if covered is not None:
        worth[covered] = 0.0
    return worth
