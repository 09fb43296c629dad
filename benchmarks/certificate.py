"""Certificates of the bundled matrices: how long proving takes, and how long checking does.

    python benchmarks/certificate.py                       # all cells, 10 s of proving for each
    python benchmarks/certificate.py --cells hepat:5 --rho 1/k --seconds 60

Each cell is a matrix and a rank. Columns: the value of the master, the bound that was proved
within --seconds of column generation (rounded down), whether the verifier confirmed it, its
seconds, and how many times longer the proof took than the check.
Then, over the pool of that run, the integer master: its objective, whether it is the best of
the pool, and seconds. Compilation is not counted.
"""

from __future__ import annotations

import argparse
import math
from fractions import Fraction
from time import perf_counter

from boolfact.certificate import make_certificate, verify_certificate
from boolfact.colgen.integer.master import solve_integer_master
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix

NAMES = ("zoo", "tumor", "hepat", "heart", "lymp", "audio", "apb", "votes")
RANKS = (2, 5, 10)
HEAD = (
    f"{'cell':<10}{'master':>10}{'bound':>10}  {'check':<12}{'seconds':>8}{'ratio':>8}"
    f"{'integer':>10}  {'of the pool':<12}{'seconds':>8}"
)


def cell(name: str, k: int, rho_text: str, seconds: float, check_seconds: float) -> str:
    """One line of the table."""
    matrix = load_dataset(name)
    reduction = reduce_matrix(matrix)
    rho = Fraction(rho_text.replace("k", str(k)))
    pool = RectanglePool(*reduction.matrix.shape)
    start = perf_counter()
    run = generate_columns(MLP(reduction.matrix, k, rho), pool=pool, stop=Stop(seconds))
    proving = perf_counter() - start
    line = f"{name + ':' + str(k):<10}{run.master_value:>10.3f}"
    if run.bound is None:
        line += f"{'none':>10}  {'':<12}{'':>8}{'':>8}"
    else:
        certificate = make_certificate(reduction, k, [run.bound])
        start = perf_counter()
        report = verify_certificate(certificate, matrix, time_limit=check_seconds)
        checking = perf_counter() - start
        verdict = "confirmed" if report.complete else "open" if report.ok else "REFUSED"
        line += f"{math.floor(run.bound.value * 1000) / 1000:>10.3f}  {verdict:<12}{checking:>8.2f}"
        line += f"{proving / checking:>8.1f}"
    best = solve_integer_master(
        reduction.matrix, run.pool, k, rho=rho, bound=run.bound, stop=Stop(seconds)
    )
    verdict = "best" if best.is_optimal_over_pool else "open"
    return line + f"{float(best.objective):>10.3f}  {verdict:<12}{best.seconds:>8.2f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cells", nargs="*", help="NAME:K ...; all by default")
    parser.add_argument("--rho", default="1", help="price of a covered zero; k stands for k")
    parser.add_argument("--seconds", type=float, default=10.0, help="of proving, each cell")
    parser.add_argument("--check-seconds", type=float, default=60.0)
    options = parser.parse_args()
    cells = options.cells or [f"{name}:{k}" for k in RANKS for name in NAMES]
    cell("zoo", 2, options.rho, 2.0, 2.0)  # compiles
    print(HEAD)
    for name, k in (text.split(":") for text in cells):
        line = cell(name, int(k), options.rho, options.seconds, options.check_seconds)
        print(line, flush=True)


if __name__ == "__main__":
    main()
