"""Large data row by row: what packed and sparse matrices have in common."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowMatrix", "blocks_of", "digest_of", "sides_swapped"]

_BLOCK_CELLS = 1 << 22
"""Cells of a block that is unpacked at a time: some megabytes."""


class RowMatrix(Protocol):
    """A matrix of zeros, ones and missing entries that is read a block of rows at a time.

    An error costs `false_one_cost` at a zero and `missed_one_cost` at a one, times the weights
    of its row and its column; there are no other weights. None stands for weights of 1.
    """

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def row_weights(self) -> NDArray[np.int64] | None: ...
    @property
    def column_weights(self) -> NDArray[np.int64] | None: ...
    @property
    def false_one_cost(self) -> int: ...
    @property
    def missed_one_cost(self) -> int: ...
    @property
    def row_names(self) -> tuple[str, ...] | None: ...
    @property
    def column_names(self) -> tuple[str, ...] | None: ...
    @property
    def n_ones(self) -> int: ...
    @property
    def n_missing(self) -> int: ...

    def values(self, rows: slice | NDArray[np.int64]) -> NDArray[np.int8]:
        """Some rows as 0, 1 and -1 (missing)."""
        ...

    def bits(self, part: slice) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """The ones of some rows and their missing entries, bit j % 8 of byte j // 8 for column j.

        None where nothing is missing.
        """
        ...

    def digest(self) -> str:
        """What a result is tied to: the same for packed and sparse matrices of the same data."""
        ...


def blocks_of(shape: tuple[int, int], cells: int = _BLOCK_CELLS) -> Iterator[slice]:
    """Blocks of rows that hold about so many cells.

    Examples
    --------
    >>> [(part.start, part.stop) for part in blocks_of((5, 10), cells=20)]
    [(0, 2), (2, 4), (4, 5)]
    """
    n, m = shape
    step = max(1, cells // max(1, m))
    for first in range(0, n, step):
        yield slice(first, min(n, first + step))


def sides_swapped(rows: Any) -> dict[str, Any]:
    """Weights, names and prices of the transposed matrix, by the names of their fields."""
    return {
        "row_weights": rows.column_weights,
        "column_weights": rows.row_weights,
        "false_one_cost": rows.false_one_cost,
        "missed_one_cost": rows.missed_one_cost,
        "row_names": rows.column_names,
        "column_names": rows.row_names,
    }


def digest_of(rows: RowMatrix) -> str:
    """SHA-256 of shape, prices, weights and the bits of ones and missing entries, row by row.

    It begins with "rows:", which tells it from that of a `BinaryMatrix`.
    """
    h = hashlib.sha256()
    h.update(np.array(rows.shape, dtype="<i8").tobytes())
    h.update(f"{rows.false_one_cost},{rows.missed_one_cost}".encode())
    for weights in (rows.row_weights, rows.column_weights):
        h.update(b"-" if weights is None else np.ascontiguousarray(weights, "<i8").tobytes())
    for part in blocks_of(rows.shape):
        ones, hidden = rows.bits(part)
        h.update(ones.tobytes())
        if hidden is not None and hidden.any():
            h.update(str(part.start).encode())
            h.update(hidden.tobytes())
    return "rows:" + h.hexdigest()
