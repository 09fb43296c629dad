"""Executors give the same results in the same order, whatever they run on."""

import threading
import time

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from boolfact.control.executor import SerialExecutor, ThreadExecutor, make_executor

EXECUTORS = [SerialExecutor, lambda: ThreadExecutor(1), lambda: ThreadExecutor(3)]


@pytest.mark.parametrize("make", EXECUTORS)
def test_map_keeps_the_order_of_its_items(make):
    def late_first(u):
        time.sleep(0.02 * (u == 0))
        return u * u

    with make() as executor:
        assert list(executor.map(late_first, range(8))) == [u * u for u in range(8)]


@pytest.mark.parametrize("make", EXECUTORS)
def test_an_exception_of_submitted_work_waits_in_its_future(make):
    with make() as executor:
        future = executor.submit(divmod, 1, 0)
        with pytest.raises(ZeroDivisionError):
            future.result()


def test_one_worker_maps_in_the_thread_of_the_caller_and_submits_to_another():
    with ThreadExecutor(1) as executor:
        assert list(executor.map(lambda _: threading.get_ident(), "a")) == [threading.get_ident()]
        assert executor.submit(threading.get_ident).result() != threading.get_ident()


def test_its_threads_work_at_the_same_time_and_end_with_it():
    meeting = threading.Barrier(3)
    with make_executor(3) as executor:
        assert executor.workers == 3
        assert sorted(executor.map(lambda _: meeting.wait(timeout=30), range(3))) == [0, 1, 2]
        names = [thread.name for thread in threading.enumerate()]
        assert sum(name.startswith("boolfact") for name in names) == 3
    names = [thread.name for thread in threading.enumerate()]
    assert not any(name.startswith("boolfact") for name in names)


def test_work_may_use_a_part_of_the_workers_beside_it():
    with ThreadExecutor(2) as executor, executor.part(1) as part:
        assert part.workers == 1

        def inside():
            return part.submit(lambda: "done").result(timeout=30)

        assert list(executor.map(lambda _: inside(), range(2))) == ["done", "done"]


def test_blas_has_one_thread_inside_and_as_many_as_before_afterwards():
    def blas_threads():
        return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with ThreadExecutor(2) as executor, executor.part(2) as part:
            for user in (executor, part):
                assert set(user.submit(blas_threads).result()) == {1}
        assert blas_threads() == before


def test_no_workers_are_refused():
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        ThreadExecutor(0)
