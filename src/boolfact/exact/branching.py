"""Where to split: on the entry, row or column that a fractional solution is least sure of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.node import Entry
from boolfact.exact.decisions import Decisions, Slot
from boolfact.exact.problem import Split
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool

__all__ = ["coverage", "fractional_entries", "split_slots", "unsure"]

_WHOLE = 1e-3
"""How near to a whole number counts as whole: the solutions come from methods with tolerances."""


def coverage(A: NDArray[np.bool_], B: NDArray[np.bool_], q: NDArray[np.float64]) -> NDArray:
    """How far each entry is covered."""
    return np.asarray((A * q[:, None]).T @ B.astype(np.float64))


def unsure(amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far amounts are from 0 and from 1 and above; 0 for what counts as whole."""
    distance = np.minimum(amount, 1.0 - amount)
    return np.where(distance > _WHOLE, distance, 0.0)


def fractional_entries(
    cover: NDArray[np.float64], open_entries: NDArray[np.bool_], weights: NDArray[np.int64]
) -> list[Entry]:
    """Open entries that are covered in part, the most promising first.

    Far from 0 and 1, and dear: then both outcomes cost something.
    """
    score = np.where(open_entries, unsure(cover) * weights, 0.0)
    order = np.argsort(-score, axis=None, kind="stable")
    order = order[: int((score > 0).sum())]
    return [(int(u) // score.shape[1], int(u) % score.shape[1]) for u in order]


def split_slots(
    matrix: BinaryMatrix,
    k: int,
    decided: Decisions,
    pools: Sequence[RectanglePool],
    q: Sequence[NDArray[np.float64]],
) -> tuple[Split, tuple[int, ...]] | None:
    """How to go on where rectangles are, or are to be, named; None if everything is decided.

    Parameters
    ----------
    matrix : BinaryMatrix
    k : int
    decided : Decisions
    pools, q
        Of each named rectangle and then of all others, where there are any; what was generated
        and how far it is taken.

    Returns
    -------
    (split, outcomes) or None
        Members of named rectangles that are in doubt come first, then entries that are, then the
        owner of a one; where nothing is in doubt, whatever is open. Every split decides something
        that was open, and there are finitely many such things, so splitting ends.
    """
    return next(_splits(matrix, k, decided, pools, q), None)


def _splits(
    matrix: BinaryMatrix,
    k: int,
    decided: Decisions,
    pools: Sequence[RectanglePool],
    q: Sequence[NDArray[np.float64]],
) -> Iterator[tuple[Split, tuple[int, ...]]]:
    named = len(decided.slots)
    free = [_free(slot, matrix.shape) for slot in decided.slots]
    doubts = []
    for u in range(named):
        for kind, sets, members in (
            ("row", pools[u].A, free[u][0]),
            ("column", pools[u].B, free[u][1]),
        ):
            part = q[u] @ sets if len(sets) else np.zeros(sets.shape[1])
            doubt = np.where(members, unsure(part), 0.0)
            if doubt.max(initial=0.0) > 0:
                v = int(np.argmax(doubt))
                doubts.append((-float(doubt[v]), kind, u, v, (1, 0) if part[v] < 0.5 else (0, 1)))
    if doubts:
        _, kind, u, v, order = min(doubts)
        yield (kind, u, v), order
    cover = sum(
        (coverage(pool.A, pool.B, part) for pool, part in zip(pools, q, strict=True)),
        np.zeros(matrix.shape),
    )
    live = matrix.ones & (matrix.weights > 0)
    open_ones = live & ~_settled(matrix, decided)
    for entry in fractional_entries(cover, open_ones, matrix.weights)[:1]:
        yield ("entry", *entry), (0, 1) if cover[entry] >= 0.5 else (1, 0)
    if named < k:
        owned = np.zeros(matrix.shape, dtype=np.bool_)
        for i, j in decided.node.uncovered:
            owned[i, j] = True
        for slot in decided.slots:
            owned[np.ix_(sorted(slot.rows), sorted(slot.columns))] = True
        # Ones first, since a rectangle without one of its own is of no use; the surest first.
        for candidates in (live & ~owned, ~owned):
            if candidates.any():
                score = np.where(candidates, cover * np.maximum(matrix.weights, 1), -1.0)
                row, column = np.unravel_index(int(np.argmax(score)), matrix.shape)
                # The further rectangle first, then the others, then none.
                yield ("owner", int(row), int(column)), (named, *range(named), named + 1)
                break
    for u in range(named):
        for kind, members in zip(("row", "column"), free[u], strict=True):
            if members.any():
                yield (kind, u, int(np.argmax(members))), (0, 1)


def _settled(matrix: BinaryMatrix, decided: Decisions) -> NDArray[np.bool_]:
    """Entries that are decided, or covered by what is in a named rectangle."""
    settled = np.zeros(matrix.shape, dtype=np.bool_)
    for i, j in decided.node.covered | decided.node.uncovered:
        settled[i, j] = True
    for slot in decided.slots:
        settled[np.ix_(sorted(slot.rows), sorted(slot.columns))] = True
    return settled


def _free(slot: Slot, shape: tuple[int, int]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows and columns that are neither in nor out."""
    rows = np.ones(shape[0], dtype=np.bool_)
    columns = np.ones(shape[1], dtype=np.bool_)
    rows[sorted(slot.rows | slot.no_rows)] = False
    columns[sorted(slot.columns | slot.no_columns)] = False
    return rows, columns
