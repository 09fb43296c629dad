"""What the path to a leaf decides, and the problem that is left there.

A split must have a child for each of its outcomes:

- ``entry`` i, j: some rectangle covers the entry; none does.
- ``owner`` i, j, with s rectangles named: each of them in turn covers it; then, if s < k, a
  further rectangle covers it, and is named; none does. The k rectangles have no order, so which of
  the others is named next makes no difference.
- ``row`` u, i and ``column`` u, j: it is in the named rectangle u; it is not.

Whatever was decided before, every factorisation keeps to one of the outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.reading import CertificateError, Reduced, sequence, whole

__all__ = ["Named", "Path", "Remaining"]


@dataclass(frozen=True)
class Named:
    """A named rectangle: rows and columns that are in it, and those that are not."""

    rows: frozenset[int]
    columns: frozenset[int]
    no_rows: frozenset[int] = frozenset()
    no_columns: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Remaining:
    """The problem that is left at a leaf.

    Attributes
    ----------
    values, weights : ndarray
        Entries that are paid for, or may not be covered, are missing.
    barred : ndarray of bool
        Entries that may not be covered.
    free : ndarray of bool
        Ones that must be covered: their prices have no upper limit.
    ones_paid, zeros_paid : int
        Weight of the ones that are not covered, and of the zeros that are.
    """

    values: NDArray[np.int8]
    weights: NDArray[np.int64]
    barred: NDArray[np.bool_]
    free: NDArray[np.bool_]
    ones_paid: int
    zeros_paid: int

    def constant(self, zero_price: Fraction) -> Fraction:
        """What is paid already, where a covered zero of weight 1 costs at least this."""
        return self.ones_paid + zero_price * self.zeros_paid


@dataclass(frozen=True)
class Path:
    """Decisions from the root to a node."""

    k: int
    shape: tuple[int, int]
    covered: frozenset[tuple[int, int]] = frozenset()
    uncovered: frozenset[tuple[int, int]] = frozenset()
    named: tuple[Named, ...] = ()

    def children(self, split: Any) -> list[Path]:
        """The outcomes of a split, in order; all of them."""
        parts = sequence(split, "a split", 3)
        u, v = (whole(part, "a number of a split") for part in parts[1:])
        n, m = self.shape
        if parts[0] in ("entry", "owner"):
            if u >= n or v >= m:
                raise CertificateError(f"a split is on the entry ({u}, {v}), which is not there")
            if parts[0] == "entry":
                return [self._covering((u, v)), self._leaving((u, v))]
            owners = [self._with(w, rows={u}, columns={v}) for w in range(len(self.named))]
            if len(self.named) < self.k:
                further = Named(frozenset({u}), frozenset({v}))
                owners.append(self._replace(named=(*self.named, further)))
            return [*owners, self._leaving((u, v))]
        if parts[0] not in ("row", "column"):
            raise CertificateError(f"a split must be one that can be checked, got {parts[0]!r}")
        if u >= len(self.named) or v >= (n if parts[0] == "row" else m):
            raise CertificateError(f"a split is on {parts[0]} {v} of the rectangle {u}, not there")
        if parts[0] == "row":
            return [self._with(u, rows={v}), self._with(u, no_rows={v})]
        return [self._with(u, columns={v}), self._with(u, no_columns={v})]

    @property
    def is_impossible(self) -> bool:
        """Whether the decisions contradict each other, so nothing keeps to them."""
        return bool(
            self.covered & self.uncovered
            or any(one.rows & one.no_rows or one.columns & one.no_columns for one in self.named)
            or any(
                i in one.rows and j in one.columns for one in self.named for i, j in self.uncovered
            )
        )

    def remaining(self, reduced: Reduced) -> Remaining:
        """The problem with these entries decided."""
        values, weights = reduced.values.copy(), reduced.weights.copy()
        barred = np.zeros(self.shape, dtype=np.bool_)
        free = np.zeros(self.shape, dtype=np.bool_)
        ones_paid = zeros_paid = 0
        for i, j in self.covered:
            if values[i, j] == 1:
                free[i, j] = True
            elif values[i, j] == 0:
                zeros_paid += int(weights[i, j])
                values[i, j], weights[i, j] = -1, 0
        for i, j in self.uncovered:
            if values[i, j] == 1:
                ones_paid += int(weights[i, j])
            barred[i, j] = True
            values[i, j], weights[i, j] = -1, 0
        return Remaining(values, weights, barred, free, ones_paid, zeros_paid)

    def _covering(self, entry: tuple[int, int]) -> Path:
        return self._replace(covered=self.covered | {entry})

    def _leaving(self, entry: tuple[int, int]) -> Path:
        return self._replace(uncovered=self.uncovered | {entry})

    def _with(self, place: int, **more: set[int]) -> Path:
        old = self.named[place]
        fields = {
            name: getattr(old, name) | more.get(name, set())
            for name in ("rows", "columns", "no_rows", "no_columns")
        }
        named = list(self.named)
        named[place] = Named(**fields)
        return self._replace(named=tuple(named))

    def _replace(self, **changes: Any) -> Path:
        fields = {
            name: getattr(self, name) for name in ("k", "shape", "covered", "uncovered", "named")
        }
        return Path(**{**fields, **changes})
