"""Rows packed into 64-bit words, and counting on them."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["pack_rows", "packed_error", "packed_product", "popcount", "unpack_rows", "word_count"]


def word_count(m: int) -> int:
    """How many words a row of m bits takes."""
    return (m + 63) // 64


def pack_rows(matrix: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack each row: bit j of a row is bit j % 64 of its word j // 64.

    Examples
    --------
    >>> pack_rows(np.array([[True, False, True]]))
    array([[5]], dtype=uint64)
    """
    n, m = matrix.shape
    padded = np.zeros((n, word_count(m) * 64), dtype=np.uint8)
    padded[:, :m] = matrix
    packed = np.packbits(padded, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64)


def unpack_rows(words: NDArray[np.uint64], m: int) -> NDArray[np.bool_]:
    """Undo `pack_rows`."""
    little = np.ascontiguousarray(words.astype("<u8"))
    bits = np.unpackbits(little.view(np.uint8), axis=1, bitorder="little")
    return bits[:, :m].astype(np.bool_)


@njit(cache=True, nogil=True)
def popcount(x: np.uint64) -> np.int64:
    """Ones in a word, by adding neighbouring fields of doubling width."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def packed_product(A: NDArray[np.bool_], B: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Boolean product of A (n, k) and packed B (k, words)."""
    n, k = A.shape
    words = B.shape[1]
    product = np.zeros((n, words), dtype=np.uint64)
    for i in range(n):
        for factor in range(k):
            if A[i, factor]:
                for w in range(words):
                    product[i, w] |= B[factor, w]
    return product


@njit(cache=True, nogil=True)
def packed_error(
    X: NDArray[np.uint64], observed: NDArray[np.uint64], product: NDArray[np.uint64]
) -> np.int64:
    """Observed entries in which two packed matrices differ."""
    total = np.int64(0)
    for i in range(X.shape[0]):
        for w in range(X.shape[1]):
            total += popcount((X[i, w] ^ product[i, w]) & observed[i, w])
    return total
