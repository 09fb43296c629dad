"""The pricing matrix made as small as it can be without changing its optimum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Folded", "fold"]


@dataclass(frozen=True, eq=False)
class Folded:
    """A smaller matrix with the same optimum, and the way back.

    `columns` has one column of the search a row: it is the transpose of what is left of H, or
    of its transpose if that has fewer columns.
    """

    columns: NDArray[np.int64]
    transposed: bool
    groups: NDArray[np.intp]
    """Which folded column each column of H (or of its transpose) went to, -1 if removed."""

    def unfold(self, b: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The set of original columns for a set of folded ones."""
        return np.append(b, False)[self.groups].astype(np.bool_)

    def restrict(self, b: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The folded columns of which at least one original is in b."""
        out = np.zeros(self.columns.shape[0], dtype=np.bool_)
        groups = self.groups[b]
        out[groups[groups >= 0]] = True
        return out


def fold(H: NDArray[np.int64]) -> Folded:
    """Drop rows and columns without a positive entry, add up equal ones, take the smaller side.

    A row (or column) without a positive entry never helps. Of equal rows (or columns) an
    optimum takes all or none, so they are worth their sum.
    """
    transposed = H.shape[0] < H.shape[1]
    M = H.T if transposed else H
    groups = np.arange(M.shape[1])
    while True:
        rows = (M > 0).any(axis=1)
        M = M[rows]
        columns = (M > 0).any(axis=0)
        kept = np.cumsum(columns) - 1
        groups = np.where(groups >= 0, np.where(columns, kept, -1)[groups], -1)
        M = M[:, columns]
        if M.size == 0:
            return Folded(np.zeros((0, 0), dtype=np.int64), transposed, np.full_like(groups, -1))
        M = _merge(M)[0]
        merged, where = _merge(M.T)
        groups = np.where(groups >= 0, where[groups], -1)
        if merged.shape == M.T.shape and rows.all() and columns.all():
            return Folded(np.ascontiguousarray(M.T), transposed, groups)
        M = merged.T


def _merge(M: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Rows of M with equal ones added up, in the order of first appearance."""
    _, first, where, counts = np.unique(
        M, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return M[first[order]] * counts[order, None], rank[where.ravel()]
