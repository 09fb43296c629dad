"""Merging equal rows and columns of packed data, found by hashing and compared bit by bit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.model.packed import PackedMatrix, pack_bits, prices_of, unpack_bits
from boolfact.model.reduction import Reduction

__all__ = ["PackedReduction", "bits_of", "equal_rows", "kept", "reduce_packed", "row_hashes"]

_HASH_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class PackedReduction:
    """A matrix of distinct rows and columns, with weights, and the way back.

    `row_map[i]` is the row of `matrix` that row i was merged into; likewise `column_map`. The
    error of lifted factors equals the weighted error of the factors on `matrix`.
    """

    matrix: PackedMatrix
    row_map: NDArray[np.int64]
    column_map: NDArray[np.int64]

    def lift(self, factors: Factors) -> Factors:
        """Factors of the original from factors of the reduced matrix."""
        return Factors(factors.A[self.row_map], factors.B[:, self.column_map])


def reduce_packed(matrix: PackedMatrix) -> PackedReduction:
    """Merge equal rows, then equal columns; their weights add up.

    Rows are equal if their ones and their missing entries are. They are sorted by a hash and
    then compared with their neighbours: a hash that two different rows share can hide that two
    rows are equal, but never merges different ones.

    Examples
    --------
    >>> X = PackedMatrix.from_dense(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=np.int8))
    >>> reduced = reduce_packed(X)
    >>> reduced.matrix.values(slice(None)), reduced.matrix.row_weights
    (array([[1, 0],
           [0, 1]], dtype=int8), array([2, 1]))
    """
    row_first, row_map = equal_rows(_words(matrix))
    if len(row_first) < matrix.shape[0]:
        matrix = kept(matrix, rows=(row_first, _added(matrix.row_weights, row_map, len(row_first))))
    column_first, column_map = equal_rows(_words(matrix.T))
    if len(column_first) < matrix.shape[1]:
        weights = _added(matrix.column_weights, column_map, len(column_first))
        matrix = kept(matrix, columns=(column_first, weights))
    return PackedReduction(matrix, row_map, column_map)


def bits_of(reduction: Reduction) -> PackedMatrix | None:
    """The reduced matrix in bits, with weights of its rows and columns instead of its entries.

    None where the entries of the original have weights that are not those of two prices.

    Examples
    --------
    >>> from boolfact.model.matrix import BinaryMatrix
    >>> from boolfact.model.reduction import reduce_matrix
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=np.int8))
    >>> bits_of(reduce_matrix(X)).row_weights
    array([2, 1])
    """
    prices = prices_of(reduction.original)
    if prices is None:
        return None
    sizes = [np.bincount(to[to >= 0]) for to in (reduction.row_map, reduction.column_map)]
    weights = [None if size.max() == 1 else size.astype(np.int64) for size in sizes]
    return replace(
        PackedMatrix.from_dense(reduction.matrix.values),
        row_weights=weights[0],
        column_weights=weights[1],
        false_one_cost=prices[0],
        missed_one_cost=prices[1],
    )


Side = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Which rows or columns to keep, and their weights."""


def kept(
    matrix: PackedMatrix, rows: Side | None = None, columns: Side | None = None
) -> PackedMatrix:
    """Some rows and some columns with other weights, without their names; None keeps all."""
    if rows is not None:
        matrix = replace(matrix.take(rows[0]), row_weights=rows[1])
    if columns is None:
        return matrix
    first, m = columns[0], matrix.n_columns
    return replace(
        matrix,
        ones=_chosen_columns(matrix.ones, m, first),
        hidden=None if matrix.hidden is None else _chosen_columns(matrix.hidden, m, first),
        n_columns=len(first),
        column_weights=columns[1],
        column_names=None,
    )


def _chosen_columns(
    words: NDArray[np.uint64], m: int, columns: NDArray[np.int64]
) -> NDArray[np.uint64]:
    parts = (words[first : first + _HASH_ROWS] for first in range(0, len(words), _HASH_ROWS))
    return np.vstack([pack_bits(unpack_bits(part, m)[:, columns]) for part in parts])


def _added(
    weights: NDArray[np.int64] | None, groups: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, groups, 1 if weights is None else weights)
    return totals


def _words(matrix: PackedMatrix) -> list[NDArray[np.uint64]]:
    return [matrix.ones] if matrix.hidden is None else [matrix.ones, matrix.hidden]


def row_hashes(matrix: PackedMatrix, seed: int) -> NDArray[np.uint64]:
    """A word for each row, the same for rows whose ones and missing entries are equal.

    It is also the same in another matrix, whether that has missing entries or not.
    """
    return _hashes(_words(matrix), seed)


def equal_rows(words: list[NDArray[np.uint64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Groups of equal rows, in the order of their first appearance: its place, and the group.

    Rows are equal if they are in every array of words.
    """
    order = np.argsort(_hashes(words), kind="stable")
    same = np.ones(len(order), dtype=np.bool_)
    same[0] = False
    for start in range(1, len(order), _HASH_ROWS):
        part = slice(start, start + _HASH_ROWS)
        here, before = order[part], order[start - 1 : start - 1 + len(order[part])]
        for array in words:
            same[part] &= (array[here] == array[before]).all(axis=1)
    group_in_order = np.cumsum(~same) - 1
    first = order[~same]
    by_place = np.argsort(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[by_place] = np.arange(len(first))
    groups = np.empty(len(order), dtype=np.int64)
    groups[order] = rank[group_in_order]
    return first[by_place], groups


def _hashes(words: list[NDArray[np.uint64]], seed: int = 20) -> NDArray[np.uint64]:
    """One word for each row, the same for equal rows: sums of products with odd numbers."""
    rng = np.random.default_rng(seed)
    hashes = np.zeros(len(words[0]), dtype=np.uint64)
    for array in words:
        for w in range(array.shape[1]):
            factors = rng.integers(0, 2**63, size=2, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
            # The high bits of a product depend on all bits of the word, the low ones do not.
            mixed = (array[:, w] ^ (array[:, w] >> np.uint64(29))) * factors[0]
            hashes += (mixed ^ (mixed >> np.uint64(32))) * factors[1]
    return hashes
