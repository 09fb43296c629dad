"""Two searches in turn on large data: single rectangles, and samples of rows.

Neither is better everywhere. Exchanging single rectangles (`boolfact.local_search.exchange`) wins
where no zero may be covered, and where ones are many: there it has all the time. Patterns of
samples and of associations, refitted on all rows (`boolfact.large.search`), win where many are to
be changed at once. So where ones are few each has its turn, and the one that lately gained more in
a second has more of them. Whatever one finds the other one goes on with.
"""

from __future__ import annotations

from dataclasses import dataclass

from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.large.data import prepare
from boolfact.large.search import LargeSearch, LargeSettings
from boolfact.local_search.population import Population
from boolfact.local_search.problem import masks_of
from boolfact.local_search.settings import PopulationSettings
from boolfact.local_search.weights import zeros_are_dear
from boolfact.model.factors import Factors
from boolfact.model.merging import bits_of
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from boolfact.solve.task import Task

__all__ = ["begin_samples", "search_in_turns"]

_SETTINGS = LargeSettings(first_share=0.15)
"""Its first patterns are not the first ones here, so they may take less time."""
_ROUNDS = 4
"""Rounds of a turn: one of them searches a sample."""
_MEMORY = 0.5
"""Of gains and seconds, at the next turn of the same search."""
_FEW_ONES = 0.1
"""Of all entries: with more of them the search by samples leads to where exchanges find less."""
_OTHER_TURN = 4
"""One turn in so many is of the search that gained less."""


def begin_samples(task: Task, state: State) -> None:
    """Have a search by samples, where the matrix is large, its ones are few, and time is the limit.

    Turns go by the clock, so where answers are to be repeated there is none; and none where the
    weights of entries are not those of rows and columns.
    """
    if task.reduction is None or state.population is None or task.stop.iteration_limit is not None:
        return
    if not PopulationSettings().is_large(task.matrix.shape, task.k):
        return
    given = task.reduction.original
    if int(given.ones.sum()) > _FEW_ONES * given.values.size:
        return
    rows = bits_of(task.reduction)
    if rows is None:
        return
    turned = rows.shape[1] > rows.shape[0]
    data = prepare(rows.T if turned else rows)
    state.samples = LargeSearch(data, task.k, seed=task.seed, settings=_SETTINGS)


@dataclass
class _Pace:
    """What a search gained, and in which time; what is long ago counts less."""

    gain: float = 0.0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """In a second."""
        return self.gain / self.seconds if self.seconds else 0.0

    def note(self, gain: float, seconds: float) -> None:
        """Note a turn."""
        self.gain = _MEMORY * self.gain + gain
        self.seconds = _MEMORY * self.seconds + max(seconds, 1e-6)


def search_in_turns(
    task: Task, state: State, stop: Stop, reporter: Reporter, population: Population
) -> Ending:
    """Both searches in turn until the stop."""
    samples, known = state.samples, population.state
    assert samples is not None
    exchanging, sampling = _Pace(), _Pace()
    exchanges_first = zeros_are_dear(task.matrix)
    chain = population.children_of_a_chain * task.workers
    turns = 0
    while state.error > 0 and not stop.reached(state.error):
        turns += 1
        before, began = state.error, stop.elapsed()
        exchanges = exchanging.rate > sampling.rate
        if exchanging.rate == sampling.rate:
            exchanges = exchanges_first == (turns % 2 == 1)
        elif turns % _OTHER_TURN == 0:
            exchanges = not exchanges
        if not exchanges:
            _sample(task, state, stop, samples)
            pace = sampling
        else:
            population.advance(stop.child(iteration_limit=chain, target=stop.target), task.anywhere)
            state.keep(known.best, task.matrix)
            pace = exchanging
        pace.note(before - state.error, stop.elapsed() - began)
        reporter.found(state, stop.elapsed())
        state.improved_at = reporter.improved_at
    return stop.reason or Ending.PROVED


def _sample(task: Task, state: State, stop: Stop, samples: LargeSearch) -> None:
    """A turn of the search by samples, from the best that is known."""
    turned = task.matrix.shape[1] > task.matrix.shape[0]
    best = Factors(state.best.B.T, state.best.A.T) if turned else state.best
    if samples.rounds and state.error < samples.best.error:
        samples.offer(best, stop=stop, executor=task.executor)
    samples.advance(stop.child(target=stop.target), task.executor, rounds=_ROUNDS)
    if samples.best.error >= state.error:
        return
    A, B = masks_of(samples.best.U, task.k), masks_of(samples.best.V, task.k).T
    state.offer(Factors(B.T, A.T) if turned else Factors(A, B), task.matrix)
