"""The data: a matrix of zeros, ones and missing entries, with weights and names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.notebook import html_table

__all__ = ["MISSING", "MOST_WEIGHT", "BinaryMatrix"]

MISSING = -1
"""How a missing entry is written in `BinaryMatrix.values`."""

MOST_WEIGHT = 1 << 62
"""All weights of a matrix together are below this: then no sum of some of them is cut off."""
_DIGEST_CELLS = 1 << 20
"""Cells whose weights are written out at a time, to be hashed."""
_SHOWN_ROWS, _SHOWN_COLUMNS = 8, 12
"""As much of a matrix as a notebook shows."""


@dataclass(frozen=True, eq=False)
class BinaryMatrix:
    """A matrix with entries 0, 1 or missing.

    Parameters
    ----------
    values : ndarray of int8, shape (n, m)
        0, 1, or `MISSING`.
    weights : ndarray of int64, optional
        The price of getting an entry wrong, a whole number that is not negative; 1 by default.
        A missing entry has weight 0 whatever is given, and an entry of weight 0 counts as
        missing everywhere: nobody pays for it. All together must be below 2^62.
    row_names, column_names : sequence of str, optional

    Examples
    --------
    >>> import numpy as np
    >>> X = BinaryMatrix(np.array([[1, 0, -1], [1, 1, 0]], dtype=np.int8))
    >>> X.shape, X.n_ones, X.n_missing
    ((2, 3), 3, 1)
    """

    values: NDArray[np.int8]
    weights: NDArray[np.int64] = None  # type: ignore[assignment]
    row_names: tuple[str, ...] | None = None
    column_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.ndim != 2:
            raise ValueError(f"values must have two dimensions, got {values.ndim}")
        n, m = values.shape
        if n == 0 or m == 0:
            raise ValueError(f"the matrix is empty: it has {n} rows and {m} columns")
        values = np.ascontiguousarray(values, dtype=np.int8)
        if values.min() < MISSING or values.max() > 1:
            raise ValueError("values must be 0, 1 or -1 (missing)")
        observed = values != MISSING
        has_prices = self.weights is not None
        if has_prices:
            weights = self._checked_weights(np.asarray(self.weights), (n, m))
            weights = np.where(observed, weights, 0)
            # Added up as floats: whole numbers of 64 bits would begin again from below.
            if float(weights.sum(dtype=np.float64)) >= MOST_WEIGHT:
                raise ValueError("the weights are too large: together they must be below 2^62")
        elif observed.all():
            # One number that looks like a matrix: it takes no memory.
            weights = np.broadcast_to(np.int64(1), (n, m))
        else:
            weights = observed.astype(np.int64)
        for array in (values, weights):
            array.flags.writeable = False
        object.__setattr__(self, "_has_prices", has_prices)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "row_names", _names(self.row_names, n, "row_names"))
        object.__setattr__(self, "column_names", _names(self.column_names, m, "column_names"))

    def __repr__(self) -> str:
        n, m = self.shape
        prices = ", with prices" if self.is_weighted else ""
        return (
            f"<BinaryMatrix: {n:,} x {m:,}, {self.n_ones:,} ones, {self.n_missing:,} missing"
            f"{prices}>"
        )

    def _repr_html_(self) -> str:
        """The first rows and columns, for notebooks."""
        n, m = self.shape
        columns = range(min(m, _SHOWN_COLUMNS))
        more = ["…"] if m > _SHOWN_COLUMNS else []
        marks = {0: "0", 1: "1", MISSING: "?"}
        lines = [
            [self.row_label(i), *(marks[int(self.values[i, j])] for j in columns), *more]
            for i in range(min(n, _SHOWN_ROWS))
        ]
        if n > _SHOWN_ROWS:
            lines.append(["…"] * (1 + len(columns) + len(more)))
        head = ["", *(self.column_label(j) for j in columns), *more]
        return html_table(repr(self).strip("<>"), lines, head)

    @staticmethod
    def _checked_weights(weights: NDArray[Any], shape: tuple[int, int]) -> NDArray[np.int64]:
        if weights.shape != shape:
            raise ValueError(
                f"weights must have the shape of the matrix {shape}, got {weights.shape}"
            )
        whole = weights.astype(np.int64)
        bad = np.argwhere((whole != weights) | (whole < 0))
        if len(bad):
            i, j = bad[0]
            raise ValueError(
                f"weights must be whole numbers that are not negative, "
                f"got {weights[i, j]} at row {i}, column {j}"
            )
        return whole

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, m = self.values.shape
        return int(n), int(m)

    @cached_property
    def ones(self) -> NDArray[np.bool_]:
        """Where an observed entry is 1."""
        return self.values == 1

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Where no entry was observed."""
        return self.values == MISSING

    @property
    def n_ones(self) -> int:
        """How many entries are 1."""
        return int(self.ones.sum())

    @property
    def n_missing(self) -> int:
        """How many entries are missing."""
        return int(self.missing.sum())

    @cached_property
    def ones_weight(self) -> int:
        """The error of covering nothing at all."""
        return int(self.weights[self.ones].sum()) if self.is_weighted else self.n_ones

    @cached_property
    def is_weighted(self) -> bool:
        """Whether some observed entry has a weight other than 1."""
        has_prices: bool = self._has_prices  # type: ignore[attr-defined]
        return has_prices and bool((self.weights[~self.missing] != 1).any())

    @property
    def T(self) -> BinaryMatrix:
        """The transposed matrix."""
        names = (self.column_names, self.row_names)
        if not self.is_weighted:
            return BinaryMatrix(self.values.T, None, *names)  # type: ignore[arg-type]
        return BinaryMatrix(self.values.T, self.weights.T, *names)

    def digest(self) -> str:
        """SHA-256 of shape, values and weights: what a certificate is tied to."""
        h = hashlib.sha256()
        h.update(np.array(self.shape, dtype="<i8").tobytes())
        step = max(1, _DIGEST_CELLS // self.shape[1])
        for array, kind in ((self.values, "<i1"), (self.weights, "<i8")):
            for first in range(0, self.shape[0], step):
                h.update(np.ascontiguousarray(array[first : first + step], dtype=kind).tobytes())
        return h.hexdigest()

    def row_label(self, i: int) -> str:
        """The name of row i, or its position."""
        return self.row_names[i] if self.row_names else str(i)

    def column_label(self, j: int) -> str:
        """The name of column j, or its position."""
        return self.column_names[j] if self.column_names else str(j)


def _names(names: Sequence[Any] | None, size: int, what: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    names = tuple(str(name) for name in names)
    if len(names) != size:
        raise ValueError(f"{what} must have {size} names, got {len(names)}")
    return names
