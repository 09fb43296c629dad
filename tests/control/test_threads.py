"""BLAS keeps to one thread where asked, in any thread, and gets its threads back."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from scipy import linalg
from threadpoolctl import threadpool_info, threadpool_limits

from boolfact.control.threads import single_blas_thread


def blas_threads():
    assert linalg.norm([3.0, 4.0]) == 5
    return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]


def test_one_thread_inside_and_as_many_as_before_outside():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with single_blas_thread():
            assert set(blas_threads()) == {1}
            with single_blas_thread():
                assert set(blas_threads()) == {1}
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


def test_in_another_thread():
    def inside():
        with single_blas_thread():
            return blas_threads()

    before = blas_threads()
    with ThreadPoolExecutor(1) as thread:
        assert set(thread.submit(inside).result()) == {1}
    assert blas_threads() == before


def test_an_error_restores_them_too():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), single_blas_thread():
        raise ZeroDivisionError
    assert blas_threads() == before


def test_the_last_to_leave_gives_back_what_the_first_found():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        first, second = single_blas_thread(), single_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(blas_threads()) == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before
