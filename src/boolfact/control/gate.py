"""Threads of which some wait until others no longer need the cores."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, ParamSpec, Self, TypeVar

from boolfact.control.executor import ThreadExecutor

__all__ = ["GatedExecutor"]

P = ParamSpec("P")
Item = TypeVar("Item")
Out = TypeVar("Out")


class GatedExecutor:
    """Workers of an executor, only some of which work at the same time until the gate is opened.

    Parameters
    ----------
    inner : ThreadExecutor
        It stays with whoever made it.
    first : int
        Workers that may work from the beginning.

    Examples
    --------
    >>> with ThreadExecutor(2) as inner:
    ...     gated = GatedExecutor(inner, 1)
    ...     before = list(gated.map(abs, [-1, 2]))
    ...     gated.open()
    ...     before, gated.submit(divmod, 7, 2).result()
    ([1, 2], (3, 1))
    """

    def __init__(self, inner: ThreadExecutor, first: int) -> None:
        if not 1 <= first <= inner.workers:
            raise ValueError(f"first must be 1 to {inner.workers}, got {first}")
        self._inner = inner
        self._free = threading.Semaphore(first)
        self._shut = inner.workers - first

    shares_memory = True

    @property
    def workers(self) -> int:
        """See `Executor`."""
        return self._inner.workers

    def share(self, value: Item) -> Item:
        """See `Executor`."""
        return value

    def open(self) -> None:
        """Let all of them work; once is enough."""
        shut, self._shut = self._shut, 0
        if shut:
            self._free.release(shut)

    def map(self, function: Callable[[Item], Out], items: Iterable[Item]) -> Iterator[Out]:
        """See `Executor`."""
        return self._inner.map(partial(self._in_turn, function), items)

    def submit(
        self, function: Callable[P, Out], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Out]:
        """See `Executor`."""
        return self._inner.submit(self._in_turn, function, *args, **kwargs)

    def part(self, workers: int) -> ThreadExecutor:
        """See `Executor`; it has no gate."""
        return self._inner.part(workers)

    def _in_turn(self, function: Callable[..., Out], /, *args: Any, **kwargs: Any) -> Out:
        with self._free:
            return function(*args, **kwargs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        pass
