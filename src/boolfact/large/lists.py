"""Rows as lists of columns: what every kernel for large data reads.

A packed block is decoded on the way, a sparse one is there already. So there is one kernel for
each step, whatever the data are kept in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import config, njit
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix

__all__ = ["RowLists", "lists_of", "lists_of_values", "lists_of_words", "trailing_zeros"]


class RowLists(NamedTuple):
    """The columns of the ones, and of the missing entries, of some rows.

    The ones of row i are `ones[one_starts[i]:one_starts[i + 1]]`.
    """

    one_starts: NDArray[np.int64]
    ones: NDArray[np.int32]
    hidden_starts: NDArray[np.int64]
    hidden: NDArray[np.int32]


@intrinsic
def _trailing_zeros(typing_context, word):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate


def _trailing_zeros_of(word: np.uint64) -> int:
    """The same without compilation."""
    return (int(word) & -int(word)).bit_length() - 1


_compiled = not config.DISABLE_JIT  # type: ignore[attr-defined]
trailing_zeros: Any = _trailing_zeros if _compiled else _trailing_zeros_of
"""Zeros below the lowest one of a word that is not 0; one instruction."""


@njit(cache=True, nogil=True)
def _decode(
    words: NDArray[np.uint64], starts: NDArray[np.int64], indices: NDArray[np.int32]
) -> np.int64:
    """List the ones of each row; returns how many there are."""
    count = 0
    for i in range(words.shape[0]):
        starts[i] = count
        for w in range(words.shape[1]):
            word = words[i, w]
            base = np.int32(64 * w)
            while word != np.uint64(0):
                indices[count] = base + np.int32(trailing_zeros(word))
                count += 1
                word &= word - np.uint64(1)
    starts[words.shape[0]] = count
    return np.int64(count)


@njit(cache=True, nogil=True)
def _decode_values(
    values: NDArray[np.int8], wanted: int, starts: NDArray[np.int64], indices: NDArray[np.int32]
) -> np.int64:
    """List where each row has the wanted value; `indices` has one place more than cells."""
    count = 0
    for i in range(values.shape[0]):
        starts[i] = count
        for j in range(values.shape[1]):
            indices[count] = np.int32(j)
            count += 1 if values[i, j] == wanted else 0
    starts[values.shape[0]] = count
    return np.int64(count)


def lists_of(rows: PackedMatrix | SparseMatrix, part: slice) -> RowLists:
    """The lists of a block of rows."""
    if isinstance(rows, PackedMatrix):
        hidden = None if rows.hidden is None else rows.hidden[part]
        return lists_of_words(rows.ones[part], hidden, rows.n_columns)
    ones = _cut(rows.starts, rows.indices, part)
    if rows.hidden_starts is None or rows.hidden_indices is None:
        return RowLists(*ones, *_nothing(len(ones[0]) - 1))
    return RowLists(*ones, *_cut(rows.hidden_starts, rows.hidden_indices, part))


def lists_of_words(ones: NDArray[np.uint64], hidden: NDArray[np.uint64] | None, m: int) -> RowLists:
    """The lists of rows in bits, see `boolfact.model.packed.pack_bits`."""
    missing = _nothing(len(ones)) if hidden is None else _decoded(hidden, m)
    return RowLists(*_decoded(ones, m), *missing)


def lists_of_values(values: NDArray[np.int8]) -> RowLists:
    """The lists of rows with entries 0, 1 and -1 (missing).

    Examples
    --------
    >>> lists_of_values(np.array([[1, 0, 1], [0, -1, 1]], dtype=np.int8)).ones
    array([0, 2, 2], dtype=int32)
    """
    found: list[Any] = []
    for wanted in (1, -1):
        starts = np.zeros(len(values) + 1, dtype=np.int64)
        if wanted == -1 and values.min() >= 0:
            indices = np.zeros(0, dtype=np.int32)
        else:
            indices = np.empty(values.size + 1, dtype=np.int32)
            indices = indices[: _decode_values(values, wanted, starts, indices)]
        found += [starts, indices]
    return RowLists(*found)


def _decoded(words: NDArray[np.uint64], m: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = np.empty(len(words) + 1, dtype=np.int64)
    indices = np.empty(len(words) * m, dtype=np.int32)
    return starts, indices[: _decode(words, starts, indices)]


def _nothing(n: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    return np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)


def _cut(
    starts: NDArray[np.int64], indices: NDArray[np.int32], part: slice
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    own = starts[part.start : part.stop + 1]
    return own - own[0], indices[own[0] : own[-1]]
