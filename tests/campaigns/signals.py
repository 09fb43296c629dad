"""Commands that are sent signals at random moments: a whole result is left, or nothing.

    python tests/campaigns/signals.py --minutes 5 --seed 0

Each round starts one command in an empty folder, waits for a random time, and sends one signal or
two. Exit code 1: something was left that is not whole, or a traceback was shown; it says what.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import boolfact
from boolfact.certificate import verify_result
from boolfact.results.result import Result

FIT = ["fit", "zoo", "-k", "4", "--time-limit", "5", "--out", "run"]
COMMANDS = {
    "fit": [*FIT, "--json"],
    "fit over an old result": [*FIT, "--quiet"],
    "exact": [*FIT, "--method", "exact", "--checkpoint", "tree.json", "--quiet"],
    "exact of the objective": [
        *["fit", "zoo", "-k", "3", "--method", "exact", "--objective", "mip", "--time-limit", "5"],
        *["--checkpoint", "tree.json", "--out", "run"],
    ],
    "rank": ["rank", "zoo", "--time-limit", "5", "--json"],
    "path of ranks": ["rank", "zoo", "--path", "--max-k", "4", "--time-limit", "5", "--json"],
    "complete": ["complete", "votes_missing", "-k", "3", "--time-limit", "4", "--out", "full.csv"],
    "complete by votes": [
        *["complete", "votes_missing", "--members", "8", "--out", "full.csv"],
        *["--explain", "why.csv", "--quiet"],
    ],
    "verify": ["verify", "run"],
    "report": ["report", "run", "--out", "page.html"],
    "plot": ["plot", "run", "--out", "picture.svg"],
    "certificate": ["certificate", "run", "--text", "--out", "text"],
    "reproduce": [
        *["reproduce", "table4", "--datasets", "zoo", "--ranks", "2,3"],
        *["--methods", "k_greedy,asso", "--time-limit", "2", "--workers", "2", "--out", "table"],
    ],
}
PRINTS_JSON = {"fit", "rank", "path of ranks"}
OVER_A_RESULT = {"fit over an old result", "verify", "report", "plot", "certificate"}
OLD = "old"
"""What is in a file before a command writes it anew."""
WRITTEN = {"report": ("page.html", "</html>"), "plot": ("picture.svg", "</svg>")}
POLITE = ["SIGINT", "SIGTERM", "SIGHUP"]
LONGEST = 7.0
"""Seconds until the signal, at most: on an idle machine the commands end a little before."""


def run_once(rng: random.Random, folder: Path, longest: float = LONGEST) -> tuple[str, list[str]]:
    """Run a command, send it signals; what was done, and what is wrong with what it left."""
    what = rng.choice(sorted(COMMANDS))
    sent = [rng.choice([*POLITE, *POLITE, "SIGKILL"])]
    if sent[0] != "SIGKILL" and rng.random() < 0.3:
        sent.append(rng.choice(POLITE))
    if what in OVER_A_RESULT:
        X = boolfact.load_dataset("zoo")
        boolfact.factorize(X, 4, method="k_greedy", dataset="zoo").save(folder / "run")
    if what in WRITTEN:
        (folder / WRITTEN[what][0]).write_text(OLD)
    with open(folder / "stdout", "wb") as stdout, open(folder / "stderr", "wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "boolfact", *COMMANDS[what]],
            cwd=folder, stdout=stdout, stderr=stderr, start_new_session=True,
        )  # fmt: skip
        for place, name in enumerate(sent):
            time.sleep(rng.uniform(0, longest) if place == 0 else rng.uniform(0, 1.5))
            if process.poll() is None:
                process.send_signal(getattr(signal, name))
        try:
            code = process.wait(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"{what}, {' and '.join(sent)}", ["it did not end"]
    return f"{what}, {' and '.join(sent)}", list(_wrong(what, sent, code, folder))


def _wrong(what: str, sent: list[str], code: int, folder: Path):
    shown = (folder / "stderr").read_text(errors="replace")
    ours = [x for x in shown.splitlines() if "/boolfact/" in x and x.lstrip().startswith("File")]
    # While Python itself is loaded, it says what it likes.
    early = "KeyboardInterrupt" in shown and all("/boolfact/__" in x for x in ours)
    if "Traceback" in shown and not early:
        yield f"a traceback: {shown[-800:]}"
    # Before Python listens, the system ends the program. An interruption that passed through exec,
    # as in dataclasses, makes Python end by SIGINT in place of 130; shells show 130 for both.
    allowed = {0, 130, -int(signal.SIGINT), *(-int(getattr(signal, name)) for name in sent)}
    if early:
        allowed.add(1)
    if code not in allowed:
        yield f"exit code {code}: {shown[-300:]}"
    yield from _folder_wrong(what, code, folder)
    if what in PRINTS_JSON:
        text = (folder / "stdout").read_text()
        if code == 0 or text.strip():
            try:
                json.loads(text)
            except ValueError:
                yield f"half of a document on standard output: {text[-200:]!r}"
    for name in ("full.csv", "why.csv", "table/table4.csv"):
        if (folder / name).exists():
            rows = {len(row) for row in csv.reader((folder / name).open())}
            if len(rows) != 1:
                yield f"a table with rows of lengths {sorted(rows)}"
    for path in folder.glob("table/table4-cells/*.json"):
        if path.name.startswith("."):
            continue
        try:
            json.loads(path.read_text())
        except ValueError:
            yield f"half of a cell: {path.name}"
    if what in WRITTEN:
        name, end = WRITTEN[what]
        text = (folder / name).read_text() if (folder / name).exists() else ""
        if text != OLD and not text.rstrip().endswith(end):
            yield f"half of a file: {name} ends in {text[-30:]!r}"
    known = {"stdout", "stderr", "run", "tree.json", "full.csv", "why.csv", "table", "text"}
    known |= {name for name, _ in WRITTEN.values()}
    rest = sorted(set(os.listdir(folder)) - known)
    if rest and "SIGKILL" not in sent:
        yield f"left behind: {rest}"


def _folder_wrong(what: str, code: int, folder: Path):
    run = folder / "run"
    if "--out" in COMMANDS[what] and "run" in COMMANDS[what] and code == 0 and not run.exists():
        yield "success, and no result"
    if what in OVER_A_RESULT and not run.exists():
        yield "the old result is lost"
    if run.exists() and any(run.iterdir()):
        try:
            result = Result.load(run)
        except (ValueError, OSError) as error:
            yield f"a result that cannot be read: {error}"
        else:
            X = boolfact.load_dataset("zoo")
            failed = verify_result(result, X, time_limit=5).failed()
            yield from (f"{check.name}: {check.message}" for check in failed)
    elif what == "fit over an old result":
        yield "the old result is lost"
    if (folder / "tree.json").exists():
        again = ["--resume", "tree.json", "--time-limit", "1", "--quiet", "--out", "again"]
        options = [x for x in COMMANDS[what] if x not in ("run", "--out")]
        options = options[: options.index("--checkpoint")] + again
        done = subprocess.run(
            [sys.executable, "-m", "boolfact", *options], cwd=folder, capture_output=True, text=True
        )
        if done.returncode != 0:
            yield f"a checkpoint that cannot be taken up: {done.stderr[-300:]}"
        else:
            for path in (folder / "again").iterdir():
                path.unlink()
            (folder / "again").rmdir()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--longest", type=float, default=LONGEST, help="seconds until the signal; more if busy"
    )
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    end = time.monotonic() + 60 * asked.minutes
    seen: collections.Counter[str] = collections.Counter()
    bad = done = 0
    while time.monotonic() < end and done < asked.rounds:
        with tempfile.TemporaryDirectory() as name:
            what, wrong = run_once(rng, Path(name), asked.longest)
        seen[what.split(",")[0]] += 1
        done += 1
        bad += bool(wrong)
        for reason in wrong:
            print(f"{what}: {reason}", flush=True)
    print(f"{done} rounds, {bad} with something wrong")
    for what, count in sorted(seen.items()):
        print(f"{count:6}  {what}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
