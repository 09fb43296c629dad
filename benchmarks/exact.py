"""Proofs: the least error, or the least MIP(1), of bundled matrices and of the synthetic family.

    python benchmarks/exact.py --verify --out proofs.jsonl
    python benchmarks/exact.py --cells zoo:1 zoo:2 --seconds 60
    python benchmarks/exact.py --open --seconds 3600 --out proofs.jsonl
    python benchmarks/exact.py --objective mip --verify --out proofs.jsonl
    python benchmarks/exact.py --family --k 2 5 --out family.jsonl

Each cell is a matrix and a rank, solved by `factorize(..., method="exact")` in a process of its
own. --open adds cells that may well stay open. --family takes instead the synthetic family of the
literature: 20, 35 or 50 rows and 20 columns, Boolean rank 10, 50 or 75 % zeros, no or 5 % noise,
with the seeds 0, 1, ... for each combination. One of them can be named as a cell as well:
synthetic-n20-zeros75-noise5-seed0:2.

--verify has the verifier read each saved result and prove its bound again, in a further process:
`confirmed` if every check passed, `open` if its time was up, `REFUSED` if one failed.

Seconds do not count compilation. With --out every run is a line of JSON in a file, and its result
a folder in FILE.results; runs that are there with the same options are not repeated, and may be
verified later. What failed or was refused is tried again. Below the table stands any bound above a
value that is known to be reached, which would be a bug.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import resource
import tempfile
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter, process_time

from boolfact.certificate import verify_result
from boolfact.control.counters import Counter, labelled
from boolfact.control.progress import silent
from boolfact.datasets import load_dataset, synthetic_family
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.format import plain_number
from boolfact.results.result import Result
from boolfact.solve.factorize import factorize
from boolfact.solve.warmup import warm_up
from cells import (
    BEST_ERROR,
    COMPLETE,
    RANKS,
    Cell,
    Kept,
    Record,
    best_known,
    in_a_process,
    markdown_head,
    markdown_row,
    parse_cell,
)

ON_ERROR: list[Cell] = [
    *(("zoo", k) for k in (1, 2, 3, 4, 5)),
    *((name, k) for name in COMPLETE[1:] for k in (1, 2)),
    *((f"{name}_missing", 2) for name in ("tumor", "hepat", "audio", "votes")),
    *((f"{name}_missing", 3) for name in ("tumor", "votes")),
]
OPEN_ON_ERROR: list[Cell] = [
    ("zoo", 6), ("zoo", 7), ("heart", 3), ("heart", 4), ("lymp", 3), ("apb", 3),
    ("votes_missing", 4),
]  # fmt: skip
ON_MIP: list[Cell] = [
    *((name, 2) for name in COMPLETE),
    ("zoo", 5), ("heart", 5), ("apb", 5), ("zoo", 10),
]  # fmt: skip
OPEN_ON_MIP = [cell for cell in itertools.product(COMPLETE, RANKS) if cell not in ON_MIP]
ZEROS = (50, 75)
NOISE = (0, 5)
"""Per cent, of the synthetic family."""
LATE = 300.0
"""Seconds for compilation and for ending, after which a process is ended."""
HEADS = [
    "matrix", "k", "best known", "found", "bound", "status", "by", "nodes over columns",
    "nodes of the tree", "seconds", "verified", "seconds of that",
]  # fmt: skip


def family(sizes: Iterable[int], ranks: Iterable[int], instances: int) -> list[Cell]:
    """Cells of the synthetic family."""
    return [
        (f"synthetic-n{n}-zeros{zeros}-noise{noise}-seed{seed}", k)
        for k in ranks
        for n, zeros, noise, seed in itertools.product(sizes, ZEROS, NOISE, range(instances))
    ]


def load(name: str) -> BinaryMatrix:
    """A bundled matrix, or one of the synthetic family."""
    found = re.fullmatch(r"synthetic-n(\d+)-zeros(\d+)-noise(\d+)-seed(\d+)", name)
    if found is None:
        return load_dataset(name)
    n, zeros, noise, seed = (int(number) for number in found.groups())
    return synthetic_family(n, zeros / 100, noise / 100, seed=seed).matrix


def prove(asked: Record, folder: Path) -> Record:
    """One run, here and now; its result goes to the folder."""
    matrix = load(asked["name"])
    warm_up("exact", asked["k"], silent, matrix)
    before = process_time()
    result = factorize(
        matrix,
        asked["k"],
        method="exact",
        objective=asked["objective"],
        time_limit=asked["seconds"],
        workers=asked["workers"],
        seed=asked["seed"],
        dataset=asked["name"],
    )
    used = process_time() - before
    result.save(folder)
    value: float = result.error
    bound, by = result.error_lower_bound, result.error_bound_by
    if asked["objective"] == "mip":
        value = result.objective
        bound, by = result.objective_lower_bound, result.objective_bound_by
    counters = result.trace.counters
    over_columns = counters.get(labelled(Counter.NODES, "columns"), 0)
    return {
        "found": plain_number(value),
        "bound": plain_number(bound),
        "proved": bound is not None and bound >= value,
        "by": by,
        "error": result.error,
        "status": result.status.value,
        "ending": result.ending.value,
        "nodes_over_columns": int(over_columns),
        "nodes_of_the_tree": int(counters.get(Counter.TREE_NODES, 0)),
        "took": round(result.seconds, 2),
        "cpu": round(used, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def verify(asked: Record, folder: Path) -> Record:
    """The verifier on what is in the folder."""
    result, matrix = Result.load(folder), load(asked["name"])
    began = perf_counter()
    report = verify_result(result, matrix, time_limit=asked["verify_seconds"])
    if not report.ok:
        why = [f"{check.name}: {check.message}" for check in report.failed()]
        return {"failed": "REFUSED", "why": why}
    return {
        "verdict": "confirmed" if report.complete else "open",
        "verdict_took": round(perf_counter() - began, 2),
    }


def run_cell(cell: Cell, options: argparse.Namespace, kept: Kept, results: Path) -> Record:
    """A proof and, where it is asked for, its verification; from the file where they are there."""
    name, k = cell
    asked: Record = {
        "kind": "proof",
        "name": name,
        "k": k,
        "objective": options.objective,
        "seconds": options.seconds,
        "workers": options.workers,
        "seed": options.seed,
    }
    words = [name, f"k{k}", options.objective, f"{options.seconds:g}s"]
    folder = results / "-".join([*words, f"workers{options.workers}", f"seed{options.seed}"])

    def compute(what: Record) -> Record:
        limit = what["seconds"] if what["kind"] == "proof" else what["verify_seconds"]
        return in_a_process(__file__, what | {"folder": str(folder)}, 1.2 * limit + LATE)

    record = kept.get_or_add(asked, compute)
    if not options.verify or "failed" in record:
        return record
    asked = asked | {"kind": "verification", "verify_seconds": options.verify_seconds}
    if kept.get(asked) is None and not folder.is_dir():
        return record | {"verdict": "result not kept"}
    verdict = kept.get_or_add(asked, compute)
    if "failed" in verdict:
        return record | {"verdict": verdict["failed"], "why": verdict.get("why", [])}
    return record | {key: verdict[key] for key in ("verdict", "verdict_took")}


def row(record: Record) -> str:
    """A line of the table."""
    name, k = record["name"], record["k"]
    best = best_known((name, k), record["objective"])
    if "failed" in record:
        return markdown_row([name, k, best, None, None, record["failed"], *[None] * 6])
    status = "proved" if record["proved"] else record["ending"]
    nodes = [f"{record[f'nodes_{where}']:,}" for where in ("over_columns", "of_the_tree")]
    figures = [record["found"], record["bound"], status, record["by"], *nodes]
    checked = [record.get("verdict"), record.get("verdict_took")]
    return markdown_row([name, k, best, *figures, f"{record['took']:.1f}", *checked])


def summary(records: list[Record]) -> list[str]:
    """How many were proved by rank; what was refused, and what cannot be."""
    lines = []
    for k in sorted({record["k"] for record in records}):
        own = [record for record in records if record["k"] == k]
        text = f"k = {k}: {sum(r.get('proved', False) for r in own)} of {len(own)} proved"
        if any("verdict" in r for r in own):
            text += f", {sum(r.get('verdict') == 'confirmed' for r in own)} verified"
        lines.append(text)
    for record in records:
        cell = (record["name"], record["k"])
        lines += [f"REFUSED {cell[0]} {cell[1]}: {why}" for why in record.get("why", [])]
        best, bound = best_known(cell, record["objective"]), record.get("bound")
        if best is not None and bound is not None and bound > best:
            lines.append(f"BUG {cell[0]} {cell[1]}: the bound {bound} is above the known {best}")
    return lines


def wanted(options: argparse.Namespace) -> list[Cell]:
    """The cells that were asked for, in order."""
    if options.cells is not None:
        chosen: list[Cell] = options.cells
    elif options.family:
        chosen = family(options.sizes, options.k, options.per_cell)
    else:
        on_error = options.objective == "error"
        chosen = list(ON_ERROR if on_error else ON_MIP)
        if options.open:
            chosen += OPEN_ON_ERROR if on_error else OPEN_ON_MIP
    return chosen


def parsed() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--cells", nargs="+", type=parse_cell, metavar="NAME:K")
    which.add_argument("--open", action="store_true", help="also cells that may stay open")
    which.add_argument("--family", action="store_true", help="the synthetic family instead")
    parser.add_argument("--sizes", nargs="+", type=int, default=[20, 35, 50], help="its rows")
    parser.add_argument("--k", nargs="+", type=int, default=[2, 5], help="its ranks")
    parser.add_argument("--per-cell", type=int, default=5, help="seeds for each combination")
    parser.add_argument("--objective", choices=["error", "mip"], default="error")
    parser.add_argument("--seconds", type=float, help="each; 1200, or 600 with --family")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verify", action="store_true", help="prove every bound again")
    parser.add_argument("--verify-seconds", type=float, default=1200.0, help="for that, each")
    parser.add_argument("--out", type=Path, help="file for lines of JSON, to go on from")
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.seconds is None:
        options.seconds = 600.0 if options.family else 1200.0
    for name, _ in options.cells or []:
        if name not in BEST_ERROR and not name.startswith("synthetic-"):
            parser.error(f"there is no matrix {name}; there are {', '.join(BEST_ERROR)}")
    return options


def one(asked: Record) -> Record:
    """What a process of its own does."""
    work = prove if asked["kind"] == "proof" else verify
    return work(asked, Path(asked["folder"]))


def main() -> None:
    """Print the table, or, as a child of that, do one part of it."""
    options = parsed()
    if options.one is not None:
        print(json.dumps(one(options.one)))
        return
    kept = Kept(options.out)
    records = []
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch if options.out is None else f"{options.out}.results")
        print(markdown_head(HEADS), flush=True)
        for cell in wanted(options):
            records.append(run_cell(cell, options, kept, results))
            print(row(records[-1]), flush=True)
    print("", *summary(records), sep="\n")


if __name__ == "__main__":
    main()
