"""A node of a search tree: entries of the product that are decided, as a change of weights.

| entry | decision | effect |
|---|---|---|
| a zero | not covered | barred: covering it costs more than any rectangle can bring |
| a zero | covered | paid for once; covering it costs nothing more |
| a one | covered | leaving it uncovered costs more than covering nothing at all |
| a one | not covered | paid for, and barred |

So relaxations need no code for nodes: they work on the matrix with changed weights, and add the
constant that is paid. The limits of dual variables are weights; they change with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix

__all__ = ["ROOT", "Decided", "Node", "decide"]

Entry = tuple[int, int]


@dataclass(frozen=True)
class Node:
    """Decisions on entries of the product.

    Attributes
    ----------
    covered, uncovered : frozenset of (row, column)

    Examples
    --------
    >>> node = ROOT.cover((0, 1)).leave((2, 2))
    >>> node.decisions, node.is_root
    (2, False)
    >>> node.leave((0, 1))
    Traceback (most recent call last):
        ...
    ValueError: entry (0, 1) is decided already
    """

    covered: frozenset[Entry] = field(default_factory=frozenset)
    uncovered: frozenset[Entry] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        both = self.covered & self.uncovered
        if both:
            raise ValueError(f"entry {min(both)} cannot be covered and uncovered")

    @property
    def is_root(self) -> bool:
        """Whether nothing is decided."""
        return not self.covered and not self.uncovered

    @property
    def decisions(self) -> int:
        """How many entries are decided."""
        return len(self.covered) + len(self.uncovered)

    def cover(self, entry: Entry) -> Node:
        """The child in which this entry is covered."""
        self._check_free(entry)
        return Node(self.covered | {entry}, self.uncovered)

    def leave(self, entry: Entry) -> Node:
        """The child in which this entry is not covered."""
        self._check_free(entry)
        return Node(self.covered, self.uncovered | {entry})

    def entry(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "covered": [list(entry) for entry in sorted(self.covered)],
            "uncovered": [list(entry) for entry in sorted(self.uncovered)],
        }

    def _check_free(self, entry: Entry) -> None:
        if entry in self.covered or entry in self.uncovered:
            raise ValueError(f"entry {entry} is decided already")


ROOT = Node()
"""Nothing is decided."""


@dataclass(frozen=True, eq=False)
class Decided:
    """The problem that is left at a node.

    Attributes
    ----------
    matrix : BinaryMatrix
        With changed weights; ones that are given up are zeros.
    constant : Fraction
        What is paid already, to be added to every value.
    barred : ndarray of bool, shape (n, m)
        Entries that may not be covered.
    """

    matrix: BinaryMatrix
    constant: Fraction
    barred: NDArray[np.bool_]


def decide(
    matrix: BinaryMatrix, node: Node, cover_price: Fraction, zero_price: Fraction
) -> Decided:
    """The problem that is left at a node.

    Parameters
    ----------
    matrix : BinaryMatrix
    node : Node
    cover_price : Fraction
        What a relaxation charges for each cover of a zero of weight 1.
    zero_price : Fraction
        What a covered zero of weight 1 costs at least in the quantity that is bounded: 1 in the
        error, rho in the objective.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0], [1, 1]], dtype=np.int8))
    >>> left = decide(X, ROOT.cover((0, 1)).leave((1, 1)), Fraction(1), Fraction(1))
    >>> left.matrix.values.tolist(), left.matrix.weights.tolist(), left.constant
    ([[1, 0], [1, 0]], [[1, 0], [1, 3]], Fraction(2, 1))
    """
    barred = np.zeros(matrix.shape, dtype=np.bool_)
    if node.is_root:
        return Decided(matrix, Fraction(0), barred)
    _check(matrix, node)
    values, weights = matrix.values.copy(), matrix.weights.copy()
    constant = Fraction(0)
    for i, j in node.covered:
        if matrix.ones[i, j]:
            # The empty factorisation costs all ones. Whatever costs more is never worth it.
            weights[i, j] = matrix.ones_weight + 1
        else:
            constant += zero_price * int(matrix.weights[i, j])
            weights[i, j] = 0
    for i, j in node.uncovered:
        if matrix.ones[i, j]:
            constant += int(matrix.weights[i, j])
            values[i, j] = 0
        barred[i, j] = True
    # No rectangle can bring more than all ones together.
    too_dear = int(weights[values == 1].sum()) + 1
    weights[barred] = math.ceil(too_dear / cover_price)
    left = BinaryMatrix(values, weights, matrix.row_names, matrix.column_names)
    return Decided(left, constant, barred)


def _check(matrix: BinaryMatrix, node: Node) -> None:
    n, m = matrix.shape
    for i, j in sorted(node.covered | node.uncovered):
        if not (0 <= i < n and 0 <= j < m):
            raise ValueError(f"entry {(i, j)} is outside of a matrix of {n} rows and {m} columns")
        if matrix.weights[i, j] == 0:
            raise ValueError(f"entry {(i, j)} is missing: there is nothing to decide")
