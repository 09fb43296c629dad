"""Bounds on the error of the bundled matrices: MLP(1/k), single rows, and assigned cover.

    python benchmarks/error_bounds.py --seconds 60 --workers 2 --out bounds.jsonl
    python benchmarks/error_bounds.py --cells zoo:5 heart:5 --seconds 20
    python benchmarks/error_bounds.py --pricing --cells heart:5 --seconds 20

Each cell is a matrix and a rank. MLP(1/k) and assigned cover with single rows alone have a
quarter of --seconds each, then assigned cover with blocks that grow has all of them; seconds in
the table are those of the last. All begin with the factors of a local search, which ends at the
best known error or after a tenth of --seconds. Compilation is not counted.

--pricing prints instead, for blocks of up to 1, 2, 4 and 8 rows, how long one exact pricing (a
walk through all sets of columns) and 30 steps of the master take at prices that a twentieth of
--seconds gave; where the columns are divided into groups, for all groups together.

With --out every cell is added to a file as a line of JSON, and cells that are there with the same
options are not computed again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from boolfact.colgen.cover.blocks import merged_blocks
from boolfact.colgen.cover.climb import set_worths
from boolfact.colgen.cover.cube import price_by_walking
from boolfact.colgen.cover.grow import LOOP, STRATEGY, CoverSettings, bound_by_cover
from boolfact.colgen.cover.parts import Part, make_parts
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.control.executor import Executor, make_executor
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.local_search.search import local_search
from boolfact.model.bound import Bound, Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix
from boolfact.solve.warmup import warm_up

RANKS = (2, 5, 10)
BEST = {
    "zoo": (271, 125, 39),
    "tumor": (1408, 1018, 579),
    "hepat": (1379, 1099, 795),
    "heart": (1185, 736, 419),
    "lymp": (1174, 933, 669),
    "audio": (1499, 1157, 864),
    "apb": (776, 677, 566),
    "votes": (2926, 2157, 1428),
    "tumor_missing": (1351, 943, 510),
    "hepat_missing": (1264, 984, 691),
    "audio_missing": (1411, 1035, 749),
    "votes_missing": (1246, 701, 218),
}
"""The lowest errors known, for each rank of RANKS."""
SIZES = (1, 2, 4, 8)
Cell = tuple[str, int]


def best_known(cell: Cell) -> int | None:
    """The lowest error known; None for a rank that is not in the table."""
    name, k = cell
    return BEST[name][RANKS.index(k)] if name in BEST and k in RANKS else None


def bounds_of_cell(cell: Cell, seconds: float, executor: Executor) -> dict[str, Any]:
    """The three bounds, one after the other."""
    name, k = cell
    matrix = reduce_matrix(load_dataset(name)).matrix
    target = best_known(cell)
    factors = local_search(
        matrix, k, stop=Stop(seconds / 10, target=target), executor=executor
    ).factors
    found = factors.error(matrix)
    error = found if target is None else min(found, target)
    pool = RectanglePool(*matrix.shape)
    pool.extend(factors.rectangles)
    mlp = generate_columns(
        MLP(matrix, k, Fraction(1, k), on=Quantity.ERROR),
        pool=pool,
        stop=Stop(seconds / 4),
        executor=executor,
        incumbent=error,
    )

    def cover(limit: float, settings: CoverSettings) -> Bound | None:
        return bound_by_cover(
            matrix,
            k,
            factors=factors,
            stop=Stop(limit),
            executor=executor,
            incumbent=error,
            settings=settings,
        ).bound

    single = cover(seconds / 4, CoverSettings(sizes=(1,), times_dearer=(1.0,)))
    began = time.perf_counter()
    bound = cover(seconds, CoverSettings())
    return {
        "error": error,
        "mlp": _rounded(mlp.bound),
        "single_rows": _rounded(single),
        "bound": _rounded(bound),
        "relaxation": None if bound is None else bound.relaxation,
        "took": round(time.perf_counter() - began, 1),
    }


def _rounded(bound: Bound | None) -> int | None:
    return None if bound is None else int(bound.rounded)


def pricing_of_cell(cell: Cell, seconds: float, executor: Executor) -> dict[str, Any]:
    """Seconds of one exact pricing and of 30 steps of the master, by size of the blocks."""
    name, k = cell
    matrix = reduce_matrix(load_dataset(name)).matrix
    # Sets are sought on the shorter side.
    matrix = matrix.T if matrix.shape[0] < matrix.shape[1] else matrix
    settings = CoverSettings()
    whole = matrix.shape[1] <= settings.whole_columns
    most = settings.whole_columns if whole else settings.part_columns
    parts = make_parts(matrix, k, most)
    figures: dict[str, Any] = {"columns": [part.matrix.shape[1] for part in parts]}
    for size in SIZES:
        times = [_time_part(part, k, size, seconds / 20, executor) for part in parts]
        walks, steps, walked, of = (sum(column) for column in zip(*times, strict=True))
        figures[str(size)] = {
            "walk": round(walks, 3),
            "master": round(steps, 3),
            "evaluated": round(walked / of, 4),
        }
    return figures


def _time_part(
    part: Part, k: int, size: int, seconds: float, executor: Executor
) -> tuple[float, float, int, int]:
    """Seconds of a walk and of the master, sets evaluated, and sets that there are."""
    blocks = [[i] for i in range(part.matrix.shape[0])]
    while max(map(len, blocks)) < size:
        merged = merged_blocks(part.matrix, blocks, size, part.factors.A)
        if len(merged) == len(blocks):
            break
        blocks = merged
    relaxation = AssignedCover(part.matrix, k, blocks)
    columns = generate_columns(
        relaxation,
        stop=Stop(seconds),
        strategy=STRATEGY,
        settings=LOOP,
        executor=executor,
    )
    point = relaxation.point_of(columns.state)
    # What it takes to prove that nothing is worth more than the best that is known.
    known = int(set_worths(point, columns.pool.B).max(initial=0))
    pricing = price_by_walking(point, known, executor)
    master = relaxation.master(start=columns.state)
    master.solve(columns.pool, 0.0, Stop())
    began = time.perf_counter()
    master.solve(columns.pool, 0.0, Stop())
    took = time.perf_counter() - began
    return pricing.seconds, took, pricing.walked, 2 ** part.matrix.shape[1]


def print_bounds(records: list[dict[str, Any]]) -> None:
    """The table of bounds, and the means of bound / best known error."""
    print(
        "| cell | best known error | MLP(1/k) | single rows | bound | by | seconds | bound / best |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for r in records:
        figures = [r["error"], *(_shown(r[key]) for key in ("mlp", "single_rows", "bound"))]
        by = r["relaxation"] or "-"
        figures += [by, f"{r['took']:.0f}", f"{(r['bound'] or 0) / r['error']:.3f}"]
        print(f"| {r['name']} {r['k']} | {' | '.join(map(str, figures))} |")
    print(
        "\n| k | cells | MLP(1/k) | single rows | bound, mean of bound / best |\n|---|---|---|---|---|"
    )
    for k in sorted({r["k"] for r in records}):
        own = [r for r in records if r["k"] == k]
        means = [
            float(np.mean([(r[key] or 0) / r["error"] for r in own]))
            for key in ("mlp", "single_rows", "bound")
        ]
        print(f"| {k} | {len(own)} | {' | '.join(f'{mean:.3f}' for mean in means)} |")


def print_pricing(records: list[dict[str, Any]]) -> None:
    """Seconds of a walk / of 30 steps of the master, by size of the blocks."""
    print(
        "Seconds of one walk / of 30 steps of the master (share of all sets that was evaluated)\n"
    )
    heads = " | ".join("single rows" if size == 1 else f"blocks of {size}" for size in SIZES)
    print(f"| cell | columns | {heads} |\n|{'---|' * (2 + len(SIZES))}")
    for r in records:
        cells = [
            f"{f['walk']:.2f} / {f['master']:.2f} ({100 * f['evaluated']:.1f} %)"
            for f in (r[str(size)] for size in SIZES)
        ]
        columns = " + ".join(map(str, r["columns"]))
        print(f"| {r['name']} {r['k']} | {columns} | {' | '.join(cells)} |")


def _shown(value: int | None) -> str:
    return "-" if value is None else str(value)


def known_records(path: Path | None) -> list[dict[str, Any]]:
    """What earlier runs wrote; a line that was cut off is left out."""
    records = []
    if path is not None and path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                records.append(json.loads(line))
            except json.JSONDecodeError:
                print(f"{path}: a line is not whole, and left out", flush=True)
    return records


def run_cells(
    options: argparse.Namespace,
    kind: str,
    compute: Callable[[Cell, float, Executor], dict[str, Any]],
) -> list[dict[str, Any]]:
    """All cells, from the file or computed and added to it."""
    known = known_records(options.out)
    records = []
    with make_executor(options.workers) as executor:
        for name, k in options.cells:
            head = {
                "kind": kind,
                "name": name,
                "k": k,
                "seconds": options.seconds,
                "workers": options.workers,
            }
            record = next((r for r in known if all(r.get(x) == head[x] for x in head)), None)
            if record is None:
                record = {**head, **compute((name, k), options.seconds, executor)}
                if options.out is not None:
                    with options.out.open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps(record) + "\n")
            records.append(record)
    return records


def parse_cell(text: str) -> Cell:
    """NAME:K."""
    name, _, k = text.partition(":")
    return name, int(k)


def main() -> None:
    """Print the table that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    every = [(name, k) for name in BEST for k in RANKS]
    parser.add_argument("--cells", nargs="*", type=parse_cell, default=every, metavar="NAME:K")
    parser.add_argument("--seconds", type=float, default=60.0, help="of assigned cover, per cell")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--pricing", action="store_true", help="times of pricing and of the master")
    parser.add_argument("--out", type=Path, help="file for lines of JSON, to go on from")
    options = parser.parse_args()
    for k in RANKS:
        warm_up("auto", k, lambda event: None)
    if options.pricing:
        print_pricing(run_cells(options, "pricing", pricing_of_cell))
    else:
        print_bounds(run_cells(options, "bounds", bounds_of_cell))


if __name__ == "__main__":
    main()
