"""Recomputing the error of large data, a block of rows at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from boolfact.model.rows import RowMatrix, blocks_of

__all__ = ["recomputed"]


def recomputed(
    A: NDArray[np.bool_], B: NDArray[np.bool_], rows: RowMatrix, rho: Fraction
) -> tuple[int, Fraction]:
    """Error and MIP(rho) objective of A and B, from their products."""
    missed = false = covers = 0
    width = np.ones(rows.shape[1], dtype=np.int64)
    if rows.column_weights is not None:
        width = rows.column_weights
    pattern = B.astype(np.int64)
    for part in blocks_of(rows.shape, cells=1 << 20):
        values, times = rows.values(part), A[part].astype(np.int64) @ pattern
        by_row = (
            ((values == 1) & (times == 0)) @ width,
            ((values == 0) & (times > 0)) @ width,
            np.where(values == 0, times, 0) @ width,
        )
        weights = None if rows.row_weights is None else rows.row_weights[part]
        a, b, c = (int(x.sum() if weights is None else x @ weights) for x in by_row)
        missed, false, covers = missed + a, false + b, covers + c
    lost = rows.missed_one_cost * missed
    return lost + rows.false_one_cost * false, lost + rho * rows.false_one_cost * covers
