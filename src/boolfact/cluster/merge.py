"""Equal rows and columns of rows on a cluster, found by hashes of 128 bits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.cluster.rows import ClusterRows
from boolfact.model.merging import equal_rows, kept, row_hashes
from boolfact.model.packed import PackedMatrix

__all__ = ["ClusterReduction", "reduce_cluster"]

_SEEDS = (20, 21)


@dataclass(frozen=True, eq=False)
class ClusterReduction:
    """Distinct rows and columns, with weights, and the way back; None where nothing was merged.

    See `boolfact.model.merging.PackedReduction`.
    """

    rows: ClusterRows
    row_map: NDArray[np.int64] | None
    column_map: NDArray[np.int64] | None


def reduce_cluster(rows: ClusterRows) -> ClusterReduction:
    """Merge equal rows, then equal columns, as `boolfact.model.merging.reduce_packed` does.

    Two hashes of 64 bits of each row come to the driver. Different rows would have the same ones
    once in 10^22 pairs; they would then share a code, and the error, which is counted anew
    from the data, would say so.
    """
    cluster = rows.cluster
    hashes = np.concatenate(rows.each_block(_hashes_of_rows) or [])
    row_first, row_map = equal_rows([hashes])
    columns = np.zeros((rows.shape[1], len(_SEEDS)), dtype=np.uint64)
    numbers = range(len(rows.blocks))
    for part in cluster.map(_hashes_of_columns, rows.blocks, numbers):
        columns += part
    column_first, column_map = equal_rows([columns])
    of_rows: list[Any] = [None] * len(rows.blocks)
    of_columns = None
    if len(row_first) < len(row_map):
        weights = np.bincount(row_map).astype(np.int64)
        cuts = np.searchsorted(row_first, rows.starts)
        of_rows = [
            (row_first[a:b] - start, weights[a:b])
            for start, a, b in zip(rows.starts, cuts, cuts[1:], strict=False)
        ]
    if len(column_first) < len(column_map):
        of_columns = (column_first, np.bincount(column_map).astype(np.int64))
    if of_columns is None and of_rows[0] is None:
        return ClusterReduction(rows, None, None)
    blocks = [
        cluster.submit(_kept, block, own, of_columns)
        for block, own in zip(rows.blocks, of_rows, strict=True)
        if own is None or len(own[0])
    ]
    merged = replace(
        ClusterRows.from_blocks(cluster, blocks),
        column_weights=None if of_columns is None else of_columns[1],
        false_one_cost=rows.false_one_cost,
        missed_one_cost=rows.missed_one_cost,
    )
    return ClusterReduction(merged, row_map, column_map)


def _hashes_of_rows(block: PackedMatrix) -> NDArray[np.uint64]:
    return np.column_stack([row_hashes(block, seed) for seed in _SEEDS])


def _hashes_of_columns(block: PackedMatrix, number: int) -> NDArray[np.uint64]:
    """Other random numbers for each block: the sums over blocks are hashes of whole columns."""
    turned = block.T
    return np.column_stack([row_hashes(turned, seed + 100 * (number + 1)) for seed in _SEEDS])


def _kept(block: PackedMatrix, rows: Any, columns: Any) -> PackedMatrix:
    return kept(block, rows, columns)
