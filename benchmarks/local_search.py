"""Local search on the bundled matrices: time to the best known error, beside simple peers.

    python benchmarks/local_search.py --out docs/benchmarks/local_search.md
    python benchmarks/local_search.py --cells lymp:10 votes:10 --seeds 0 1 2 --peer-seconds 60
    python benchmarks/local_search.py --to-the-end --no-peers

A cell is a matrix and a rank; its target is the lowest error published or known before. Times
are seconds of processor time divided by the number of workers, the time on this many free
cores: other work on the machine does not blur them. Compilation is not counted. A run ends at
its target unless --to-the-end is given. With --resume FILE finished runs are kept in a file,
one JSON object a line, and not repeated.

Peers, each with restarts over --peer-seconds that are counted in the same way: alternating
exact refits in plain numpy, non-negative matrix factorisation thresholded at 0.5, and
FPMsBMF's `ao_bmf` where that package is installed (complete matrices only: it knows no
missing entries).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from boolfact.control.ending import Ending
from boolfact.control.progress import Event
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.local_search import local_search
from boolfact.local_search.problem import codes_of, make_problem, make_work
from boolfact.local_search.refit import refit_codes
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix

COMPLETE = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")
MISSING = ("tumor_missing", "hepat_missing", "audio_missing", "votes_missing")
BEST_KNOWN = {
    2: (271, 1408, 1379, 1185, 1174, 1499, 776, 2926, 1351, 1264, 1411, 1246),
    5: (125, 1018, 1099, 736, 933, 1157, 677, 2157, 943, 984, 1035, 701),
    10: (39, 579, 797, 419, 669, 864, 566, 1432, 510, 695, 749, 218),
}
TARGETS = {
    (name, k): error
    for k, errors in BEST_KNOWN.items()
    for name, error in zip(COMPLETE + MISSING, errors, strict=True)
}
MOMENTS = (1.0, 5.0, 30.0, 60.0)
PEER = "FPMsBMF"
Cell = tuple[str, int]
Trace = list[tuple[float, int]]


class CpuStop(Stop):
    """A stop whose time limit counts seconds of processor time per worker."""

    def __init__(self, seconds: float, workers: int, target: int | None) -> None:
        super().__init__(iteration_limit=10**15, target=target)
        self._seconds = seconds
        self._workers = workers
        self._begun = process_time()

    def spent(self) -> float:
        """Processor time per worker so far."""
        return (process_time() - self._begun) / self._workers

    def now(self) -> bool:
        """Whether the time is over or the user interrupted."""
        if self.spent() >= self._seconds:
            self.reason = Ending.TIME_LIMIT
            return True
        return super().now()


def run_cell(cell: Cell, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """One run of the local search, checked against the original matrix."""
    name, k = cell
    matrix = load_dataset(name)
    reduction = reduce_matrix(matrix)
    target = None if options.to_the_end else TARGETS[cell]
    stop = CpuStop(options.seconds, options.workers, target)
    trace: Trace = []

    def listen(event: Event) -> None:
        if event.error is not None:
            trace.append((round(stop.spent(), 3), event.error))

    begun = perf_counter()
    found = local_search(
        reduction.matrix, k, stop=stop, seed=seed, workers=options.workers, progress=listen
    )
    error = reduction.lift(found.factors).error(matrix)
    if error != found.error:
        raise AssertionError(f"{name} k={k}: reported {found.error}, recomputed {error}")
    return {
        "name": name,
        "k": k,
        "seed": seed,
        "error": error,
        "seconds": round(stop.spent(), 3),
        "wall": round(perf_counter() - begun, 1),
        "children": found.iterations,
        "trace": trace,
    }


def error_at(trace: Trace, moment: float) -> int | None:
    """The best error reached by then."""
    reached = [error for seconds, error in trace if seconds <= moment]
    return min(reached) if reached else None


def seconds_to(trace: Trace, target: int) -> float | None:
    """When the target was first reached."""
    return next((seconds for seconds, error in trace if error <= target), None)


def with_restarts(attempt: Callable[[int], int], seconds: float) -> int:
    """The best error over seeds 0, 1, 2, ... until the processor time is over."""
    begun, seed = process_time(), 1
    best = attempt(0)
    while process_time() - begun < seconds:
        best = min(best, attempt(seed))
        seed += 1
    return best


def numpy_refit(signed: NDArray[np.float32], B: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Best row codes by multiplying the costs with all 2^k unions."""
    k = len(B)
    codes = (np.arange(1 << k)[:, None] >> np.arange(k)) & 1 == 1
    unions = (codes.astype(np.float32) @ B.astype(np.float32)) > 0
    return np.asarray(codes[(signed @ unions.T.astype(np.float32)).argmin(axis=1)])


