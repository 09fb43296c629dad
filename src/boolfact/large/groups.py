"""Groups of columns for proofs: on a few columns a million rows are some hundred distinct ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from boolfact.control.stop import Stop
from boolfact.model.matrix import MISSING, MOST_WEIGHT, BinaryMatrix
from boolfact.model.rows import RowMatrix, blocks_of

__all__ = ["MOST_COLUMNS", "Group", "collect", "column_groups"]

MOST_COLUMNS = 62
"""Of a group: its rows are the bits of a word."""

_SAMPLE_CELLS = 1 << 26
"""Cells of the rows among which the most frequent ones are looked for."""


@dataclass(frozen=True, eq=False)
class Group:
    """Some columns, and the rows that are most frequent there.

    Attributes
    ----------
    columns : ndarray of int64
    matrix : BinaryMatrix
        Each distinct row once, with the weight of all rows of the data that are equal to it.
    """

    columns: NDArray[np.int64]
    matrix: BinaryMatrix


def column_groups(codes: NDArray[np.int64], width: int, seed: int = 0) -> list[NDArray[np.int64]]:
    """Divide the columns into groups of about this width, each with columns of many codes.

    Columns of one code are alike: one pattern covers them all, and what is left of the k patterns
    would take away error that the whole has. So they are dealt out like cards.

    Examples
    --------
    >>> codes = np.array([1, 1, 2, 2])
    >>> [sorted(codes[group].tolist()) for group in column_groups(codes, 2)]
    [[1, 2], [1, 2]]
    """
    m = len(codes)
    order = np.lexsort((np.random.default_rng(seed).random(m), codes))
    number = max(1, -(-m // width))
    return [np.sort(order[g::number]) for g in range(number)]


def collect(
    rows: RowMatrix, groups: Sequence[NDArray[np.int64]], most_rows: int, stop: Stop
) -> list[Group]:
    """The most frequent rows of each group, with their weights; empty if time is over before.

    Which ones they are is estimated from some of the rows; the weights are exact. A row with a
    missing entry in the group, or without a one there, is left out, and so is a group of which
    nothing is left, or whose weights are too large to be added up.
    """
    n, m = rows.shape
    step = max(1, n * m // _SAMPLE_CELLS)
    found = _frequent(rows, groups, np.arange(0, n, step), most_rows, stop)
    work = partial(_weights_of, groups=groups, found=found, stop=stop)
    # Rows that are elsewhere are counted there.
    parts = rows.each_block(work, stop) if hasattr(rows, "each_block") else [work(rows)]
    if parts is None or None in parts:
        return []
    totals = [sum(weights) for weights in zip(*parts, strict=True)]
    return [
        _group(rows, group, keys, total)
        for group, keys, total in zip(groups, found, totals, strict=True)
        if len(keys) and _heaviest(rows, group, total) < MOST_WEIGHT
    ]


def _weights_of(
    rows: RowMatrix,
    groups: Sequence[NDArray[np.int64]],
    found: Sequence[NDArray[np.int64]],
    stop: Stop,
) -> list[NDArray[np.int64]] | None:
    """For each group the weight of the rows with each of the keys; None if time was over before."""
    totals = [np.zeros(len(keys), dtype=np.int64) for keys in found]
    for part in blocks_of(rows.shape):
        if stop.now():
            return None
        values, weights = rows.values(part), _row_weights(rows, part)
        for group, keys, total in zip(groups, found, totals, strict=True):
            if len(keys):
                mine, is_whole = _keys(values[:, group])
                place = np.minimum(np.searchsorted(keys, mine), len(keys) - 1)
                hit = is_whole & (keys[place] == mine)
                np.add.at(total, place[hit], weights[hit])
    return totals


def _frequent(
    rows: RowMatrix,
    groups: Sequence[NDArray[np.int64]],
    sample: NDArray[np.int64],
    most_rows: int,
    stop: Stop,
) -> list[NDArray[np.int64]]:
    """Sorted keys of the heaviest rows of a sample."""
    seen: list[list[NDArray[np.int64]]] = [[] for _ in groups]
    heights: list[list[NDArray[np.int64]]] = [[] for _ in groups]
    for part in blocks_of((len(sample), rows.shape[1])):
        if stop.now():
            break
        values, weights = rows.values(sample[part]), _row_weights(rows, sample[part])
        for g, group in enumerate(groups):
            mine, is_whole = _keys(values[:, group])
            kept = is_whole & (mine != 0)
            keys, sums = _added(mine[kept], weights[kept])
            seen[g].append(keys)
            heights[g].append(sums)
    found = []
    for mine_seen, mine_heights in zip(seen, heights, strict=True):
        if not mine_seen:
            found.append(np.zeros(0, dtype=np.int64))
            continue
        keys, sums = _added(np.concatenate(mine_seen), np.concatenate(mine_heights))
        heaviest = np.argsort(-sums, kind="stable")[:most_rows]
        found.append(np.sort(keys[heaviest]))
    return found


def _added(
    keys: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    distinct, inverse = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(sums, inverse.reshape(-1), weights)
    return distinct, sums


def _keys(values: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Each row as the bits of a number, and whether nothing of it is missing."""
    bits = np.int64(1) << np.arange(values.shape[1], dtype=np.int64)
    return (values == 1) @ bits, (values != MISSING).all(axis=1)


def _row_weights(rows: RowMatrix, part: slice | NDArray[np.int64]) -> NDArray[np.int64]:
    if rows.row_weights is not None:
        return rows.row_weights[part]
    size = part.stop - part.start if isinstance(part, slice) else len(part)
    return np.ones(size, dtype=np.int64)


def _heaviest(rows: RowMatrix, columns: NDArray[np.int64], total: NDArray[np.int64]) -> int:
    """What the entries of a group weigh together at most, in whole numbers of any size."""
    widths = np.ones_like(columns) if rows.column_weights is None else rows.column_weights[columns]
    dearest = max(int(rows.missed_one_cost), int(rows.false_one_cost))
    return dearest * sum(total.tolist()) * sum(widths.tolist())


def _group(
    rows: RowMatrix, columns: NDArray[np.int64], keys: NDArray[np.int64], total: NDArray[np.int64]
) -> Group:
    bits = np.arange(len(columns), dtype=np.int64)
    values = ((keys[:, None] >> bits) & 1).astype(np.int8)
    weights = np.where(values == 1, rows.missed_one_cost, rows.false_one_cost) * total[:, None]
    if rows.column_weights is not None:
        weights = weights * rows.column_weights[columns]
    return Group(columns, BinaryMatrix(values, weights))
