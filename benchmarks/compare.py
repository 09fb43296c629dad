"""Two source trees beside each other: is the new one slower?

    python benchmarks/compare.py BASE_SRC NEW_SRC
    python benchmarks/compare.py ../old/src src --rounds 5 --load problems

Each measurement is a process of its own, with the tree first on PYTHONPATH; the trees take turns,
so load on the machine meets both. Work is fixed (iterations, nodes, one thread) and seconds are
processor time without compilation, so a ratio says how much more the new tree computes for the
same. A measurement also prints what it found, and both trees must have found the same.

fit: hepat, k = 5, at an iteration limit. columns: MLP(1) of hepat, k = 5, about 20 s. pricings:
the cells of benchmarks/pricing.py, priced exactly; their problems come from --load, or are made
by the new tree first.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

CELL = ("hepat", 5)
FIT_ITERATIONS = 40
COLUMN_ITERATIONS = 75
MOST_NODES = 100_000_000
"""Of one pricing: the longest ones are cut short, at the same node in both trees."""


def fit() -> tuple[float, Any]:
    """A whole run."""
    import boolfact

    name, k = CELL

    def run(iterations: int) -> Any:
        return boolfact.factorize(
            name, k, iteration_limit=iterations, time_limit=None, workers=1, seed=0
        )

    run(2)
    began = process_time()
    result = run(FIT_ITERATIONS)
    return process_time() - began, [result.error, result.objective, result.iterations]


def columns() -> tuple[float, Any]:
    """Column generation alone."""
    run = _column_generation()
    run(3)
    began = process_time()
    result = run(COLUMN_ITERATIONS)
    return process_time() - began, [result.iterations, str(result.bound.value)]


def _column_generation() -> Callable[[int], Any]:
    """The loop by iterations; trees before the relaxation protocol had its parts elsewhere."""
    name, k = CELL
    load_dataset = _part("datasets", "load_dataset")
    if importlib.util.find_spec("boolfact.colgen.loop") is not None:
        generate, stop = _part("colgen.loop", "generate_columns"), _part("control.stop", "Stop")
        matrix = _part("model.reduction", "reduce_matrix")(load_dataset(name)).matrix
        problem: tuple[Any, ...] = (_part("colgen.mlp.relaxation", "MLP")(matrix, k),)
    else:
        generate, stop = _part("colgen.generate", "generate_columns"), _part("stop", "Stop")
        problem = (_part("reduction", "reduce_matrix")(load_dataset(name)).matrix, k)
    return lambda limit: generate(*problem, stop=stop(iteration_limit=limit))


def _part(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"boolfact.{module}"), name)


def pricings(folder: Path) -> tuple[float, Any]:
    """Exact pricing of every problem in the folder."""
    from boolfact.pricing.exact import price_exact

    for size in (1, 2**40):
        price_exact(size * np.array([[3, -1, 2], [-2, 4, -1], [1, -3, 2]]))
    problems = [np.load(file) for file in sorted(folder.glob("*.npy"))]
    began = process_time()
    results = [price_exact(H, node_limit=MOST_NODES) for H in problems]
    found = [[int(result.value), int(result.upper_bound), result.nodes] for result in results]
    return process_time() - began, found


def measured(source: str, what: str, folder: Path) -> tuple[float, Any]:
    """One measurement, in a process of its own."""
    command = [sys.executable, __file__, "--measure", what, "--load", str(folder)]
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {**os.environ, **threads, "PYTHONPATH": source}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} failed with {source}:\n{done.stderr}")
    seconds, found = json.loads(done.stdout.splitlines()[-1])
    return seconds, found


def make_problems(source: str, folder: Path, seconds: float) -> None:
    """The pricing problems, by the new tree."""
    script = Path(__file__).with_name("pricing.py")
    command = [sys.executable, str(script), "--save", str(folder), "--seconds", str(seconds)]
    subprocess.run(
        [*command, "--highs", "0"],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def compare(options: argparse.Namespace, folder: Path) -> None:
    """The table of ratios."""
    trees = {"base": str(options.base.resolve()), "new": str(options.new.resolve())}
    print(f"{'what':>9} {'base':>8} {'new':>8} {'ratio':>6}  ratios of the rounds")
    for what in options.what:
        seconds: dict[str, list[float]] = {name: [] for name in trees}
        found: dict[str, Any] = {}
        for turn in range(options.rounds):
            for name in sorted(trees, reverse=turn % 2 == 1):
                used, found[name] = measured(trees[name], what, folder)
                seconds[name].append(used)
        if found["base"] != found["new"]:
            raise SystemExit(f"{what}: base found {found['base']}, new found {found['new']}")
        base, new = (statistics.median(seconds[name]) for name in ("base", "new"))
        ratios = [after / before for before, after in zip(*seconds.values(), strict=True)]
        print(
            f"{what:>9} {base:8.2f} {new:8.2f} {statistics.median(ratios):6.3f}  "
            + " ".join(f"{ratio:.3f}" for ratio in ratios),
            flush=True,
        )


def main() -> None:
    """Compare, or, as a child of that, measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("base", type=Path, nargs="?", help="src folder of the old tree")
    parser.add_argument("new", type=Path, nargs="?", help="src folder of the new tree")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each tree")
    parser.add_argument("--what", nargs="*", default=["fit", "columns", "pricings"])
    parser.add_argument("--seconds", type=float, default=5.0, help="to make each problem")
    parser.add_argument("--load", type=Path, help="folder with the problems of pricing.py --save")
    parser.add_argument("--measure", choices=["fit", "columns", "pricings"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        run = {"fit": fit, "columns": columns, "pricings": lambda: pricings(options.load)}
        print(json.dumps(run[options.measure]()))
        return
    if options.base is None or options.new is None:
        parser.error("give the src folders of both trees")
    if options.load is not None or "pricings" not in options.what:
        compare(options, options.load or Path())
        return
    with tempfile.TemporaryDirectory() as folder:
        make_problems(str(options.new.resolve()), Path(folder), options.seconds)
        compare(options, Path(folder))


if __name__ == "__main__":
    main()
