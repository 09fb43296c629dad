"""Rectangles (rank-one binary matrices) and the pool of all that were met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rectangle", "RectanglePool"]


class Rectangle(NamedTuple):
    """The entries in rows a and columns b."""

    a: NDArray[np.bool_]
    b: NDArray[np.bool_]


class RectanglePool:
    """Distinct rectangles in the order in which they came.

    Storage grows by doubling; `A` and `B` are views of its used part, one rectangle per row.

    Examples
    --------
    >>> pool = RectanglePool(2, 3)
    >>> pool.add(np.array([True, False]), np.array([True, True, False]))
    True
    >>> pool.add(np.array([True, False]), np.array([True, True, False]))
    False
    >>> len(pool)
    1
    """

    def __init__(self, n: int, m: int) -> None:
        self.n, self.m = n, m
        self._a = np.zeros((64, n), dtype=np.bool_)
        self._b = np.zeros((64, m), dtype=np.bool_)
        self._size = 0
        self._known: set[bytes] = set()

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Rectangle]:
        for u in range(self._size):
            yield Rectangle(self._a[u], self._b[u])

    @property
    def A(self) -> NDArray[np.bool_]:
        """Row sets, shape (size, n)."""
        return self._a[: self._size]

    @property
    def B(self) -> NDArray[np.bool_]:
        """Column sets, shape (size, m)."""
        return self._b[: self._size]

    def add(self, a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bool:
        """Add a rectangle; False if it is empty or known."""
        a = np.ascontiguousarray(a, dtype=np.bool_)
        b = np.ascontiguousarray(b, dtype=np.bool_)
        if a.shape != (self.n,) or b.shape != (self.m,):
            raise ValueError(
                f"expected a rectangle of {self.n} rows and {self.m} columns, "
                f"got {a.shape} and {b.shape}"
            )
        key = _key(a, b)
        if key in self._known or not (a.any() and b.any()):
            return False
        if self._size == len(self._a):
            self._a = np.vstack([self._a, np.zeros_like(self._a)])
            self._b = np.vstack([self._b, np.zeros_like(self._b)])
        self._a[self._size], self._b[self._size] = a, b
        self._size += 1
        self._known.add(key)
        return True

    def extend(self, rectangles: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]]) -> int:
        """Add several; return how many were new."""
        return sum(self.add(a, b) for a, b in rectangles)

    def __contains__(self, rectangle: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> bool:
        a, b = rectangle
        return _key(np.asarray(a, dtype=np.bool_), np.asarray(b, dtype=np.bool_)) in self._known

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget the rectangles where `keep` is false; the others keep their order."""
        if keep.shape != (self._size,):
            raise ValueError(f"keep must have {self._size} entries, got {keep.shape}")
        kept = int(keep.sum())
        self._a[:kept], self._b[:kept] = self.A[keep], self.B[keep]
        self._size = kept
        self._known = {_key(a, b) for a, b in zip(self.A, self.B, strict=True)}


def _key(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bytes:
    return np.packbits(a).tobytes() + np.packbits(b).tobytes()
