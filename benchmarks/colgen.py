"""Column generation on the bundled matrices: z of MLP(rho), its proof, and where time goes.

    python benchmarks/colgen.py                              # all 24 cells, 20 minutes each
    python benchmarks/colgen.py zoo heart -k 2 5 --time-limit 60 --workers 2
    python benchmarks/colgen.py zoo -k 5 --rho 1/k
    python benchmarks/colgen.py zoo -k 5 10 --strategy exact heur heur_multi --master simplex

Starts from an empty pool. Compilation is not counted. `proved` is the bound before rounding,
`cpu` is processor time of all threads (wall time says little on a busy machine); then seconds
of wall time in the master, in heuristic and in exact pricing, and how often the latter ran.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from time import perf_counter, process_time

import numpy as np

from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.masters import MASTERS
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.colgen.strategies import STRATEGIES
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix

NAMES = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")
HEADER = (
    f"{'matrix':8} {'k':>2} {'strategy':10} {'z':>11} {'proved':>11} {'ends':14} "
    f"{'columns':>7} {'iters':>5} {'seconds':>8} {'cpu':>7} {'master':>7} {'heur':>6} "
    f"{'exact':>6} {'times':>5}"
)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", default=list(NAMES), metavar="NAME")
    parser.add_argument("-k", type=int, nargs="+", default=[2, 5, 10])
    parser.add_argument("--rho", default="1", help="a fraction, or 1/k")
    parser.add_argument("--time-limit", type=float, default=1200.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--strategy", nargs="+", default=["auto"], choices=list(STRATEGIES))
    parser.add_argument("--master", default="auto", choices=MASTERS)
    return parser.parse_args()


def compile_kernels(workers: int) -> None:
    """Run once on something small, so compilation is not counted."""
    X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=np.int8))
    for strategy in STRATEGIES:
        generate_columns(MLP(X, 1), strategy=strategy, workers=workers)


def row(name: str, k: int, strategy: str, chosen: argparse.Namespace) -> str:
    """One line of the table."""
    matrix = reduce_matrix(load_dataset(name)).matrix
    rho = Fraction(1, k) if chosen.rho == "1/k" else Fraction(chosen.rho)
    began, busy = perf_counter(), process_time()
    run = generate_columns(
        MLP(matrix, k, rho, master=chosen.master),
        strategy=strategy,
        seed=chosen.seed,
        workers=chosen.workers,
        stop=Stop(chosen.time_limit),
    )
    seconds, cpu = perf_counter() - began, process_time() - busy
    counters = run.trace.counters
    proved = "" if run.bound is None else f"{float(run.bound.value):.4f}"
    parts = [
        counters.get(f"seconds_{what.replace(' ', '_')}", 0.0)
        for what in ("master", "heuristic pricing", "exact pricing")
    ]
    return (
        f"{name:8} {k:2} {strategy:10} {run.master_value:11.4f} {proved:>11} {run.ending.value:14} "
        f"{len(run.pool):7} {run.iterations:5} {seconds:8.1f} {cpu:7.1f} {parts[0]:7.1f} "
        f"{parts[1]:6.1f} {parts[2]:6.1f} {int(counters.get('exact_pricings', 0)):5}"
    )


def main() -> None:
    """Print the table."""
    chosen = options()
    compile_kernels(chosen.workers)
    print(HEADER)
    for k in chosen.k:
        for name in chosen.names:
            for strategy in chosen.strategy:
                print(row(name, k, strategy, chosen), flush=True)


if __name__ == "__main__":
    main()
