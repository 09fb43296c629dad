"""One thread for the linear algebra, while the threads of this package do the work.

Threads of BLAS wait for each other more than they compute on matrices of our size, and with
another process on the machine many times longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

__all__ = ["single_blas_thread"]


@cache
def _controller():  # type: ignore[no-untyped-def]
    """What speaks to the libraries; finding them takes a while, so it is done once."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Keep what this thread asks of BLAS to one thread.

    The limit of the main thread holds everywhere, that of another thread only there, so that
    every thread that multiplies matrices has to say it.

    Examples
    --------
    >>> with single_blas_thread():
    ...     pass
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield
