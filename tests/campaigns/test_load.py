"""A short slice of the load, which the campaign makes as long as wanted."""

import concurrent.futures
import sys

import pytest

from campaigns import load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")


def test_fits_leave_no_threads_and_no_open_files():
    first, last = load.one_after_the_other(16, 8)
    assert last.threads <= first.threads
    assert last.files <= first.files


def test_fits_in_threads_give_what_they_give_alone():
    alone = [load.fit(place) for place in range(8)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert load.differing(list(pool.map(load.fit, range(8))), alone) == 0
    assert load.differing([("", 0, None), alone[1]], alone[:2]) == 1


@pytest.mark.slow
def test_hundreds_of_fits_take_no_more_memory():
    told = load.one_after_the_other(400, 100)
    assert told[-1].threads <= told[0].threads
    assert told[-1].files <= told[0].files
    # A leak of a matrix of these would be less; of a solver or a kernel, more.
    assert told[-1].memory - told[0].memory < 300 * 0.05
