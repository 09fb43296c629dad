"""Many fits in one process, in many threads, and in many processes at once.

    python tests/campaigns/load.py --fits 1000 --threads 8 --processes 4

Prints memory, threads and open files as the fits go on, and whether every fit that was made
beside others gives what it gives alone. Exit code 1: one does not, or threads or open files grow.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import gc
import multiprocessing
import os
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import boolfact

METHODS: list[dict] = [
    {"method": "auto", "iteration_limit": 2},
    {"method": "local", "iteration_limit": 5},
    {"method": "colgen", "iteration_limit": 3},
    {"method": "exact"},
    {"method": "compact"},
    {"method": "k_greedy"},
    {"method": "asso"},
    {"method": "grecond"},
]


@dataclass(frozen=True)
class Usage:
    """What a process holds."""

    fits: int
    seconds: float
    memory: float
    threads: int
    files: int

    def __str__(self) -> str:
        return (
            f"{self.fits:6} fits {self.seconds:8.1f} s of processor time {self.memory:8.1f} MB "
            f"{self.threads:4} threads {self.files:4} open files"
        )


def usage(fits: int) -> Usage:
    """Of this process, now; the memory is what is in use, without what Linux could take back."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Usage(
        fits,
        time.process_time(),
        pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        len(os.listdir("/proc/self/task")),
        len(os.listdir("/proc/self/fd")),
    )


def fit(place: int) -> tuple[str, int, float | None]:
    """Fit number `place`: the digest of the data, the error and its bound."""
    rng = np.random.default_rng(place)
    values = (rng.random((6 + place % 3, 5)) < 0.5).astype(np.int8)
    options = METHODS[place % len(METHODS)]
    result = boolfact.factorize(
        values, 2, time_limit=None, seed=place, workers=1 + place % 2, **options
    )
    return result.digest, result.error, result.error_lower_bound


def one_after_the_other(count: int, every: int) -> list[Usage]:
    """What the process holds after every so many fits."""
    told = []
    for place in range(count):
        fit(place)
        if (place + 1) % every == 0:
            told.append(usage(place + 1))
    return told


def differing(found: list, alone: list) -> int:
    return sum(one != other for one, other in zip(found, alone, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--beside", type=int, default=64, help="fits in threads and in processes")
    asked = parser.parse_args()
    told = one_after_the_other(asked.fits, max(1, asked.fits // 10))
    print("\n".join(map(str, told)), flush=True)
    # The first ones load libraries and start threads.
    settled = told[1:]
    grown = any(
        last > first
        for first, last in (
            (settled[0].threads, settled[-1].threads),
            (settled[0].files, settled[-1].files),
        )
    )
    places = range(asked.beside)
    alone = [fit(place) for place in places]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(asked.threads) as pool:
        found = differing(list(pool.map(fit, places)), alone)
    print(f"{asked.threads} threads: {asked.beside} fits, {found} differ", flush=True)
    wrong += found
    print(f"{threading.active_count()} threads of Python are left", flush=True)
    for way in ("spawn", "forkserver"):
        context = multiprocessing.get_context(way)
        with concurrent.futures.ProcessPoolExecutor(asked.processes, context) as pool:
            found = differing(list(pool.map(fit, places)), alone)
        processes = f"{asked.processes} processes ({way})"
        print(f"{processes}: {asked.beside} fits, {found} differ", flush=True)
        wrong += found
    print(usage(asked.fits + 2 * asked.beside))
    return int(bool(wrong) or grown)


if __name__ == "__main__":
    sys.exit(main())
