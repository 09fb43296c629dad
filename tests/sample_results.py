"""Results made by hand, so what shows them is tested apart from what finds them."""

import dataclasses

import numpy as np

from boolfact.control.trace import Trace, TracePoint
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.result import Result
from boolfact.results.status import Status


def sample(n=12, m=7, k=3, *, names=True, seed=0, missing=0.1, weights=None, column="column"):
    """Factors drawn at random, data that differs from their product here and there."""
    rng = np.random.default_rng(seed)
    factors = Factors(rng.random((n, k)) < 0.4, rng.random((k, m)) < 0.5)
    values = (factors.product() ^ (rng.random((n, m)) < 0.1)).astype(np.int8)
    values[rng.random((n, m)) < missing] = -1
    X = BinaryMatrix(
        values,
        weights,
        [f"row {i}" for i in range(n)] if names else None,
        [f"{column} {j} $x$" for j in range(m)] if names else None,
    )
    result = Result(
        A=factors.A,
        B=factors.B,
        error=factors.error(X),
        objective=float(factors.objective(X)),
        status=Status.HEURISTIC,
        k=k,
        method="test",
        dataset="example",
        seconds=4.0,
        row_names=X.row_names,
        column_names=X.column_names,
        digest=X.digest(),
        trace=Trace(
            [
                TracePoint(1.0, error=30, objective_lower_bound=2.5),
                TracePoint(2.0, error=35, objective_lower_bound=1.0, error_lower_bound=1),
                TracePoint(3.0, error=20),
            ]
        ),
    )
    return result, X


def asked(result, **changes):
    """The result of a run that was asked about the objective."""
    return dataclasses.replace(result, settings={"bound": "objective"}, **changes)


def saved_sample(folder, **options):
    """A result folder and its data, as `fit --out` leaves them."""
    result, X = sample(missing=0, **options)
    path = folder / "data.csv"
    header = ",".join(["row", *X.column_names])
    lines = [",".join([X.row_names[i], *map(str, X.values[i])]) for i in range(X.shape[0])]
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    dataclasses.replace(result, dataset=str(path)).save(folder / "run")
    return folder / "run"
