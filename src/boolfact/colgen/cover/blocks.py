"""Which rows to put into one block: those that share a code and are near each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix

__all__ = ["merged_blocks"]


def merged_blocks(
    matrix: BinaryMatrix, blocks: list[list[int]], most: int, codes: NDArray[np.bool_] | None
) -> list[list[int]]:
    """Blocks in pairs, each with its best partner, where the two together have at most `most` rows.

    Rows gain from each other's charges where a rectangle covers both and one of them has a zero
    where the other has a one: rows that are near each other, in the data and in their codes.
    """
    ones = (matrix.ones & (matrix.weights > 0)).astype(np.float64)
    zeros = ((matrix.values == 0) & (matrix.weights > 0)).astype(np.float64)
    both = ones @ ones.T
    # Ones in common make rectangles cover both; ones against zeros are what charges then.
    apart = ones @ zeros.T
    score = both - 0.5 * (apart + apart.T)
    if codes is not None:
        shared = codes.astype(np.float64) @ codes.T.astype(np.float64)
        score = score + 2.0 * shared
    size = np.array([len(block) for block in blocks])
    count = len(blocks)
    joint = np.full((count, count), -np.inf)
    member = np.zeros((count, len(ones)))
    for u, block in enumerate(blocks):
        member[u, block] = 1.0 / len(block)
    mean = member @ score @ member.T
    allowed = size[:, None] + size[None, :] <= most
    joint[allowed] = mean[allowed]
    np.fill_diagonal(joint, -np.inf)
    free = np.ones(count, dtype=np.bool_)
    merged: list[list[int]] = []
    flat = np.argsort(-joint, axis=None, kind="stable")
    for place in flat:
        u, v = divmod(int(place), count)
        if not np.isfinite(joint[u, v]):
            break
        if free[u] and free[v]:
            free[u] = free[v] = False
            merged.append([*blocks[u], *blocks[v]])
    return merged + [blocks[u] for u in np.flatnonzero(free)]