def numpy_alternating(matrix: BinaryMatrix, k: int) -> Callable[[int], int]:
    """Alternating exact refits from random data rows."""
    signed = np.where(matrix.ones, -matrix.weights, matrix.weights).astype(np.float32)

    def attempt(seed: int) -> int:
        rng = np.random.default_rng(seed)
        B = matrix.ones[rng.choice(len(signed), k, replace=len(signed) < k)]
        error = matrix.ones_weight
        while True:
            A = numpy_refit(signed, B)
            B = numpy_refit(signed.T, A.T).T
            product = (A.astype(np.float32) @ B.astype(np.float32)) > 0
            after = int(matrix.weights[product != matrix.ones].sum())
            if after >= error:
                return error
            error = after

    return attempt


def thresholded_nmf(matrix: BinaryMatrix, k: int) -> Callable[[int], int]:
    """Factors of a non-negative factorisation, each scaled to a maximum of 1, cut at 0.5."""
    from sklearn.decomposition import NMF

    X = matrix.ones.astype(np.float64)

    def attempt(seed: int) -> int:
        model = NMF(k, init="random", random_state=seed, max_iter=200, tol=1e-3)
        W = model.fit_transform(X)
        H = model.components_
        scale = np.maximum(H.max(axis=1), 1e-12)
        A, B = W * scale >= 0.5, H / scale[:, None] >= 0.5
        product = (A.astype(np.float32) @ B.astype(np.float32)) > 0
        return int(matrix.weights[product != matrix.ones].sum())

    return attempt


def peer_alternating(matrix: BinaryMatrix, k: int) -> Callable[[int], int]:
    """`ao_bmf` of FPMsBMF."""
    import FPMsBMF

    packed = FPMsBMF.BitMatrix.from_numpy(matrix.ones)
    return lambda seed: int(FPMsBMF.ao_bmf(packed, k, method="zeta", seed=seed).error)


def peers_of(cell: Cell) -> Iterator[tuple[str, Callable[[int], int]]]:
    """Peers that can treat the cell."""
    matrix = load_dataset(cell[0])
    yield "numpy refits", numpy_alternating(matrix, cell[1])
    yield "NMF at 0.5", thresholded_nmf(matrix, cell[1])
    if find_spec(PEER) is not None and matrix.n_missing == 0:
        yield PEER, peer_alternating(matrix, cell[1])


def best_seconds(call: Callable[[], Any], repeats: int = 50) -> float:
    """The shortest of several calls, the first not counted."""
    call()
    times = []
    for _ in range(repeats):
        begun = perf_counter()
        call()
        times.append(perf_counter() - begun)
    return min(times)


def refit_speeds(name: str, k: int) -> dict[str, float]:
    """Rows times unions in a second, data prepared, column sets those of a short search."""
    matrix = load_dataset(name)
    stop = Stop(iteration_limit=200)
    B = local_search(matrix, k, stop=stop).factors.B
    problem = make_problem(matrix.ones, matrix.weights)
    work = make_work(problem, max(6, k), np.ones(1, np.uint64), np.zeros(1, np.uint8))
    U, V = np.zeros(matrix.shape[0], np.int64), codes_of(B.T)
    signed = problem.rows.astype(np.float32)
    size = matrix.shape[0] * 2.0**k
    calls: dict[str, Callable[[], Any]] = {
        "boolfact": lambda: refit_codes(problem.rows, problem.columns, U, V, k, work),
        "numpy": lambda: numpy_refit(signed, B),
    }
    if find_spec(PEER) is not None and matrix.n_missing == 0:
        import FPMsBMF

        turned = FPMsBMF.BitMatrix.from_numpy(np.ascontiguousarray(matrix.ones.T))
        columns = FPMsBMF.BitMatrix.from_numpy(np.ascontiguousarray(B.T))
        calls[PEER] = lambda: FPMsBMF.BoolLs(columns).solve_all(turned, method="zeta")
    return {peer: size / best_seconds(call) for peer, call in calls.items()}


def parse_cell(text: str) -> Cell:
    """A cell as NAME:RANK."""
    name, _, rank = text.partition(":")
    if not rank.isdigit() or (name, int(rank)) not in TARGETS:
        raise argparse.ArgumentTypeError(f"expected NAME:RANK of a known cell, got {text!r}")
    return name, int(rank)


