import os
import signal
import time

import pytest

from boolfact.control.ending import Ending
from boolfact.control.stop import Stop


def test_without_limits_it_goes_on():
    stop = Stop()
    assert not stop.reached(error=0, iterations=10**9)
    assert stop.remaining() == float("inf")


def test_time_limit():
    stop = Stop(time_limit=0.01)
    time.sleep(0.02)
    assert stop.now()
    assert stop.reason is Ending.TIME_LIMIT
    assert stop.remaining() == 0


def test_iteration_limit_and_target():
    assert Stop(iteration_limit=3).reached(iterations=3)
    assert not Stop(iteration_limit=3).reached(iterations=2)
    assert Stop(target=5).reached(error=5)
    assert not Stop(target=5).reached(error=6)


@pytest.mark.parametrize("bad", [{"time_limit": 0}, {"time_limit": -1}, {"iteration_limit": 0}])
def test_limits_must_be_positive(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        Stop(**bad)


def test_a_child_ends_with_its_parent_and_shares_the_interruption():
    parent = Stop(time_limit=100)
    child = parent.child(time_limit=1000)
    assert child.remaining() <= 100
    assert parent.child(time_limit=1).remaining() <= 1
    time.sleep(0.01)
    assert parent.child(time_limit=1).elapsed() >= 0.01
    parent.interrupt()
    assert child.now()
    assert child.reason is Ending.INTERRUPTED


@pytest.fixture(params=["as it is", "ignored"])
def before(request):
    """The handler of SIGINT; a job in the background of a script is started with it ignored."""
    found = signal.getsignal(signal.SIGINT)
    if request.param == "ignored":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, found)


def test_the_first_interrupt_signal_is_a_request_and_the_second_an_exception(before):
    stop = Stop()
    with stop.listening():
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.now()
        assert stop.reason is Ending.INTERRUPTED
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture(params=["SIGTERM", "SIGHUP"])
def farewell(request):
    """A signal by which a system asks a program to end; what was done on it is put back."""
    if not hasattr(signal, request.param):
        pytest.skip(f"there is no {request.param} here")
    number = getattr(signal, request.param)
    earlier = signal.signal(number, signal.SIG_DFL)
    yield number
    signal.signal(number, earlier)


def test_a_request_to_end_ends_a_run_like_the_first_interrupt(before, farewell, monkeypatch):
    monkeypatch.setattr("boolfact.control.signals._SAME_REQUEST", 0.0)
    stop = Stop()
    with stop.listening():
        os.kill(os.getpid(), farewell)
        assert stop.now()
        assert stop.reason is Ending.INTERRUPTED
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), farewell)
    assert signal.getsignal(farewell) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_somebody_else_is_left_alone(farewell):
    calls, stop = [], Stop()
    signal.signal(farewell, lambda *given: calls.append(given))
    with stop.listening():
        os.kill(os.getpid(), farewell)
        assert not stop.now()
    assert len(calls) == 1


def test_what_is_ignored_stays_ignored(farewell):
    """As under nohup."""
    stop = Stop()
    signal.signal(farewell, signal.SIG_IGN)
    with stop.listening():
        os.kill(os.getpid(), farewell)
        assert not stop.now()


def test_a_share_is_part_of_the_time_that_is_left_or_of_what_is_said():
    run = Stop(time_limit=100, target=7)
    assert 19 < run.share(0.2).remaining() <= 20
    assert 1.9 < run.share(0.2, seconds=10).remaining() <= 2
    assert run.share(0.2).target == 7
    assert Stop().share(0.2).remaining() == float("inf")
    assert run.share(0.2, seconds=float("inf")).remaining() > 99


def test_with_an_iteration_limit_every_share_has_all_of_it_and_the_clock_no_say():
    phase = Stop(time_limit=100, iteration_limit=5).share(0.01)
    assert phase.iteration_limit == 5
    assert phase.remaining() > 99


def test_a_restart_begins_to_count_anew():
    stop = Stop(time_limit=100)
    time.sleep(0.02)
    stop.restart()
    assert stop.elapsed() < 0.02
    assert stop.remaining() > 99.98


def test_a_phase_ends_when_its_condition_says_so_and_the_run_goes_on():
    run, over = Stop(), []
    phase = run.child(until=lambda: bool(over))
    assert not phase.now()
    assert phase.remaining() == float("inf")
    over.append(1)
    assert phase.now()
    assert phase.reason is Ending.TIME_LIMIT
    assert not run.now()
    assert run.reason is None


def test_ending_one_ends_its_children_and_not_its_parent():
    run = Stop(time_limit=1000)
    phase = run.child()
    part = phase.child(500)
    assert not part.now()
    phase.end()
    assert part.now()
    assert part.remaining() == 0
    assert phase.now()
    assert not run.now()


def test_what_ends_and_what_does_not():
    assert Stop().is_endless
    assert Stop().child().is_endless
    assert not Stop(time_limit=5).child().is_endless
    assert not Stop(iteration_limit=5).is_endless
    assert not Stop(target=5).is_endless
    assert not Stop().child(until=lambda: False).is_endless
