"""Bounds on the error of the bundled matrices: MLP(1/k), single rows, and assigned cover.

    python benchmarks/error_bounds.py --seconds 60 --workers 2 --out bounds.jsonl
    python benchmarks/error_bounds.py --cells zoo:5 heart:5 --seconds 20
    python benchmarks/error_bounds.py --pricing --cells heart:5 --seconds 20

Each cell is a matrix and a rank. MLP(1/k) and assigned cover with single rows alone have a
quarter of --seconds each, then assigned cover with blocks that grow has all of them; seconds in
the table are those of the last. All begin with the factors of a local search, which ends at the
best known error or after a tenth of --seconds. Compilation is not counted.

--pricing prints instead, for blocks of up to 1, 2, 4 and 8 rows, how long one exact pricing (a
walk through all sets of columns, ended after --seconds) and 30 steps of the master take, at prices
that a quarter of --seconds gave for each size; where the columns are divided into groups, for all
groups together.

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
from boolfact.colgen.cover.climb import climb_all
from boolfact.colgen.cover.cube import CubePricing, price_by_walking
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
    times = [_times_of_part(part, k, seconds / len(parts), executor) for part in parts]
    for size in SIZES:
        walks = [own[size][0] for own in times]
        figures[str(size)] = {
            "walk": round(sum(walk.seconds for walk in walks), 3),
            "is_complete": all(walk.is_complete for walk in walks),
            "master": round(sum(own[size][1] for own in times), 3),
        }
    return figures


def _times_of_part(
    part: Part, k: int, seconds: float, executor: Executor
) -> dict[int, tuple[CubePricing, float]]:
    """A walk, and seconds of the master, for each size of the blocks.

    Larger blocks begin with the prices of smaller ones.
    """
    blocks = [[i] for i in range(part.matrix.shape[0])]
    sets, state = np.eye(part.matrix.shape[1], dtype=np.bool_), None
    times = {}
    for size in SIZES:
        merged = merged_blocks(part.matrix, blocks, size, part.factors.A)
        while len(merged) < len(blocks):
            blocks = merged
            merged = merged_blocks(part.matrix, blocks, size, part.factors.A)
        relaxation = AssignedCover(part.matrix, k, blocks)
        columns = generate_columns(
            relaxation,
            pool=relaxation.pool_of(sets, state),
            stop=Stop(seconds / len(SIZES)),
            strategy=STRATEGY,
            settings=LOOP,
            executor=executor,
            start=state,
        )
        sets, state = np.unique(columns.pool.B, axis=0), columns.state
        point = relaxation.point_of(state)
        best = int(climb_all(point, sets)[1].max(initial=0))
        walk = price_by_walking(point, best, executor, Stop(seconds).now)
        if walk.is_complete and walk.upper_bound > best:
            # What it takes to prove that nothing is worth more than the best there is.
            walk = price_by_walking(point, walk.upper_bound, executor)
        master = relaxation.master(start=state)
        master.solve(columns.pool, 0.0, Stop())
        began = time.perf_counter()
        master.solve(columns.pool, 0.0, Stop())
        times[size] = walk, time.perf_counter() - began
    return times


def print_bounds(records: list[dict[str, Any]]) -> None:
    """The table of bounds, and the means of bound / best known error."""
    heads = ("cell", "best known error", "MLP(1/k)", "single rows", "bound", "by", "seconds")
    print(f"| {' | '.join(heads)} | bound / best |\n|{'---|' * (len(heads) + 1)}")
    for r in records:
        figures = [r["error"], *(_shown(r[key]) for key in ("mlp", "single_rows", "bound"))]
        by = r["relaxation"] or "-"
        figures += [by, f"{r['took']:.0f}", f"{(r['bound'] or 0) / r['error']:.3f}"]
        print(f"| {r['name']} {r['k']} | {' | '.join(map(str, figures))} |")
    print("\nMeans of bound / best known error\n")
    print("| k | cells | MLP(1/k) | single rows | bound |\n|---|---|---|---|---|")
    for k in sorted({r["k"] for r in records}):
        own = [r for r in records if r["k"] == k]
        means = [
            float(np.mean([(r[key] or 0) / r["error"] for r in own]))
            for key in ("mlp", "single_rows", "bound")
        ]
        print(f"| {k} | {len(own)} | {' | '.join(f'{mean:.3f}' for mean in means)} |")


def print_pricing(records: list[dict[str, Any]]) -> None:
    """Seconds of a walk / of 30 steps of the master, by size of the blocks."""
    print("Seconds of one walk / of 30 steps of the master; > where the walk was cut short\n")
    heads = " | ".join("single rows" if size == 1 else f"blocks of {size}" for size in SIZES)
    print(f"| cell | columns | {heads} |\n|{'---|' * (2 + len(SIZES))}")
    for r in records:
        cells = [
            f"{'' if f['is_complete'] else '> '}{f['walk']:.2f} / {f['master']:.2f}"
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
