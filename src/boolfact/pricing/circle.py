"""Columns on a circle and the subtrees of the search that begins at each of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.pricing.rotation import BEST, DEPTH, NODES, ROOT, TAKEN_ONLY, search

__all__ = ["Circle", "Subtree"]

_WORK_PER_CALL = 60_000_000
"""Row updates in one call of the kernel: some 50 ms."""


class Circle:
    """The columns in the order in which the search takes them, with their weights.

    Parameters
    ----------
    columns : array (m, n)
        One column a row.
    """

    def __init__(self, columns: NDArray[np.int64]) -> None:
        m, n = columns.shape
        self.order = spread(columns)
        inside = columns[self.order]
        outside = np.zeros_like(inside)
        gain = np.maximum(inside, outside)
        # Every sum that the kernel forms is at most twice this one.
        largest = int(np.maximum(np.abs(inside), np.abs(outside)).sum())
        dtype = np.int32 if 2 * largest < 2**31 else np.int64
        # Twice around, so that every start sees its own order in one piece.
        self._inside = np.concatenate([inside, inside]).astype(dtype)
        self._outside = np.concatenate([outside, outside]).astype(dtype)
        self._gain = np.concatenate([gain, gain]).astype(dtype)
        self._weights = np.arange(m + 1, dtype=np.int64)
        self.budget = max(100, _WORK_PER_CALL // (n + 20))

    def __len__(self) -> int:
        return self.order.size

    def subtree(self, start: int) -> Subtree:
        """The whole search that begins at `start`."""
        m = len(self)
        gain = self._gain[start : start + m]
        reach = np.zeros((m + 1, gain.shape[1]), dtype=gain.dtype)
        np.cumsum(gain[::-1], axis=0, out=reach[1:])
        return Subtree(
            start,
            self._inside[start : start + m],
            self._outside[start : start + m],
            np.ascontiguousarray(reach[::-1]),
            self._weights,
            sums=np.zeros_like(reach),
            phase=np.zeros(m + 1, dtype=np.int8),
            control=np.zeros(4, dtype=np.int64),
            found=np.zeros(m, dtype=np.bool_),
        )

    def to_columns(self, tree: Subtree) -> NDArray[np.bool_]:
        """The set that a subtree found, in the numbering of `columns`."""
        out = np.zeros(len(self), dtype=np.bool_)
        out[np.roll(self.order, -tree.start)] = tree.found
        return out


@dataclass(eq=False)
class Subtree:
    """A part of the search: the kernel's arguments and its state."""

    start: int
    inside: NDArray[np.signedinteger]
    outside: NDArray[np.signedinteger]
    reach: NDArray[np.signedinteger]
    weights: NDArray[np.int64]
    sums: NDArray[np.signedinteger]
    phase: NDArray[np.int8]
    control: NDArray[np.int64]
    found: NDArray[np.bool_]

    def run(self, best: int, budget: int) -> tuple[bool, int, int]:
        """Go on for `budget` nodes; whether finished, the best value (at least `best`), nodes."""
        self.control[BEST] = best
        before = self.control[NODES]
        finished = search(
            self.inside, self.outside, self.reach, self.weights, self.sums, self.phase,
            self.control, self.found, budget,
        )  # fmt: skip
        return finished, int(self.control[BEST]), int(self.control[NODES] - before)

    def split(self) -> Subtree | None:
        """Give away the open child nearest to the root, if there is one."""
        root, depth = int(self.control[ROOT]), int(self.control[DEPTH])
        for d in range(root, depth):
            if self.phase[d] == 1:
                break
        else:
            return None
        other = Subtree(
            self.start, self.inside, self.outside, self.reach, self.weights,
            self.sums.copy(), self.phase.copy(), self.control.copy(), self.found.copy(),
        )  # fmt: skip
        other.control[[DEPTH, ROOT, NODES]] = d, d, 0
        self.phase[d] = TAKEN_ONLY
        return other


def spread(columns: NDArray[np.int64]) -> NDArray[np.intp]:
    """An order in which similar columns are far apart.

    A chain of nearest neighbours is dealt out in rounds: then a prefix holds a bit of every
    kind of column and good rectangles are rarely worth much in it.
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
