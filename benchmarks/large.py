"""Large planted data: seconds, error and memory against rows; the speed of sweeps and codes.

Seconds of wall-clock time mean little on a machine with other work, so `speed`, `curves` and
`cluster` count processor time. From it follows how much faster two workers would be alone on two
cores: what only one thread can do takes as long as before, and the rest half as long.

Examples
--------
python benchmarks/large.py planted 100000 500 10 --limit 60
python benchmarks/large.py sparse 100000 10000 20 --ones 5000000 --limit 60
python benchmarks/large.py speed 400000 500 10
python benchmarks/large.py curves 100000 500 10
python benchmarks/large.py cluster 1000000 500 10
python benchmarks/large.py proof 100000 200 5 --limit 120
python benchmarks/large.py proof 0 0 2 --data mushroom.npz

Memory is read from /proc, so on Linux only.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

import boolfact
from boolfact.certificate import verify_result
from boolfact.control.executor import make_executor
from boolfact.control.stop import Stop
from boolfact.io.rows import as_rows
from boolfact.large.data import prepare
from boolfact.large.refit import sweep
from boolfact.large.stream import RowCoder
from boolfact.local_search.problem import codes_of
from boolfact.model.packed import PackedMatrix
from boolfact.model.rows import blocks_of

Planted = tuple[NDArray[np.int8], NDArray[np.bool_], int]


def peak_megabytes() -> float:
    """The most memory that this process had since the last `memory_from_here`."""
    return _status("VmHWM")


def memory_from_here() -> float:
    """Forget the peak that making the data had. Returns what is held now, in megabytes."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _status("VmRSS")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def planted(n: int, m: int, k: int, noise: float = 0.02) -> Planted:
    """A product of factors of density 0.3, with noise: data, patterns, planted error."""
    rng = np.random.default_rng(1)
    A, B = rng.random((n, k)) < 0.3, rng.random((k, m)) < 0.3
    X, error = np.empty((n, m), dtype=np.int8), 0
    for part in blocks_of((n, m)):
        product = A[part].astype(np.float32) @ B.astype(np.float32) > 0.5
        X[part] = product ^ (rng.random(product.shape, dtype=np.float32) < noise)
        error += int((X[part] != product).sum())
    return X, B, error


