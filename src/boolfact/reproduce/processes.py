"""Processes with one thread each: the one place of this folder that starts any."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

__all__ = ["processes"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@contextmanager
def processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of fresh processes with one thread each; at an error they are ended at once."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    with _one_thread_each(), ProcessPoolExecutor(count, context, _prepare) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            ours = set(multiprocessing.active_children()) - before
            for process in ours:
                process.terminate()
            for process in ours:
                process.join()
            raise


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Libraries read these when they are loaded, so they are set before a process begins."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _prepare() -> None:
    """A Ctrl-C is for the process that started us; it ends us, and so does its own end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process that is killed cannot end those that it started."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
