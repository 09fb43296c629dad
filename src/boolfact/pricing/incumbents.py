"""The best rectangles that the exact pricing has met."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from boolfact.pricing.climb import climb_with_kicks
from boolfact.pricing.fold import Folded
from boolfact.pricing.limits import Limits

__all__ = ["Incumbents", "Vector"]

Vector = NDArray[np.bool_]

_STARTS, _KICKS, _FLIPS = 60, 8, 3
_WORK = 2_000_000
"""Entries looked at by the starts together, in one pass of the ascent over all columns."""

_KEPT = 10
_GOOD = 0.8


class Incumbents:
    """Rectangles met so far, in terms of the original matrix.

    Parameters
    ----------
    H : array (n, m)
        The original matrix.
    folded : Folded
        What the search works on.
    """

    def __init__(self, H: NDArray[np.int64], folded: Folded) -> None:
        self.folded = folded
        n, m = H.shape
        self.best: tuple[int, Vector, Vector] = (
            0, np.zeros(n, dtype=np.bool_), np.zeros(m, dtype=np.bool_),
        )  # fmt: skip
        self.usual = np.zeros(folded.columns.shape[0])
        """How often each folded column is in the good sets that the ascents ended in."""
        self._H = H.T if folded.transposed else H
        self._known: dict[bytes, tuple[int, Vector, Vector]] = {}

    def add(self, b: Vector) -> None:
        """Take note of a set of folded columns, with the best rows for it."""
        full = self.folded.unfold(b)
        sums = self._H[:, full].sum(axis=1)
        a = sums > 0
        value = int(sums[a].sum())
        pair = (full, a) if self.folded.transposed else (a, full)
        entry = self._known.setdefault(full.tobytes(), (value, *pair))
        if value > self.best[0]:
            self.best = entry

    def climb(self, start: Iterable[tuple[Vector, Vector]], limits: Limits) -> None:
        """Begin with ascents from the given rectangles, from rows of H and from random sets."""
        columns = self.folded.columns
        m, n = columns.shape
        if m == 0:
            return
        if int(np.abs(columns).sum()) < 2**31:
            columns = columns.astype(np.int32)
        rng = np.random.default_rng(0)
        sets = self._restricted(start)
        count = min(_STARTS, max(6, _WORK // (m * n)))
        sets += [_starting_set(columns, u, rng) for u in range(count)]
        B = np.array(sets)
        rounds = min(_KICKS, _WORK // (m * n))
        kicks = rng.integers(m, size=(len(sets), rounds, _FLIPS))
        values = np.zeros(len(sets), dtype=np.int64)
        batch = max(1, _WORK // (4 * m * n))
        for u in range(0, len(sets), batch):
            part = slice(u, u + batch)
            values[part] = climb_with_kicks(columns, B[part], kicks[part])
            if limits.ended(int(values.max())):
                break
        self.usual = np.unique(B[values >= _GOOD * values.max()], axis=0).mean(axis=0)
        for u in np.argsort(-values, kind="stable")[: 2 * _KEPT]:
            self.add(B[u])

    def others(self) -> list[tuple[int, Vector, Vector]]:
        """A few of the rectangles met, best first, without the best one and the empty one."""
        ranked = sorted(self._known.values(), key=lambda entry: -entry[0])
        return [entry for entry in ranked if entry is not self.best and entry[0] > 0][:_KEPT]

    def _restricted(self, start: Iterable[tuple[Vector, Vector]]) -> list[Vector]:
        sets = []
        for a, b in start:
            side = np.asarray(a if self.folded.transposed else b, dtype=np.bool_)
            if side.shape != (self._H.shape[1],):
                n, m = self._H.T.shape if self.folded.transposed else self._H.shape
                raise ValueError(
                    f"start must hold pairs of row and column sets of lengths {n} and {m}, got a "
                    f"pair of shapes {np.shape(a)} and {np.shape(b)}"
                )
            sets.append(self.folded.restrict(side))
        return sets


def _starting_set(columns: NDArray[np.signedinteger], u: int, rng: np.random.Generator) -> Vector:
    """By turns the positive part of a row, of two rows, and a random set."""
    m, n = columns.shape
    first, second = rng.integers(n, size=2)
    chances = rng.random(m)
    if u % 3 == 2:
        return np.less(chances, rng.random() / 2)
    chosen = np.greater(columns[:, first], 0)
    return chosen if u % 3 == 0 else chosen & np.greater(columns[:, second], 0)
