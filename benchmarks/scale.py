"""Large matrices: the error, time and memory of `auto` beside every bundled method.

    python benchmarks/scale.py --data FOLDER --out runs.jsonl
    python benchmarks/scale.py --data FOLDER --sets movielens_small roles --k 10 20 --seconds 20
    python benchmarks/scale.py --sets planted:20000x300x10x0.02 --from-below --methods auto grecond

FOLDER holds sparse matrices as scipy writes them (`name.npz`). Besides its files a set may be
`roles`, `roles:NxMxK` (permissions of users with planted roles, made for `--from-below`),
`planted:NxMxKxNOISE` or `sparse:NxMxKxNOISE` (patterns of a hundredth of the rows and columns).

The methods `pybmf_grecond`, `pybmf_mebf` and `pybmf_panda` are those of PyBMF, where it is
installed (`pip install PyBMF`). They know no time limit: they are ended if they take too long.

Every run is a process of its own, so its peak memory is its own. Seconds count from when the
kernels are there; a method without an answer long after its time is ended. With --out finished
runs are kept in a file, one JSON object a line, and not repeated. Below the table stands where
`auto` is above a method that needed no more time than it was given. On a machine with other work
`--clock cpu` counts limits and seconds in processor time.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import resource
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter, process_time
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import boolfact.control.stop
from boolfact.datasets.planted import planted, roles
from boolfact.io.read import as_matrix
from boolfact.model.factors import Factors
from boolfact.solve.factorize import factorize
from boolfact.solve.method import METHODS

ROLES = "roles"
SLOW = ("compact", "colgen")
"""Methods that are not made for large data; they run only if they are named."""
ON_TIME = 1.0
"""Seconds by which a method may be late and still have needed no more time than `auto`."""
Run = dict[str, Any]


def load(name: str, folder: Path | None) -> Any:
    """The matrix of a set."""
    kind, _, size = name.partition(":")
    numbers = size.split("x") if size else []
    if kind == ROLES:
        n, m, k = (int(number) for number in numbers) if numbers else (1200, 300, 18)
        return roles(n, m, k).matrix
    if kind in ("planted", "sparse"):
        n, m, k = (int(number) for number in numbers[:3])
        density = 0.3 if kind == "planted" else 0.01
        return planted(n, m, k, density=density, noise=float(numbers[3])).matrix
    if folder is None:
        raise SystemExit(f"the set {name} needs --data FOLDER")
    from scipy.sparse import load_npz

    values: NDArray[np.int8] = load_npz(folder / f"{name}.npz").toarray().astype(np.int8)
    return values


def by_pybmf(name: str, values: NDArray[np.int8], k: int) -> Factors:
    """What a method of PyBMF finds; it takes no missing entries and no costs."""
    import PyBMF.models
    from scipy.sparse import csr_matrix

    options: dict[str, Any] = {
        "GreConD": {},
        "MEBF": {"t": 0.6, "w_fp": 1.0},
        "Panda": {},
    }
    kind = next(kind for kind in options if f"pybmf_{kind.lower()}" == name)
    model = getattr(PyBMF.models, kind)(k=k, **options[kind])
    quiet = dict.fromkeys(("verbose", "display", "show_logs", "save_model", "show_result"), False)
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(X_train=csr_matrix(values.astype(int)), task="reconstruction", **quiet)
    U, V = (np.asarray(csr_matrix(side).todense()) > 0.5 for side in (model.U, model.V))
    # Some end with a pattern more than was asked for.
    return Factors(U[:, :k], V.T[:k])


def measure_pybmf(run: Run, folder: Path | None) -> Run:
    """One run of PyBMF, its error recomputed here."""
    matrix = as_matrix(load(run["set"], folder))
    wall, cpu = perf_counter(), process_time()
    factors = by_pybmf(run["method"], matrix.values, run["k"])
    took = (process_time() - cpu) if run["clock"] == "cpu" else perf_counter() - wall
    return run | {
        "error": factors.error(matrix),
        "took": round(took, 2),
        "cpu": round(process_time() - cpu, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def measure(run: Run, folder: Path | None) -> Run:
    """One run, here and now: what was asked for and what came out."""
    if run["method"].startswith("pybmf_"):
        return measure_pybmf(run, folder)
    if run["clock"] == "cpu":
        boolfact.control.stop.time = SimpleNamespace(perf_counter=process_time)  # type: ignore
    X = load(run["set"], folder)
    before = process_time()
    result = factorize(
        X,
        run["k"],
        method=run["method"],
        time_limit=run["seconds"],
        from_below=run["from_below"],
        workers=run["workers"],
        seed=run["seed"],
    )
    compiling = result.trace.counters.get("seconds_compiling", 0.0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return run | {
        "error": result.error,
        "took": round(result.seconds, 2),
        "cpu": round(process_time() - before - compiling, 2),
        "peak_mb": round(peak),
    }


def patience(run: Run) -> float:
    """Seconds of wall-clock time after which a run is ended; processor time takes longer."""
    return (12 if run["clock"] == "wall" else 100) * float(run["seconds"]) + 240


def in_a_process(run: Run, folder: Path | None) -> Run:
    """One run in a process of its own, ended if it does not end."""
    command = [sys.executable, __file__, "--one", json.dumps(run)]
    if folder is not None:
        command += ["--data", str(folder)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=patience(run), check=False
        )
    except subprocess.TimeoutExpired:
        return run | {"error": None, "why": "no answer in time"}
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return run | {"error": None, "why": lines[-1][:200]}
    found: Run = json.loads(done.stdout.splitlines()[-1])
    return found


def wanted(arguments: argparse.Namespace) -> Iterable[Run]:
    """The runs that were asked for, in order."""
    for name in arguments.sets:
        for k in arguments.k:
            for method in arguments.methods:
                yield {
                    "set": name,
                    "k": k,
                    "method": method,
                    "seconds": arguments.seconds,
                    "from_below": arguments.from_below,
                    "workers": arguments.workers,
                    "seed": arguments.seed,
                    "clock": arguments.clock,
                }


def kept(path: Path | None) -> dict[str, Run]:
    """Finished runs of a file, by what was asked for."""
    if path is None or not path.exists():
        return {}
    runs = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return {key(run): run for run in runs}


def key(run: Run) -> str:
    """What was asked for, as text."""
    asked = ("set", "k", "method", "seconds", "from_below", "workers", "seed", "clock")
    return json.dumps([run.get(name) for name in asked])


def tables(runs: list[Run]) -> str:
    """One line for each set and rank: errors, and seconds and memory below them."""
    methods = list(dict.fromkeys(run["method"] for run in runs))
    lines = [f"| set | k | {' | '.join(methods)} |", "|---" * (len(methods) + 2) + "|"]
    for name, k in dict.fromkeys((run["set"], run["k"]) for run in runs):
        cells = {run["method"]: run for run in runs if (run["set"], run["k"]) == (name, k)}
        lines.append(f"| {name} | {k} | {' | '.join(cell(cells.get(m)) for m in methods)} |")
    return "\n".join(lines)


def cell(run: Run | None) -> str:
    """Error, seconds and peak memory."""
    if run is None:
        return ""
    if run["error"] is None:
        return str(run["why"])
    return f"{run['error']:,} ({run['took']:.1f} s, {run['peak_mb']} MB)"


def losses(runs: list[Run]) -> list[str]:
    """Where `auto` is above a method that was done in its time."""
    found = []
    autos = {(run["set"], run["k"]): run for run in runs if run["method"] == "auto"}
    for run in runs:
        auto = autos.get((run["set"], run["k"]))
        if auto is None or run["method"] == "auto" or run["error"] is None:
            continue
        late = run["took"] > run["seconds"] + ON_TIME
        if auto["error"] is None or (auto["error"] > run["error"] and not late):
            found.append(
                f"{run['set']} k={run['k']}: auto {auto['error']}, "
                f"{run['method']} {run['error']} in {run['took']:.1f} s"
            )
    return found


def main() -> None:
    """Run what is asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--sets", nargs="+", default=None)
    parser.add_argument("--k", nargs="+", type=int, default=[10, 20, 50])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--from-below", action="store_true")
    parser.add_argument("--methods", nargs="+", default=[m for m in METHODS if m not in SLOW])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--clock",
        choices=("wall", "cpu"),
        default="wall",
        help="cpu: limits and seconds in processor time, for a machine with other work; one worker",
    )
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--one", type=json.loads, default=None, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        print(json.dumps(measure(arguments.one, arguments.data)))
        return
    if arguments.sets is None:
        found = [] if arguments.data is None else sorted(arguments.data.glob("*.npz"))
        arguments.sets = [*(path.stem for path in found), ROLES]
    known = kept(arguments.out)
    runs = []
    for run in wanted(arguments):
        if key(run) not in known:
            known[key(run)] = in_a_process(run, arguments.data)
            if arguments.out is not None:
                with arguments.out.open("a", encoding="utf-8") as file:
                    print(json.dumps(known[key(run)]), file=file)
            print(f"{run['set']} k={run['k']} {run['method']}: {cell(known[key(run)])}", flush=True)
        runs.append(known[key(run)])
    print(tables(runs))
    above = losses(runs)
    print("auto is at or below every method" if not above else "auto is above:")
    for line in above:
        print(f"- {line}")


if __name__ == "__main__":
    main()
