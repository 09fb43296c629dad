"""One thread for the linear algebra, while the threads of this package do the work.

Threads of BLAS wait for each other more than they compute on matrices of our size, and with
another process on the machine many times longer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["limit_blas_here", "single_blas_thread"]


@cache
def _controller() -> Any:
    """What speaks to the libraries; finding them takes a while, so it is done once."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


class _Limit:
    """How many ask for one thread at the moment, and what there was before the first did.

    Most builds of BLAS have one number of threads for the whole process: whoever comes second
    finds 1, and would put that back as if it had been the user's.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking = 0
        self._before: Any = None

    def enter(self) -> None:
        with self._lock:
            limited = _controller().limit(limits=1, user_api="blas")
            if self._asking == 0:
                self._before = limited
            self._asking += 1

    def leave(self) -> None:
        with self._lock:
            self._asking -= 1
            if self._asking == 0:
                self._before.restore_original_limits()


_LIMIT = _Limit()


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread until all who asked for it are done.

    Some builds of BLAS have a number of threads per thread that calls them: there it holds in
    this one only, and every other thread has to say it, or to call `limit_blas_here`.

    Examples
    --------
    >>> with single_blas_thread():
    ...     pass
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


def limit_blas_here() -> None:
    """The same for a thread that ends before a `single_blas_thread` around it does."""
    _controller().limit(limits=1, user_api="blas")
