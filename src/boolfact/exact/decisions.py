"""What the path of a node decides: entries of the product, and members of named rectangles.

- ``("entry", i, j)``: 0, some rectangle covers the entry; 1, none does.
- ``("owner", i, j)``, with s rectangles named: u < s, the named rectangle u covers the entry; s,
  where s < k, a further one does, which is named from now on; the last outcome, none does.
- ``("row", u, i)``: 0, row i is in the named rectangle u; 1, it is not.
- ``("column", u, j)``: 0, column j is in the named rectangle u; 1, it is not.

Every factorisation of rank k keeps to some outcome of each, whatever was decided before: the
rectangles have no order, so one of those not named yet may be given the next name. So no split
loses a solution.

A named rectangle contains an entry from the start, so it has a row and a column. Its *class* is
all rectangles that have its rows and columns and none of those decided against, and cover no entry
that is not covered. Where no decision contradicts another, the least of them is in it: no class
is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.node import ROOT, Entry, Node
from boolfact.exact.problem import Split, Step

__all__ = ["Decisions", "Slot", "outcomes_of"]


@dataclass(frozen=True)
class Slot:
    """What is decided of a named rectangle."""

    rows: frozenset[int] = field(default_factory=frozenset)
    columns: frozenset[int] = field(default_factory=frozenset)
    no_rows: frozenset[int] = field(default_factory=frozenset)
    no_columns: frozenset[int] = field(default_factory=frozenset)

    def covers(self, entry: Entry) -> bool:
        """Whether every rectangle of the class covers it."""
        return entry[0] in self.rows and entry[1] in self.columns

    def bars(self, entry: Entry) -> bool:
        """Whether no rectangle of the class covers it, as far as rows and columns tell."""
        return entry[0] in self.no_rows or entry[1] in self.no_columns

    @property
    def is_empty(self) -> bool:
        """Whether the decisions contradict each other."""
        return bool(self.rows & self.no_rows or self.columns & self.no_columns)

    def with_row(self, i: int) -> Slot:
        """Also with a row."""
        return Slot(self.rows | {i}, self.columns, self.no_rows, self.no_columns)

    def with_column(self, j: int) -> Slot:
        """Also with a column."""
        return Slot(self.rows, self.columns | {j}, self.no_rows, self.no_columns)

    def without_row(self, i: int) -> Slot:
        """Not with a row."""
        return Slot(self.rows, self.columns, self.no_rows | {i}, self.no_columns)

    def without_column(self, j: int) -> Slot:
        """Not with a column."""
        return Slot(self.rows, self.columns, self.no_rows, self.no_columns | {j})

    def contains(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rectangles are in the class, as far as rows and columns tell."""
        return np.asarray(
            A[:, sorted(self.rows)].all(axis=1)
            & B[:, sorted(self.columns)].all(axis=1)
            & ~A[:, sorted(self.no_rows)].any(axis=1)
            & ~B[:, sorted(self.no_columns)].any(axis=1)
        )


def outcomes_of(split: Split, named: int, k: int) -> int:
    """How many outcomes a split has where some rectangles are named.

    Examples
    --------
    >>> outcomes_of(("entry", 0, 0), 2, 3), outcomes_of(("owner", 0, 0), 2, 3)
    (2, 4)
    >>> outcomes_of(("owner", 0, 0), 3, 3)
    4
    """
    return named + 1 + (named < k) if split[0] == "owner" else 2


@dataclass(frozen=True)
class Decisions:
    """Entries and named rectangles, as a path decides them.

    Attributes
    ----------
    node : Node
        Entries that are covered, and entries that are not.
    slots : tuple of Slot
        The named rectangles, in the order of their names.
    contradiction : bool
        Whether nothing keeps to all of it.

    Examples
    --------
    >>> path = [(("entry", 0, 1), 1), (("owner", 2, 2), 0), (("row", 0, 1), 1)]
    >>> decided = Decisions.of(path, 3)
    >>> sorted(decided.node.uncovered), sorted(decided.slots[0].no_rows)
    ([(0, 1)], [1])
    """

    node: Node = ROOT
    slots: tuple[Slot, ...] = ()
    contradiction: bool = False

    @classmethod
    def of(cls, path: Sequence[Step], k: int) -> Decisions:
        """The decisions of a path."""
        covered: set[Entry] = set()
        uncovered: set[Entry] = set()
        slots: list[Slot] = []
        for split, outcome in path:
            kind, u, v = split
            if not 0 <= outcome < outcomes_of(split, len(slots), k):
                raise ValueError(f"split {split} has no outcome {outcome}")
            if kind == "entry":
                (covered, uncovered)[outcome].add((u, v))
            elif kind == "owner":
                if outcome == outcomes_of(split, len(slots), k) - 1:
                    uncovered.add((u, v))
                elif outcome == len(slots):
                    slots.append(Slot(frozenset({u}), frozenset({v})))
                else:
                    slots[outcome] = slots[outcome].with_row(u).with_column(v)
            elif kind == "row":
                slots[u] = slots[u].without_row(v) if outcome else slots[u].with_row(v)
            elif kind == "column":
                slots[u] = slots[u].without_column(v) if outcome else slots[u].with_column(v)
            else:
                raise ValueError(f"there is no split {kind!r}")
        wrong = bool(covered & uncovered) or any(slot.is_empty for slot in slots)
        wrong = wrong or any(slot.covers(entry) for slot in slots for entry in uncovered)
        if wrong:
            return cls(ROOT, tuple(slots), True)
        return cls(Node(frozenset(covered), frozenset(uncovered)), tuple(slots))

    def keeps(self, A: NDArray[np.bool_], B: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rectangles cover no entry that is not to be covered."""
        keeps = np.ones(len(A), dtype=np.bool_)
        for i, j in self.node.uncovered:
            keeps &= ~(A[:, i] & B[:, j])
        return keeps
