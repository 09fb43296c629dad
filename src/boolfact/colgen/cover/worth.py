"""What given rectangles are worth, at prices or at a point in fixed point."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.layout import Layout

__all__ = ["rectangle_worths"]


def rectangle_worths(
    layout: Layout,
    p: NDArray[Any],
    along: NDArray[Any],
    across: NDArray[Any],
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
) -> NDArray[Any]:
    """The worth of each rectangle, with rows as in the matrix (not as in the layout)."""
    kind = np.float64 if p.dtype.kind == "f" else np.int64
    out = np.zeros(len(A), dtype=kind)
    if len(A):
        _worths(
            np.ascontiguousarray(A[:, layout.rows]), np.ascontiguousarray(B), layout.one_at,
            layout.zeros, layout.block_start, p.astype(kind), along, across, out,
        )  # fmt: skip
    return out


@njit(cache=True, nogil=True)
def _worths(
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    one_at: NDArray[np.int64],
    zeros: NDArray[np.bool_],
    block_start: NDArray[np.int64],
    p: NDArray[Any],
    along: NDArray[Any],
    across: NDArray[Any],
    out: NDArray[Any],
) -> None:
    m = one_at.shape[1]
    paying = np.empty(m, np.int64)
    for r in range(len(A)):
        a, b = A[r], B[r]
        for u in range(len(block_start) - 1):
            first, last = block_start[u], block_start[u + 1]
            for i in range(first, last):
                if not a[i]:
                    continue
                count = 0
                for c in range(m):
                    if b[c] and zeros[i, c]:
                        paying[count] = c
                        count += 1
                for c in range(m):
                    e = one_at[i, c]
                    if e < 0 or not b[c]:
                        continue
                    x = p[e]
                    for t in range(count):
                        x -= along[e, paying[t]]
                    for s in range(first, last):
                        if a[s]:
                            x -= across[e, s - first]
                    if x > 0:
                        out[r] += x
