"""Bounds on the error of the bundled matrices: MLP(1/k), single rows, and assigned cover.

    python benchmarks/error_bounds.py --seconds 60 --workers 2 --out bounds.jsonl
    python benchmarks/error_bounds.py --cells zoo:5 heart:5 --seconds 20
    python benchmarks/error_bounds.py --fit --seconds 60 --workers 2 --out bounds.jsonl
    python benchmarks/error_bounds.py --pricing --cells heart:5 --seconds 20

Each cell is a matrix and a rank. MLP(1/k) and assigned cover with single rows alone have a
quarter of --seconds each, then assigned cover with blocks that grow has all of them; seconds in
the table are those of the last. All begin with the factors of a local search, which ends at the
best known error or after a tenth of --seconds. Compilation is not counted.

--fit runs instead what `boolfact fit NAME -k K --time-limit SECONDS` does, the search beside the
proof, each cell in a process of its own, and prints the error that was found and the bound.

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
from boolfact.results.format import plain_number
from boolfact.solve.factorize import factorize
from boolfact.solve.warmup import warm_up
from cells import (
    BEST_ERROR,
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

SIZES = (1, 2, 4, 8)
Compute = Callable[[Record], Record]
LATE = 300.0
"""Seconds for compilation and for ending, after which the process of a fit is ended."""


def bounds_of_cell(cell: Cell, seconds: float, executor: Executor) -> Record:
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


def pricing_of_cell(cell: Cell, seconds: float, executor: Executor) -> Record:
    """Seconds of one exact pricing and of 30 steps of the master, by size of the blocks."""
    name, k = cell
    matrix = reduce_matrix(load_dataset(name)).matrix
    # Sets are sought on the shorter side.
    matrix = matrix.T if matrix.shape[0] < matrix.shape[1] else matrix
    settings = CoverSettings()
    whole = matrix.shape[1] <= settings.whole_columns
    most = settings.whole_columns if whole else settings.part_columns
    parts = make_parts(matrix, k, most)
    figures: Record = {"columns": [part.matrix.shape[1] for part in parts]}
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


def fit_of_cell(asked: Record) -> Record:
    """A whole run, here and now."""
    result = factorize(
        asked["name"], asked["k"], time_limit=asked["seconds"], workers=asked["workers"]
    )
    return {
        "error": result.error,
        "bound": plain_number(result.error_lower_bound),
        "relaxation": result.error_bound_by,
        "status": result.status.value,
        "took": round(result.seconds, 1),
    }


def fit_in_a_process(asked: Record) -> Record:
    """A whole run in a process of its own."""
    return in_a_process(__file__, asked, 1.2 * asked["seconds"] + LATE)


def print_fits(records: list[Record]) -> None:
    """The table of whole runs, and the means of bound / best known error."""
    heads = ["matrix", "k", "best known", "error", "proved", "by", "status", "seconds"]
    print(markdown_head([*heads, "proved / best known"]))
    ratios: dict[int, list[float]] = {}
    alarms = []
    for r in records:
        head = [r["name"], r["k"], best_known((r["name"], r["k"]))]
        if "failed" in r:
            print(markdown_row([*head, None, None, None, r["failed"], None, None]))
            continue
        least = min(r["error"], r["error"] if head[-1] is None else head[-1])
        bound = r["bound"] or 0
        ratio = bound / least if least else 1.0
        ratios.setdefault(r["k"], []).append(ratio)
        if bound > least:
            alarms.append(f"BUG {r['name']} {r['k']}: {bound} is above the known {least}")
        figures = [r[key] for key in ("error", "bound", "relaxation", "status", "took")]
        print(markdown_row([*head, *figures, f"{ratio:.3f}"]))
    print("\nMeans of proved / best known\n")
    print(markdown_head(["k", "cells", "mean", "least"]))
    for k, own in sorted(ratios.items()):
        print(markdown_row([k, len(own), f"{float(np.mean(own)):.3f}", f"{min(own):.3f}"]))
    print(*alarms, sep="\n")


def print_bounds(records: list[Record]) -> None:
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


def print_pricing(records: list[Record]) -> None:
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


def run_cells(options: argparse.Namespace, kind: str, compute: Compute) -> list[Record]:
    """All cells, from the file or computed and added to it."""
    kept = Kept(options.out)
    head: Record = {"kind": kind, "seconds": options.seconds, "workers": options.workers}
    return [kept.get_or_add(head | {"name": name, "k": k}, compute) for name, k in options.cells]


def main() -> None:
    """Print the table that was asked for, or, as a child of that, do one fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    every = [(name, k) for name in BEST_ERROR for k in RANKS]
    parser.add_argument("--cells", nargs="*", type=parse_cell, default=every, metavar="NAME:K")
    parser.add_argument("--seconds", type=float, default=60.0, help="of assigned cover, per cell")
    parser.add_argument("--workers", type=int, default=1)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--pricing", action="store_true", help="times of pricing and of the master")
    which.add_argument("--fit", action="store_true", help="whole runs, the search beside the proof")
    parser.add_argument("--out", type=Path, help="file for lines of JSON, to go on from")
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(fit_of_cell(options.one)))
        return
    if options.fit:
        print_fits(run_cells(options, "fit", fit_in_a_process))
        return
    for k in RANKS:
        warm_up("auto", k, lambda event: None)
    compute = pricing_of_cell if options.pricing else bounds_of_cell
    show = print_pricing if options.pricing else print_bounds
    with make_executor(options.workers) as executor:

        def of_cell(asked: Record) -> Record:
            return compute((asked["name"], asked["k"]), asked["seconds"], executor)

        show(run_cells(options, "pricing" if options.pricing else "bounds", of_cell))


if __name__ == "__main__":
    main()
