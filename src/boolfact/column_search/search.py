"""The smallest error, proved from below: levels that rise, each with the best circle known.

A level asks whether any factorisation has an error below some number. Low levels are quick, and
what they prove is kept; each next one is as high as the time allows. Between levels the circle is
improved by trials at a low level: a circle that is shorter there is shorter above.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from boolfact.column_search.circle import Circle, changed, first_circles
from boolfact.column_search.kernel import MANY
from boolfact.column_search.level import MOST_WEIGHT, Gains, count_nodes, exhaust, open_level
from boolfact.column_search.proof import ColumnProof, bound_of, column_bound
from boolfact.control.counters import Counter
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
_SHIFTS_FROM = 3
"""Rectangles: for fewer of them searches are short, or no shorter with shifts."""
_SHIFTS_DEARER = 2.0
"""How many times as long a node takes with shifts, where without them choices are tried one by
one."""
_FAR_BEHIND = 8
_SURE = 300_000
"""A rival that needs so many times the nodes of a trial is left out, once trials have this many."""


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
    stale : int
        Trials end after this many batches without a better circle,
    trial_nodes : int
        or after this many nodes, or twice those of the longest level, whatever is more.
    times_longer : float
        A level is chosen to be about this many times as long as the one before.
    patience : float
        A level that takes this many times as long as expected is given up for a lower one.
    nodes_per_iteration : int
        What an iteration of an iteration limit stands for.
    """

    first_nodes: int = 30_000
    trial_share: float = 0.03
    most_trial_nodes: int = 3_000_000
    batch: int = 8
    stale: int = 8
    trial_nodes: int = 1_500_000
    times_longer: float = 6.0
    patience: float = 2.5
    nodes_per_iteration: int = 1_000_000


