"""Requests to end around the searches of a program."""

import signal

import pytest

from boolfact.control import signals
from boolfact.control.signals import Requests, ending_politely
from boolfact.control.stop import Stop

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="POSIX signals")


@pytest.fixture(autouse=True)
def _as_in_a_program():
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_before_any_search_a_request_ends_the_program(number):
    with ending_politely(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_after_a_search_the_first_request_lets_the_program_save(number, monkeypatch):
    monkeypatch.setattr(signals, "_SAME_REQUEST", 0.0)
    with ending_politely():
        with Stop().listening():
            pass
        signal.raise_signal(number)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


def test_a_request_between_two_searches_ends_the_second():
    with ending_politely():
        with Stop().listening():
            pass
        signal.raise_signal(signal.SIGTERM)
        with Stop().listening() as stop:
            assert stop.interrupted


def test_a_request_that_is_sent_twice_is_one_request():
    """By `timeout`, by shells that are closed, by service managers."""
    with Stop().listening() as stop:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGHUP)
        assert stop.interrupted


def test_a_second_ctrl_c_always_counts():
    requests = Requests()
    assert [requests.note(signal.SIGINT) for _ in range(3)] == [1, 2, 3]


def test_the_clock_of_the_wall_has_no_say(monkeypatch):
    """It may jump; time is asked of a clock that does not."""
    monkeypatch.setattr("time.time", lambda: pytest.fail("asked the wrong clock"))
    stop = Stop(time_limit=100)
    assert not stop.now()
    assert Requests().note(signal.SIGTERM) == 1
