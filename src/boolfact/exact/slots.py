"""MLP(rho) with named rectangles: a class of columns for each, and one for all the others.

    min  w'x + sum of costs q   s.t.  cover of every one + x >= 1,
         for each named rectangle: its class is taken once,   the others: at most k - s times

For prices 0 <= p <= w of the ones, let H be p on ones and -rho w on zeros, omega_u at least the
worth a'Hb of every rectangle in the class of the named rectangle u, and omega at least that of
every rectangle, and 0. Then every factorisation that keeps to the decisions costs at least

    sum(p) - sum over u of omega_u - (k - s) omega,

since it costs at least p(1 - covers) for each one, and rho w for each cover of a zero, that is
sum(p) less the worths of its k rectangles. Once every row and column of k named rectangles is
decided, each class has a single member, and the best p make this the cost itself: w on the ones
that none covers, 0 on the others. So splitting ends.

**Pricing a class** is pricing a smaller matrix. Rows and columns decided against go. Rows
that are in are added up to one row, columns likewise, and their common entry is raised by so much
that no best rectangle is without it; what it was raised by is taken off again. Whatever was added,
the bound holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from boolfact.colgen.mlp.duals import DualPoint, round_dual
from boolfact.colgen.mlp.problem import MasterProblem
from boolfact.colgen.node import Decided
from boolfact.control.stop import Stop
from boolfact.exact.decisions import Slot
from boolfact.highs import RowProgram
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.exact import price_exact
from boolfact.pricing.multistart import price_multistart
from boolfact.pricing.worth import whole_worths

__all__ = ["ClassMatrix", "SlotSolution", "solve_slots"]

_Sets = NDArray[np.bool_]
_STARTS = 40
"""Columns of a class from which the heuristic climbs, the best ones."""
_TAKEN = 10
"""New columns of a class in a round."""
_MOST_ROUNDS = 2000
_CLEARLY = 1e-7
"""A column beats its class if it is worth more by this, relative to the largest price."""


@dataclass(frozen=True, eq=False)
class ClassMatrix:
    """The pricing matrix of a class, contracted; see the module.

    Attributes
    ----------
    H : ndarray of int64
        Of the rows and columns that are open, after one for those that are in.
    raised : int
        By which the first entry was raised; 0 for the class of all others.
    """

    H: NDArray[np.int64]
    raised: int
    _rows: list[NDArray[np.int64]]
    _columns: list[NDArray[np.int64]]
    _shape: tuple[int, int]

    @classmethod
    def of(cls, H: NDArray[np.int64], slot: Slot | None) -> ClassMatrix:
        """For a named rectangle, or for the others where there is none."""
        n, m = H.shape
        if slot is None:
            rows = [np.array([i]) for i in range(n)]
            columns = [np.array([j]) for j in range(m)]
            return cls(_less_dear(H, forced=False), 0, rows, columns, (n, m))
        rows = _groups(n, slot.rows, slot.no_rows)
        columns = _groups(m, slot.columns, slot.no_columns)
        small = np.array([H[group].sum(axis=0) for group in rows])
        small = np.array([small[:, group].sum(axis=1) for group in columns]).T
        small = _less_dear(small, forced=True)
        # Taking in the first row and column never costs more than what is negative in them.
        raised = 1 - int(np.minimum(small[0], 0).sum()) - int(np.minimum(small[:, 0], 0).sum())
        small[0, 0] += raised
        return cls(small, raised, rows, columns, (n, m))

    def lift(self, a: _Sets, b: _Sets) -> tuple[_Sets, _Sets]:
        """A rectangle of the whole matrix; where something is raised, with what is in."""
        rows = np.zeros(self._shape[0], dtype=np.bool_)
        columns = np.zeros(self._shape[1], dtype=np.bool_)
        if self.raised:
            a, b = a.copy(), b.copy()
            a[0] = b[0] = True
        for whole, part, groups in ((rows, a, self._rows), (columns, b, self._columns)):
            for u in np.flatnonzero(part):
                whole[groups[u]] = True
        return rows, columns

    def contract(self, B: _Sets) -> _Sets:
        """Sets of columns of the class as sets of columns of H."""
        return np.array([B[:, group[0]] for group in self._columns]).T


@dataclass(eq=False)
class _Class:
    """The columns of one class, and how often they are taken."""

    slot: Slot | None
    times: int
    pool: RectanglePool
    q: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    in_program: int = 0


@dataclass(frozen=True, eq=False)
class SlotSolution:
    """What was proved, and the solution of the last master.

    Attributes
    ----------
    value : Fraction
        The bound, with what is paid already.
    dual : DualPoint or None
        None where nothing was proved.
    omegas : tuple of int
        At `dual`, in its units: of each named rectangle, then of all others (0 if there are none).
    q : list of ndarrays
        For each named rectangle and then for the others, how far each column is taken.
    pools : list of RectanglePool
    complete : bool
        False where the stop cut it short.
    nodes : int
    """

    value: Fraction
    dual: DualPoint | None
    omegas: tuple[int, ...]
    q: list[NDArray[np.float64]]
    pools: list[RectanglePool]
    complete: bool
    nodes: int


def solve_slots(
    left: Decided,
    k: int,
    rho: Fraction,
    slots: tuple[Slot, ...],
    columns: tuple[_Sets, _Sets],
    needed: Fraction,
    stop: Stop,
) -> SlotSolution:
    """Column generation for MLP(rho) with named rectangles.

    Parameters
    ----------
    left : Decided
        The matrix with the weights that the decisions on entries leave.
    k : int
    rho : Fraction
    slots : tuple of Slot
        At most k, none of them empty.
    columns : pair of ndarrays of bool
        Rectangles to begin with; those that fit into a class are used.
    needed : Fraction
        A bound strictly above this is enough.
    stop : Stop
    """
    return _Generation(left, k, rho, slots, columns, needed, stop).run()


class _Generation:
    def __init__(
        self,
        left: Decided,
        k: int,
        rho: Fraction,
        slots: tuple[Slot, ...],
        columns: tuple[_Sets, _Sets],
        needed: Fraction,
        stop: Stop,
    ) -> None:
        self.left, self.k, self.rho, self.needed, self.stop = left, k, rho, needed, stop
        self.problem = MasterProblem(left.matrix, k, rho, left.constant)
        self.classes = [_Class(slot, 1, RectanglePool(*left.matrix.shape)) for slot in slots]
        if len(slots) < k:
            self.classes.append(_Class(None, k - len(slots), RectanglePool(*left.matrix.shape)))
        for part in self.classes:
            self._begin(part, *columns)
        self.program = self._program()
        self.order: list[int] = []
        self.best: tuple[Fraction, DualPoint | None, tuple[int, ...]] = (
            Fraction(-1), None, (),
        )  # fmt: skip
        self.nodes = 0

    def run(self) -> SlotSolution:
        complete = False
        bits: int | None = None
        for _ in range(_MOST_ROUNDS):
            p, mu = self._solve_master()
            if self.stop.now():
                break
            dual = round_dual(p, self.left.matrix, self.rho, bits)
            H = dual.pricing_matrix(self.left.matrix)
            if self._add_by_heuristic(H, mu, dual.scale):
                continue
            added = self._price(dual, H, mu)
            if self.best[0] > self.needed or (not added and bits is not None):
                complete = True
                break
            if not added:
                bits = 26
            if self.stop.now():
                break
        value, proof, omegas = self.best
        named = len(self.classes) - (self.classes[-1].slot is None)
        if named == len(self.classes) and proof is not None:
            omegas = (*omegas, 0)
        return SlotSolution(
            value,
            proof,
            omegas,
            [part.q for part in self.classes],
            [part.pool for part in self.classes],
            complete,
            self.nodes,
        )

    def _begin(self, part: _Class, A: _Sets, B: _Sets) -> None:
        barred = self.left.barred
        fits = ~_meets(barred, A, B)
        if part.slot is not None:
            fits &= part.slot.contains(A, B)
            n, m = barred.shape
            least = (np.isin(np.arange(n), list(part.slot.rows)),
                     np.isin(np.arange(m), list(part.slot.columns)))  # fmt: skip
            part.pool.add(*least)
        part.pool.extend(zip(A[fits], B[fits], strict=True))

    def _program(self) -> RowProgram:
        """The dual: prices, then mu of each class; that of a named one may be negative."""
        times = [float(part.times) for part in self.classes]
        cost = np.r_[-np.ones(len(self.problem.w)), times, [-1.0] * len(self.classes)]
        own = [np.inf if part.slot is not None else 0.0 for part in self.classes]
        upper = np.r_[self.problem.w, [np.inf] * len(self.classes), own]
        return RowProgram(cost, upper, "simplex")

    def _solve_master(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        ones, classes = len(self.problem.w), len(self.classes)
        for u, part in enumerate(self.classes):
            A, B = part.pool.A[part.in_program :], part.pool.B[part.in_program :]
            if not len(A):
                continue
            signs = np.zeros((len(A), 2 * classes))
            signs[:, u], signs[:, classes + u] = -1.0, 1.0
            rows = np.hstack([self.problem.incidence(A, B), signs])
            self.program.add_rows(sparse.csr_matrix(rows), self.problem.costs(A, B))
            self.order += [u] * len(A)
            part.in_program = len(part.pool)
        x, duals = self.program.solve(self.stop)
        order = np.array(self.order, dtype=np.int64)
        for u, part in enumerate(self.classes):
            part.q = np.maximum(0.0, -duals[order == u])
        mu = x[ones : ones + classes] - x[ones + classes :]
        return self.problem.duals(x[:ones]), mu

    def _add_by_heuristic(self, H: NDArray[np.int64], mu: NDArray[np.float64], scale: int) -> int:
        added = 0
        for part, threshold in zip(self.classes, mu, strict=True):
            small = ClassMatrix.of(H, part.slot)
            worth = whole_worths(H, part.pool.A, part.pool.B)
            best = np.argsort(-worth, kind="stable")[:_STARTS]
            starts = small.contract(part.pool.B[best])
            starts = np.vstack([starts, np.eye(small.H.shape[1], dtype=np.bool_)])
            found = price_multistart(small.H.astype(np.float64), starts)
            columns = [small.lift(a, b) for a, b in zip(found.A, found.B, strict=True)]
            added += self._take(part, H, columns, threshold * scale)
        return added

    def _price(self, dual: DualPoint, H: NDArray[np.int64], mu: NDArray[np.float64]) -> int:
        """Exact pricing of every class: a bound, and the columns that beat their class."""
        omegas, added = [], 0
        for part, threshold in zip(self.classes, mu, strict=True):
            small = ClassMatrix.of(H, part.slot)
            result = price_exact(small.H, stop=self.stop)
            self.nodes += result.nodes
            omegas.append(result.upper_bound - small.raised)
            found = [(result.a, result.b), *((a, b) for _, a, b in result.found)]
            columns = [small.lift(a, b) for a, b in found]
            added += self._take(part, H, columns, threshold * dual.scale)
        paid = sum(part.times * omega for part, omega in zip(self.classes, omegas, strict=True))
        value = self.left.constant + Fraction(dual.total - paid, dual.scale)
        if value > self.best[0]:
            self.best = (value, dual, tuple(omegas))
        return added

    def _take(
        self,
        part: _Class,
        H: NDArray[np.int64],
        columns: list[tuple[_Sets, _Sets]],
        threshold: float,
    ) -> int:
        """Add the best columns that are worth more than their class; how many were new."""
        columns = [(a, b) for a, b in columns if a.any() and b.any()]
        if not columns:
            return 0
        A, B = (np.array(sets) for sets in zip(*columns, strict=True))
        worth = whole_worths(H, A, B)
        least = threshold + _CLEARLY * max(1.0, abs(threshold), float(H.max(initial=0)))
        good = np.flatnonzero((worth > least) & ~_meets(self.left.barred, A, B))
        best = good[np.argsort(-worth[good], kind="stable")[:_TAKEN]]
        return part.pool.extend([(A[u], B[u]) for u in best])


def _groups(size: int, inside: frozenset[int], outside: frozenset[int]) -> list[NDArray[np.int64]]:
    free = [u for u in range(size) if u not in inside and u not in outside]
    return [np.array(sorted(inside)), *(np.array([u]) for u in free)]


def _less_dear(H: NDArray[np.int64], forced: bool) -> NDArray[np.int64]:
    """Entries only as dear as it takes to keep them out: sums of the search stay small.

    Raising an entry can only raise worths, so what bounds the new matrix bounds the old one.
    """
    positive = np.maximum(H, 0)
    of_rows, of_columns = positive.sum(axis=1)[:, None], positive.sum(axis=0)[None, :]
    enough = np.minimum(of_rows, of_columns)
    if forced:
        # The first row and the first column cannot be left out: the other side has to give way.
        enough[0], enough[:, 0] = of_columns[0], of_rows[:, 0]
        enough[0, 0] = -min(0, int(H[0, 0]))
    return np.maximum(H, -enough - 1)


def _meets(barred: NDArray[np.bool_], A: _Sets, B: _Sets) -> NDArray[np.bool_]:
    """Which rectangles cover a barred entry."""
    meets = np.zeros(len(A), dtype=np.bool_)
    for i, j in np.argwhere(barred):
        meets |= A[:, i] & B[:, j]
    return meets