@dataclass(frozen=True, eq=False)
class ColumnSearch:
    """What came of a search.

    Attributes
    ----------
    bound : Bound or None
        On the error; None where not even a first level was finished, or where the weights are
        too large to search with.
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
    node_limit: int | None = None,
    enough: Callable[[int, int], bool] = lambda error, proved: False,
    resume: dict[str, Any] | None = None,
    keep: Callable[[dict[str, Any]], None] | None = None,
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
    node_limit : int, optional
        End after about this many nodes; with it, and without a time limit, the answer does not
        depend on the clock.
    enough : callable
        Given the least error known and what is proved: whether that is enough.
    resume : dict, optional
        What `keep` was given last, to go on from there.
    keep : callable, optional
        Given the search as plain data, ready for JSON, whenever a branch or a level is finished.
        It is called by one thread at a time.
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
    weights = matrix.weights.astype(np.float64)
    if max(weights.sum(axis=1).max(), matrix.ones_weight) > MOST_WEIGHT:
        return ColumnSearch(None, None, Ending.DONE, 0)
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
        node_limit=node_limit,
        enough=enough,
        keep=keep,
    )
    if resume is not None:
        search.restore(resume)
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
    node_limit: int | None = None
    enough: Callable[[int, int], bool] = lambda error, proved: False
    keep: Callable[[dict[str, Any]], None] | None = None
    nodes: int = 0
    bound: Bound | None = None
    # The level that is under way: its circle, its error, its mark, and the branches that are
    # finished.
    circle: Circle | None = None
    level_error: int = 0
    mark: str = ""
    done: set[int] = field(default_factory=set)
    # One circle with shifts and one without, the better one first, or only that.
    rivals: list[Circle] = field(default_factory=list)
    is_better: bool = False
    # Nodes of the longest level that was finished; the error and the nodes of a short level of
    # the present circle, and by how much the logarithm of the nodes grows with the error there;
    # the last level that was given up, and the last one that was finished.
    longest: int = 0
    known: tuple[int, int] = (1, 1)
    growth: float = 0.01
    failed: int | None = None
    finished: tuple[int, int] | None = None
    seconds_per_node: float = 0.0
    # Nodes that the trace knows of, and when somebody was last told.
    counted: int = 0
    told: float = -math.inf
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def proved(self) -> int:
        return 0 if self.bound is None else int(self.bound.rounded)

    def run(self) -> ColumnSearch:
        if self.error == 0 or not self.matrix.ones_weight:
            return self._ended(Ending.PROVED)
        circle = self._begin() if self.circle is None else self._resumed()
        while circle is not None and not self._is_over():
            circle = self._tuned(circle)
            if self._is_over():
                break
            following = self._next_level()
            if following is None:
                return self._ended(Ending.DONE)
            self._level(circle, *following)
        if self.proved >= self.error:
            return self._ended(Ending.PROVED)
        return self._ended(self._why())

    def state(self) -> dict[str, Any]:
        """Everything that is needed to go on, ready for JSON."""
        assert self.circle is not None
        proof = None if self.bound is None else cast(ColumnProof, self.bound.proof)
        return {
            "order": [int(j) for j in self.circle.order],
            "weights": [float(w) for w in self.circle.weights],
            "usual": [int(x) for x in self.circle.usual],
            "error": self.level_error,
            "mark": self.mark,
            "done": sorted(self.done),
            "nodes": self.nodes,
            "longest": self.longest,
            "proved": self.proved,
            "proof": None if proof is None else proof.entry(),
            "B": ["".join(str(int(x)) for x in row) for row in self.best.B],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave; a better solution than the one in it is kept."""
        self.circle = Circle(
            np.array(state["order"], dtype=np.int64),
            np.array(state["weights"], dtype=np.float64),
            np.array(state["usual"], dtype=np.int64),
        )
        self.level_error, self.done = int(state["error"]), {int(u) for u in state["done"]}
        self.mark = str(state.get("mark", ""))
        self.nodes = int(state["nodes"])
        self.longest = int(state["longest"])
        known = self._with_best_rows(np.array([[c == "1" for c in row] for row in state["B"]]))
        if known.error(self.matrix) < self.error:
            self.best, self.error, self.is_better = known, known.error(self.matrix), True
        if state["proof"] is not None:
            proof = ColumnProof.read(state["proof"])
            self.bound = bound_of(proof, int(state["proved"]), self.gains.k)

    def _resumed(self) -> Circle | None:
        """Finish the level that was under way, if it is still worth it."""
        assert self.circle is not None
        if self.proved < self.level_error <= self.error and not self._is_over():
            self._level(self.circle, self.level_error, None)
        return self.circle

    def _begin(self) -> Circle | None:
        """The first circles at rising levels, as long as one of them is short.

        The best of those with shifts and of those without go on as rivals.
        """
        circles = self._first_circles()
        best: Circle | None = None
        rivals: dict[bool, Circle] = {}
        most = self.settings.first_nodes
        gap = float(self.error)
        while not self._is_over():
            error = max(1, self.error - int(gap))
            counts = self._count(circles, error, most)
            finished = [(count, u) for u, count in enumerate(counts) if count is not None]
            for _, u in sorted(finished, reverse=True):
                rivals[circles[u].has_shifts] = circles[u]
            if finished:
                nodes, u = min(finished)
                best = circles[u]
                self._prove(best, error, nodes)
                self.longest = max(self.longest, nodes)
                gap *= 0.8
            elif best is not None:
                break
            elif most > self.settings.most_trial_nodes and not self.to_the_end:
                return None
            else:
                # Even the lowest level is long, or there is something to find.
                self._level(circles[0], 1, most)
                best = circles[0] if self.proved else None
                most *= 10
        if best is not None and not best.has_shifts and self._takes_shifts:
            # Shifts may pay at higher levels only.
            rivals.setdefault(True, best.shifted())
        self.rivals = list(rivals.values())
        return best

    def _first_circles(self) -> list[Circle]:
        columns = self.gains.columns
        covered = self.best.product().T
        gains = np.where(covered, columns[:, : covered.shape[1]], 0).sum(axis=1, dtype=np.int64)
        circles = first_circles(gains, np.maximum(columns, 0).sum(axis=1, dtype=np.int64))
        return circles if self._takes_shifts else [c for c in circles if not c.has_shifts]

    @property
    def _takes_shifts(self) -> bool:
        return self.gains.k >= _SHIFTS_FROM and self.gains.unit > 1

    def _count(self, circles: list[Circle], error: int, most: int) -> list[int | None]:
        target = self.gains.target(error)

        def count(circle: Circle) -> int | None:
            return None if self.stop.now() else count_nodes(self.gains, circle, target, most)

        counts = list(self.executor.map(count, circles))
        self.nodes += sum(most if nodes is None else nodes for nodes in counts)
        return counts

    def _tuned(self, circle: Circle) -> Circle:
        """Better circles, by trials at a level that is short; the better of two rivals."""
        s = self.settings
        most = int(min(max(s.first_nodes, s.trial_share * self.longest), s.most_trial_nodes))
        tuned = [self._tried(rival, most) for rival in self.rivals or [circle]]
        if len(tuned) > 1 and not self._is_over():
            tuned = self._ranked(tuned, most)
        self.rivals = [other for other, _, _ in tuned]
        self._measure(*tuned[0])
        return self.rivals[0]

    def _ranked(
        self, tuned: list[tuple[Circle, int | None, int]], most: int
    ) -> list[tuple[Circle, int | None, int]]:
        """The shorter rival first, at the highest level that one of them finished.

        Which is shorter can change as levels rise. One that is far behind is left out for good.
        """
        error = max(1, *(level or 1 for _, level, _ in tuned))
        counts = self._count([circle for circle, _, _ in tuned], error, _FAR_BEHIND * most)
        ranked = []
        for place, (entry, count) in enumerate(zip(tuned, counts, strict=True)):
            is_dear = entry[0].has_shifts and self.gains.k < MANY
            length = math.inf if count is None else count * (_SHIFTS_DEARER if is_dear else 1.0)
            if count is not None or most < _SURE:
                ranked.append((length, place, entry))
        return [entry for _, _, entry in sorted(ranked, key=lambda rank: rank[:2])] or tuned

    def _tried(self, circle: Circle, most: int) -> tuple[Circle, int | None, int]:
        """The best circle that trials find, beginning with this one, and a level it is short at."""
        s = self.settings
        error, nodes = self._trial_level(circle, most)
        last = self.nodes + max(s.trial_nodes, 2 * self.longest) // max(1, len(self.rivals))
        stale = 0
        while error is not None and stale < s.stale and self.nodes < last:
            if self._is_over():
                break
            stale += 1
            tries = [changed(circle, self.rng) for _ in range(s.batch)]
            counts = self._count(tries, error, nodes)
            shorter = [(x, u) for u, x in enumerate(counts) if x is not None and x < nodes]
            if shorter:
                nodes, u = min(shorter)
                circle = tries[u]
                stale = 0
                if nodes < most // 3:
                    error, nodes = self._trial_level(circle, most)
            self._tell()
        return circle, error, nodes

    def _measure(self, circle: Circle, error: int | None, nodes: int) -> None:
        """How fast levels of this circle become longer, from two of them."""
        if error is None or self._is_over():
            return
        lower = max(1, error - max(2, (self.error - error) // 6))
        (fewer,) = self._count([circle], lower, nodes + 1)
        self.known = (error, max(1, nodes))
        if fewer and lower < error and nodes > fewer:
            self.growth = math.log(nodes / fewer) / (error - lower)

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

    def _next_level(self) -> tuple[int, int] | None:
        """How high to go, and after how many nodes to give up.

        About so many times as long as what was done before, and within the time.
        """
        s = self.settings
        error, nodes = self.known
        growth = self.growth
        if self.finished is not None and self.finished[0] > error:
            # The last level may have been that of a longer circle: then this is too careful.
            last, its_nodes = self.finished
            growth = max(growth, math.log(max(its_nodes / nodes, 1.0)) / (last - error))
            error, nodes = last, its_nodes
        growth = max(1.15 * growth, 1e-6)
        length = s.times_longer * max(self.longest, nodes)
        remaining = self.stop.remaining()
        if math.isfinite(remaining) and self.seconds_per_node > 0:
            fits = 0.7 * remaining / self.seconds_per_node
            if fits < nodes * math.exp(growth * (self.proved + 1 - error)) and not self.to_the_end:
                return None
            length = min(length, max(fits, nodes))
        level = error + int(min(math.log(length / nodes) / growth, self.error))
        if self.failed is not None:
            level = min(level, self.proved + (self.failed - self.proved) // 2)
        level = min(self.error, max(level, self.proved + 1))
        is_lowest = level == self.proved + 1
        return level, int(s.patience * length * (100 if is_lowest else 1))

    def _level(self, circle: Circle, error: int, most: int | None) -> None:
        """Search a level; it is given up after `most` nodes."""
        began, before = self.stop.elapsed(), self.nodes
        if (circle, error) != (self.circle, self.level_error):
            self.circle, self.level_error, self.done = circle, error, set()
        opened = open_level(self.gains, circle, self.gains.target(error))
        if opened.mark != self.mark:
            # What was finished elsewhere, with numbers rounded otherwise, is not known here.
            self.mark, self.done = opened.mark, set()
        known = frozenset(self.done)
        left = self._nodes_left()
        most_nodes = min((x for x in (most, left) if x is not None), default=math.inf)

        def tell(nodes: int, finished: int | None) -> None:
            with self.lock:
                self.nodes += nodes
                if finished is not None:
                    self.done.add(finished)
                    if self.keep is not None:
                        self.keep(self.state())
                self._tell()

        def over() -> bool:
            return self.stop.now() or self.nodes - before > most_nodes

        level = exhaust(
            self.gains,
            circle,
            self.gains.target(error),
            over=over,
            executor=self.executor,
            opened=opened,
            done=known,
            tell=tell,
        )
        self.nodes = before + level.nodes
        if left is not None and level.nodes > left:
            # The limit ends the search here; what was met just then depends on the workers.
            level.found, level.is_finished = [], False
        if not level.is_finished and math.isfinite(most_nodes):
            # Where it was given up, how far it came depends on the workers.
            self.nodes = before + min(level.nodes, int(most_nodes))
        if level.found:
            self._improve(level.found)
        elif level.is_finished:
            if level.nodes > self.settings.first_nodes and not known:
                self.seconds_per_node = (self.stop.elapsed() - began) / level.nodes
            self.longest = max(self.longest, level.nodes)
            self.failed, self.finished = None, (error, max(1, level.nodes))
            self._prove(circle, error, level.nodes)
        else:
            self.failed = error

    def _improve(self, choices: list[int]) -> None:
        """A better factorisation was met: rows take the codes that gain most."""
        k = self.gains.k
        B = np.array([[choice >> rank & 1 for choice in choices] for rank in range(k)], dtype=bool)
        factors = self._with_best_rows(B)
        error = factors.error(self.matrix)
        if error >= self.error:
            raise AssertionError("a level found what is no improvement")
        self.best, self.error, self.is_better = factors, error, True

    def _with_best_rows(self, B: NDArray[np.bool_]) -> Factors:
        k = len(B)
        gains = self.gains.columns.T[: self.matrix.shape[0]].astype(np.int64)
        A = np.zeros((self.matrix.shape[0], k), dtype=np.bool_)
        most = np.zeros(len(A), dtype=np.int64)
        for code in range(1, 1 << k):
            members = np.array([code >> rank & 1 for rank in range(k)], dtype=bool)
            gained = gains[:, B[members].any(axis=0)].sum(axis=1)
            better = gained > most
            A[better], most[better] = members, gained[better]
        return Factors(A, B)

    def _prove(self, circle: Circle, error: int, nodes: int) -> None:
        if error <= self.proved:
            return
        self.bound = column_bound(
            error, self.gains.k, circle, self.gains.target(error),
            transposed=self.transposed, nodes=nodes,
        )  # fmt: skip
        if self.circle is None:
            self.circle, self.level_error = circle, error
        if self.keep is not None:
            self.keep(self.state())
        self.trace.add(TracePoint(self.stop.elapsed(), error_lower_bound=float(error)))
        self.told = -math.inf
        self._tell()

    def _tell(self) -> None:
        now = self.stop.elapsed()
        if now - self.told < 0.2:
            return
        self.told = now
        self.trace.count(Counter.NODES, max(0, self.nodes - self.counted))
        self.counted = max(self.counted, self.nodes)
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
        allowed = [] if self.node_limit is None else [self.node_limit]
        if limit is not None:
            allowed.append(limit * self.settings.nodes_per_iteration)
        return max(0, min(allowed) - self.nodes) if allowed else None

    def _is_over(self) -> bool:
        if self.proved >= self.error or self.enough(self.error, self.proved):
            return True
        return self._nodes_left() == 0 or self.stop.now()

    def _why(self) -> Ending:
        if self._nodes_left() == 0:
            return Ending.ITERATION_LIMIT
        return self.stop.ending() or Ending.DONE

    def _ended(self, ending: Ending) -> ColumnSearch:
        if self.keep is not None and self.circle is not None:
            self.keep(self.state())
        factors = self.best if self.is_better else None
        if factors is not None and self.transposed:
            factors = Factors(factors.B.T, factors.A.T)
        return ColumnSearch(self.bound, factors, ending, self.nodes)
