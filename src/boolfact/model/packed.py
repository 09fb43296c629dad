"""A matrix in bits: one per cell, and one more where entries are missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import MISSING, BinaryMatrix
from boolfact.model.rows import blocks_of, digest_of, sides_swapped

__all__ = ["PackedMatrix", "has_digest", "pack_bits", "prices_of", "stacked", "unpack_bits"]

_DENSE_CELLS = 1 << 18
"""Cells of a dense array that are packed at a time: they stay in the cache."""

_BITS_OF_BYTE = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of bits as words of 64: bit j % 64 of word j // 64 is column j.

    Examples
    --------
    >>> pack_bits(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    n, m = bits.shape
    bytes_ = np.zeros((n, 8 * ((m + 63) // 64)), dtype=np.uint8)
    packed = np.packbits(bits, axis=1, bitorder="little")
    bytes_[:, : packed.shape[1]] = packed
    return bytes_.view("<u8").astype(np.uint64, copy=False)


def unpack_bits(words: NDArray[np.uint64], m: int) -> NDArray[np.bool_]:
    """Undo `pack_bits`."""
    bytes_ = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(bytes_, axis=1, count=m, bitorder="little").view(np.bool_)


@dataclass(frozen=True, eq=False)
class PackedMatrix:
    """A matrix of zeros, ones and missing entries in bits, see `RowMatrix`.

    Parameters
    ----------
    ones : ndarray of uint64, shape (n, words)
        See `pack_bits`; bits beyond the last column are 0.
    n_columns : int
    hidden : ndarray of uint64, shape (n, words), optional
        Missing entries, none of them a one; None where there are none.
    row_weights, column_weights : ndarray of int64, optional
        What merged rows and columns count for; 1 by default.
    false_one_cost, missed_one_cost : int
    row_names, column_names : tuple of str, optional

    Examples
    --------
    >>> X = PackedMatrix.from_dense(np.array([[1, 0, -1], [1, 1, 0]], dtype=np.int8))
    >>> X.shape, X.n_ones, X.n_missing, X.nbytes
    ((2, 3), 3, 1, 32)
    >>> X.values(slice(0, 1))
    array([[ 1,  0, -1]], dtype=int8)
    """

    ones: NDArray[np.uint64]
    n_columns: int
    hidden: NDArray[np.uint64] | None = None
    row_weights: NDArray[np.int64] | None = None
    column_weights: NDArray[np.int64] | None = None
    false_one_cost: int = 1
    missed_one_cost: int = 1
    row_names: tuple[str, ...] | None = None
    column_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        n, words = self.ones.shape
        if n == 0 or self.n_columns < 1:
            raise ValueError(f"the matrix is empty: it has {n} rows and {self.n_columns} columns")
        if words != (self.n_columns + 63) // 64:
            raise ValueError(f"{self.n_columns} columns do not fit {words} words")
        for what, array, shape in (
            ("hidden", self.hidden, self.ones.shape),
            ("row_weights", self.row_weights, (n,)),
            ("column_weights", self.column_weights, (self.n_columns,)),
        ):
            if array is not None and array.shape != shape:
                raise ValueError(f"{what} must have shape {shape}, got {array.shape}")

    @classmethod
    def from_blocks(
        cls, shape: tuple[int, int], blocks: Iterable[NDArray[np.int8] | NDArray[np.bool_]]
    ) -> PackedMatrix:
        """From blocks of rows with entries 0, 1 and -1 (missing), or bools, one after another."""
        n, m = shape
        ones = np.zeros((n, (m + 63) // 64), dtype=np.uint64)
        hidden: NDArray[np.uint64] | None = None
        done = 0
        for values in blocks:
            if values.shape[1] != m or done + len(values) > n:
                raise ValueError(
                    f"a block of shape {values.shape} at row {done} does not fit {shape}"
                )
            part = slice(done, done + len(values))
            done = part.stop
            if values.dtype == np.bool_:
                ones[part] = pack_bits(values.view(np.bool_))
                continue
            ones[part] = pack_bits(values == 1)
            missing = values == MISSING
            if missing.any():
                hidden = np.zeros_like(ones) if hidden is None else hidden
                hidden[part] = pack_bits(missing)
        if done != n:
            raise ValueError(f"expected {n} rows, got {done}")
        return cls(ones, m, hidden)

    @classmethod
    def from_dense(
        cls,
        array: NDArray[Any],
        read: Callable[[NDArray[Any], int], NDArray[np.int8] | NDArray[np.bool_]] | None = None,
    ) -> PackedMatrix:
        """From a dense or memory-mapped array, some rows at a time.

        `read` turns a block, given its first row, into 0, 1 and -1, or bools; by default it is
        that already.
        """
        shape = (int(array.shape[0]), int(array.shape[1]))
        read = read or (lambda block, _: np.asarray(block))
        blocks = (read(array[part], part.start) for part in blocks_of(shape, _DENSE_CELLS))
        return cls.from_blocks(shape, blocks)

    @classmethod
    def from_binary(cls, matrix: BinaryMatrix) -> PackedMatrix | None:
        """The same data, or None where its weights are not those of one pair of prices."""
        prices = prices_of(matrix)
        if prices is None:
            return None
        packed = cls.from_dense(matrix.values)
        return replace(
            packed,
            false_one_cost=prices[0],
            missed_one_cost=prices[1],
            row_names=matrix.row_names,
            column_names=matrix.column_names,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int(self.ones.shape[0]), self.n_columns

    @property
    def nbytes(self) -> int:
        """Of the bits."""
        return int(self.ones.nbytes) + (0 if self.hidden is None else int(self.hidden.nbytes))

    @cached_property
    def n_ones(self) -> int:
        """How many entries are 1."""
        return _count(self.ones)

    @cached_property
    def n_missing(self) -> int:
        """How many entries are missing."""
        return 0 if self.hidden is None else _count(self.hidden)

    def values(self, rows: slice | NDArray[np.int64]) -> NDArray[np.int8]:
        """Some rows as 0, 1 and -1 (missing)."""
        values = unpack_bits(self.ones[rows], self.n_columns).astype(np.int8)
        if self.hidden is not None:
            values[unpack_bits(self.hidden[rows], self.n_columns)] = MISSING
        return values

    def bits(self, part: slice) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """See `RowMatrix`."""
        width = (self.n_columns + 7) // 8
        ones = np.ascontiguousarray(self.ones[part], dtype="<u8").view(np.uint8)[:, :width]
        if self.hidden is None:
            return ones, None
        hidden = np.ascontiguousarray(self.hidden[part], dtype="<u8").view(np.uint8)
        return ones, hidden[:, :width]

    def take(self, rows: NDArray[np.int64]) -> PackedMatrix:
        """Some rows, without their names."""
        return replace(
            self,
            ones=self.ones[rows],
            hidden=None if self.hidden is None else self.hidden[rows],
            row_weights=None if self.row_weights is None else self.row_weights[rows],
            row_names=None,
        )

    @property
    def T(self) -> PackedMatrix:
        """The transposed matrix, made some columns at a time."""
        turned = PackedMatrix(
            _transposed(self.ones, self.n_columns),
            self.shape[0],
            None if self.hidden is None else _transposed(self.hidden, self.n_columns),
        )
        return replace(turned, **sides_swapped(self))

    def digest(self) -> str:
        """See `boolfact.model.rows.digest_of`."""
        return digest_of(self)


def stacked(parts: Sequence[PackedMatrix]) -> PackedMatrix:
    """Matrices one below the other, with the weights of their rows; names and prices are dropped.

    Examples
    --------
    >>> X = PackedMatrix.from_dense(np.array([[1, 0]], dtype=np.int8))
    >>> stacked([X, X]).shape
    (2, 2)
    """
    hidden = row_weights = None
    if any(part.hidden is not None for part in parts):
        hidden = np.vstack(
            [np.zeros_like(part.ones) if part.hidden is None else part.hidden for part in parts]
        )
    weights = [part.row_weights for part in parts if part.row_weights is not None]
    if weights:
        row_weights = np.concatenate(weights)
    ones = np.vstack([part.ones for part in parts])
    return PackedMatrix(ones, parts[0].n_columns, hidden, row_weights)


def has_digest(matrix: BinaryMatrix, digest: str) -> bool:
    """Whether a digest is that of the data, as a `BinaryMatrix` or in bits.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0], [1, 1]]))
    >>> has_digest(X, X.digest()), has_digest(X, PackedMatrix.from_binary(X).digest())
    (True, True)
    """
    if not digest.startswith("rows:"):
        return matrix.digest() == digest
    packed = PackedMatrix.from_binary(matrix)
    return packed is not None and packed.digest() == digest


def prices_of(matrix: BinaryMatrix) -> tuple[int, int] | None:
    """What every zero and every one costs if they all cost the same; None otherwise."""
    if not matrix.is_weighted:
        return 1, 1
    found: list[set[int]] = [set(), set()]
    for part in blocks_of(matrix.shape):
        values, weights = matrix.values[part], matrix.weights[part]
        for value in (0, 1):
            found[value] |= {int(w) for w in np.unique(weights[values == value])}
            if len(found[value]) > 1:
                return None
    zero, one = (next(iter(prices), 1) for prices in found)
    return (zero, one) if zero > 0 and one > 0 else None


def _count(words: NDArray[np.uint64]) -> int:
    step = max(1, (1 << 20) // max(1, words.shape[1]))
    return sum(
        int(_BITS_OF_BYTE[words[first : first + step].view(np.uint8)].sum(dtype=np.int64))
        for first in range(0, len(words), step)
    )


def _transposed(words: NDArray[np.uint64], m: int) -> NDArray[np.uint64]:
    """64 columns at a time: one word of every row."""
    n = words.shape[0]
    out = np.zeros((m, (n + 63) // 64), dtype=np.uint64)
    for w in range(words.shape[1]):
        width = min(64, m - 64 * w)
        bits = unpack_bits(np.ascontiguousarray(words[:, w : w + 1]), width)
        out[64 * w : 64 * w + width] = pack_bits(np.ascontiguousarray(bits.T))
    return out
