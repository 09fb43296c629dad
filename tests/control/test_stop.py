import os
import signal
import time

import pytest

from boolfact.control.stop import Stop, StopReason


def test_without_limits_it_goes_on():
    stop = Stop()
    assert not stop.reached(error=0, iterations=10**9)
    assert stop.remaining() == float("inf")


def test_time_limit():
    stop = Stop(time_limit=0.01)
    time.sleep(0.02)
    assert stop.now()
    assert stop.reason is StopReason.TIME_LIMIT
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
    assert child.reason is StopReason.INTERRUPTED


def test_the_first_interrupt_signal_is_a_request_and_the_second_an_exception():
    stop = Stop()
    with stop.listening():
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.now()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_phase_ends_when_its_condition_says_so_and_the_run_goes_on():
    run, over = Stop(), []
    phase = run.child(until=lambda: bool(over))
    assert not phase.now()
    assert phase.remaining() == float("inf")
    over.append(1)
    assert phase.now()
    assert phase.reason is StopReason.TIME_LIMIT
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
