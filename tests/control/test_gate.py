"""Threads that wait for others."""

import threading

import pytest

from boolfact.control.executor import ThreadExecutor
from boolfact.control.gate import GatedExecutor


class Meeting:
    """Work that says how many do it at the same time."""

    def __init__(self, parties):
        self.all_there = threading.Barrier(parties)

    def __call__(self, item):
        try:
            self.all_there.wait(0.3)
        except threading.BrokenBarrierError:
            return item, False
        return item, True


def test_one_at_a_time_until_the_gate_is_opened():
    with ThreadExecutor(2) as inner:
        gated = GatedExecutor(inner, 1)
        assert gated.workers == 2
        assert list(gated.map(Meeting(2), [3, 4])) == [(3, False), (4, False)]
        gated.open()
        gated.open()
        assert list(gated.map(Meeting(2), [3, 4])) == [(3, True), (4, True)]
        futures = [gated.submit(Meeting(1), item) for item in range(5)]
        assert [future.result() for future in futures] == [(item, True) for item in range(5)]


def test_work_that_fails_leaves_the_gate_as_it_was():
    with ThreadExecutor(2) as inner:
        gated = GatedExecutor(inner, 1)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                gated.submit(divmod, 1, 0).result()
        assert gated.submit(divmod, 7, 2).result() == (3, 1)


@pytest.mark.parametrize("first", [0, 3])
def test_how_many_may_begin(first):
    with ThreadExecutor(2) as inner, pytest.raises(ValueError, match="first must be 1 to 2"):
        GatedExecutor(inner, first)
