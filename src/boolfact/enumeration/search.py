"""Close the gap of assigned cover: list the sets of columns that are left, and try all k of them.

Prices prove that every set of a better factorisation is worth nearly as much as the best one. If
the gap between bound and error is small, few sets are left (`listing`); other prices leave fewer
(`points`). Most pairs of them overlap too much to go together (`joint`), and the few choices of
k sets that remain are tried one by one (`tuples`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.cube import price_by_walking
from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.point import rounded
from boolfact.colgen.cover.prices import even_prices
from boolfact.colgen.cover.proof import PartProof, cover_bound
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.enumeration.joint import JointData, joint_data, pair_deficits
from boolfact.enumeration.kept import kept_state, restored_state
from boolfact.enumeration.listing import kept_sets, list_sets, need
from boolfact.enumeration.points import further_point
from boolfact.enumeration.proof import EnumerationProof, enumeration_bound
from boolfact.enumeration.tuples import APART, ERROR, LEAVES, make_tuples, walk_tuples
from boolfact.model.bound import Bound
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = [
    "MOST_RANK",
    "Enumeration",
    "EnumerationSettings",
    "enumerate_a_little",
    "enumerate_sets",
]

MOST_RANK = 12
"""The true error of a choice takes two to this power codes."""
_BUDGET = 2_000_000
"""Nodes of one call of the walk: a tenth of a second or so."""
_PAIRS_PER_CALL = 400
"""Second sets that a task weighs before it asks the clock."""


@dataclass(frozen=True)
class EnumerationSettings:
    """Parameters of the enumeration; none of them matters for what is proved.

    Attributes
    ----------
    most_sets : int
        With more sets than this no pairs are weighed.
    few_sets : int
        With fewer sets than this no further prices are sought.
    points : int
        How many prices at most.
    block_rows : int
        Rows in a block of further prices.
    point_share : float
        Of the time left, for further prices.
    """

    most_sets: int = 9000
    few_sets: int = 1200
    points: int = 6
    block_rows: int = 10
    point_share: float = 0.15


@dataclass(frozen=True, eq=False)
class Enumeration:
    """What came of it.

    Attributes
    ----------
    bound : Bound or None
        On the error, by all choices or by further prices alone; None where neither proved more
        than the prices that were given.
    factors : Factors or None
        Better ones than those it began with, if it met any.
    ending : Ending
    choices : int
        Choices of k sets of which the error was computed.
    """

    bound: Bound | None
    factors: Factors | None
    ending: Ending
    choices: int


def enumerate_sets(
    matrix: BinaryMatrix,
    k: int,
    proof: PartProof,
    *,
    transposed: bool,
    factors: Factors,
    stop: Stop | None = None,
    seed: int = 0,
    executor: Executor = SERIAL,
    progress: Progress = silent,
    settings: EnumerationSettings | None = None,
    resume: dict[str, Any] | None = None,
    keep: Callable[[dict[str, Any]], None] | None = None,
) -> Enumeration:
    """Prove that no factorisation of rank k is better than the best known, or find one.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced.
    k : int
        At most `MOST_RANK`.
    proof : PartProof
        Of assigned cover on the whole matrix, on its transpose where `transposed`.
    transposed : bool
    factors : Factors
        The best known.
    stop : Stop, optional
    seed : int
    executor : Executor
    progress : callable
    settings : EnumerationSettings, optional
    resume : dict, optional
        What `keep` was given last, to go on from there: of the same matrix and side.
    keep : callable, optional
        Given the search as plain data, ready for JSON, whenever there are further prices or a
        level is proved.
    """
    if not 1 <= k <= MOST_RANK:
        raise ValueError(f"k must be from 1 to {MOST_RANK} for an enumeration, got {k}")
    points, bound = [proof], None
    if resume is not None:
        known, side, bound = restored_state(resume, matrix, k)
        if side != transposed:
            raise ValueError("an enumeration goes on with sets of the same side")
        points = [proof, *known] if not known or proof.value > known[0].value else known
    if transposed:
        matrix, factors = matrix.T, Factors(factors.B.T, factors.A.T)
    if not all(part.is_whole and part.point.layout.shape == matrix.shape for part in points):
        raise ValueError("an enumeration needs prices of the whole matrix, as it is")
    search = _Search(
        matrix, k, transposed, factors, factors.error(matrix), proof, points,
        Stop() if stop is None else stop, seed, executor, progress,
        EnumerationSettings() if settings is None else settings, keep, bound,
    )  # fmt: skip
    return search.run()


def enumerate_a_little() -> None:
    """Call every kernel once, on a tiny matrix."""
    matrix = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 0, 1]], dtype=np.int8))
    layout = make_layout(matrix, [[0, 1], [2], [3]])
    point = rounded(layout, replace(even_prices(layout), p=layout.one_weights), 1)
    omega = price_by_walking(point, 0, SERIAL).upper_bound
    rows, columns = (np.arange(size, dtype=np.int64) for size in matrix.shape)
    enumerate_sets(
        matrix, 1, PartProof(rows, columns, point, omega),
        transposed=False, factors=Factors.empty(matrix.shape, 1),
        settings=EnumerationSettings(points=1),
    )  # fmt: skip


@dataclass
class _Search:
    matrix: BinaryMatrix
    k: int
    transposed: bool
    best: Factors
    error: int
    given: PartProof
    points: list[PartProof]
    stop: Stop
    seed: int
    executor: Executor
    progress: Progress
    settings: EnumerationSettings
    keep: Callable[[dict[str, Any]], None] | None = None
    bound: Bound | None = None
    choices: int = 0
    is_better: bool = False

    @property
    def proved(self) -> int:
        own = max(point.rounded for point in self.points)
        return own if self.bound is None else max(own, int(self.bound.rounded))

    def run(self) -> Enumeration:
        while self.proved < self.error and not self.stop.now():
            found = self._sets_of_a_level()
            if found is None:
                return self._ended(self.stop.ending() or Ending.DONE)
            if not self._try_all(*found):
                break
        return self._ended(
            Ending.PROVED if self.proved >= self.error else self.stop.ending() or Ending.DONE
        )

    def _sets_of_a_level(self) -> tuple[int, NDArray[np.bool_]] | None:
        """The highest level, up to the error, at which few enough sets are left."""
        s = self.settings
        level = self.error
        while True:
            left = self._left(level)
            if left is not None and len(left) <= s.few_sets:
                return level, left
            enough = len(self.points) >= s.points or self.stop.now()
            if not enough and self._further_point(left):
                continue
            if left is not None and len(left) <= s.most_sets:
                return level, left
            level -= 1
            if level <= self.proved or self.stop.now():
                return None

    def _left(self, level: int) -> NDArray[np.bool_] | None:
        """All sets that a factorisation with an error below the level could have."""
        self._tell("listing sets of columns")
        first, *others = self.points
        B = list_sets(first, self.k, level, self.executor, self.stop.now)
        if B is None:
            return None
        before = -1
        while before != len(B) and not self.stop.now():
            before = len(B)
            for other in others:
                B = kept_sets(other.point, self.k, level, B, self.stop.now)
        return B

    def _further_point(self, B: NDArray[np.bool_] | None) -> bool:
        """Other prices; the best ones come first. Whether there are any."""
        self._tell("further prices")
        columns = np.eye(self.matrix.shape[1], dtype=np.bool_)
        seconds = self.stop.remaining()
        point = further_point(
            self.matrix,
            self.k,
            self.points[0],
            columns if B is None or not len(B) else np.vstack([columns, B]),
            rows=min(self.settings.block_rows, self.matrix.shape[0]),
            error=self.error,
            stop=self.stop.child(
                self.settings.point_share * seconds if math.isfinite(seconds) else None
            ),
            seed=self.seed + len(self.points),
            executor=self.executor,
        )
        if point is None:
            return False
        self.points.append(point)
        self.points.sort(key=lambda known: -known.value)
        self._keep()
        return True

    def _try_all(self, level: int, B: NDArray[np.bool_]) -> bool:
        """All choices of k of the sets; whether it came to an end."""
        point = self.points[0].point
        data = _sorted(joint_data(point, B)) if len(B) else None
        if data is not None:
            room = self.k * int(data.worths[0]) - need(point, level)
            if room >= 0:
                unit = max(1, -(-room // (APART - 2)))
                deficits = self._deficits(data, room, unit)
                if deficits is None:
                    return False
                return self._walk(level, data, deficits, room // unit, unit)
        self._prove(level, len(B))
        return True

    def _deficits(self, data: JointData, room: int, unit: int) -> NDArray[np.uint16] | None:
        """The table of all pairs; None if time was over."""
        self._tell("pairs of sets")
        N = len(data.sets)
        table = np.full((N, N), APART, dtype=np.uint16)

        def weigh(u: int) -> bool:
            row = np.full(N, APART, dtype=np.uint16)
            # Twice one set is worth no more than once.
            row[u] = min(APART - 1, int(data.worths[u]) // unit)
            for first in range(u + 1, N, _PAIRS_PER_CALL):
                if self.stop.now():
                    return False
                last = min(first + _PAIRS_PER_CALL, N)
                pair_deficits(data, u, first, last, room, unit, row)
            table[u, u:], table[u:, u] = row[u:], row[u:]
            return True

        return table if all(list(self.executor.map(weigh, range(N)))) else None

    def _walk(
        self, level: int, data: JointData, deficits: NDArray[np.uint16], room: int, unit: int
    ) -> bool:
        self._tell("choices of sets")
        values, weights = self.matrix.values, self.matrix.weights
        walk = make_tuples(
            data.sets,
            (data.worths[0] - data.worths) // unit,
            deficits,
            k=self.k,
            room=room,
            gains=np.ascontiguousarray(np.where(values == 1, weights, -weights).T),
            total=int(self.matrix.ones_weight),
            limit=level - 1,
        )
        finished = False
        while not finished and int(walk.state[ERROR]) >= level:
            if self.stop.now():
                return False
            finished = bool(walk_tuples(walk, _BUDGET))
        self.choices += int(walk.state[LEAVES])
        if int(walk.state[ERROR]) < level:
            self._improve(data.sets[walk.found])
        else:
            self._prove(level, len(data.sets))
        return True

    def _improve(self, sets: NDArray[np.int64]) -> None:
        """A better factorisation was met: rows take the codes that gain most."""
        n, m = self.matrix.shape
        B = (sets[:, None] >> np.arange(m)[None, :] & 1).astype(np.bool_)
        gains = np.where(self.matrix.values == 1, self.matrix.weights, -self.matrix.weights)
        A, most = np.zeros((n, self.k), dtype=np.bool_), np.zeros(n, dtype=np.int64)
        for code in range(1, 1 << self.k):
            members = (code >> np.arange(self.k) & 1).astype(np.bool_)
            gained = gains[:, B[members].any(axis=0)].sum(axis=1)
            better = gained > most
            A[better], most[better] = members, gained[better]
        factors = Factors(A, B)
        error = factors.error(self.matrix)
        if error >= self.error:
            raise AssertionError("an enumeration found what is no improvement")
        self.best, self.error, self.is_better = factors, error, True

    def _prove(self, level: int, sets: int) -> None:
        if level > self.proved:
            used = EnumerationProof(tuple(self.points), self.transposed, sets, self.choices)
            self.bound = enumeration_bound(used, level, self.k)
            self._keep()

    def _keep(self) -> None:
        if self.keep is not None:
            self.keep(kept_state(self.points, self.transposed, self.bound))

    def _tell(self, message: str) -> None:
        self.progress(
            Event(
                "error bound",
                self.stop.elapsed(),
                error_lower_bound=float(self.proved),
                message=message,
            )
        )

    def _ended(self, ending: Ending) -> Enumeration:
        bound, factors = self.bound, self.best if self.is_better else None
        best, alone = self.points[0], bound is None or bound.rounded < self.points[0].rounded
        if best is not self.given and alone:
            bound = cover_bound([best], self.k, self.transposed)
        if factors is not None and self.transposed:
            factors = Factors(factors.B.T, factors.A.T)
        return Enumeration(bound, factors, ending, self.choices)


def _sorted(data: JointData) -> JointData:
    """The best sets first."""
    order = np.argsort(-data.worths, kind="stable")
    return data._replace(
        sets=data.sets[order],
        worths=data.worths[order],
        in_blocks=data.in_blocks[order],
        left=data.left[order],
    )
