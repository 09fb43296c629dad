"""All maximal rectangles of a matrix, where they are few enough to be listed.

The column set of a maximal rectangle is an intersection of rows, so they are found by
intersecting: known as formal concepts. With all of them at hand the heaviest rectangle is a
matter of adding up, and no search is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.control.stop import Stop

__all__ = ["Concepts", "list_concepts"]

_MOST = 300_000
_MOST_ENTRIES = 50_000_000
"""Ones of all rectangles together: 4 bytes each, and a tenth of a second to add them up."""
_AT_ONCE = 100
_SLICE = 1000
"""Rectangles that are listed at a time: between slices the time limit is asked."""
_STEPS = 100_000_000
"""Steps of a slice, about: a tenth of a second."""


@njit(cache=True, nogil=True)
def fill(
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    entries: NDArray[np.int64],
    starts: NDArray[np.int64],
    inside: NDArray[np.int32],
) -> None:
    """Write which entries each rectangle holds to inside[starts[u]:starts[u + 1]]."""
    for u in range(len(A)):
        at = starts[u]
        for e in range(len(entries)):
            if A[u, entries[e, 0]] and B[u, entries[e, 1]]:
                inside[at] = e
                at += 1
        starts[u + 1] = at


@njit(cache=True, nogil=True)
def add_up(starts: NDArray[np.int64], inside: NDArray[np.int32], y: NDArray[Any]) -> NDArray[Any]:
    """The sum of y over each rectangle."""
    sums = np.zeros(len(starts) - 1, dtype=y.dtype)
    for u in range(len(sums)):
        for position in range(starts[u], starts[u + 1]):
            sums[u] += y[inside[position]]
    return sums


class Concepts:
    """Maximal rectangles, and which of the given ones each of them holds.

    Rectangles are kept as bits: as many as can be listed would fill gigabytes otherwise.

    Parameters
    ----------
    shape : tuple of int
        Of the matrix.
    entries : ndarray of int64, shape (size, 2)
        The given ones.
    parts : iterable of (A, B)
        Rectangles, some at a time: arrays of bool of shapes (count, n) and (count, m).
    """

    def __init__(
        self,
        shape: tuple[int, int],
        entries: NDArray[np.int64],
        parts: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]],
    ) -> None:
        self._shape = shape
        rows, columns = _packed(np.zeros((0, shape[0]))), _packed(np.zeros((0, shape[1])))
        sides = [(rows, columns)]
        starts, inside = [np.zeros(1, dtype=np.int64)], [np.zeros(0, dtype=np.int32)]
        for A, B in parts:
            ends = np.zeros(len(A) + 1, dtype=np.int64)
            part = np.empty(int(A.sum(axis=1) @ B.sum(axis=1)), dtype=np.int32)
            fill(A, B, entries, ends, part)
            sides.append((_packed(A), _packed(B)))
            starts.append(starts[-1][-1] + ends[1:])
            # A copy, so the room for ones that are not among the entries is given back.
            inside.append(part[: ends[-1]].copy())
        self._A = np.concatenate([rows for rows, _ in sides])
        self._B = np.concatenate([columns for _, columns in sides])
        self._starts, self._inside = np.concatenate(starts), np.concatenate(inside)

    def __len__(self) -> int:
        return len(self._A)

    def rectangles(
        self, which: slice | NDArray[np.int64] = slice(None)
    ) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Rows and columns of some of the rectangles, of all by default."""
        n, m = self._shape
        for a, b in zip(self._A[which], self._B[which], strict=True):
            yield _unpacked(a, n), _unpacked(b, m)

    def heaviest(self, units: NDArray[np.int64]) -> int:
        """The largest sum of whole numbers over a rectangle, exactly."""
        return int(add_up(self._starts, self._inside, units).max(initial=0))

    def heavier(self, y: NDArray[np.float64], than: float) -> NDArray[np.int64]:
        """The rectangles with the largest sums of y, if above `than`; only some at once."""
        sums = add_up(self._starts, self._inside, y)
        order = np.argsort(-sums, kind="stable")[:_AT_ONCE]
        return order[sums[order] > than]


class _LimitError(Exception):
    """The rectangles do not fit into memory, or not into the time."""


def list_concepts(
    allowed: NDArray[np.bool_], entries: NDArray[np.int64], stop: Stop, most: int | None = None
) -> Concepts | None:
    """All maximal rectangles within `allowed`; None if they are too many or time is over.

    Parameters
    ----------
    allowed : ndarray of bool, shape (n, m)
    entries : ndarray of int64, shape (size, 2)
        The ones whose place in the rectangles is kept.
    stop : Stop
    most : int, optional
        Give up above this many; without it, above what fits into memory.

    Examples
    --------
    >>> allowed = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> found = list_concepts(allowed, np.argwhere(allowed), Stop())
    >>> sorted((int(a.sum()), int(b.sum())) for a, b in found.rectangles())
    [(1, 3), (2, 2), (2, 2), (3, 1)]
    """
    limit = _MOST if most is None else min(most, _MOST)
    rows = np.unique(np.packbits(allowed, axis=1), axis=0)
    known: set[int] = set()
    for row in rows:
        bits = int.from_bytes(row.tobytes(), "big")
        known |= {bits & other for other in known}
        known.add(bits)
        if len(known) - (0 in known) > limit or stop.now():
            return None
    known.discard(0)
    at_a_time = max(1, min(_SLICE, _STEPS // (len(entries) + allowed.size // 16 + 1)))
    try:
        return Concepts(allowed.shape, entries, _closed(allowed, sorted(known), at_a_time, stop))
    except _LimitError:
        return None


def _closed(
    allowed: NDArray[np.bool_], sets: list[int], at_a_time: int, stop: Stop
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Column sets with all rows that hold them, some at a time, while there is time and room."""
    width, columns = (allowed.shape[1] + 7) // 8, allowed.shape[1]
    lacking = (~allowed).astype(np.float32)
    total = 0
    for first in range(0, len(sets), at_a_time):
        if stop.now():
            raise _LimitError
        some = b"".join(bits.to_bytes(width, "big") for bits in sets[first : first + at_a_time])
        B = _unpacked(np.frombuffer(some, dtype=np.uint8).reshape(-1, width), columns)
        A = np.ascontiguousarray((lacking @ B.T.astype(np.float32) == 0).T)
        total += int(A.sum(axis=1) @ B.sum(axis=1))
        if total > _MOST_ENTRIES:
            raise _LimitError
        yield A, B


def _packed(table: NDArray[Any]) -> NDArray[np.uint8]:
    return np.packbits(table.astype(np.bool_), axis=-1)


def _unpacked(bits: NDArray[np.uint8], count: int) -> NDArray[np.bool_]:
    return np.unpackbits(bits, axis=-1, count=count).astype(np.bool_)
