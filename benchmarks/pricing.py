"""Exact pricing on the bundled matrices, beside HiGHS on the McCormick program, and at scale.

    python benchmarks/pricing.py                          # all cells, 10 s of duals for each
    python benchmarks/pricing.py --cells hepat:5 --highs 60 --workers 2
    python benchmarks/pricing.py --scaling --no-cells

Each cell is a matrix and a rank. Its pricing problem is that of the dual that proved the best
bound on MLP(1) within --seconds of column generation (--save and --load keep the problems).
Compilation is not counted. Columns: what simple ascents found before the search (heuristic),
the optimum (omega), nodes, seconds, seconds of processor time, million nodes in one of these,
what HiGHS had at its limit, and how many times longer that is (a lower bound where HiGHS did
not finish). HiGHS has --ratio times as long as the search took, and at least --highs seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.duals import MLPProof
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset, planted
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix
from boolfact.pricing.exact import price_exact
from boolfact.pricing.mccormick import price_mccormick

NAMES = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")
RANKS = (2, 5, 10)
Cell = tuple[str, int]
_ROUNDS = 6
_LONGEST = 30.0


def pricing_problem(
    matrix: BinaryMatrix, k: int, seconds: float, workers: int
) -> NDArray[np.int64]:
    """H at the prices that proved the best bound after some seconds of column generation."""
    reduced = reduce_matrix(matrix).matrix
    pool = RectanglePool(*reduced.shape)
    for _ in range(_ROUNDS):
        stop = Stop(time_limit=seconds)
        run = generate_columns(MLP(reduced, k), pool=pool, stop=stop, workers=workers)
        if run.bound is not None and isinstance(run.bound.proof, MLPProof):
            return run.bound.proof.point.pricing_matrix(reduced)
    raise SystemExit(f"no bound was proved in {_ROUNDS} rounds of {seconds} s")


def problem_of_cell(cell: Cell, options: argparse.Namespace) -> NDArray[np.int64]:
    """From --load if it is there, else made, and kept in --save."""
    name, k = cell
    file = f"{name}-{k}.npy"
    if options.load is not None and (options.load / file).exists():
        return np.asarray(np.load(options.load / file))
    H = pricing_problem(load_dataset(name), k, options.seconds, options.workers)
    if options.save is not None:
        options.save.mkdir(parents=True, exist_ok=True)
        np.save(options.save / file, H)
    return H


def compile_first(workers: int) -> None:
    """Both kernels once with narrow and wide integers, so compilation is not counted."""
    for size in (1, 2**40):
        price_exact(size * np.array([[3, -1, 2], [-2, 4, -1], [1, -3, 2]]), workers=workers)


def print_cells(options: argparse.Namespace) -> None:
    """The table of cells."""
    print(
        f"{'cell':>9} {'n':>5} {'m':>4} {'heuristic':>11} {'omega':>11} {'nodes':>11} "
        f"{'seconds':>8} {'CPU':>8} {'Mnodes/s':>8} {'HiGHS':>12} {'its bound':>11}  ratio"
    )
    for name, k in options.cells:
        H = problem_of_cell((name, k), options)
        quick = price_exact(H, node_limit=1)
        began = process_time()
        exact = price_exact(H, workers=options.workers)
        used = process_time() - began
        assert exact.is_optimal
        line = (
            f"{name + ':' + str(k):>9} {H.shape[0]:5d} {H.shape[1]:4d} {quick.value:11d} "
            f"{exact.value:11d} {exact.nodes:11,d} {exact.seconds:8.3f} "
            f"{used:8.3f} {exact.nodes / used / 1e6:8.1f}"
        )
        if options.highs > 0:
            limit = max(options.highs, options.ratio * exact.seconds)
            highs = price_mccormick(H, time_limit=limit)
            done = highs.is_optimal
            assert highs.value <= exact.value
            line += (
                f"  {highs.value:11d} {highs.upper_bound:11d} "
                f"{'' if done else '>'}{highs.seconds / exact.seconds:,.0f}"
            )
        print(line, flush=True)


def print_scaling(options: argparse.Namespace) -> None:
    """How the search grows with rows and with columns.

    Prices are random. In planted matrices few rectangles come near the best one; in random
    ones, half of them ones, very many do, as at the end of column generation.
    """
    print(f"{'matrix':>8} {'n':>6} {'m':>4} {'omega':>11} {'nodes':>13} {'seconds':>8}  proved")
    shapes = [(n, 30) for n in (50, 100, 200, 400, 800, 1600)]
    shapes += [(200, m) for m in (20, 30, 40, 50, 60, 80)]
    for kind in ("planted", "random"):
        for n, m in shapes:
            rng = np.random.default_rng(0)
            ones = rng.random((n, m)) < 0.5
            if kind == "planted":
                ones = planted(n, m, 8, density=0.3, noise=0.1, seed=0).matrix.ones
            H = np.where(ones, rng.integers(0, 4097, (n, m)), -4096)
            exact = price_exact(H, stop=Stop(time_limit=_LONGEST), workers=options.workers)
            over = "yes" if exact.is_optimal else f"<= {exact.upper_bound / exact.value:.3f} omega"
            print(
                f"{kind:>8} {n:6d} {m:4d} {exact.value:11d} {exact.nodes:13,d} "
                f"{exact.seconds:8.3f}  {over}",
                flush=True,
            )


def parse_cell(text: str) -> Cell:
    """NAME:K."""
    name, _, k = text.partition(":")
    return name, int(k)


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    every = [(name, k) for name in NAMES for k in RANKS]
    parser.add_argument("--cells", nargs="*", type=parse_cell, default=every, metavar="NAME:K")
    parser.add_argument("--no-cells", action="store_true", help="skip the table of cells")
    parser.add_argument("--scaling", action="store_true", help="matrices of growing size")
    parser.add_argument("--seconds", type=float, default=10.0, help="of column generation")
    parser.add_argument("--highs", type=float, default=20.0, help="seconds for HiGHS, 0: skip it")
    parser.add_argument("--ratio", type=float, default=100.0, help="of HiGHS' time to ours")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--save", type=Path, help="directory to keep the problems in")
    parser.add_argument("--load", type=Path, help="directory to take the problems from")
    options = parser.parse_args()
    compile_first(options.workers)
    if not options.no_cells:
        print_cells(options)
    if options.scaling:
        print_scaling(options)


if __name__ == "__main__":
    main()
