"""The incidence M of rectangles with the ones, kept as the two sides of every rectangle.

A product with M written out reads a number for each rectangle and one; through the sides it is
two small matrix products. M diag(theta) M', what an interior point method asks for, is a sum
over the columns of the data: a column concerns only the rectangles that contain it, and its own
ones, so a fraction of the dense work is left.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.control.executor import SERIAL, Executor
from boolfact.pricing.worth import worths

__all__ = ["Incidence"]

_Vector = NDArray[np.float64]
_PARTS = 2
"""Sums of columns are taken in this many parts, whatever the number of workers."""


class Incidence:
    """M, with a row for each rectangle and a column for each live one, in row-major order.

    Parameters
    ----------
    live : ndarray of bool, shape (n, m)
        The ones that count.
    executor : Executor
        Where sums are taken; the results do not depend on it.

    Examples
    --------
    >>> M = Incidence(np.array([[True, True], [True, False]]))
    >>> M.append(np.array([[True, True]]), np.array([[True, False]]))
    >>> M.collect(np.array([1.0, 2.0, 4.0])), M.cover(np.array([0.5]))
    (array([5.]), array([0.5, 0. , 0.5]))
    >>> M.gram(np.array([1.0, 2.0, 4.0]))
    array([[5.]])
    """

    def __init__(self, live: NDArray[np.bool_], executor: Executor = SERIAL) -> None:
        n, m = live.shape
        self._live = live
        self._executor = executor
        # `across` is the shorter side of the data, over which gram() adds up.
        self._turned = m > n
        positions = np.full(live.shape, -1)
        positions[live] = np.arange(int(live.sum()))
        if self._turned:
            positions, n, m = positions.T, m, n
        self._along = np.zeros((0, n), dtype=np.bool_)
        self._across = np.zeros((0, m), dtype=np.bool_)
        self._lines = [np.flatnonzero(line >= 0) for line in positions.T]
        self._positions = [line[line >= 0] for line in positions.T]

    def __len__(self) -> int:
        return len(self._along)

    def append(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> None:
        """Add rectangles."""
        along, across = (B, A) if self._turned else (A, B)
        self._along = np.vstack([self._along, along])
        self._across = np.vstack([self._across, across])
        self._prepare()

    def purge(self, keep: NDArray[np.bool_]) -> None:
        """Forget the rectangles where `keep` is false."""
        self._along, self._across = self._along[keep], self._across[keep]
        self._prepare()

    def collect(self, p: _Vector) -> _Vector:
        """M p: what each rectangle collects at these prices."""
        full = np.zeros(self._live.shape)
        full[self._live] = p
        prices = full.T if self._turned else full
        return worths(prices, self._along_float, self._across_float)

    def cover(self, q: _Vector) -> _Vector:
        """M' q: how far each one is covered."""
        covered = (self._along_float * q[:, None]).T @ self._across_float
        return np.asarray((covered.T if self._turned else covered)[self._live])

    def gram(self, theta: _Vector, single: bool = False) -> NDArray[np.floating]:
        """The upper triangle of M diag(theta) M'; what is below the diagonal means nothing."""
        root: NDArray[np.floating] = np.sqrt(theta)
        if single:
            root = root.astype(np.float32)
        parts = [range(first, len(self._lines), _PARTS) for first in range(_PARTS)]
        total, *others = self._executor.map(lambda part: self._add_up(part, root), parts)
        for other in others:
            total += other
        return total

    def _prepare(self) -> None:
        self._along_float = self._along.astype(np.float64)
        self._across_float = self._across.astype(np.float64)
        self._members = [np.flatnonzero(line) for line in self._across.T]

    def _add_up(self, part: range, root: NDArray[np.floating]) -> NDArray[np.floating]:
        total = np.zeros((len(self), len(self)), dtype=root.dtype)
        for j in part:
            members, lines = self._members[j], self._lines[j]
            scaled = np.empty((len(members), len(lines)), dtype=root.dtype)
            _gather(self._along, members, lines, root[self._positions[j]], scaled)
            _add_upper(total, scaled @ scaled.T, members)
        return total


@njit(cache=True, nogil=True)
def _gather(
    sets: NDArray[np.bool_],
    members: NDArray[np.int64],
    lines: NDArray[np.int64],
    scale: NDArray[np.floating],
    out: NDArray[np.floating],
) -> None:
    """Incidence of some rectangles with some lines, each line times its scale."""
    for u in range(len(members)):
        row = sets[members[u]]
        for v in range(len(lines)):
            out[u, v] = scale[v] if row[lines[v]] else 0.0


@njit(cache=True, nogil=True)
def _add_upper(
    total: NDArray[np.floating], part: NDArray[np.floating], members: NDArray[np.int64]
) -> None:
    """Add a matrix over some rectangles, in ascending order, to the upper triangle of all."""
    for u in range(len(members)):
        row = total[members[u]]
        for v in range(u, len(members)):
            row[members[v]] += part[u, v]
