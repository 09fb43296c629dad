"""The description length: how many bits the patterns and their mistakes take."""

from __future__ import annotations

import math

from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["description_length"]

_LN2 = math.log(2)


def description_length(factors: Factors, matrix: BinaryMatrix) -> float:
    """Bits it takes to write down the data: the patterns first, then their mistakes.

    A set of s among N things takes log2(N + 1) bits for s and log2 C(N, s) for which ones.
    The number of patterns takes log2(min(n, m) + 1) bits; a pattern is a set of rows and a set
    of columns; the mistakes are a set of false ones among the covered entries and a set of
    missed ones among the uncovered entries. Only observed entries are written down; empty
    patterns are not. Weights do not enter: an entry is observed or not.

    Examples
    --------
    >>> import numpy as np
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]]))
    >>> round(description_length(Factors.empty((3, 3)), X), 2)
    10.49
    """
    n, m = matrix.shape
    observed = ~matrix.missing
    product = factors.product()
    covered = int((product & observed).sum())
    uncovered = int((~product & observed).sum())
    false_ones = int((product & observed & ~matrix.ones).sum())
    missed = int((~product & matrix.ones).sum())
    bits = math.log2(min(n, m) + 1)
    for a, b in factors.rectangles:
        if a.any() and b.any():
            bits += _set_bits(n, int(a.sum())) + _set_bits(m, int(b.sum()))
    return bits + _set_bits(covered, false_ones) + _set_bits(uncovered, missed)


def _set_bits(among: int, size: int) -> float:
    """Bits to write down a set of `size` things `among` some."""
    log_choose = math.lgamma(among + 1) - math.lgamma(size + 1) - math.lgamma(among - size + 1)
    return math.log2(among + 1) + log_choose / _LN2