def sparse(n: int, m: int, k: int, ones: int) -> tuple[scipy.sparse.csr_array, int]:
    """Rectangles, nine tenths full, that hold six tenths of the ones; the rest is noise."""
    rng = np.random.default_rng(2)
    width = max(20, m // 200)
    height = int(0.6 * ones / (k * width))
    rows, columns = [], []
    for _ in range(k):
        r = rng.choice(n, height, replace=False).astype(np.int32)
        c = rng.choice(m, width, replace=False).astype(np.int32)
        i, j = np.nonzero(rng.random((height, width)) < 0.9)
        rows.append(r[i])
        columns.append(c[j])
    noise = ones - sum(map(len, rows))
    rows.append(rng.integers(0, n, noise, dtype=np.int32))
    columns.append(rng.integers(0, m, noise, dtype=np.int32))
    where = (np.concatenate(rows), np.concatenate(columns))
    X = scipy.sparse.csr_array((np.ones(len(where[0]), np.int8), where), shape=(n, m))
    X.sum_duplicates()
    X.data[:] = 1
    inside = round(0.9 * height * width * k)
    return X, int(X.nnz - inside + k * height * width - inside)


def run(X: object, k: int, limit: float, expected: int, reach: bool) -> None:
    """Factorise, and print when the best came."""
    before = memory_from_here()
    wall, cpu = time.perf_counter(), time.process_time()
    result = boolfact.factorize(X, k, time_limit=limit, target=expected if reach else None)
    last = [p.seconds for p in result.trace.points if p.error == result.error]
    print(
        f"error {result.error:,} (planted about {expected:,}) first at {last[0]:.1f} s; "
        f"ended after {result.seconds:.1f} s: {result.ending.value}; "
        f"wall {time.perf_counter() - wall:.1f} s with reading and compiling, "
        f"CPU {time.process_time() - cpu:.1f} s; "
        f"peak {peak_megabytes() - before:,.0f} MB beside the {before:,.0f} MB held before; "
        f"load {os.getloadavg()[0]:.1f}"
    )


@dataclass
class Timed:
    """Seconds: by the clock, of all threads, and of the one that waits for the others."""

    wall: float
    cpu: float
    alone: float


def timed(work: Callable[[], object], times: int = 3) -> Timed:
    """The mean of a few calls after a first one, which may compile."""
    work()
    began = time.perf_counter(), time.process_time(), time.thread_time()
    for _ in range(times):
        work()
    ended = time.perf_counter(), time.process_time(), time.thread_time()
    return Timed(*((after - before) / times for before, after in zip(began, ended, strict=True)))


def speed(n: int, m: int, k: int) -> None:
    """Time sweeps with one and two workers, and codes of rows for fixed patterns."""
    X, B, _ = planted(n, m, k)
    rows = as_rows(X)
    assert rows is not None
    data, V = prepare(rows), codes_of(B.T)
    known: dict[str, Timed] = {}
    for workers in (1, 2):
        coder = RowCoder(B, workers=workers)
        with make_executor(workers) as executor:
            found = {
                "sweep": timed(lambda: sweep(data, V, k, stop=Stop(), executor=executor)),
                "codes": timed(partial(coder.code, rows)),
                "codes of bytes": timed(partial(_code_bytes, coder, X)),
            }
        for name, took in found.items():
            said = ""
            if workers > 1:
                shared = took.alone + (took.cpu - took.alone) / workers
                said = f"; alone on two cores {known[name].cpu / shared:.2f} times as fast as one"
            print(
                f"{name}, {workers} workers: {took.cpu / n * 1e6:.2f} microseconds of CPU a row, "
                f"CPU/wall {took.cpu / took.wall:.2f}{said}"
            )
        known = found
        for name, size in (("codes", rows.nbytes), ("codes of bytes", X.nbytes)):
            print(f"{name}, a second of CPU: {size / found[name].cpu / 1e6:,.0f} MB")
    bits = PackedMatrix.from_dense(X).ones
    for name, array in (("bits", bits), ("bytes", X)):
        copied = timed(partial(np.copyto, np.empty_like(array), array))
        print(f"to copy all {name}, a second of CPU: {array.nbytes / copied.cpu / 1e6:,.0f} MB")


def _code_bytes(coder: RowCoder, X: NDArray[np.int8]) -> None:
    rows = as_rows(X)
    assert rows is not None
    coder.code(rows)


def curves(n: int, m: int, k: int) -> None:
    """CPU of one sweep with one worker, and of its parts, against rows, columns and patterns."""
    print("| n | m | k | ones | a sweep: seconds of CPU | nanoseconds a one |\n" + "|---" * 6 + "|")
    cases = [(n // 4, m, k), (n // 2, m, k), (n, m, k), (2 * n, m, k)]
    cases += [(n, m // 4, k), (n, m // 2, k), (n, 2 * m, k)]
    cases += [(n, m, rank) for rank in (2, 5, 8, 12, 16, 32, 64)]
    with make_executor(1) as executor:
        for case in cases:
            X, B, _ = planted(*case)
            rows = as_rows(X)
            assert rows is not None
            data, V, rank = prepare(rows), codes_of(B.T), case[2]
            took = timed(partial(sweep, data, V, rank, stop=Stop(), executor=executor), 2)
            cells = " | ".join(f"{number:,}" for number in (*case, rows.n_ones))
            print(f"| {cells} | {took.cpu:.2f} | {took.cpu / rows.n_ones * 1e9:.1f} |", flush=True)


def cluster(n: int, m: int, k: int) -> None:
    """One and two worker processes that read planted rows from files: CPU of each process.

    The driver is the thread that runs the search; the scheduler of Dask and its clients are other
    threads of the same process here, elsewhere they may be anywhere.
    """
    from distributed import Client, LocalCluster

    X, _, expected = planted(n, m, k)
    one = np.zeros(2)
    with TemporaryDirectory() as folder:
        for number, part in enumerate(np.array_split(X, 16)):
            np.save(Path(folder) / f"part{number:02}.npy", part)
        for workers in (1, 2):
            with (
                LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=None
                ) as local,
                Client(local) as client,
            ):
                client.run(_warm)
                _warm()
                before = client.run(time.process_time)
                began = time.perf_counter(), time.process_time(), time.thread_time()
                found = boolfact.factorize(
                    str(Path(folder) / "*.npy"), k, executor=client, time_limit=None,
                    iteration_limit=60, target=expected, seed=1, workers=1,
                )  # fmt: skip
                ended = time.perf_counter(), time.process_time(), time.thread_time()
                cpu = client.run(time.process_time)
            used = [cpu[name] - before[name] for name in cpu]
            wall, process, here = (b - a for a, b in zip(began, ended, strict=True))
            took = np.array([here, process]) + max(used)
            print(
                f"{workers} workers: error {found.error:,} (planted {expected:,}), wall "
                f"{wall:.1f} s; CPU: driver {here:.1f} s, Dask beside it {process - here:.1f} s, "
                f"workers {' and '.join(f'{seconds:.1f}' for seconds in used)} s"
            )
            if workers == 1:
                one = took
            else:
                without, with_it = one / took
                print(
                    f"each on a core of its own two workers are {without:.2f} times as fast as "
                    f"one; {with_it:.2f} times if Dask shares the core of the driver"
                )


def _warm() -> None:
    """Load the kernels of a worker."""
    rows = as_rows(planted(2000, 500, 10)[0])
    boolfact.factorize(rows, 10, time_limit=None, iteration_limit=1, workers=1)


def proof(X: object, k: int, limit: float) -> None:
    """Factorise with a bound on the error, then verify it."""
    rows = as_rows(X)
    assert rows is not None
    result = boolfact.factorize(rows, k, time_limit=limit, bound="error")
    print(
        f"error {result.error:,}, bound {result.error_lower_bound}: {result.error_bound_by}; "
        f"{result.seconds:.1f} s"
    )
    wall, cpu = time.perf_counter(), time.process_time()
    verification = verify_result(result, rows, time_limit=limit)
    print(
        f"verified: {verification.ok}, complete: {verification.complete}; "
        f"{time.perf_counter() - wall:.1f} s, CPU {time.process_time() - cpu:.1f} s; "
        f"load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    kinds = ("planted", "sparse", "speed", "curves", "cluster", "proof")
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("n", type=int)
    parser.add_argument("m", type=int)
    parser.add_argument("k", type=int)
    parser.add_argument("--ones", type=int, default=5_000_000)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--data", help="for proof: a file instead of planted data")
    options = parser.parse_args()
    n, m, k = options.n, options.m, options.k
    if options.kind == "planted":
        X, _, error = planted(n, m, k)
        run(X, k, options.limit, error, reach=True)
    elif options.kind == "sparse":
        S, error = sparse(n, m, k, options.ones)
        run(S, k, options.limit, error, reach=False)
    elif options.kind == "proof":
        proof(options.data or planted(n, m, k)[0], k, options.limit)
    else:
        {"speed": speed, "curves": curves, "cluster": cluster}[options.kind](n, m, k)


if __name__ == "__main__":
    main()
