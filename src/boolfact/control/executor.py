"""Where the work of a run is done: one seam between the algorithms and threads.

An executor is made once per run, from the number of workers, and passed down to whoever has
work to share. What is found never depends on it: `map` keeps the order of its items, and
whoever submits work takes the results in an order of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from types import TracebackType
from typing import Any, ParamSpec, Protocol, Self, TypeVar

from boolfact.control.stop import Stop
from boolfact.control.threads import limit_blas_here, single_blas_thread

__all__ = [
    "SERIAL",
    "Executor",
    "SerialExecutor",
    "ThreadExecutor",
    "beating",
    "came_before",
    "make_executor",
    "use_executor",
]

P = ParamSpec("P")
Item = TypeVar("Item")
Out = TypeVar("Out")

_POLL_SECONDS = 0.05
"""How often whoever waits for work looks at the stop."""


class Executor(Protocol):
    """What is asked of threads, processes or a cluster.

    Work must not submit to the executor that it runs on: all workers could end up waiting for
    work that waits for them. It takes a `part` for that.

    Where memory is not shared, work is a function of its arguments alone, and so it can be done
    again elsewhere.
    """

    @property
    def workers(self) -> int:
        """How much is done at the same time; at least 1."""
        ...

    @property
    def shares_memory(self) -> bool:
        """Whether work sees what the caller changes meanwhile, such as a flag that says stop."""
        ...

    def share(self, value: Item) -> Item:
        """A value that much of the work is given, by `submit`: so it travels only once."""
        ...

    def map(self, function: Callable[[Item], Out], items: Iterable[Item]) -> Iterator[Out]:
        """The function of each item, in the order of the items."""
        ...

    def submit(
        self, function: Callable[P, Out], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Out]:
        """Begin a piece of work as soon as a worker is free."""
        ...

    def part(self, workers: int) -> Executor:
        """Another executor of the same kind with this many workers, to be used beside this one."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for what was submitted, and give the workers back."""
        ...


class SerialExecutor:
    """Everything at once and in the thread of the caller.

    What is submitted is done when `submit` returns, so nobody can stop it half-way: a run with
    a time limit is better served by `ThreadExecutor`, even with one worker.

    Examples
    --------
    >>> with SerialExecutor() as executor:
    ...     list(executor.map(abs, [-1, 2])), executor.submit(divmod, 7, 2).result()
    ([1, 2], (3, 1))
    """

    workers = 1
    shares_memory = True

    def share(self, value: Item) -> Item:
        """See `Executor`."""
        return value

    def map(self, function: Callable[[Item], Out], items: Iterable[Item]) -> Iterator[Out]:
        """See `Executor`."""
        return map(function, items)

    def submit(
        self, function: Callable[P, Out], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Out]:
        """See `Executor`; an exception waits in the future."""
        future: Future[Out] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def part(self, workers: int) -> SerialExecutor:
        """See `Executor`; it has one worker whatever was asked for."""
        return SerialExecutor()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


SERIAL = SerialExecutor()
"""It holds nothing, so all who share no work can have the same one."""


class ThreadExecutor:
    """Threads of this process, each of which keeps BLAS to one thread.

    They start with the first piece of work. With one worker, `map` stays in the thread of the
    caller; `submit` never does, so the caller can watch the clock meanwhile.

    Parameters
    ----------
    workers : int
    name : str
        Of the threads, for debuggers.

    Examples
    --------
    >>> with ThreadExecutor(2) as executor:
    ...     list(executor.map(abs, [-1, 2])), executor.submit(divmod, 7, 2).result()
    ([1, 2], (3, 1))
    """

    def __init__(self, workers: int, name: str = "boolfact") -> None:
        if workers < 1:
            raise ValueError(f"workers must be at least 1, got {workers}")
        self._workers, self._name = workers, name
        self._threads: ThreadPoolExecutor | None = None
        self._open = ExitStack()

    shares_memory = True

    @property
    def workers(self) -> int:
        """See `Executor`."""
        return self._workers

    def share(self, value: Item) -> Item:
        """See `Executor`."""
        return value

    def map(self, function: Callable[[Item], Out], items: Iterable[Item]) -> Iterator[Out]:
        """See `Executor`."""
        if self._workers == 1:
            return map(function, items)
        return self._started().map(function, items)

    def submit(
        self, function: Callable[P, Out], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Out]:
        """See `Executor`."""
        return self._started().submit(function, *args, **kwargs)

    def part(self, workers: int) -> ThreadExecutor:
        """See `Executor`."""
        return ThreadExecutor(workers, self._name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        # First the threads end, then BLAS gets its own back.
        self._open.close()
        self._threads = None

    def _started(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._open.enter_context(single_blas_thread())
            self._threads = self._open.enter_context(
                ThreadPoolExecutor(
                    self._workers, thread_name_prefix=self._name, initializer=limit_blas_here
                )
            )
        return self._threads


def make_executor(workers: int) -> Executor:
    """The executor of a run on this machine."""
    return ThreadExecutor(workers)


def use_executor(executor: Executor | None, workers: int) -> AbstractContextManager[Executor]:
    """The executor that was given, which stays open afterwards; else one of its own.

    Examples
    --------
    >>> with use_executor(SERIAL, workers=4) as executor:
    ...     executor.workers
    1
    """
    return make_executor(workers) if executor is None else nullcontext(executor)


def came_before(stop: Stop, future: Future[Any]) -> bool:
    """Wait for a piece of work; whether it came before the stop did."""
    while not stop.now():
        wait([future], timeout=min(_POLL_SECONDS, stop.remaining() + 0.001))
        if future.done():
            return True
    return False


@contextmanager
def beating(beat: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call a function every so many seconds from a thread of its own, while the block runs.

    It does no work of the run: it tells of it while nothing else does.

    Examples
    --------
    >>> beats = threading.Event()
    >>> with beating(beats.set, 0.001):
    ...     beats.wait(60)
    True
    """
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(seconds):
            beat()

    thread = threading.Thread(target=run, name="boolfact-beat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
