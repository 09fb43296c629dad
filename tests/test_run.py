"""A run that proves beside its search takes over what is proved, and ends as a whole."""

import threading
from fractions import Fraction

import pytest

from boolfact.datasets import load_dataset
from boolfact.reduction import reduce_matrix
from boolfact.run import Run
from boolfact.stop import Stop, StopReason
from boolfact.task import Task


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
    assert run.objective_bound.objective_bound == 127
    assert run.error == run.best.error(run.task.matrix) == 125
    assert run.task.trace.counters["integer master objective, rho 1"] == 127
    assert run.task.trace.counters["exact pricings"] >= 1
    seconds = [point.seconds for point in run.task.trace.points]
    assert seconds == sorted(seconds)
    assert run.population.workers == 2
    assert len(run.pool) > 5
    shown = [event.lower_bound for event in events if event.lower_bound is not None]
    assert all(bound <= 127 for bound in shown)


def test_at_a_target_nobody_waits_for_bounds():
    run = make_run(Stop(target=130))
    ended = []

    def prove(other):
        while not other.task.stop.now():
            ended.append(1)
            threading.Event().wait(0.01)

    run.beside(prove, workers=1)
    assert run.error <= 130
    assert run.outcome().reason is StopReason.TARGET


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
