"""The cluster of a run: tasks sent to the workers of Dask, and their results awaited.

The one file that knows Dask's client. Tasks are functions of their arguments alone, so a worker
that is lost costs the time to compute again what it held, and nothing else.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, ParamSpec, Self, TypeVar, cast

from boolfact.control.executor import Executor, make_executor
from boolfact.control.stop import Stop

__all__ = [
    "Cluster",
    "ClusterExecutor",
    "cluster_behind",
    "connect",
    "connected",
    "executor_of",
    "is_client",
]

P = ParamSpec("P")
Item = TypeVar("Item")
Out = TypeVar("Out")

_CONNECT_SECONDS = 10.0
_WORKERS_SECONDS = 30.0
"""How long a cluster may take until its first worker is there."""
_POLL_SECONDS = 0.05
"""How often whoever waits for workers looks at the stop."""

HINT = "clusters need Dask; install it with `pip install 'boolfact[distributed]'`"


def is_client(executor: Any) -> bool:
    """Whether this is a client of Dask; it is not loaded for the question."""
    return type(executor).__module__.split(".")[0] == "distributed" and hasattr(executor, "submit")


def cluster_behind(executor: Any) -> Cluster:
    """The workers behind a client of Dask; anything else is refused."""
    if not is_client(executor):
        raise TypeError(
            f"executor must be a client of Dask (distributed.Client), got "
            f"{type(executor).__name__}; workers= says how many threads to use here"
        )
    return Cluster(executor)


def executor_of(client: Any, workers: int) -> Executor:
    """The workers behind a client of Dask, or threads of this process if it is None."""
    return make_executor(workers) if client is None else ClusterExecutor(cluster_behind(client))


def connect(address: str, seconds: float = _CONNECT_SECONDS) -> Any:
    """A client of the cluster at an address such as "tcp://10.0.0.1:8786".

    Raises
    ------
    ImportError
        Where Dask is not installed.
    ValueError
        Where nobody answers, or the address is none.
    """
    try:
        import distributed
    except ImportError as error:
        raise ImportError(HINT) from error
    try:
        return distributed.Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise ValueError(
            f"no Dask scheduler answers at {address!r}; expected the address that "
            "`dask scheduler` prints when it starts, such as tcp://10.0.0.1:8786"
        ) from error


@contextmanager
def connected(address: str | None) -> Iterator[Cluster | None]:
    """The cluster at an address, left afterwards as it was; None for no address."""
    if address is None:
        yield None
        return
    with connect(address) as client:
        yield Cluster(client)


class Cluster:
    """The workers behind a client.

    Parameters
    ----------
    client : distributed.Client
        It stays open.

    Attributes
    ----------
    client : distributed.Client
    places : tuple of str
        Addresses of the workers when the run began, each as often as it has threads.
    """

    def __init__(self, client: Any) -> None:
        if getattr(client, "asynchronous", False):
            raise TypeError("executor must be a client that is not asynchronous")
        self.client = client
        try:
            client.wait_for_workers(1, timeout=_WORKERS_SECONDS)
        except TimeoutError as error:
            raise ValueError(
                f"the cluster at {self.address} has no workers; start some with "
                "`dask worker ADDRESS`"
            ) from error
        threads = client.nthreads()
        rounds = [[name] * count for name, count in sorted(threads.items())]
        # In turns, so that neighbours are on different workers.
        self.places = tuple(
            name for turn in itertools.zip_longest(*rounds) for name in turn if name is not None
        )

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(self.client.scheduler.address)

    @property
    def workers(self) -> int:
        """Threads of all workers together."""
        return len(self.places)

    def submit(self, function: Callable[..., Any], /, *args: Any, place: int | None = None) -> Any:
        """Begin a task; futures among the arguments stand for their results.

        Parameters
        ----------
        function : callable
            Depends on its arguments alone.
        *args
        place : int, optional
            A number that stands for one of the workers; another one does it if that is lost.
        """
        where = {}
        if place is not None:
            where = {
                "workers": [self.places[place % len(self.places)]],
                "allow_other_workers": True,
            }
        return self.client.submit(function, *args, pure=False, **where)

    def wait(self, futures: Sequence[Any], stop: Stop | None = None) -> bool:
        """Whether all were done before the stop; otherwise those that are not are cancelled."""
        waiting = _Waiting(futures)
        while not waiting.is_over.is_set():
            if stop is not None and stop.now():
                self.client.cancel([future for future in futures if not future.done()])
                return False
            if self.client.status not in ("running", "connecting"):
                raise ConnectionError(f"lost the connection to the cluster at {self.address}")
            waiting.is_over.wait(_POLL_SECONDS)
        return True

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """The results in order; an exception of a task is raised here."""
        from distributed import KilledWorker

        self.wait(futures)
        try:
            return list(self.client.gather(list(futures)))
        except KilledWorker as error:
            raise RuntimeError(
                f"a task was lost with several workers of {self.address} one after another; "
                "their logs say why, often it is too little memory"
            ) from error

    def map(self, function: Callable[..., Any], *items: Sequence[Any]) -> list[Any]:
        """The function of each item, or of one item of each sequence, in order."""
        return self.gather([self.submit(function, *one) for one in zip(*items, strict=True)])


class _Waiting:
    """Counts down as tasks are done: to ask the client again and again would keep it busy."""

    def __init__(self, futures: Sequence[Any]) -> None:
        self.is_over = threading.Event()
        self._left = len(futures)
        self._lock = threading.Lock()
        if not self._left:
            self.is_over.set()
        for future in futures:
            future.add_done_callback(self._note)

    def _note(self, _: Any) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self.is_over.set()


class ClusterExecutor:
    """Pieces of work on the workers of a cluster, see `Executor`.

    The work must be a function of its arguments alone: what it changes in place stays with the
    worker, and a worker that is lost makes another one do it again.

    Parameters
    ----------
    cluster : Cluster
    """

    shares_memory = False

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._open: set[Any] = set()

    @property
    def workers(self) -> int:
        """See `Executor`."""
        return self._cluster.workers

    def share(self, value: Item) -> Item:
        """See `Executor`; what stands for the value is only good as an argument of `submit`.

        It is the result of a task, so it comes back if the worker that has it is lost.
        """
        return cast(Item, self._cluster.client.submit(_itself, value, pure=False))

    def everywhere(self, function: Callable[..., Any], /, *args: Any) -> None:
        """Run a function for each thread of each worker, and wait for all: to prepare them."""
        places = range(self.workers)
        self._cluster.gather([self._cluster.submit(function, *args, place=u) for u in places])

    def map(self, function: Callable[[Item], Out], items: Iterable[Item]) -> Iterator[Out]:
        """See `Executor`."""
        futures = [self.submit(function, item) for item in items]
        return (future.result() for future in futures)

    def submit(
        self, function: Callable[P, Out], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Out]:
        """See `Executor`."""
        out: Future[Out] = Future()
        task = self._cluster.client.submit(function, *args, pure=False, **kwargs)
        self._open.add(task)

        def done(task: Any) -> None:
            self._open.discard(task)
            try:
                out.set_result(task.result())
            except BaseException as error:
                # Cancelled ones are those that nobody waits for any more.
                out.set_exception(error)

        task.add_done_callback(done)
        return out

    def part(self, workers: int) -> ClusterExecutor:
        """See `Executor`; the workers are shared, whatever was asked for."""
        return ClusterExecutor(self._cluster)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self._cluster.client.cancel(list(self._open))


def _itself(value: Item) -> Item:
    return value
