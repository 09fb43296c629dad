"""Exact covers: all ones, no zero, by as few rectangles as possible.

The least number of rectangles is the Boolean rank. Its linear relaxation, the fractional
cover number, lies between the isolation number and the rank:

    max { sum y_e : sum of y over any rectangle of ones <= 1 }
        = min { sum q_R : every one is covered at least once in total }.

Any y divided by a bound on the heaviest rectangle proves a lower bound on the rank; any q
divided by the least cover proves an upper bound on the isolation number. Both are checked in
integers here, whatever the linear program did.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from boolfact.baselines.grecond import grecond
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.stop import Stop
from boolfact.highs import IntegerProgram, RowProgram, solve_integer
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.exact import price_exact
from boolfact.pricing.heuristic import price_heuristic
from boolfact.rank.concepts import Concepts, list_concepts
from boolfact.rank.isolation import allowed_entries

__all__ = ["FractionalCover", "fractional_cover", "integer_cover"]

_SCALE = 1 << 20
_VIOLATED = 1e-6
_MOST_CONCEPTS = 2_000
"""As many rectangles at most are handed to the integer program for the sake of completeness."""
_LARGEST_PROGRAM = 2_000_000
"""Entries above which HiGHS would not get past its presolve in time."""


@dataclass(frozen=True, eq=False)
class FractionalCover:
    """Proved bounds on the fractional cover number, and the rectangles met.

    Attributes
    ----------
    lower, upper : Fraction
    pool : RectanglePool
        Maximal rectangles of ones that together cover every one.
    """

    lower: Fraction
    upper: Fraction
    pool: RectanglePool


def fractional_cover(
    matrix: BinaryMatrix,
    entries: NDArray[np.int64],
    *,
    stop: Stop,
    seed: int | np.random.SeedSequence = 0,
    executor: Executor = SERIAL,
) -> FractionalCover:
    """Bound the fractional cover number of the ones at `entries` by generating rectangles.

    Parameters
    ----------
    matrix : BinaryMatrix
    entries : ndarray of int64, shape (count, 2)
        Ones that stand for all, see `boolfact.rank.isolation.critical_ones`.
    stop : Stop
        However early it says so, the bounds hold.
    seed : int or SeedSequence
    executor : Executor
        Where the exact search for a heavier rectangle runs.
    """
    allowed = allowed_entries(matrix)
    pool = _first_rectangles(matrix, allowed, entries)
    lower, upper = Fraction(min(1, len(entries))), Fraction(len(pool))
    if not len(entries):
        return FractionalCover(lower, upper, pool)
    rng = np.random.default_rng(seed)
    master = _Packing(entries)
    master.add(pool, 0)
    # Part of the time is kept for one exact search, without which y proves nothing.
    early = stop.share(0.7)
    concepts = list_concepts(allowed, entries, early)
    early = early if concepts is None else stop
    while not early.now() and master.solve(early):
        upper = min(upper, master.proved_upper(pool))
        known = len(pool)
        if concepts is not None:
            proved = _heavier_listed(concepts, master, pool)
        else:
            proved = _heavier_found(allowed, master, rng, pool, stop, executor)
        lower = max(lower, proved)
        if len(pool) == known:
            return FractionalCover(lower, upper, pool)
        master.add(pool, known)
    if concepts is None:
        exact = price_exact(master.integer_worth(allowed), stop=stop, executor=executor)
        lower = max(lower, master.proved_lower(exact.upper_bound))
    return FractionalCover(lower, upper, pool)


def _heavier_listed(concepts: Concepts, master: _Packing, pool: RectanglePool) -> Fraction:
    """Add rectangles whose y add up to more than 1; what y proves, all of them being known."""
    heavier = concepts.heavier(master.y, 1 + _VIOLATED)
    pool.extend(concepts.rectangles(heavier))
    return master.proved_lower(concepts.heaviest(master.scaled()))


def _heavier_found(
    allowed: NDArray[np.bool_],
    master: _Packing,
    rng: np.random.Generator,
    pool: RectanglePool,
    stop: Stop,
    executor: Executor,
) -> Fraction:
    """The same by searching: y proves something only where the exact search was needed."""
    known = len(pool)
    _heavier_rectangles(allowed, master.worth(allowed), rng, pool)
    if len(pool) > known:
        return Fraction(0)
    exact = price_exact(master.integer_worth(allowed), stop=stop, executor=executor)
    if exact.value > _SCALE * (1 + _VIOLATED):
        _extend(pool, allowed, exact.a, exact.b)
    return master.proved_lower(exact.upper_bound)


def integer_cover(
    matrix: BinaryMatrix, entries: NDArray[np.int64], pool: RectanglePool, *, stop: Stop
) -> Factors:
    """As few rectangles of the pool as possible that cover every one; at worst GreConD's."""
    ones = matrix.ones & (matrix.weights > 0)
    early = stop.share(0.25)
    covers_of_ones = (
        Factors(ones, np.eye(matrix.shape[1], dtype=np.bool_)),
        Factors(np.eye(matrix.shape[0], dtype=np.bool_), ones),
        grecond(matrix, stop=early),
        _turned(grecond(matrix.T, stop=early)),
    )
    whole = [factors for factors in covers_of_ones if factors.error(matrix) == 0]
    best = min(whole, key=lambda factors: factors.rank)
    if not len(entries):
        return best
    allowed = allowed_entries(matrix)
    for a, b in best.rectangles:
        _extend(pool, allowed, a, b)
    concepts = list_concepts(allowed, entries, early, most=_MOST_CONCEPTS)
    if concepts is not None:
        pool.extend(concepts.rectangles())
    covers = pool.A[:, entries[:, 0]] & pool.B[:, entries[:, 1]]
    if int(covers.sum()) > _LARGEST_PROGRAM or stop.now():
        return best
    count = len(entries)
    program = IntegerProgram(
        cost=np.ones(len(pool)),
        rows=sparse.csr_matrix(covers.T.astype(np.float64)),
        row_lower=np.ones(count),
        row_upper=np.full(count, np.inf),
        upper=np.ones(len(pool)),
        integer=np.ones(len(pool), dtype=np.bool_),
    )
    start = np.array([_holds_one_of(best, a, b) for a, b in pool], dtype=np.float64)
    solution = solve_integer(program, start=start, stop=stop, absolute_gap=0.999)
    if solution.x is not None:
        taken = solution.x > 0.5
        found = Factors(pool.A[taken].T, pool.B[taken])
        if found.error(matrix) == 0 and found.rank < best.rank:
            best = found
    return best


