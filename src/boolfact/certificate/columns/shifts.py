"""What is added to the codes column by column: numbers that come to nothing around the circle.

A code of q rectangles is expected to cover a column with a frequency that the circle says, so to
gain a part of what the column is worth there. Each column gives what it is expected to gain to all
of them, by their shares. Since all columns together give and get the same, the lemma of
`boolfact.certificate.columns.search` holds as before; but now an arc is worth more than its share
only where rows gain more than expected. Whatever the frequencies are, they cost time, not truth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["OFTEN", "make_shifts", "unit_of"]

OFTEN = 1000
"""Frequencies are in thousandths."""
_FINEST = 64
"""Gains are counted in units of at least 1 / 64, so that shifts can be whole."""
_NARROW = (2**15 - 1, 2**31 - 1)
"""Sums are kept within the first of these where weights are small, else within the second."""


def unit_of(columns: NDArray[np.int64]) -> int:
    """The unit in which gains are counted; 0 where weights leave no room for shifts at all.

    A sum of gains is at most what a row's entries weigh, and its shifts at most twice that, but for
    what is lost and added in rounding.
    """
    m = len(columns)
    heaviest = int(np.abs(columns).sum(axis=0, dtype=np.float64).max())
    for most in _NARROW:
        unit = _FINEST
        while unit:
            if 4 * (unit * heaviest + m + 1) <= most:
                return unit
            unit //= 2
    return 0


def make_shifts(
    columns: NDArray[np.int64], shares: list[int], usual: list[int], k: int, unit: int
) -> NDArray[np.int64]:
    """The shifts in units of 1 / unit, by place, rectangles of the code less one, and row.

    Parameters
    ----------
    columns : ndarray of int64, shape (m, n)
    shares : list of int
    usual : list of int
        Of each place, in thousandths.
    k, unit : int

    Examples
    --------
    >>> make_shifts(np.array([[2], [4]]), [1, 1], [500, 500], 1, 2).ravel()
    array([ 1, -1])
    """
    m, n = columns.shape
    shifts = np.zeros((m, k, n), dtype=np.int64)
    share = np.array([part / sum(shares) for part in shares])
    missed = 1 - np.array(usual) / OFTEN
    for q in range(k):
        expected = unit * columns * (1 - missed ** (q + 1))[:, None]
        shift = np.floor(share[:, None] * expected.sum(axis=0) - expected + 0.5).astype(np.int64)
        # What rounding leaves over is put on one column: they must add up to 0 exactly.
        shift[int(np.argmax(share))] -= shift.sum(axis=0)
        shifts[:, q] = shift
    assert not shifts.sum(axis=0).any()
    return shifts
