"""The verifier's own proof that no rectangle is worth more than a limit.

It settles max a'Hb <= limit over binary a and b, for a matrix H of whole numbers, and nothing
of it is shared with the solver. For each number t of columns in b there is one tree search, see
`boolfact.certificate.tree`.
"""

from __future__ import annotations

import enum
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.tree import (
    BUDGET,
    DONE,
    FOUND,
    FRAME,
    MEMORY,
    advance,
    first_frame,
    frame_size,
    node_bound,
)

__all__ = ["Outcome", "Proof", "prove_at_most"]

_MANTISSA_BITS = 53
_MOST_SLOPE_BITS = 24
_FEWEST_SLOPE_BITS = 4
_WORK_BUDGET = 20_000_000
"""Matrix cells per call of the kernel: about a twentieth of a second."""


_STARTS = 64
"""Rows from which the first search for a counterexample begins."""


class Outcome(enum.Enum):
    """What a search for a rectangle above the limit came to."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, eq=False)
class Proof:
    """How far the proof of max a'Hb <= limit came.

    `upper_bound` holds whatever the outcome; `value` is the worth of the best rectangle that
    was met, (a, b). PROVED: upper_bound is the limit. REFUTED: value is above the limit.
    """

    outcome: Outcome
    upper_bound: int
    value: int
    a: NDArray[np.bool_]
    b: NDArray[np.bool_]
    nodes: int
    seconds: float


class _Tree:
    """The search among the sets of t columns, resumable."""

    def __init__(self, G: NDArray[np.float64], price: NDArray[np.float64], t: int, unit: float):
        n, m = G.shape
        self.unit = unit
        self.frames = np.zeros((t + 2, FRAME), dtype=np.int64)
        self.rest = np.zeros(t + 2)
        self.cells = np.empty(2 * frame_size(n, m))
        self.chosen = np.zeros(m, dtype=np.int64)
        self.state = np.zeros(3, dtype=np.int64)
        first_frame(G, price, t, self.frames, self.cells)
        self.rest[0], _, _ = node_bound(self.cells, self.frames[0], unit, np.empty(m), np.empty(m))

    @property
    def nodes(self) -> int:
        return int(self.state[1])

    def advance(self, limit: int) -> int:
        """One bounded piece of work."""
        status = MEMORY
        while status == MEMORY:
            status = int(advance(self.frames, self.rest, self.cells, self.chosen, self.state,
                                 float(limit), self.unit, _WORK_BUDGET))
            if status == MEMORY:
                self.cells = np.concatenate([self.cells, np.empty_like(self.cells)])
        return status

    def found(self) -> NDArray[np.bool_]:
        """The set of columns that the search stopped at."""
        b = np.zeros(len(self.chosen), dtype=np.bool_)
        b[self.chosen[: self.state[2]]] = True
        return b

    def open_bound(self) -> float:
        """A bound on everything not yet searched."""
        return float(self.rest[: self.state[0] + 1].max(initial=0.0))


def prove_at_most(
    H: NDArray[np.int64],
    limit: int,
    *,
    column_copies: NDArray[np.int64] | None = None,
    row_copies: NDArray[np.int64] | None = None,
    deadline: float = math.inf,
    report: Callable[[int, int, int], None] | None = None,
) -> Proof:
    """Prove that no rectangle is worth more than `limit`, or find one that is.

    Parameters
    ----------
    H : ndarray of int64, shape (n, m)
    limit : int
        Not negative: the empty rectangle is worth 0.
    column_copies, row_copies : ndarray of int64, optional
        How many equal columns (rows) of the data a column (row) stands for. Any positive
        numbers give a valid proof; the true ones give the shortest.
    deadline : float
        On the clock of `time.monotonic`.
    report : callable, optional
        Called now and then with nodes, trees done and trees in all.

    Raises
    ------
    OverflowError
        If the numbers are too large for exact arithmetic in float64.

    Examples
    --------
    >>> H = np.array([[3, -2], [-2, 1]])
    >>> prove_at_most(H, 3).outcome, prove_at_most(H, 2).value
    (<Outcome.PROVED: 'proved'>, 3)
    """
    H = np.ascontiguousarray(H, dtype=np.int64)
    n, m = H.shape
    rows = np.ones(n, dtype=np.int64) if row_copies is None else np.asarray(row_copies)
    columns = np.ones(m, dtype=np.int64) if column_copies is None else np.asarray(column_copies)
    if limit < 0:
        raise ValueError(f"limit must not be negative, got {limit}")
    start = time.monotonic()
    # A tree decides about columns, so let the columns be the shorter side.
    turned = int(rows.sum()) < int(columns.sum())
    side = _Side(np.ascontiguousarray(H.T), rows) if turned else _Side(H, columns)
    value, a, b = _good_rectangle(H)
    if value > limit:
        return Proof(Outcome.REFUTED, int(H[H > 0].sum()), value, a, b, 0,
                     time.monotonic() - start)
    nodes = 0
    open_trees = side.trees_to_search(limit)
    total = len(open_trees)
    for done, (_, t) in enumerate(open_trees):
        tree = _Tree(side.G, side.price, t, side.unit)
        status = BUDGET
        while status == BUDGET:
            if time.monotonic() >= deadline:
                worst = max([tree.open_bound(), *(bound for bound, _ in open_trees[done + 1:])])
                upper = max(limit, math.floor(worst) // side.factor)
                return Proof(Outcome.OPEN, upper, value, a, b, nodes + tree.nodes,
                             time.monotonic() - start)
            status = tree.advance(limit * side.factor + side.factor - 1)
            if report is not None:
                report(nodes + tree.nodes, done, total)
        nodes += tree.nodes
        if status == FOUND:
            a, b = side.rectangle(tree.found())
            a, b = (b, a) if turned else (a, b)
            value = int(H[np.ix_(a, b)].sum())
            assert value > limit
            upper = max(value, math.floor(open_trees[0][0]) // side.factor)
            return Proof(Outcome.REFUTED, upper, value, a, b, nodes, time.monotonic() - start)
        assert status == DONE
    return Proof(Outcome.PROVED, limit, value, a, b, nodes, time.monotonic() - start)


class _Side:
    """H with merged columns taken apart again, split into prices of rows and entries >= 0.

    A zero costs in proportion to the copies of its column, so only with columns of one copy
    does the price of a row times t cancel every zero of the row. Column j becomes copies_j
    equal columns with H_j / copies_j each: for any a they are all taken or all left, so the
    maximum stays. `factor` makes the division exact.
    """

    def __init__(self, H: NDArray[np.int64], copies: NDArray[np.int64]) -> None:
        self.H = H
        self.copies = copies.astype(np.int64)
        self.factor = math.lcm(*(int(count) for count in self.copies))
        if _slope_bits(H, self.copies, self.factor) < _FEWEST_SLOPE_BITS:
            self.copies, self.factor = np.ones_like(self.copies), 1
        slope_bits = _slope_bits(H, self.copies, self.factor)
        if slope_bits < _FEWEST_SLOPE_BITS:
            raise OverflowError("the numbers are too large for exact arithmetic")
        self.unit = 2.0 ** min(slope_bits, _MOST_SLOPE_BITS)
        split = np.repeat(H * self.factor // self.copies, self.copies, axis=1)
        price = np.maximum(0, -split.min(axis=1))
        # A row without a positive entry never adds anything.
        useful = (split > 0).any(axis=1)
        self.G = (split + price[:, None])[useful].astype(np.float64)
        self.price = price[useful].astype(np.float64)

    def trees_to_search(self, limit: int) -> list[tuple[float, int]]:
        """The numbers of columns that a first bound does not exclude, largest bound first."""
        if not len(self.G):
            return []
        trees = []
        for t in range(1, self.G.shape[1] + 1):
            bound = _Tree(self.G, self.price, t, self.unit).open_bound()
            if bound >= (limit + 1) * self.factor:
                trees.append((bound, t))
        return sorted(trees, reverse=True)

    def rectangle(self, split_b: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The rows that gain from some of the split columns, and the best columns for them."""
        owner = np.repeat(np.arange(len(self.copies)), self.copies)
        counts = np.bincount(owner[split_b], minlength=len(self.copies))
        a = (self.H * self.factor // self.copies) @ counts > 0
        return a, a @ self.H > 0


def _slope_bits(H: NDArray[np.int64], copies: NDArray[np.int64], factor: int) -> int:
    """How many binary digits float64 leaves for slopes, in Python integers of any size.

    With |H_ij| at most top_i, a base, a row sum and hence every chord of row i stay within
    four times (columns x top_i).
    """
    tops = (max(abs(int(low)), abs(int(high)))
            for low, high in zip(H.min(axis=1), H.max(axis=1), strict=True))
    largest_sum = 8 * int(copies.sum()) * factor * sum(tops) + 1
    return _MANTISSA_BITS - largest_sum.bit_length()


def _good_rectangle(H: NDArray[np.int64]) -> tuple[int, NDArray[np.bool_], NDArray[np.bool_]]:
    """A rectangle found by alternation from rows: most wrong limits fall to it at once."""
    n, m = H.shape
    best = 0, np.zeros(n, dtype=np.bool_), np.zeros(m, dtype=np.bool_)
    starts = np.unique(H > 0, axis=0)
    for b in starts[:: math.ceil(len(starts) / _STARTS)]:
        value = -1
        while True:
            a = H @ b > 0
            sums = a @ H
            b = sums > 0
            new = int(sums[b].sum())
            if new <= value:
                break
            value = new
        if value > best[0]:
            best = value, a, b
    return best