def _turned(factors: Factors) -> Factors:
    return Factors(factors.B.T, factors.A.T)


def _holds_one_of(factors: Factors, a: NDArray[np.bool_], b: NDArray[np.bool_]) -> bool:
    """Whether one of these rectangles lies inside a and b."""
    rows = ~(factors.A & ~a[:, None]).any(axis=0)
    columns = ~(factors.B & ~b).any(axis=1)
    return bool((rows & columns).any())


def _first_rectangles(
    matrix: BinaryMatrix, allowed: NDArray[np.bool_], entries: NDArray[np.int64]
) -> RectanglePool:
    """The widest rectangle of each row and the tallest of each column of a critical one."""
    pool = RectanglePool(*matrix.shape)
    for i in np.unique(entries[:, 0]):
        _extend(pool, allowed, _only(matrix.shape[0], i), allowed[i])
    for j in np.unique(entries[:, 1]):
        _extend(pool, allowed, allowed[:, j], _only(matrix.shape[1], j))
    return pool


def _only(size: int, where: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=np.bool_)
    mask[where] = True
    return mask


def _extend(
    pool: RectanglePool,
    allowed: NDArray[np.bool_],
    a: NDArray[np.bool_],
    b: NDArray[np.bool_],
) -> None:
    """Add the rectangle, made as large as it can be without a zero."""
    if not allowed[np.ix_(a, b)].all() or not a.any() or not b.any():
        return
    rows = np.asarray(allowed[:, b].all(axis=1))
    pool.add(rows, np.asarray(allowed[rows].all(axis=0)))


def _heavier_rectangles(
    allowed: NDArray[np.bool_],
    worth: NDArray[np.float64],
    rng: np.random.Generator,
    pool: RectanglePool,
) -> None:
    """Add rectangles whose y add up to more than 1."""
    found = price_heuristic(worth, rng)
    for value, a, b in zip(found.values, found.A, found.B, strict=True):
        if value > 1 + _VIOLATED:
            _extend(pool, allowed, a, b)


class _Packing:
    """The packing program over the rectangles so far; HiGHS goes on from its last basis."""

    def __init__(self, entries: NDArray[np.int64]) -> None:
        self.entries = entries
        self.y = np.zeros(len(entries))
        self.q = np.zeros(0)
        count = len(entries)
        # No upper limits: the rectangles imply them, and all duals then belong to rectangles.
        self._program = RowProgram(cost=-np.ones(count), upper=np.full(count, np.inf))

    def add(self, pool: RectanglePool, first: int) -> None:
        """Rows for the rectangles from `first` on."""
        rows, columns = self.entries.T
        inside = pool.A[first:][:, rows] & pool.B[first:][:, columns]
        limits = np.ones(len(inside))
        self._program.add_rows(sparse.csr_matrix(inside.astype(np.float64)), limits)

    def solve(self, stop: Stop) -> bool:
        """Whether there is a new optimal point."""
        y, duals = self._program.solve(stop)
        if self._program.optimal:
            # No optimal point has anything above 1, whatever HiGHS says.
            self.y, self.q = np.clip(y, 0.0, 1.0), np.clip(-duals, 0.0, 1.0)
        return self._program.optimal

    def worth(self, allowed: NDArray[np.bool_]) -> NDArray[np.float64]:
        """y on the critical ones; a zero costs more than anything gains."""
        H = np.where(allowed, 0.0, -self.y.sum() - 1.0)
        H[self.entries[:, 0], self.entries[:, 1]] = self.y
        return H

    def scaled(self) -> NDArray[np.int64]:
        """y in whole units of 1 / _SCALE."""
        return np.floor(self.y * _SCALE).astype(np.int64)

    def integer_worth(self, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The same as `worth` in whole units."""
        units = self.scaled()
        H = np.where(allowed, 0, -int(units.sum()) - 1)
        H[self.entries[:, 0], self.entries[:, 1]] = units
        return H

    def proved_lower(self, heaviest: int) -> Fraction:
        """What y proves when no rectangle is heavier than this many units."""
        return Fraction(int(self.scaled().sum()), max(heaviest, 1))

    def proved_upper(self, pool: RectanglePool) -> Fraction:
        """The weight of the cover q, scaled up until every one is covered once."""
        units = np.ceil(self.q * _SCALE).astype(np.int64)
        used = np.flatnonzero(units)
        inside = pool.A[used][:, self.entries[:, 0]] & pool.B[used][:, self.entries[:, 1]]
        least = int((units[used] @ inside.astype(np.int64)).min())
        if least <= 0:
            return Fraction(len(pool))
        return Fraction(int(units.sum()), least)
