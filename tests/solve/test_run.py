"""A run that proves beside its search takes over what is proved, and ends as a whole."""

import threading
from fractions import Fraction

import pytest

from boolfact.baselines.k_greedy import k_greedy
from boolfact.control.progress import Event
from boolfact.control.stop import Stop, StopReason
from boolfact.datasets import load_dataset
from boolfact.model.reduction import reduce_matrix
from boolfact.solve.run import Run
from boolfact.solve.task import Task


def make_run(stop, k=5, workers=2, events=None):
    matrix = reduce_matrix(load_dataset("zoo")).matrix
    listen = (lambda event: None) if events is None else events.append
    return Run(
        Task(matrix=matrix, k=k, rho=Fraction(1), seed=0, workers=workers, stop=stop,
             progress=listen)
    )  # fmt: skip


def test_what_is_proved_beside_the_search_is_taken_over():
    events = []
    run = make_run(Stop(), events=events)
    run.search(Stop(target=125))
    threads = []

    def prove(other):
        threads.append(threading.current_thread())
        assert other.population is None
        assert other.task.workers == 1
        other.generate(Fraction(1), other.task.stop)
        other.recombine(Fraction(1), other.task.stop)

    run.beside(prove, workers=1)
    assert threads[0] is not threading.main_thread()
    assert run.is_solved
    assert run.objective_bound.rounded == 127
    assert run.error == run.best.error(run.task.matrix) == 125
    assert run.task.trace.counters["integer master objective, rho 1"] == 127
    assert run.task.trace.counters["exact pricings"] >= 1
    seconds = [point.seconds for point in run.task.trace.points]
    assert seconds == sorted(seconds)
    assert run.population.workers == 2
    assert len(run.pool) >= 5
    shown = [
        event.objective_lower_bound for event in events if event.objective_lower_bound is not None
    ]
    assert all(bound <= 127 for bound in shown)


def test_at_a_target_nobody_waits_for_bounds():
    run = make_run(Stop(time_limit=100, target=130))

    def prove(other):
        while not other.task.stop.now():
            threading.Event().wait(0.01)

    run.beside(prove, workers=1)
    assert run.error <= 130
    assert run.outcome().reason is StopReason.TARGET


def test_shown_and_traced_errors_never_rise():
    events = []
    run = make_run(Stop(time_limit=100), k=10, events=events)

    def prove(other):
        while run.population.error > 45:
            threading.Event().wait(0.01)
        other.offer(k_greedy(other.task.matrix, 10, seed=0))
        # A search is under way that is ahead of what the run has kept.
        for _ in range(3):
            other._listen(
                Event("column generation", other.task.stop.elapsed(), objective_lower_bound=1.0)
            )

    run.beside(prove, workers=1)
    shown = [event.error for event in events]
    assert shown == sorted(shown, reverse=True)
    traced = [point.error for point in run.task.trace.points if point.error is not None]
    assert len(set(traced)) == len(traced)
    assert traced == sorted(traced, reverse=True)


def test_a_proof_begins_with_the_best_of_the_search():
    run = make_run(Stop(time_limit=100))
    known = []

    def prove(other):
        while run.population.error > 125:
            threading.Event().wait(0.01)
        other.generate(Fraction(1), other.task.stop.child(iteration_limit=1))
        known.append(other.error)

    run.beside(prove, workers=1)
    assert known == [125]


def test_a_run_without_a_search_says_why_it_ended():
    stop = Stop()
    run = Run(make_run(stop).task, searches=False)
    assert run.outcome().reason is None
    stop.interrupt()
    assert run.outcome().reason is StopReason.INTERRUPTED


def test_an_error_in_the_proof_is_not_lost():
    run = make_run(Stop(time_limit=60))

    def prove(other):
        raise ArithmeticError("made to fail")

    with pytest.raises(ArithmeticError, match="made to fail"):
        run.beside(prove, workers=1)


def test_an_interruption_ends_both():
    stop = Stop()
    run = make_run(stop, k=10)

    def prove(other):
        stop.interrupt()
        assert other.task.stop.now()

    run.beside(prove, workers=1)
    assert run.outcome().reason is StopReason.INTERRUPTED


def test_one_worker_is_too_few_for_two_runs():
    with pytest.raises(ValueError, match="over 1 workers"):
        make_run(Stop(time_limit=1), workers=1).beside(lambda other: None, workers=1)
