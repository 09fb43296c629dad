"""All maximal rectangles of a matrix, where they are few enough to be listed.

The column set of a maximal rectangle is an intersection of rows, so that they are found by
intersecting: known as formal concepts. With all of them at hand the heaviest rectangle is a
matter of adding up, and no search is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from boolfact.stop import Stop

__all__ = ["Concepts", "list_concepts"]

_MOST = 30_000
_MOST_ENTRIES = 20_000_000
"""Ones of all rectangles together, beyond which the table is too large to be worth it."""
_AT_ONCE = 200


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
        rows = [
            np.flatnonzero(a[entries[:, 0]] & b[entries[:, 1]]) for a, b in zip(A, B, strict=True)
        ]
        starts = np.cumsum([0, *map(len, rows)])
        indices = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        self._inside = sparse.csr_matrix(
            (np.ones(len(indices), dtype=np.int64), indices, starts),
            shape=(len(A), len(entries)),
        )

    def heaviest(self, units: NDArray[np.int64]) -> int:
        """The largest sum of whole numbers over a rectangle, exactly."""
        return int((self._inside @ units).max(initial=0))

    def heavier(self, y: NDArray[np.float64], than: float) -> NDArray[np.int64]:
        """The rectangles with the largest sums of y, if above `than`; only so many at once."""
        sums = self._inside @ y
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
