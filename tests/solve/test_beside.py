"""A proof beside the search: what it finds is taken over, and the run ends as a whole."""

import threading

import pytest

from boolfact.baselines.k_greedy import k_greedy
from boolfact.control.counters import Counter, labelled
from boolfact.control.ending import Ending
from boolfact.control.gate import GatedExecutor
from boolfact.control.progress import Event
from boolfact.control.stop import Stop
from boolfact.model.bound import Quantity
from boolfact.solve.beside import search_beside
from boolfact.solve.engines import bound_objective, offer, recombine, search, why_it_ended
from solve.tasks import started


def wait_for(condition):
    while not condition():
        threading.Event().wait(0.01)


def test_what_is_proved_beside_the_search_is_taken_over():
    events, threads = [], []

    def prove(task, copied, reporter, news):
        threads.append(threading.current_thread())
        assert copied.population is None
        # Both, of which one waits while the search needs it.
        assert isinstance(task.executor, GatedExecutor)
        assert task.workers == 2
        assert copied.pool is not state.pool
        assert bound_objective(task, copied, task.stop, reporter) in (
            Ending.PROVED,
            Ending.INCUMBENT,
        )
        recombine(task, copied, task.stop, reporter)

    with started(Stop(), progress=events.append) as (task, state, reporter):
        search(task, state, Stop(target=125), reporter)
        search_beside(task, state, reporter, prove, workers=1)
    assert threads[0] is not threading.main_thread()
    assert state.bounds[Quantity.OBJECTIVE].rounded == 127
    assert state.error == state.best.error(task.matrix) == 125
    counters = state.trace.counters
    assert counters[labelled(Counter.INTEGER_MASTER_OBJECTIVE, "rho=1")] == 127
    assert counters[Counter.NODES] > 0
    seconds = [point.seconds for point in state.trace.points]
    assert len(seconds) > 1
    assert seconds == sorted(seconds)
    assert len(state.pool) >= 5
    shown = [event.objective_lower_bound for event in events]
    assert all(bound is None or bound <= 127 for bound in shown)


def test_at_a_target_nobody_waits_for_bounds():
    def prove(task, copied, reporter, news):
        wait_for(task.stop.now)

    with started(Stop(time_limit=100, target=130)) as (task, state, reporter):
        last = search_beside(task, state, reporter, prove, workers=1)
    assert state.error <= 130
    assert why_it_ended(task, state, last) is Ending.TARGET


def test_shown_and_traced_errors_never_rise():
    events = []

    def prove(task, copied, reporter, news):
        wait_for(lambda: state.population.error <= 45)
        offer(task, copied, k_greedy(task.matrix, 10, seed=0), reporter)
        # A search is under way that is ahead of what this side has kept.
        for _ in range(3):
            reporter(Event("column generation", task.stop.elapsed(), objective_lower_bound=1.0))

    with started(Stop(time_limit=100), k=10, progress=events.append) as (task, state, reporter):
        search_beside(task, state, reporter, prove, workers=1)
    shown = [event.error for event in events]
    assert len(shown) > 3
    assert shown == sorted(shown, reverse=True)
    traced = [point.error for point in state.trace.points if point.error is not None]
    assert len(set(traced)) == len(traced) > 1
    assert traced == sorted(traced, reverse=True)


def test_a_proof_hears_of_the_best_of_the_search():
    heard = []

    def prove(task, copied, reporter, news):
        wait_for(lambda: state.population.error <= 125)
        heard.append(news().error(task.matrix))

    with started(Stop(time_limit=100)) as (task, state, reporter):
        search_beside(task, state, reporter, prove, workers=1)
    assert heard == [125]


def test_a_search_that_stands_still_leaves_its_workers_to_the_proof():
    together = []

    def prove(task, copied, reporter, news):
        assert task.executor.workers == 2
        there = threading.Barrier(2)

        def meet(_):
            try:
                there.wait(0.05)
            except threading.BrokenBarrierError:
                there.reset()
                return False
            return True

        wait_for(lambda: together.append(all(task.executor.map(meet, range(2)))) or together[-1])

    with started(Stop(time_limit=100), k=2) as (task, state, reporter):
        search_beside(task, state, reporter, prove, workers=1, patience=0.5, times=0.0)
    assert not together[0]
    assert together[-1]


def test_an_error_in_the_proof_is_not_lost():
    def prove(task, copied, reporter, news):
        raise ArithmeticError("made to fail")

    with (
        started(Stop(time_limit=60)) as (task, state, reporter),
        pytest.raises(ArithmeticError, match="made to fail"),
    ):
        search_beside(task, state, reporter, prove, workers=1)


def test_an_interruption_ends_both():
    stop = Stop()

    def prove(task, copied, reporter, news):
        stop.interrupt()
        assert task.stop.now()

    with started(stop, k=10) as (task, state, reporter):
        last = search_beside(task, state, reporter, prove, workers=1)
    assert why_it_ended(task, state, last) is Ending.INTERRUPTED


def test_one_worker_is_too_few_for_two_engines():
    with (
        started(Stop(time_limit=1), workers=1) as (task, state, reporter),
        pytest.raises(ValueError, match="over 1 workers"),
    ):
        search_beside(task, state, reporter, lambda *given: None, workers=1)
