"""The smallest error, proved from below: levels that rise, each with the best circle known.

A level asks whether any factorisation has an error below some number. Low levels are quick, and
what they prove is kept; each next one is as high as the time allows. Between levels the circle is
improved by trials at a low level: a circle that is shorter there is shorter above.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field

import numpy as np

from boolfact.column_search.circle import Circle, changed, first_circles
from boolfact.column_search.level import Gains, count_nodes, exhaust
from boolfact.column_search.proof import column_bound
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL, Executor
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.bound import Bound
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["MOST_PATTERNS", "ColumnSearch", "SearchSettings", "search_columns"]

MOST_PATTERNS = 8
"""Rectangles: a node has two to this power codes for every row."""


@dataclass(frozen=True)
class SearchSettings:
    """Parameters of the search; none of them matters for what is proved.

    Attributes
    ----------
    first_nodes : int
        A first level has at most this many nodes.
    trial_share : float
        A trial may take this share of the nodes of the last level, from `first_nodes` up to
        `most_trial_nodes`.
    most_trial_nodes : int
    batch : int
        Trials made at the same time, whatever the number of workers.
    batches : int
        Batches between two levels.
    times_longer : float
        A level is chosen to be about this many times as long as the one before.
    nodes_per_iteration : int
        What an iteration of an iteration limit stands for.
    """

    first_nodes: int = 30_000
    trial_share: float = 0.03
    most_trial_nodes: int = 3_000_000
    batch: int = 8
    batches: int = 12
    times_longer: float = 6.0
    nodes_per_iteration: int = 50_000


@dataclass(frozen=True, eq=False)
class ColumnSearch:
    """What came of a search.

    Attributes
    ----------
    bound : Bound or None
        On the error; None where not even a first level was finished.
    factors : Factors or None
        Better ones than those it began with, if it met any.
    ending : Ending
    nodes : int
    """

    bound: Bound | None
    factors: Factors | None
    ending: Ending
    nodes: int


def search_columns(
    matrix: BinaryMatrix,
    k: int,
    *,
    factors: Factors,
    stop: Stop | None = None,
    seed: int = 0,
    executor: Executor = SERIAL,
    progress: Progress = silent,
    trace: Trace | None = None,
    to_the_end: bool = False,
    settings: SearchSettings | None = None,
) -> ColumnSearch:
    """A proved lower bound on the error of every factorisation of rank k, or the least error.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced.
    k : int
        At most `MOST_PATTERNS`.
    factors : Factors
        The best known: no level is higher than its error.
    stop : Stop, optional
        An iteration stands for a fixed number of nodes.
    seed : int
    executor : Executor
    progress : callable
    trace : Trace, optional
        Added to.
    to_the_end : bool
        Whether to go on when the next level will hardly be finished in time.
    settings : SearchSettings, optional

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> nothing = Factors(np.zeros((3, 1), dtype=bool), np.zeros((1, 3), dtype=bool))
    >>> found = search_columns(X, 1, factors=nothing)
    >>> found.bound.rounded, found.factors.error(X)
    (Fraction(2, 1), 2)
    """
    if not 1 <= k <= MOST_PATTERNS:
        raise ValueError(f"k must be from 1 to {MOST_PATTERNS} for a search over columns, got {k}")
    transposed = matrix.shape[0] < matrix.shape[1]
    if transposed:
        matrix = matrix.T
        factors = Factors(factors.B.T, factors.A.T)
    if factors.error(matrix) > matrix.ones_weight:
        factors = Factors(np.zeros_like(factors.A), np.zeros_like(factors.B))
    search = _Search(
        matrix=matrix,
        gains=Gains.of(matrix.values, matrix.weights, k),
        transposed=transposed,
        stop=Stop() if stop is None else stop,
        executor=executor,
        progress=progress,
        trace=Trace() if trace is None else trace,
        to_the_end=to_the_end,
        settings=SearchSettings() if settings is None else settings,
        rng=np.random.default_rng(seed),
        best=factors,
        error=factors.error(matrix),
    )
    return search.run()


@dataclass
class _Search:
    matrix: BinaryMatrix
    gains: Gains
    transposed: bool
    stop: Stop
    executor: Executor
    progress: Progress
    trace: Trace
    to_the_end: bool
    settings: SearchSettings
    rng: np.random.Generator
    best: Factors
    error: int
    nodes: int = 0
    bound: Bound | None = None
    is_better: bool = False
    # Errors and nodes of the levels of the present circle, for a guess at the next one.
    lengths: list[tuple[int, int]] = field(default_factory=list)
    seconds_per_node: float = 0.0
    told: float = -math.inf
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def proved(self) -> int:
        return 0 if self.bound is None else int(self.bound.rounded)

    def run(self) -> ColumnSearch:
        if self.error == 0 or not self.matrix.ones_weight:
            return self._ended(Ending.PROVED)
        circle = self._begin()
        while circle is not None and not self._is_over():
            circle = self._tuned(circle)
            if self._is_over():
                break
            error = self._next_level()
            if error is None:
                return self._ended(Ending.DONE)
            if not self._level(circle, error):
                break
        if self.proved >= self.error:
            return self._ended(Ending.PROVED)
        return self._ended(self._why())

    def _begin(self) -> Circle | None:
        """The first circles at rising levels, as long as one of them is short."""
        circles = self._first_circles()
        best: Circle | None = None
        gap = float(self.error)
        while not self._is_over():
            error = max(1, self.error - int(gap))
            counts = self._count(circles, error, self.settings.first_nodes)
            finished = [(count, u) for u, count in enumerate(counts) if count is not None]
            if not finished:
                break
            nodes, u = min(finished)
            best = circles[u]
            self._prove(best, error, nodes)
            if error == self.error:
                break
            gap *= 0.8
        if best is None and not self._is_over():
            # Even the lowest level is long: it is what there is to go on with.
            best = circles[0]
            return best if self._level(best, 1) else None
        return best

    def _first_circles(self) -> list[Circle]:
        columns = self.gains.columns
        covered = self.best.product()
        gains = np.where(covered.T, columns, 0).sum(axis=1, dtype=np.int64)
        return first_circles(gains, np.maximum(columns, 0).sum(axis=1, dtype=np.int64))

    def _count(self, circles: list[Circle], error: int, most: int) -> list[int | None]:
        target = self.gains.target(error)

        def count(circle: Circle) -> int | None:
            return None if self.stop.now() else count_nodes(self.gains, circle, target, most)

        counts = list(self.executor.map(count, circles))
        self.nodes += sum(most if nodes is None else nodes for nodes in counts)
        return counts

    def _tuned(self, circle: Circle) -> Circle:
        """Better circles, by trials at a level that is short."""
        s = self.settings
        longest = max((nodes for _, nodes in self.lengths), default=0)
        most = int(min(max(s.first_nodes, s.trial_share * longest), s.most_trial_nodes))
        error, nodes = self._trial_level(circle, most)
        for _ in range(s.batches):
            if self._is_over() or error is None:
                break
            tries = [changed(circle, self.rng) for _ in range(s.batch)]
            counts = self._count(tries, error, nodes)
            shorter = [(x, u) for u, x in enumerate(counts) if x is not None and x < nodes]
            if shorter:
                nodes, u = min(shorter)
                circle = tries[u]
                self.lengths = [(e, n) for e, n in self.lengths if e != error] + [(error, nodes)]
                if nodes < most // 3:
                    error, nodes = self._trial_level(circle, most)
            self._tell()
        return circle

    def _trial_level(self, circle: Circle, most: int) -> tuple[int | None, int]:
        """The highest level, near enough, that this circle finishes with so many nodes."""
        best: tuple[int | None, int] = (None, 0)
        low, high = 0, self.error
        error = self.proved
        while low < high and not self._is_over():
            (count,) = self._count([circle], max(1, error), most)
            if count is None:
                high = error - 1
            else:
                best = (max(1, error), count)
                self._prove(circle, max(1, error), count)
                low = error
            step = max(1, (high - low) // 3)
            error = min(high, low + step)
            if best[0] is not None and high - low <= max(1, (self.error - low) // 8):
                break
        return best

    def _next_level(self) -> int | None:
        """How high to go: about so many times as long as the last level, and within the time."""
        known = sorted(self.lengths)[-2:]
        times = self.settings.times_longer
        remaining = self.stop.remaining()
        if len(known) < 2 or known[-1][1] <= known[-2][1]:
            return min(self.error, self.proved + max(1, (self.error - self.proved) // 4))
        (e1, n1), (e2, n2) = known
        # Levels become longer faster and faster.
        slope = 1.3 * math.log(n2 / n1) / (e2 - e1)
        if math.isfinite(remaining) and self.seconds_per_node > 0:
            fits = 0.7 * remaining / (self.seconds_per_node * n2)
            if fits < math.exp(slope) and not self.to_the_end:
                return None
            times = min(times, max(fits, 1.5))
        step = max(1, int(math.log(times) / slope))
        return min(self.error, max(e2, self.proved) + step)

    def _level(self, circle: Circle, error: int) -> bool:
        """Search a level; whether to go on."""
        began, before = self.stop.elapsed(), self.nodes
        limit = self._nodes_left()

        def tell(nodes: int) -> None:
            with self.lock:
                self.nodes += nodes
                self._tell()

        level = exhaust(
            self.gains,
            circle,
            self.gains.target(error),
            over=self.stop.now,
            executor=self.executor,
            most=limit,
            tell=tell,
        )
        self.nodes = before + level.nodes
        if level.found:
            self._improve(level.found)
            return True
        if not level.is_finished:
            return False
        if level.nodes > self.settings.first_nodes:
            self.seconds_per_node = (self.stop.elapsed() - began) / level.nodes
        self._prove(circle, error, level.nodes)
        return True

    def _improve(self, choices: list[int]) -> None:
        """A better factorisation was met: rows take the codes that gain most."""
        k = self.gains.k
        B = np.array([[choice >> rank & 1 for choice in choices] for rank in range(k)], dtype=bool)
        gains = self.gains.columns.T.astype(np.int64)
        A = np.zeros((self.matrix.shape[0], k), dtype=np.bool_)
        most = np.zeros(len(A), dtype=np.int64)
        for code in range(1, 1 << k):
            members = np.array([code >> rank & 1 for rank in range(k)], dtype=bool)
            gained = gains[:, B[members].any(axis=0)].sum(axis=1)
            better = gained > most
            A[better], most[better] = members, gained[better]
        factors = Factors(A, B)
        error = factors.error(self.matrix)
        if error >= self.error:
            raise AssertionError("a level found what is no improvement")
        self.best, self.error, self.is_better = factors, error, True
        self.lengths = [(e, n) for e, n in self.lengths if e <= error]

    def _prove(self, circle: Circle, error: int, nodes: int) -> None:
        self.lengths = [(e, n) for e, n in self.lengths if e != error] + [(error, nodes)]
        if error <= self.proved:
            return
        self.bound = column_bound(
            error, self.gains.k, circle, self.gains.target(error),
            transposed=self.transposed, nodes=nodes,
        )  # fmt: skip
        self.trace.add(TracePoint(self.stop.elapsed(), error_lower_bound=float(error)))
        self.told = -math.inf
        self._tell()

    def _tell(self) -> None:
        now = self.stop.elapsed()
        if now - self.told < 0.2:
            return
        self.told = now
        self.progress(
            Event(
                "error bound",
                now,
                error_lower_bound=float(self.proved) if self.bound is not None else None,
                iterations=self.nodes // self.settings.nodes_per_iteration,
            )
        )

    def _nodes_left(self) -> int | None:
        limit = self.stop.iteration_limit
        if limit is None:
            return None
        return max(0, limit * self.settings.nodes_per_iteration - self.nodes)

    def _is_over(self) -> bool:
        return self.proved >= self.error or self._nodes_left() == 0 or self.stop.now()

    def _why(self) -> Ending:
        if self._nodes_left() == 0:
            return Ending.ITERATION_LIMIT
        return self.stop.ending() or Ending.DONE

    def _ended(self, ending: Ending) -> ColumnSearch:
        factors = self.best if self.is_better else None
        if factors is not None and self.transposed:
            factors = Factors(factors.B.T, factors.A.T)
        return ColumnSearch(self.bound, factors, ending, self.nodes)
