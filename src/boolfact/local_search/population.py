"""The population: factorisations that chains improve and recombination mixes.

Chains run in threads, yet the outcome does not depend on how many there are: chain t is
planned when exactly the results of chains 0 .. t - AHEAD are in, and results are taken in
order. So every worker stays busy and the same seed gives the same search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boolfact.control.executor import Executor, came_before
from boolfact.control.progress import Event, Progress, silent
from boolfact.control.stop import Stop
from boolfact.local_search.chain import Rules
from boolfact.local_search.crossover import cross
from boolfact.local_search.plan import Found, Plan, run_plan, run_plan_elsewhere
from boolfact.local_search.problem import Problem, make_problem
from boolfact.local_search.settings import PopulationSettings
from boolfact.local_search.state import Member, PopulationState
from boolfact.local_search.weights import typical_weight, zeros_are_dear
from boolfact.local_search.xorshift import fresh_state
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.similarity import similarity

__all__ = ["Population"]

_GRACE = 2.0
"""Seconds that chains have to end when they are asked to. Those here do at once; those elsewhere
that do not are left to themselves."""

_SAME = 0.95
"""From this similarity on, two factorisations of equal error count as one."""

_GOOD = 1.02
"""Rectangles of members within this factor of the best error go to the pool."""


_OPENING_KEY = 2**32 - 1
"""Seed sequences spawned for chains never get this far."""

_NO_EPOCH = -1

Running = tuple[Plan, Future[Found]]
Begin = Callable[[Plan], Future[Found]]


class Population:
    """A local search that can be advanced in slices and fed with solutions of others.

    Parameters
    ----------
    matrix : BinaryMatrix
        Usually reduced; weights and missing entries are respected.
    k : int
        Rectangles, 1 to 64.
    seed : int or SeedSequence
        Of a population that begins; one that goes on has its own random numbers.
    state : PopulationState, optional
        What to go on from; it is changed in place. Nobody by default.
    pool : RectanglePool, optional
        Rectangles to build from; the rectangles of good solutions are added to it.
    progress : callable, optional
    settings : PopulationSettings, optional

    Attributes
    ----------
    state : PopulationState
        Everything that it knows: the best factorisation, its error, the children tried.

    Examples
    --------
    >>> from boolfact.control.executor import SerialExecutor
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    >>> population = Population(X, 2)
    >>> population.advance(Stop(iteration_limit=100), SerialExecutor())
    0
    """

    def __init__(
        self,
        matrix: BinaryMatrix,
        k: int,
        *,
        seed: int | np.random.SeedSequence = 0,
        state: PopulationState | None = None,
        pool: RectanglePool | None = None,
        progress: Progress | None = None,
        settings: PopulationSettings | None = None,
    ) -> None:
        self.matrix = matrix
        self.k = k
        self.settings = settings or PopulationSettings()
        self.pool = pool
        self.state = PopulationState.begin(matrix, k, seed) if state is None else state
        self._progress = progress or silent
        self._problem = make_problem(matrix.ones, matrix.weights)
        self._unit, self._dear = typical_weight(matrix), zeros_are_dear(matrix)
        self._large = self.settings.is_large(matrix.shape, k)
        if self._large:
            few = self.settings.members(matrix.shape, k)
            ahead = min(few, self.settings.large_ahead)
            self.settings = replace(self.settings, size=few, ahead=ahead)
        self._children = {
            exchange: self.settings.children(matrix.shape, k, exchange)
            for exchange in (False, True)
        }
        self._sweeps = self.settings.sweeps(matrix.shape, k)
        self._halt = np.zeros(1, dtype=np.uint8)

    @property
    def children_of_a_chain(self) -> int:
        """Of a chain of exchanges, where the search has such chains."""
        return self._children[True]

    def offer(self, solutions: Iterable[Factors]) -> None:
        """Hand in solutions found elsewhere: each will be the start of a chain."""
        for factors in solutions:
            self.state.offer(factors, self.matrix)

    def advance(self, stop: Stop, executor: Executor) -> int:
        """Search until `stop` says so or the error is 0. Returns the error of the best.

        The iteration limit of `stop` counts the children of this call. Results do not depend
        on the executor.
        """
        if stop.is_endless:
            raise ValueError("stop needs a time limit, an iteration limit or a target")
        floor = 0 if stop.target is None else max(0, stop.target)
        begun = self.state.iterations
        self._halt[0] = 0
        running: deque[Running] = deque()
        begin = self._beginner(executor, floor, stop)
        try:
            if self.state.planned == 0 and self.state.error > floor and not self._large:
                self._open_with(begin, stop)
            self._search(begin, running, floor, stop, executor.workers)
        finally:
            self._halt[0] = 1
            futures = [future for _, future in running]
            wait(futures, timeout=None if executor.shares_memory else _GRACE)
        # What was under way when time ran out is not lost. After a target or an iteration
        # limit it is left out, since how far it came depends on the machine.
        if self.state.error > floor and stop.now():
            for plan, future in running:
                if future.done():
                    self._take(plan, future.result(), seconds=stop.elapsed())
        else:
            stop.reached(self.state.error, self.state.iterations - begun)
        return self.state.error

    def _beginner(self, executor: Executor, floor: int, stop: Stop) -> Begin:
        """How a chain is begun on an executor."""
        if executor.shares_memory:
            return lambda plan: executor.submit(
                run_plan, self._problem, plan, self._rules(plan, floor), self._halt
            )
        problem: Problem = executor.share(self._problem)
        return lambda plan: executor.submit(
            run_plan_elsewhere, problem, plan, self._rules(plan, floor), stop.remaining()
        )

    def _search(
        self, begin: Begin, running: deque[Running], floor: int, stop: Stop, workers: int
    ) -> None:
        """Plan chains, run `ahead` of them at a time, and take their results in order."""
        ahead = self.settings.ahead
        if self._large and stop.iteration_limit is None:
            # Where the clock decides anyway, the best chain is gone on with as soon as it is known,
            # and no worker waits.
            ahead = workers
        quota = np.inf if stop.iteration_limit is None else stop.iteration_limit
        while self.state.error > floor:
            while len(running) < ahead and quota > 0:
                plan = self._plan(quota)
                quota -= plan.children
                running.append((plan, begin(plan)))
            if not running or not came_before(stop, running[0][1]):
                return
            plan, future = running.popleft()
            self._take(plan, future.result(), seconds=stop.elapsed())

    def _open_with(self, begin: Begin, stop: Stop) -> None:
        """A first solution at once: a chain may take seconds before it reports anything.

        It stays outside of the population and has random numbers of its own.
        """
        sequence = np.random.SeedSequence(
            self.state.sequence.entropy, spawn_key=(*self.state.sequence.spawn_key, _OPENING_KEY)
        )
        plan = Plan(
            start=None,
            parents=None,
            reached=None,
            children=0,
            sweeps=0,
            exchange=False,
            fresh=True,
            annealed=False,
            turned=False,
            state=fresh_state(sequence),
            material=self._material(turned=False),
            epoch=_NO_EPOCH,
        )
        future = begin(plan)
        if not came_before(stop, future):
            self._halt[0] = 1
        self._take(plan, future.result(), seconds=stop.elapsed())

    def _exchanges(self) -> bool:
        """Whether the next chain exchanges rectangles.

        Where zeros are dear two of four do: what they find and what descents of all rectangles
        find goes well together.
        """
        return self._large or (self._dear and self.state.planned % 4 < 2)

    def _plan(self, quota: float) -> Plan:
        """Decide what the next chain starts from, and how it walks."""
        exchange = self._exchanges()
        self.state.planned += 1
        turned, sweeps = self.state.planned % 2 == 0, 0
        if exchange:
            turned = self.state.sides.turned_next()
        start: Factors | None = None
        parents, reached = None, None
        fresh, annealed, is_last = True, False, False
        if self.state.open and not self._begins_better():
            earlier, found = self._next_open()
            start, parents, reached = found.factors, earlier.parents, found.error
            fresh, annealed = earlier.fresh, earlier.annealed
            if self._large and found.error == earlier.reached:
                is_last, turned = True, not earlier.turned
        elif self.state.waiting:
            start, fresh = self._next_waiting(), False
        elif len(self.state.members) >= max(2, self.settings.size):
            first, second = self.state.rng.choice(len(self.state.members), 2, replace=False)
            parents, fresh = (int(first), int(second)), False
            start = cross(
                self.state.members[first].factors,
                self.state.members[second].factors,
                self.state.rng,
            )
        elif not exchange and self._sweeps > 0 and self.state.starts.anneal_next():
            # Annealing moves the shorter side, which has fewer bits, and solves for the other.
            turned = self.matrix.shape[0] < self.matrix.shape[1]
            sweeps = max(1, self._sweeps >> int(self.state.rng.integers(3)))
            annealed = True
        return Plan(
            start=start,
            parents=parents,
            reached=reached,
            children=int(min(quota, self._children[exchange])),
            sweeps=sweeps,
            exchange=exchange,
            fresh=fresh,
            annealed=annealed,
            turned=turned,
            state=fresh_state(self.state.sequence.spawn(1)[0]),
            material=self._material(turned),
            epoch=self.state.epoch,
            is_last=is_last,
        )

    def _begins_better(self) -> bool:
        """Whether a solution of others is better than all chains that are to go on.

        On large data it comes first then; on small data all chains have their turn.
        """
        waiting, chains = self.state.waiting, self.state.open
        if not self._large or not waiting:
            return False
        best = min(member.error for member in waiting)
        return best < min(found.error for _, found in chains)

    def _next_waiting(self) -> Factors:
        """The solution of others to begin with: in turn or, where one takes long, the best."""
        waiting = self.state.waiting
        best = 0
        if self._large:
            best = min(range(len(waiting)), key=lambda u: waiting[u].error)
        chosen = waiting[best].factors
        del waiting[best]
        return chosen

    def _next_open(self) -> tuple[Plan, Found]:
        """The chain to go on with: in turn or, where one takes long, the best of them."""
        chains = self.state.open
        best = 0
        if self._large:
            best = min(range(len(chains)), key=lambda u: chains[u][1].error)
        chosen = chains[best]
        del chains[best]
        return chosen

    def _material(self, turned: bool) -> NDArray[np.bool_]:
        """Sets of columns of known rectangles, of rows if the chain works transposed."""
        if self.pool is None:
            return np.zeros((0, self.matrix.shape[0 if turned else 1]), dtype=np.bool_)
        sets = self.pool.A if turned else self.pool.B
        if len(sets) <= self.settings.material:
            return sets.copy()
        return sets[
            np.sort(self.state.rng.choice(len(sets), self.settings.material, replace=False))
        ]

    def _rules(self, plan: Plan, target: int) -> Rules:
        """How a chain walks."""
        settings = self.settings
        return Rules(
            k=self.k,
            exact=self.k <= settings.exact_rank,
            children=plan.children,
            replaced=settings.replaced,
            slack=settings.slack,
            target=target,
            unit=self._unit,
            dear=self._dear,
            tries=settings.tries_of(self.matrix.shape) if plan.exchange else 0,
        )

    def _take(self, plan: Plan, found: Found, seconds: float) -> None:
        """Let the result of a chain into the population."""
        self.state.iterations += found.children
        if self.state.keep_best(found.factors, found.error):
            self._progress(
                Event(
                    "local search",
                    seconds,
                    error=self.state.error,
                    iterations=self.state.iterations,
                )
            )
        if plan.exchange and plan.start is not None:
            gain = plan.start.error(self.matrix) - found.error
            self.state.sides.record(plan.turned, max(0, gain), found.children)
        # What an earlier epoch planned carries its genes: the new one is to be independent.
        if plan.epoch != self.state.epoch:
            return
        improved = plan.reached is None or found.error < plan.reached
        # What one side cannot improve, the other one often can.
        if improved or (self._large and not plan.is_last):
            self.state.open.append((plan, found))
            return
        if plan.fresh:
            self.state.starts.record(plan.annealed, found.error)
        member = Member(found.factors, found.error)
        if self._known(member):
            self.state.stale += 1
        elif plan.parents is None and len(self.state.members) < self.settings.size:
            self.state.members.append(member)
            self._feed_pool(member)
        else:
            self._replace(self._nearer_parent(plan, member), member)
        if self.state.stale > self.settings.patience * self.settings.size:
            self.state.members.clear()
            self.state.open.clear()
            self.state.stale = 0
            self.state.epoch += 1

    def _known(self, member: Member) -> bool:
        return any(
            other.error == member.error and similarity(other.factors, member.factors) > _SAME
            for other in self.state.members
        )

    def _nearer_parent(self, plan: Plan, member: Member) -> int | None:
        if plan.parents is None:
            return None
        return max(
            plan.parents, key=lambda u: similarity(self.state.members[u].factors, member.factors)
        )

    def _replace(self, parent: int | None, member: Member) -> None:
        """A child takes the place of its nearer parent if better, else of the worst member."""
        if parent is not None and member.error < self.state.members[parent].error:
            self.state.members[parent] = member
            self.state.stale = 0
            self._feed_pool(member)
            return
        self.state.stale += 1
        worst = max(range(len(self.state.members)), key=lambda u: self.state.members[u].error)
        if member.error < self.state.members[worst].error:
            self.state.members[worst] = member
            self._feed_pool(member)

    def _feed_pool(self, member: Member) -> None:
        if self.pool is not None and member.error <= _GOOD * self.state.error:
            self.pool.extend(member.factors.rectangles)
