"""Samples: a matrix of ordinary size made of some rows, and of some columns if they are many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.large.data import LargeData, RemoteData
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["Sample", "column_counts", "draw_sample"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Some rows and columns of the data, with their weights and prices.

    Attributes
    ----------
    matrix : BinaryMatrix
    rows, columns : ndarray of int64
        Which they are, in order.
    """

    matrix: BinaryMatrix
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def draw_sample(
    data: LargeData,
    n_rows: int,
    n_columns: int,
    counts: NDArray[np.int64],
    rng: np.random.Generator,
) -> Sample:
    """Draw rows evenly and, where there are more than `n_columns`, columns by their ones.

    Parameters
    ----------
    data : LargeData
    n_rows, n_columns : int
    counts : ndarray of int64
        Ones of each column: those with more are likelier to be drawn, those with none never are.
    rng : Generator
    """
    n, m = data.shape
    rows = np.sort(rng.choice(n, min(n, n_rows), replace=False))
    used = np.flatnonzero(counts)
    columns = np.arange(m) if len(used) == 0 else used
    if len(columns) > n_columns:
        shares = counts[columns] / counts[columns].sum()
        columns = np.sort(rng.choice(columns, n_columns, replace=False, p=shares))
    drawn = data.take(rows)
    values = drawn.rows.values(slice(None))[:, columns]
    if data.credits == (2, 1) and not len(drawn.row_weights) and not len(data.column_weights):
        return Sample(BinaryMatrix(values), rows, columns)
    weights = np.where(values == 1, data.missed_one_cost, data.false_one_cost).astype(np.int64)
    if len(drawn.row_weights):
        weights *= drawn.row_weights[:, None]
    if len(data.column_weights):
        weights *= data.column_weights[columns]
    weights[values == MISSING] = 0
    return Sample(BinaryMatrix(values, weights), rows, columns)


def column_counts(data: LargeData) -> NDArray[np.int64]:
    """How many ones each column has."""
    if isinstance(data, RemoteData):
        return data.column_counts()
    counts = np.zeros(data.shape[1], dtype=np.int64)
    for part in data.blocks():
        counts += np.bincount(data.lists(part).ones, minlength=data.shape[1])
    return counts
