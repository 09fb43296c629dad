"""Columns on a circle and the subtrees of the search that begins at each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.pricing.rotation import BEST, DEPTH, NODES, ROOT, TAKEN_ONLY, UNIT, search

__all__ = ["Circle", "Subtree", "circles", "spread"]

_WORK_PER_CALL = 60_000_000
"""Row updates in one call of the kernel: some 50 ms."""

_LANES = 32
"""Rows are padded with zeros to a multiple of this: vector instructions then take them all."""

_WEIGHT_UNITS = 1000
_FINEST = 1 << 12


class Circle:
    """The columns in an order, with the weights and the shifts of the lemma.

    Parameters
    ----------
    columns : array (m, n)
        One column a row.
    order : array (m,)
        The order on the circle.
    weights : array (m,)
        Positive weights: the share of the target that each column has to bring.
    usual : array (m,)
        How often column j is expected in a good rectangle, between 0 and 1. The shifts are
        such that a set with these frequencies brings its worth evenly along the circle.
    """

    def __init__(
        self,
        columns: NDArray[np.int64],
        order: NDArray[np.intp],
        weights: NDArray[np.float64],
        usual: NDArray[np.float64],
    ) -> None:
        self.order = order
        self.unit = _unit(columns)
        total = self.unit * int(np.abs(columns).sum())
        # Shares are weights times at most four times this sum, and must stay below 2**63.
        finest = min(_WEIGHT_UNITS, max(1, 2**60 // max(1, total * len(columns))))
        whole = np.maximum(1, np.rint(finest * weights / weights.max())).astype(np.int64)
        ordered = columns[order] * self.unit
        shift = _shifts(ordered, whole[order], usual[order])
        inside = ordered + shift
        # No sum that the kernel forms is larger.
        largest = int(np.maximum(np.abs(inside), np.abs(shift)).sum())
        dtype = np.int32 if largest < 2**31 else np.int64
        rows = columns.shape[1]
        steps = np.zeros((2, len(columns), -(-rows // _LANES) * _LANES), dtype=dtype)
        steps[:, :, :rows] = inside, shift
        # Twice around, so every start sees its own order in one piece.
        self._steps = np.concatenate([steps, steps], axis=1)
        self._weights = np.concatenate([whole[order], whole[order]])
        self.budget = max(100, _WORK_PER_CALL // (columns.shape[1] + 20))

    def __len__(self) -> int:
        return self.order.size

    def subtree(self, start: int) -> Subtree:
        """The whole search that begins at `start`."""
        m = len(self)
        control = np.zeros(5, dtype=np.int64)
        control[UNIT] = self.unit
        steps = np.ascontiguousarray(self._steps[:, start : start + m])
        return Subtree(
            start,
            steps,
            np.append(0, np.cumsum(self._weights[start : start + m])),
            sums=np.zeros((m + 1, steps.shape[2]), dtype=steps.dtype),
            phase=np.zeros(m + 1, dtype=np.int8),
            control=control,
            found=np.zeros(m, dtype=np.bool_),
        )

    def to_columns(self, tree: Subtree) -> NDArray[np.bool_]:
        """The set that a subtree found, in the numbering of `columns`."""
        out = np.zeros(len(self), dtype=np.bool_)
        out[np.roll(self.order, -tree.start)] = tree.found
        return out


@dataclass(eq=False)
class Subtree:
    """A part of the search: the kernel's arguments, which are its state."""

    start: int
    steps: NDArray[Any]
    weights: NDArray[np.int64]
    sums: NDArray[Any]
    phase: NDArray[np.int8]
    control: NDArray[np.int64]
    found: NDArray[np.bool_]

    def run(self, best: int, budget: int) -> tuple[bool, int, int]:
        """Look for sets worth more than `best`, for `budget` nodes.

        Returns
        -------
        finished : bool
            Whether nothing is left to look at.
        best : int
            Worth of the set in `found`, or what was given.
        nodes : int
            Nodes of this call.
        """
        unit = int(self.control[UNIT])
        self.control[BEST] = best * unit
        before = int(self.control[NODES])
        finished = self.walk(budget)
        return finished, int(self.control[BEST]) // unit, int(self.control[NODES]) - before

    def walk(self, budget: int) -> bool:
        """Go on for some nodes; whether nothing is left."""
        return bool(
            search(
                self.steps, self.weights, self.sums, self.phase, self.control, self.found, budget
            )
        )

    def split(self) -> Subtree | None:
        """Give away the open child nearest to the root, if there is one."""
        root, depth = int(self.control[ROOT]), int(self.control[DEPTH])
        open_depths = np.flatnonzero(self.phase[root:depth] == 1)
        if open_depths.size == 0:
            return None
        d = root + int(open_depths[0])
        other = replace(
            self,
            sums=self.sums.copy(),
            phase=self.phase.copy(),
            control=self.control.copy(),
            found=self.found.copy(),
        )
        other.control[[DEPTH, ROOT, NODES]] = d, d, 0
        self.phase[d] = TAKEN_ONLY
        return other


def circles(columns: NDArray[np.int64], usual: NDArray[np.float64]) -> Iterator[Circle]:
    """Circles of different weights and shifts: which has the smallest tree differs by matrix.

    Parameters
    ----------
    columns : array (m, n)
        One column a row.
    usual : array (m,)
        How often each column is in good rectangles.
    """
    order = spread(columns)
    even = np.ones(columns.shape[0])
    yield Circle(columns, order, even, 0.3 * even)
    yield Circle(columns, order, usual + 0.02, 0 * even)
    yield Circle(columns, order, usual + 0.1, 0.7 * usual + 0.1)
    yield Circle(columns, order, usual + 0.3, 0.3 * usual + 0.2)


def spread(columns: NDArray[np.int64]) -> NDArray[np.intp]:
    """An order in which similar columns are far apart.

    A chain of nearest neighbours is dealt out in rounds: then an arc holds a bit of every
    kind of column and good rectangles are rarely worth much in a short one.
    """
    m = columns.shape[0]
    unit = columns - columns.mean(axis=1, keepdims=True)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-9)
    similarity = unit @ unit.T
    free = np.ones(m, dtype=np.bool_)
    chain = [0]
    free[0] = False
    while len(chain) < m:
        nearest = int(np.argmax(np.where(free, similarity[chain[-1]], -np.inf)))
        chain.append(nearest)
        free[nearest] = False
    rounds = 5
    return np.concatenate([np.array(chain[r::rounds], dtype=np.intp) for r in range(rounds)])


def _unit(columns: NDArray[np.int64]) -> int:
    """A power of two to multiply by, so shifts rounded to integers are fine enough."""
    unit = 1
    largest = max(1, int(np.abs(columns).max()))
    total = int(np.abs(columns).sum())
    while unit * largest < _FINEST and 16 * unit * total < 2**31:
        unit *= 2
    return unit


def _shifts(
    ordered: NDArray[np.int64], weights: NDArray[np.int64], usual: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The vectors u_j = (w_j / W) x - usual_j h_j with x = sum of usual_j h_j, rounded.

    What rounding leaves over goes to the heaviest column: they must add up to zero exactly.
    """
    brought = ordered * usual[:, None]
    share = weights / weights.sum()
    shift = np.rint(np.outer(share, brought.sum(axis=0)) - brought).astype(np.int64)
    shift[np.argmax(weights)] -= shift.sum(axis=0)
    return shift
