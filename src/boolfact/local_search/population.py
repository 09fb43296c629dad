"""The population: factorisations that chains improve and recombination mixes.

Chains run in threads, yet the outcome does not depend on how many there are: chain t is
planned when exactly the results of chains 0 .. t - AHEAD are in, and results are taken in
order. So every worker stays busy and the same seed gives the same search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.local_search.chain import Rules
from boolfact.local_search.crossover import cross
from boolfact.local_search.plan import Found, Plan, run_plan
from boolfact.local_search.problem import MAX_RANK, make_problem
from boolfact.local_search.settings import PopulationSettings
from boolfact.local_search.starts import FreshStarts
from boolfact.local_search.xorshift import fresh_state
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.similarity import similarity

__all__ = ["Population"]

_POLL_SECONDS = 0.05
"""How often a waiting main thread looks at the stop."""

_SAME = 0.95
"""From this similarity on, two factorisations of equal error count as one."""

_GOOD = 1.02
"""Rectangles of members within this factor of the best error go to the pool."""


_OPENING_KEY = 2**32 - 1
"""Seed sequences spawned for chains never get this far."""

_NO_EPOCH = -1

Running = tuple[Plan, Future[Found]]


class Member(NamedTuple):
    """A factorisation and its error."""

    factors: Factors
    error: int


class Population:
    """A local search that can be advanced in slices and fed with solutions of others.

    Parameters
    ----------
    matrix : BinaryMatrix
        Usually reduced; weights and missing entries are respected.
    k : int
        Rectangles, 1 to 64.
    seed : int or SeedSequence
    start : iterable of Factors
        Known solutions, of at most k rectangles each.
    pool : RectanglePool, optional
        Rectangles to build from; the rectangles of good solutions are added to it.
    workers : int
        Threads. Results do not depend on it.
    settings : PopulationSettings, optional

    Attributes
    ----------
    best : Factors
        The best factorisation so far; the empty one at first.
    error : int
        Its error.
    iterations : int
        Children tried so far.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> population = Population(X, 2)
    >>> population.advance(Stop(iteration_limit=100))
    0
    """

    def __init__(
        self,
        matrix: BinaryMatrix,
        k: int,
        *,
        seed: int | np.random.SeedSequence = 0,
        start: Iterable[Factors] = (),
        pool: RectanglePool | None = None,
        workers: int = 1,
        progress: Progress | None = None,
        settings: PopulationSettings | None = None,
    ) -> None:
        if not 1 <= k <= MAX_RANK:
            raise ValueError(f"k must be from 1 to {MAX_RANK} for local search, got {k}")
        if workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers}")
        self.matrix = matrix
        self.k = k
        self.settings = settings or PopulationSettings()
        self.pool = pool
        self.workers = workers
        self.best = Factors.empty(matrix.shape, k)
        self.error = matrix.ones_weight
        self.iterations = 0
        self._progress = progress or silent
        self._problem = make_problem(matrix.ones, matrix.weights)
        self._unit = _typical_weight(matrix)
        self._children = self.settings.children(matrix.shape, k)
        self._sweeps = self.settings.sweeps(matrix.shape, k)
        self._sequence = (
            seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        )
        self._rng = np.random.default_rng(self._sequence.spawn(1)[0])
        self._halt = np.zeros(1, dtype=np.uint8)
        self._members: list[Member] = []
        self._waiting: deque[Factors] = deque()
        self._open: deque[tuple[Plan, Found]] = deque()
        self._starts = FreshStarts()
        self._planned = 0
        self._epoch = 0
        self._stale = 0
        self.offer(start)

    def offer(self, solutions: Iterable[Factors]) -> None:
        """Hand in solutions found elsewhere: each will be the start of a chain."""
        for factors in solutions:
            if factors.shape != self.matrix.shape or factors.rank > self.k:
                raise ValueError(
                    f"expected factors of shape {self.matrix.shape} and rank up to {self.k}, "
                    f"got shape {factors.shape} and rank {factors.rank}"
                )
            padded = factors.padded(self.k)
            self._keep_best(padded, padded.error(self.matrix))
            self._waiting.append(padded)

    def advance(self, stop: Stop) -> int:
        """Search until `stop` says so or the error is 0. Returns the error of the best.

        The iteration limit of `stop` counts the children of this call.
        """
        if stop.is_endless:
            raise ValueError("stop needs a time limit, an iteration limit or a target")
        floor = 0 if stop.target is None else max(0, stop.target)
        begun = self.iterations
        self._halt[0] = 0
        running: deque[Running] = deque()
        with ThreadPoolExecutor(self.workers, thread_name_prefix="boolfact-local") as threads:
            try:
                if self._planned == 0 and self.error > floor:
                    self._open_with(threads, floor, stop)
                self._search(threads, running, floor, stop)
            finally:
                self._halt[0] = 1
        # What was under way when time ran out is not lost. After a target or an iteration
        # limit it is left out, since how far it came depends on the machine.
        if self.error > floor and stop.now():
            for plan, future in running:
                self._take(plan, future.result(), seconds=stop.elapsed())
        else:
            stop.reached(self.error, self.iterations - begun)
        return self.error

    def _search(
        self, threads: ThreadPoolExecutor, running: deque[Running], floor: int, stop: Stop
    ) -> None:
        """Plan chains, run `ahead` of them at a time, and take their results in order."""
        quota = np.inf if stop.iteration_limit is None else stop.iteration_limit
        while self.error > floor:
            while len(running) < self.settings.ahead and quota > 0:
                plan = self._plan(int(min(quota, self._children)))
                quota -= plan.children
                running.append((plan, threads.submit(self._run, plan, floor)))
            if not running or not self._wait(running[0][1], stop):
                return
            plan, future = running.popleft()
            self._take(plan, future.result(), seconds=stop.elapsed())

    def _open_with(self, threads: ThreadPoolExecutor, floor: int, stop: Stop) -> None:
        """A first solution at once: a chain may take seconds before it reports anything.

        It stays outside of the population and has random numbers of its own.
        """
        sequence = np.random.SeedSequence(
            self._sequence.entropy, spawn_key=(*self._sequence.spawn_key, _OPENING_KEY)
        )
        plan = Plan(
            start=None,
            parents=None,
            reached=None,
            children=0,
            sweeps=0,
            fresh=True,
            annealed=False,
            turned=False,
            state=fresh_state(sequence),
            material=self._material(turned=False),
            epoch=_NO_EPOCH,
        )
        future = threads.submit(self._run, plan, floor)
        if not self._wait(future, stop):
            self._halt[0] = 1
        self._take(plan, future.result(), seconds=stop.elapsed())

    def _wait(self, future: Future[Found], stop: Stop) -> bool:
        """Whether the result came before the stop did."""
        while True:
            if stop.now():
                return False
            try:
                future.result(timeout=min(_POLL_SECONDS, stop.remaining() + 0.001))
                return True
            except NotYet:
                continue

    def _plan(self, children: int) -> Plan:
        """Decide what the next chain starts from."""
        self._planned += 1
        turned, sweeps = self._planned % 2 == 0, 0
        start: Factors | None = None
        parents, reached = None, None
        fresh, annealed = True, False
        if self._open:
            earlier, found = self._open.popleft()
            start, parents, reached = found.factors, earlier.parents, found.error
            fresh, annealed = earlier.fresh, earlier.annealed
        elif self._waiting:
            start, fresh = self._waiting.popleft(), False
        elif len(self._members) >= max(2, self.settings.size):
            first, second = self._rng.choice(len(self._members), 2, replace=False)
            parents, fresh = (int(first), int(second)), False
            start = cross(self._members[first].factors, self._members[second].factors, self._rng)
        elif self._sweeps > 0 and self._starts.anneal_next():
            # Annealing moves the shorter side, which has fewer bits, and solves for the other.
            turned = self.matrix.shape[0] < self.matrix.shape[1]
            sweeps = max(1, self._sweeps >> int(self._rng.integers(3)))
            annealed = True
        return Plan(
            start=start,
            parents=parents,
            reached=reached,
            children=children,
            sweeps=sweeps,
            fresh=fresh,
            annealed=annealed,
            turned=turned,
            state=fresh_state(self._sequence.spawn(1)[0]),
            material=self._material(turned),
            epoch=self._epoch,
        )

    def _material(self, turned: bool) -> NDArray[np.bool_]:
        """Sets of columns of known rectangles, of rows if the chain works transposed."""
        if self.pool is None:
            return np.zeros((0, self.matrix.shape[0 if turned else 1]), dtype=np.bool_)
        sets = self.pool.A if turned else self.pool.B
        if len(sets) <= self.settings.material:
            return sets.copy()
        return sets[np.sort(self._rng.choice(len(sets), self.settings.material, replace=False))]

    def _run(self, plan: Plan, target: int) -> Found:
        """Run one chain; called in a thread, so it reads only what never changes."""
        settings = self.settings
        rules = Rules(
            k=self.k,
            exact=self.k <= settings.exact_rank,
            children=plan.children,
            replaced=settings.replaced,
            slack=settings.slack,
            target=target,
            unit=self._unit,
        )
        return run_plan(self._problem, plan, rules, self._halt)

    def _take(self, plan: Plan, found: Found, seconds: float) -> None:
        """Let the result of a chain into the population."""
        self.iterations += found.children
        if self._keep_best(found.factors, found.error):
            self._progress(
                Event("local search", seconds, error=self.error, iterations=self.iterations)
            )
        # What an earlier epoch planned carries its genes: the new one is to be independent.
        if plan.epoch != self._epoch:
            return
        if plan.reached is None or found.error < plan.reached:
            self._open.append((plan, found))
            return
        if plan.fresh:
            self._starts.record(plan.annealed, found.error)
        member = Member(found.factors, found.error)
        if self._known(member):
            self._stale += 1
        elif plan.parents is None and len(self._members) < self.settings.size:
            self._members.append(member)
            self._feed_pool(member)
        else:
            self._replace(self._nearer_parent(plan, member), member)
        if self._stale > self.settings.patience * self.settings.size:
            self._members.clear()
            self._open.clear()
            self._stale = 0
            self._epoch += 1

    def _known(self, member: Member) -> bool:
        return any(
            other.error == member.error and similarity(other.factors, member.factors) > _SAME
            for other in self._members
        )

    def _nearer_parent(self, plan: Plan, member: Member) -> int | None:
        if plan.parents is None:
            return None
        return max(plan.parents, key=lambda u: similarity(self._members[u].factors, member.factors))

    def _replace(self, parent: int | None, member: Member) -> None:
        """A child takes the place of its nearer parent if better, else of the worst member."""
        if parent is not None and member.error < self._members[parent].error:
            self._members[parent] = member
            self._stale = 0
            self._feed_pool(member)
            return
        self._stale += 1
        worst = max(range(len(self._members)), key=lambda u: self._members[u].error)
        if member.error < self._members[worst].error:
            self._members[worst] = member
            self._feed_pool(member)

    def _feed_pool(self, member: Member) -> None:
        if self.pool is not None and member.error <= _GOOD * self.error:
            self.pool.extend(member.factors.rectangles)

    def _keep_best(self, factors: Factors, error: int) -> bool:
        if error >= self.error:
            return False
        self.best, self.error = factors, error
        return True


def _typical_weight(matrix: BinaryMatrix) -> float:
    """What one error usually costs; how much worse a child may be is counted in it."""
    paid = matrix.weights[matrix.weights > 0]
    return float(np.median(paid)) if paid.size else 1.0
