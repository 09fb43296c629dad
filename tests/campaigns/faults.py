"""Memory that runs out anywhere, a solver that lies, disks without room or closed: nothing lost.

    python tests/campaigns/faults.py --minutes 5 --seed 0

Each round makes one fit of a small random matrix, or runs one command, and injects one kind of
fault. What comes back must be true, by brute force and by the verifier, or one error of the kind
that was injected. Exit code 1: something was wrong; it says what.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import boolfact  # noqa: E402
from boolfact import highs  # noqa: E402
from boolfact.certificate import verify_result  # noqa: E402
from boolfact.control.ending import Ending  # noqa: E402
from boolfact.results.result import Result  # noqa: E402
from campaigns.differential import random_matrix  # noqa: E402

import naive  # noqa: E402
from command_line import bound_by_permissions  # noqa: E402

PACKAGE = str(Path(boolfact.__file__).parent)
FITS: list[dict] = [
    {"method": "auto", "iteration_limit": 4},
    {"method": "colgen", "iteration_limit": 4},
    {"method": "colgen", "iteration_limit": 4, "bound": "error"},
    {"method": "local", "iteration_limit": 5},
    {"method": "exact"},
    {"method": "exact", "objective": "mip"},
    {"method": "compact"},
]
COMMANDS = {
    "fit": ["fit", "x.csv", "-k", "2", "--time-limit", "1", "--out", "run", "--quiet"],
    "checkpoint": [
        *["fit", "x.csv", "-k", "2", "--time-limit", "1", "--method", "exact", "--out", "run"],
        *["--checkpoint", "tree.json", "--quiet"],
    ],
    "complete": ["complete", "x.csv", "-k", "2", "--time-limit", "1", "--out", "full.csv"],
    "report": ["report", "old", "--out", "page.html"],
    "plot": ["plot", "old", "--out", "picture.png"],
    "certificate": ["certificate", "old", "--text", "--out", "text"],
    "reproduce": [
        *["reproduce", "table4", "--datasets", "zoo", "--ranks", "2", "--methods", "k_greedy"],
        *["--time-limit", "1", "--out", "table"],
    ],
}
ENDS = {"full.csv": b"\n", "page.html": b"</html>\n", "picture.png": b"\xaeB`\x82"}
"""How the files end that a command writes anew, if they are whole."""
LONGEST = 4.0
"""Seconds until folders are closed, at most."""
LIMITED = """
import resource, sys
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from boolfact.cli.app import main
main()
"""


class OutOfMemory:
    """Raises MemoryError at the `place`-th call of a function of the package, in any thread."""

    def __init__(self, place: int) -> None:
        self.left, self.raised = place, 0
        self.lock = threading.Lock()

    def __call__(self, frame, event, argument):
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        with self.lock:
            self.left -= 1
            hit = self.left == 0
        if hit:
            self.raised += 1
            raise MemoryError("injected")

    def __enter__(self):
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)
        threading.setprofile(None)


@contextlib.contextmanager
def lying_solver(rng: random.Random):
    """HiGHS gives points that are wrong by a little or by much, or ends as it should not."""
    honest_point, honest_status = highs._point, highs._status
    noise = np.random.default_rng(rng.randrange(2**32))
    size = rng.choice([1e-9, 1e-5, 1e-2, 1.0, 1e6])
    often = rng.choice([0.05, 0.5, 1.0])
    way = rng.choice(["noise", "zeros", "nan", "negative"])
    ends = rng.choice([0.0, 0.0, 0.3])

    def lied(values):
        if noise.random() > often:
            return values
        if way == "noise":
            return values + size * noise.standard_normal(values.shape)
        if way == "negative":
            return -values
        return np.full(values.shape, 0.0 if way == "zeros" else np.nan)

    def point(solver):
        return tuple(lied(values) for values in honest_point(solver))

    def status(solver):
        return rng.choice(list(highs.SolveStatus)) if rng.random() < ends else honest_status(solver)

    highs._point, highs._status = point, status
    try:
        yield
    finally:
        highs._point, highs._status = honest_point, honest_status


def wrong_with(result: Result, matrix, k: int, least: int) -> list[str]:
    """What is not true of a result."""
    true = naive.error(matrix.values, matrix.weights, result.A.astype(int), result.B.astype(int))
    report = verify_result(result, matrix, time_limit=None)
    told = []
    if result.error != true:
        told.append(f"error {result.error}, truly {true}")
    if (result.error_lower_bound or 0) > least:
        told.append(f"bound {result.error_lower_bound} above the least error {least}")
    if result.status is boolfact.Status.OPTIMAL and result.error != least:
        told.append(f"optimal, but {result.error} is not {least}")
    told += [f"{check.name}: {check.message}" for check in report.failed()]
    return told


def fit_round(rng: random.Random, kind: str) -> tuple[str, list[str]]:
    """One fit with faults: what became of it, and what was wrong."""
    place = np.random.default_rng(rng.randrange(2**32))
    matrix, _ = random_matrix(place, 5, 5)
    k = min(2, *matrix.shape)
    options = {"workers": rng.choice([1, 2]), "seed": 0, "time_limit": None, **rng.choice(FITS)}
    if kind == "solver" or options["method"] == "compact":
        # A lying solver may keep the loop from its end.
        options["time_limit"] = 5.0
    least = naive.best_error(matrix.values, matrix.weights, k)
    name = f"{options['method']}, {options['workers']} workers"
    before = threading.active_count()
    fault = OutOfMemory(int(10 ** rng.uniform(0, 4.5)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with fault if kind == "memory" else lying_solver(rng):
                result = boolfact.factorize(matrix, k, **options)
        except MemoryError as error:
            wrong = [] if fault.raised and "injected" in str(error) else [f"{name}: {error!r}"]
            return "told", wrong
        except Exception as error:
            return "raised", [f"{name}: {error!r}"]
    wrong = [f"{name}: {what}" for what in wrong_with(result, matrix, k, least)]
    end = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)
    if threading.active_count() > before:
        wrong.append(f"{name}: a thread is left")
    if fault.raised and result.ending is Ending.OUT_OF_MEMORY:
        return "best so far", wrong
    return "not noticed", wrong


def disk_round(rng: random.Random, folder: Path) -> tuple[str, list[str]]:
    """One command whose files may have so many bytes."""
    what = rng.choice(sorted(COMMANDS))
    size = int(10 ** rng.uniform(0, 4.5))
    environment = _prepared(folder)
    process = _begun(folder, what, environment, ["-c", LIMITED, str(size)])
    return _ended(folder, f"{what}, {size} bytes", [process])


def closed_round(rng: random.Random, folder: Path) -> tuple[str, list[str]]:
    """One command whose folders are closed to it at some moment, and opened again at the end."""
    what = rng.choice(sorted(COMMANDS))
    seconds = rng.uniform(0, LONGEST)
    environment = _prepared(folder)
    process = _begun(folder, what, environment, ["-m", "boolfact"], bound_by_permissions())
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    folders = [folder, *(path for path in folder.iterdir() if path.is_dir())]
    folders.remove(folder / "tmp")
    for path in folders:
        path.chmod(0o500)
    process.wait()
    for path in folders:
        path.chmod(0o700)
    # Nobody could have cleared away what was begun.
    return _ended(folder, f"{what}, closed after {seconds:.1f} s", [process], may_leave=True)


def twins_round(rng: random.Random, folder: Path) -> tuple[str, list[str]]:
    """Two processes that write the same output at about the same time."""
    what = rng.choice(sorted(COMMANDS))
    environment = _prepared(folder)
    processes = []
    for place in range(2):
        time.sleep(place * rng.uniform(0, 0.5))
        processes.append(_begun(folder, what, environment, ["-m", "boolfact"]))
    told, wrong = _ended(folder, f"{what}, twice", processes)
    if told != "done":
        wrong.append(f"{what}, twice: one of them was refused")
    return told, wrong


def _prepared(folder: Path) -> dict[str, str]:
    """Data, an old result twice, old files, and an environment with temporary files inside."""
    rows = ["1,0,1,", "0,1,1,0", "1,1,0,1", ",1,0,1", "1,0,0,1"]
    (folder / "x.csv").write_text("\n".join(rows) + "\n")
    X = boolfact.as_matrix(folder / "x.csv")
    old = boolfact.factorize(X, 2, method="k_greedy", dataset="x.csv")
    for name in ("old", "run"):
        old.save(folder / name)
    for name in ENDS:
        (folder / name).write_text("old")
    for name in ("tmp", "table"):
        (folder / name).mkdir()
    return {**os.environ, "TMPDIR": str(folder / "tmp")}


def _begun(folder, what, environment, program, prefix=()):  # type: ignore[no-untyped-def]
    """A command that was started; what it says of errors goes through a pipe, which takes it."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-B", *program, *COMMANDS[what]],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def _ended(
    folder: Path, name: str, processes: list[subprocess.Popen], *, may_leave: bool = False
) -> tuple[str, list[str]]:
    """What became of commands, and what is wrong with what they left."""
    wrong = []
    for process in processes:
        _, told = process.communicate(timeout=3600)
        if "Traceback" in told or process.returncode not in (0, 2):
            wrong.append(f"exit code {process.returncode}: {told[-500:]}")
    X = boolfact.as_matrix(folder / "x.csv")
    for run in ("old", "run"):
        try:
            result = Result.load(folder / run)
            wrong += [f"{run}: {check.message}" for check in verify_result(result, X).failed()]
        except (ValueError, OSError) as error:
            wrong.append(f"{run} is lost: {error}")
    for file, end in ENDS.items():
        path = folder / file
        text = path.read_bytes() if path.exists() else b""
        if text != b"old" and not text.endswith(end):
            wrong.append(f"{file} is half a file")
    hidden = [path.name for path in folder.rglob(".*") if "tmp" not in path.parts]
    if hidden and not may_leave:
        wrong.append(f"left behind: {hidden}")
    refused = any(process.returncode for process in processes)
    return ("refused" if refused else "done"), [f"{name}: {x}" for x in wrong]


def one_round(kind: str, rng: random.Random) -> tuple[str, list[str]]:
    """One fault of a kind."""
    if kind in ("memory", "solver"):
        return fit_round(rng, kind)
    rounds = {"disk": disk_round, "closed": closed_round, "twins": twins_round}
    with tempfile.TemporaryDirectory() as name:
        return rounds[kind](rng, Path(name))


KINDS = ["memory", "solver", "disk", "twins"]
if bound_by_permissions() is not None:
    KINDS.append("closed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    seen: collections.Counter[tuple[str, str]] = collections.Counter()
    bad = done = 0
    while time.monotonic() < end and done < asked.rounds:
        kind = asked.kinds[done % len(asked.kinds)]
        answer, wrong = one_round(kind, random.Random(f"{asked.seed} {done}"))
        seen[kind, answer] += 1
        bad += bool(wrong)
        for what in wrong:
            print(f"round {done}, {kind}: {what}", flush=True)
        done += 1
    print(f"{done} rounds, {bad} with something wrong")
    for (kind, answer), count in sorted(seen.items()):
        print(f"{count:6}  {kind}: {answer}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
