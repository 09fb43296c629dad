"""What mistakes cost: the scale of the search, and whether it has to beware of zeros."""

from __future__ import annotations

import numpy as np

from boolfact.model.matrix import BinaryMatrix

__all__ = ["typical_weight", "zeros_are_dear"]

_DEAR = 1.5
"""From this ratio of their mean weights on, covering a zero is dearer than missing a one."""


def zeros_are_dear(matrix: BinaryMatrix) -> bool:
    """Whether covering a zero costs clearly more than missing a one.

    Examples
    --------
    >>> zeros_are_dear(BinaryMatrix(np.array([[1, 0]]), np.array([[1, 9]])))
    True
    """
    ones = np.count_nonzero(matrix.weights[matrix.ones])
    zeros = np.count_nonzero(matrix.weights) - ones
    if not ones or not zeros:
        return False
    on_zeros = int(matrix.weights.sum()) - matrix.ones_weight
    return bool(on_zeros * ones > _DEAR * matrix.ones_weight * zeros)


def typical_weight(matrix: BinaryMatrix) -> float:
    """What one error usually costs; how much worse a child may be is counted in it.

    Where zeros are dear it is what a one costs: a slack of the other size would let everything
    pass.
    """
    paid = matrix.weights > 0
    if zeros_are_dear(matrix):
        paid &= matrix.ones
    return float(np.median(matrix.weights[paid])) if paid.any() else 1.0
