"""Every method against brute force, two exact methods against each other, both checkers on all.

    python tests/campaigns/differential.py --minutes 10 --seed 0 --log soak.jsonl

Instance i of a seed is the same whenever and wherever it runs. The log has a line for each, so a
run with the same log goes on where the last one ended. NUMBA_DISABLE_JIT=1 runs it without
compilation. Exit code 1: something differs; the log says what, and on which instance.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import boolfact  # noqa: E402
from boolfact.certificate import verify_result  # noqa: E402
from boolfact.certificate.text import write_text  # noqa: E402
from boolfact.column_search.search import search_columns  # noqa: E402
from boolfact.control.ending import Ending  # noqa: E402
from boolfact.control.stop import Stop  # noqa: E402
from boolfact.model.costs import with_costs  # noqa: E402
from boolfact.model.factors import Factors  # noqa: E402
from boolfact.model.matrix import BinaryMatrix  # noqa: E402
from boolfact.model.packed import PackedMatrix, prices_of  # noqa: E402
from boolfact.model.reduction import reduce_matrix  # noqa: E402

import naive  # noqa: E402

SOURCE = HERE.parents[1] / "checker" / "boolfact_check.c"
COSTS = [{}, {}, {"false_one_cost": 2}, {"missed_one_cost": 3}, {"from_below": True}]
RHOS = [Fraction(1), Fraction(1, 2), Fraction(19, 20), Fraction(3, 2)]
LIMITED = ["auto", "local", "colgen"]
BASELINES = ["k_greedy", "asso", "asso_plus_plus", "penalty", "nmf", "mebf", "proximus", "grecond"]
MIDDLE_EVERY = 20
"""One instance of so many is of a middle size, where brute force would not end."""


def random_matrix(rng, rows, columns):
    """Weights, missing entries, equal rows and columns, empty and full ones; and its options."""
    n, m = int(rng.integers(1, rows + 1)), int(rng.integers(1, columns + 1))
    values = (rng.random((n, m)) < rng.choice([0, 0.3, 0.5, 0.8, 1])).astype(np.int8)
    values[rng.random((n, m)) < rng.choice([0, 0, 0.2])] = -1
    weights = rng.integers(0, 4, (n, m)) if rng.random() < 0.3 else None
    if rng.random() < 0.4:
        i, j = rng.integers(0, n, n), rng.integers(0, m, m)
        values = values[i][:, j]
        weights = None if weights is None else weights[i][:, j]
    return BinaryMatrix(values, weights), COSTS[int(rng.integers(len(COSTS)))]


class Campaign:
    """Compares; what differs is collected in `wrong`."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.seen = collections.Counter()
        self.wrong = []
        self.checker = build(self.folder)

    def expect(self, holds, what):
        self.seen["comparisons"] += 1
        if not holds:
            self.wrong.append(what)

    def both_checkers(self, result, matrix, name):
        """Python and C must both confirm what a result claims."""
        report = verify_result(result, matrix, time_limit=None)
        self.expect(report.complete, f"{name}: the verifier says {report.failed()}")
        self.seen["results checked by the verifier"] += 1
        if result.certificate is not None:
            self.seen.update(f"kind {b['kind']}" for b in result.certificate["bounds"])
        if self.checker is None:
            return
        write_text(result, matrix, self.folder)
        done = subprocess.run(
            [str(self.checker), str(self.folder)], capture_output=True, text=True, check=False
        )
        self.expect(done.returncode == 0, f"{name}: the checker in C says {done.stdout[-300:]}")
        self.seen["results checked by the checker in C"] += 1

    def compare(self, result, matrix, rho, least, lowest, name):
        """A result against the least error and the least objective (None: not known)."""
        A, B = result.A.astype(int), result.B.astype(int)
        error = naive.error(matrix.values, matrix.weights, A, B)
        objective = naive.objective(matrix.values, matrix.weights, A, B, rho)
        self.expect(result.error == error, f"{name}: error {result.error}, truly {error}")
        self.expect(result.objective == float(objective), f"{name}: objective, truly {objective}")
        self.expect(least is None or error >= least, f"{name}: error {error} below the least")
        bounds = (result.error_lower_bound, result.objective_lower_bound)
        for bound, best in zip(bounds, (least, lowest), strict=True):
            known = bound is not None and best is not None
            self.expect(not known or bound <= best, f"{name}: bound {bound} above {best}")
        if least is not None and result.status is boolfact.Status.OPTIMAL:
            self.expect(error == least, f"{name}: optimal, but {error} is not {least}")
        self.both_checkers(result, matrix, name)

    def small(self, rng):
        """Every method, against brute force."""
        k = int(rng.integers(1, 4))
        X, costs = random_matrix(rng, {1: 6, 2: 5, 3: 4}[k], {1: 6, 2: 5, 3: 3}[k])
        rho = RHOS[int(rng.integers(len(RHOS)))]
        matrix = with_costs(X, **costs)
        useful = min(k, *X.shape)
        least = naive.best_error(matrix.values, matrix.weights, useful)
        lowest = naive.best_objective(matrix.values, matrix.weights, useful, rho)

        def run(method, **options):
            result = boolfact.factorize(X, useful, method=method, **costs, **options)
            self.seen[f"method {method}"] += 1
            used = rho if "rho" in options else Fraction(1)
            low = lowest if used == rho else None
            self.compare(result, matrix, used, least, low, f"{method} {options}")
            return result

        seed = int(rng.integers(1000))
        for method in LIMITED:
            options = {"iteration_limit": 5, "time_limit": None, "seed": seed, "workers": 1}
            if method != "local":
                options |= {"rho": rho, "bound": str(rng.choice(["auto", "error", "objective"]))}
            run(method, **options)
        exact = run("exact", time_limit=None, seed=seed, workers=1)
        self.expect(exact.error == least, f"exact: {exact.error}, the least is {least}")
        mip = run("exact", objective="mip", rho=rho, time_limit=None, seed=seed, workers=1)
        self.expect(mip.objective == float(lowest), f"exact, mip: {mip.objective}, not {lowest}")
        compact = run("compact", time_limit=60.0, seed=seed)
        self.expect(compact.error == least, f"compact: {compact.error}, the least is {least}")
        for method in BASELINES if not matrix.is_weighted else []:
            if method != "nmf" or not (X.values < 0).any():
                run(method)
        self.groups(X, costs, matrix, useful, least)
        return {"shape": list(X.shape), "k": useful, "costs": costs, "rho": str(rho)}

    def groups(self, X, costs, matrix, k, least):
        """The same data in bits, whose bound comes from groups of columns."""
        if prices_of(matrix) is None or matrix.is_weighted:
            return
        rows = PackedMatrix.from_binary(matrix)
        limits = {"time_limit": None, "iteration_limit": 5, "workers": 1}
        result = boolfact.factorize(rows, k, bound="error", **limits)
        self.seen["data in bits"] += 1
        bound = result.error_lower_bound
        self.expect(bound is None or bound <= least, f"in bits: bound {bound} above {least}")
        self.expect(result.error >= least, f"in bits: error {result.error} below {least}")
        self.both_checkers(result, matrix, "in bits")

    def middle(self, rng):
        """The search over columns, the tree and the integer program must agree."""
        k = int(rng.integers(1, 3))
        X, costs = random_matrix(rng, 12, 8)
        matrix = with_costs(X, **costs)
        k = min(k, *X.shape)
        tree = boolfact.factorize(X, k, method="exact", time_limit=20.0, seed=0, workers=1, **costs)
        self.both_checkers(tree, matrix, "tree, middle size")
        small = reduce_matrix(matrix).matrix
        if tree.status is boolfact.Status.OPTIMAL and k < min(small.shape):
            found = search_columns(
                small,
                k,
                factors=Factors.empty(small.shape, k),
                stop=Stop(time_limit=20.0),
                to_the_end=True,
            )
            known = 0 if found.bound is None else int(found.bound.rounded)
            self.expect(known <= tree.error, f"column search: {known} above {tree.error}")
            if found.ending in (Ending.PROVED, Ending.INCUMBENT):
                self.expect(known == tree.error, f"column search: {known}, tree: {tree.error}")
                self.seen["both ended"] += 1
            self.seen["tree and search over columns"] += 1
        compact = boolfact.factorize(X, k, method="compact", time_limit=20.0, seed=0, **costs)
        self.expect(
            tree.status is not boolfact.Status.OPTIMAL or compact.error >= tree.error,
            f"compact: {compact.error} below the proved {tree.error}",
        )
        self.seen["tree and compact"] += 1
        return {"shape": list(X.shape), "k": k, "costs": costs, "middle": True}

    def run(self, seed, place):
        """One instance; what it was, and what was wrong with it."""
        rng = np.random.default_rng([seed, place])
        self.wrong = []
        try:
            what = (self.middle if place % MIDDLE_EVERY == MIDDLE_EVERY - 1 else self.small)(rng)
        except Exception as error:
            what = {"raised": repr(error)}
            self.wrong.append(f"raised {error!r}")
        self.seen["instances"] += 1
        return {"seed": seed, "place": place, **what, "wrong": self.wrong}


def build(folder):
    """The checker in C, or None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    target = folder / "boolfact_check"
    command = [compiler, "-std=c99", "-O2", "-o", str(target), str(SOURCE)]
    subprocess.run(command, check=True)
    return target


def done_before(log, seed):
    """How many instances of the seed a log has."""
    if log is None or not log.exists():
        return 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return 1 + max((line["place"] for line in lines if line["seed"] == seed), default=-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--instances", type=int, default=None, help="at most so many")
    parser.add_argument("--log", type=Path, default=None, help="a line for each; read to go on")
    given = parser.parse_args()
    end = time.monotonic() + 60 * given.minutes
    first = done_before(given.log, given.seed)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder))
        place = first
        most = math.inf if given.instances is None else first + given.instances
        while time.monotonic() < end and place < most:
            line = campaign.run(given.seed, place)
            place += 1
            if line["wrong"]:
                failed += 1
                print(json.dumps(line), flush=True)
            if given.log is not None:
                with given.log.open("a") as log:
                    log.write(json.dumps(line) + "\n")
    print(f"seed {given.seed}, instances {first} to {place - 1}: {failed} with something wrong")
    for name, count in sorted(campaign.seen.items()):
        print(f"  {count:8d}  {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
