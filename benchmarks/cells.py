"""Cells of a table: a matrix and a rank, what is known of them, and runs that are kept in a file.

Not a benchmark itself: `exact.py` and `error_bounds.py` are made of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

COMPLETE = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")
RANKS = (2, 5, 10)
BEST_ERROR = {
    "zoo": {1: 415, 2: 271, 3: 196, 4: 156, 5: 125, 6: 102, 10: 39},
    "tumor": {2: 1408, 5: 1018, 10: 579},
    "hepat": {2: 1379, 5: 1099, 10: 795},
    "heart": {1: 1421, 2: 1185, 3: 976, 5: 736, 10: 419},
    "lymp": {1: 1381, 2: 1174, 5: 933, 10: 669},
    "audio": {2: 1499, 5: 1157, 10: 864},
    "apb": {1: 826, 2: 776, 5: 677, 10: 566},
    "votes": {2: 2926, 5: 2157, 10: 1428},
    "tumor_missing": {2: 1351, 3: 1148, 5: 943, 10: 510},
    "hepat_missing": {2: 1264, 3: 1146, 5: 984, 10: 691},
    "audio_missing": {2: 1411, 3: 1222, 5: 1035, 10: 749},
    "votes_missing": {2: 1246, 3: 1033, 5: 701, 10: 218},
}
"""The lowest errors published or seen, by rank."""
BEST_MIP = {
    "zoo": {2: 272, 5: 127, 10: 40},
    "tumor": {2: 1408, 5: 1022, 10: 579},
    "hepat": {2: 1384, 5: 1148, 10: 871},
    "heart": {2: 1185, 5: 736, 10: 419},
    "lymp": {2: 1191, 5: 949, 10: 699},
    "audio": {2: 1499, 5: 1162, 10: 872},
    "apb": {2: 776, 5: 680, 10: 574},
    "votes": {2: 2926, 5: 2189, 10: 1526},
}
"""The lowest values of MIP(1) published or seen, by rank."""
Cell = tuple[str, int]
Record = dict[str, Any]


def best_known(cell: Cell, objective: str = "error") -> int | None:
    """The lowest error or MIP(1) known; None for a cell that is not in the tables."""
    name, k = cell
    best = BEST_ERROR if objective == "error" else BEST_MIP
    return best.get(name, {}).get(k)


def parse_cell(text: str) -> Cell:
    """NAME:K."""
    name, _, k = text.rpartition(":")
    if not name:
        raise ValueError(f"a cell is NAME:K, got {text!r}")
    return name, int(k)


class Kept:
    """What earlier runs wrote to a file of JSON lines, and what this one adds to it.

    Parameters
    ----------
    path : Path or None
        None to keep nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.records: list[Record] = []
        self._ends_in_a_line = True
        if path is None or not path.exists():
            return
        text = path.read_text(encoding="utf-8")
        self._ends_in_a_line = not text or text.endswith("\n")
        for line in text.splitlines():
            try:
                self.records.append(json.loads(line))
            except json.JSONDecodeError:
                print(f"{path}: a line is not whole, and left out", file=sys.stderr)

    def get(self, asked: Record) -> Record | None:
        """The last record of what is asked for; None if there is none."""
        same = (r for r in reversed(self.records) if all(r.get(x) == asked[x] for x in asked))
        return next(same, None)

    def add(self, record: Record) -> None:
        """Add a line."""
        self.records.append(record)
        if self.path is None:
            return
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(("" if self._ends_in_a_line else "\n") + json.dumps(record) + "\n")
        self._ends_in_a_line = True

    def get_or_add(self, asked: Record, compute: Callable[[Record], Record]) -> Record:
        """What is there, or what is computed now; a run that failed is not kept."""
        record = self.get(asked)
        if record is None:
            record = asked | compute(asked)
            if "failed" not in record:
                self.add(record)
        return record


def in_a_process(script: str, asked: Record, seconds: float) -> Record:
    """What `script --one ASKED` prints as its last line; it is ended after so many seconds.

    The process has its own memory, its own kernels, and no threads but those it is told to have.
    """
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    try:
        done = subprocess.run(
            [sys.executable, script, "--one", json.dumps(asked)],
            env={**os.environ, **threads},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"no answer after {seconds:.0f} s"}
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"]
        return {"failed": lines[-1][:200]}
    found: Record = json.loads(done.stdout.splitlines()[-1])
    return found


def markdown_row(values: list[Any]) -> str:
    """A row of a table; what is not known is a dash."""
    return f"| {' | '.join('-' if value is None else str(value) for value in values)} |"


def markdown_head(titles: list[str]) -> str:
    """The first two lines of a table."""
    return f"{markdown_row(list(titles))}\n|{'---|' * len(titles)}"