def parse_options() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", nargs="+", type=parse_cell, default=list(TARGETS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--to-the-end", action="store_true")
    parser.add_argument("--peer-seconds", type=float, default=60.0)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-speeds", action="store_true")
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def finished(options: argparse.Namespace) -> dict[tuple[str, int, int], dict[str, Any]]:
    """Runs that the file of --resume holds."""
    if options.resume is None or not options.resume.exists():
        return {}
    runs = [json.loads(line) for line in options.resume.read_text().splitlines()]
    return {(run["name"], run["k"], run["seed"]): run for run in runs}


def search_table(options: argparse.Namespace) -> Iterator[str]:
    """One line a cell: errors at the moments, seconds to the target, peers."""
    known = finished(options)
    moments = [moment for moment in MOMENTS if moment <= options.seconds]
    yield (
        f"Error after {', '.join(f'{moment:g}' for moment in moments)} s, median over seeds "
        f"{', '.join(map(str, options.seeds))}; target = best known before; lowest = best seen "
        "here (runs end at the target unless asked otherwise); reached = seeds that reached "
        "the target, and the seconds each took."
    )
    yield ""
    heads = ["matrix", "k", "target", "lowest", *(f"{moment:g} s" for moment in moments)]
    heads += ["reached", "seconds to target"]
    peers = [] if options.no_peers else ["numpy refits", "NMF at 0.5"]
    if peers and find_spec(PEER) is not None:
        peers.append(PEER)
    heads += [f"{peer}, {options.peer_seconds:g} s" for peer in peers]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for cell in options.cells:
        runs = []
        for seed in options.seeds:
            run = known.get((*cell, seed)) or run_cell(cell, seed, options)
            if options.resume is not None and (*cell, seed) not in known:
                with options.resume.open("a") as file:
                    file.write(json.dumps(run) + "\n")
            runs.append(run)
        yield "| " + " | ".join(cell_fields(cell, runs, moments, peers, options)) + " |"


def cell_fields(
    cell: Cell,
    runs: list[dict[str, Any]],
    moments: list[float],
    peers: list[str],
    options: argparse.Namespace,
) -> Iterator[str]:
    """The fields of one line."""
    target = TARGETS[cell]
    yield from (cell[0], str(cell[1]), str(target), str(min(run["error"] for run in runs)))
    for moment in moments:
        errors = [error_at(run["trace"], moment) for run in runs]
        yield "–" if None in errors else f"{np.median(np.array(errors)):g}"
    times = [seconds_to(run["trace"], target) for run in runs]
    yield f"{sum(time is not None for time in times)} of {len(runs)}"
    yield ", ".join("–" if time is None else f"{time:.2g}" for time in times)
    if peers:
        found = {
            peer: with_restarts(attempt, options.peer_seconds * options.workers)
            for peer, attempt in peers_of(cell)
        }
        for peer in peers:
            yield str(found.get(peer, "–"))


def speed_table() -> Iterator[str]:
    """Raw speed of an exact refit of all rows."""
    yield "Refit of all rows, in millions of rows × 2^k per second (one core, data prepared):"
    yield ""
    for number, (name, k) in enumerate((n, r) for n in COMPLETE + MISSING for r in (2, 5, 10)):
        speeds = refit_speeds(name, k)
        if number == 0:
            heads = list(speeds)
            yield "| matrix | k | " + " | ".join(heads) + " |"
            yield "|---|---|" + "---|" * len(heads)
        values = [f"{speeds[h] / 1e6:.0f}" if h in speeds else "–" for h in heads]
        yield f"| {name} | {k} | " + " | ".join(values) + " |"


def main() -> None:
    """Print the tables and write them to --out."""
    options = parse_options()
    warm = reduce_matrix(load_dataset("zoo")).matrix
    for k in (5, 10):
        local_search(warm, k, stop=Stop(iteration_limit=3000), workers=options.workers)
    lines = [
        "# Local search: errors and times",
        "",
        f"{date.today().isoformat()}, {options.workers} cores. Times are processor time divided "
        "by the number of cores, compilation aside. Every error was recomputed from A and B.",
        "Made by `python benchmarks/local_search.py`.",
    ]
    if find_spec(PEER) is None:
        lines.append(f"{PEER} is not installed here, so it is not in the tables.")
    print("\n".join(lines))
    # One core means one core, also inside BLAS; where time is counted in processor time, more
    # threads would only get in each other's way.
    threadpool_limits(1)
    tables = [search_table(options)] + ([] if options.no_speeds else [speed_table()])
    for table in tables:
        lines.append("")
        for line in table:
            print(line, flush=True)
            lines.append(line)
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
