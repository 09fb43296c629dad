"""Large planted data: seconds, error and memory against rows; the speed of sweeps and codes.

Examples
--------
python benchmarks/large.py planted 100000 500 10 --limit 60
python benchmarks/large.py sparse 100000 10000 20 --ones 5000000 --limit 60
python benchmarks/large.py speed 400000 500 10
python benchmarks/large.py proof 100000 200 5 --limit 120
python benchmarks/large.py proof 0 0 2 --data mushroom.npz

Memory is read from /proc, so on Linux only.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

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


def speed(n: int, m: int, k: int) -> None:
    """Time sweeps with one and two workers, and codes of rows for fixed patterns."""
    X, B, _ = planted(n, m, k)
    rows = as_rows(X)
    assert rows is not None
    data, V = prepare(rows), codes_of(B.T)
    for workers in (1, 2):
        with make_executor(workers) as executor:
            sweep(data, V, k, stop=Stop(), executor=executor)
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(3):
                sweep(data, V, k, stop=Stop(), executor=executor)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(
            f"sweep, {workers} workers: {wall / 3 / n * 1e6:.2f} microseconds a row, "
            f"CPU/wall {cpu / wall:.2f}"
        )
        coder = RowCoder(B, workers=workers)
        wall = time.perf_counter()
        coder.code(rows)
        wall = time.perf_counter() - wall
        print(
            f"codes, {workers} workers: {rows.nbytes / wall / 1e6:,.0f} MB/s of bits, "
            f"{X.nbytes / wall / 1e6:,.0f} MB/s as bytes"
        )


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
    parser.add_argument("kind", choices=("planted", "sparse", "speed", "proof"))
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
        speed(n, m, k)


if __name__ == "__main__":
    main()
