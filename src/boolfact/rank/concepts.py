"""All maximal rectangles of a matrix, where they are few enough to be listed.

The column set of a maximal rectangle is an intersection of rows, so that they are found by
intersecting: known as formal concepts. With all of them at hand the heaviest rectangle is a
matter of adding up, and no search is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.stop import Stop

__all__ = ["Concepts", "list_concepts"]

_MOST = 300_000
_MOST_ENTRIES = 50_000_000
"""Ones of all rectangles together: 4 bytes each, and a tenth of a second to add them up."""
_AT_ONCE = 100
_SLICE = 1000
"""Rectangles filled in at a time, so that time limits are respected."""


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

    Parameters
    ----------
    A, B : ndarray of bool, shapes (count, n) and (count, m)
    entries : ndarray of int64, shape (size, 2)
    """

    def __init__(
        self, A: NDArray[np.bool_], B: NDArray[np.bool_], entries: NDArray[np.int64]
    ) -> None:
        self.A, self.B = A, B
        self._starts = np.zeros(len(A) + 1, dtype=np.int64)
        self._inside = np.zeros(0, dtype=np.int32)
        parts = [self._inside]
        for first in range(0, len(A), _SLICE):
            some, sets = A[first : first + _SLICE], B[first : first + _SLICE]
            starts = np.zeros(len(some) + 1, dtype=np.int64)
            part = np.empty(int(some.sum(axis=1) @ sets.sum(axis=1)), dtype=np.int32)
            fill(some, sets, entries, starts, part)
            self._starts[first + 1 : first + 1 + len(some)] = self._starts[first] + starts[1:]
            parts.append(part[: starts[-1]])
        self._inside = np.concatenate(parts)

    def heaviest(self, units: NDArray[np.int64]) -> int:
        """The largest sum of whole numbers over a rectangle, exactly."""
        return int(add_up(self._starts, self._inside, units).max(initial=0))

    def heavier(self, y: NDArray[np.float64], than: float) -> NDArray[np.int64]:
        """The rectangles with the largest sums of y, if above `than`; only so many at once."""
        sums = add_up(self._starts, self._inside, y)
        order = np.argsort(-sums, kind="stable")[:_AT_ONCE]
        return order[sums[order] > than]


def list_concepts(
    allowed: NDArray[np.bool_], entries: NDArray[np.int64], stop: Stop
) -> Concepts | None:
    """All maximal rectangles within `allowed`; None if they are too many or time is over.

    Examples
    --------
    >>> allowed = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> found = list_concepts(allowed, np.argwhere(allowed), Stop())
    >>> sorted((int(a.sum()), int(b.sum())) for a, b in zip(found.A, found.B))
    [(1, 3), (2, 2), (2, 2), (3, 1)]
    """
    rows = np.unique(np.packbits(allowed, axis=1), axis=0)
    known: set[int] = set()
    for row in rows:
        bits = int.from_bytes(row.tobytes(), "big")
        known |= {bits & other for other in known}
        known.add(bits)
        if len(known) > _MOST or stop.now():
            return None
    known.discard(0)
    B = _unpacked(sorted(known), rows.shape[1], allowed.shape[1])
    A = (~allowed).astype(np.float32) @ B.T.astype(np.float32) == 0
    if float(A.sum(axis=0) @ B.sum(axis=1).astype(np.float64)) > _MOST_ENTRIES:
        return None
    return Concepts(np.ascontiguousarray(A.T), B, entries)


def _unpacked(sets: list[int], width: int, columns: int) -> NDArray[np.bool_]:
    packed = np.frombuffer(b"".join(b.to_bytes(width, "big") for b in sets), dtype=np.uint8)
    table = np.unpackbits(packed.reshape(len(sets), width), axis=1, count=columns)
    return table.astype(np.bool_)
