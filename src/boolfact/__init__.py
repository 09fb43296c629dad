"""Boolean matrix factorisation with proof.

X ≈ A∘B: a yes/no matrix explained by a few overlapping yes/no patterns, with a proved bound
on how far from the best possible the answer can be.

Examples
--------
>>> import boolfact
>>> result = boolfact.factorize("zoo", 2, time_limit=20)
>>> result.error
271
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boolfact.completion.ensemble import complete
    from boolfact.control.ending import Ending
    from boolfact.datasets import list_datasets, load_dataset, planted, synthetic_family
    from boolfact.estimator import BooleanMatrixFactorization, CompletionScorer
    from boolfact.io.binarize import binarise
    from boolfact.io.read import as_matrix
    from boolfact.model.factors import Factors
    from boolfact.model.matrix import BinaryMatrix
    from boolfact.rank import rank_bounds
    from boolfact.results.result import Result
    from boolfact.results.status import Status
    from boolfact.solve.factorize import factorize, methods

__version__ = "0.1.0"

# Numba, HiGHS and scikit-learn take seconds to import: each name loads its module when used.
_HOMES = {
    "BinaryMatrix": "boolfact.model.matrix",
    "BooleanMatrixFactorization": "boolfact.estimator",
    "CompletionScorer": "boolfact.estimator",
    "Ending": "boolfact.control.ending",
    "Factors": "boolfact.model.factors",
    "Result": "boolfact.results.result",
    "Status": "boolfact.results.status",
    "as_matrix": "boolfact.io.read",
    "binarise": "boolfact.io.binarize",
    "complete": "boolfact.completion.ensemble",
    "factorize": "boolfact.solve.factorize",
    "list_datasets": "boolfact.datasets",
    "load_dataset": "boolfact.datasets",
    "methods": "boolfact.solve.factorize",
    "planted": "boolfact.datasets",
    "rank_bounds": "boolfact.rank",
    "synthetic_family": "boolfact.datasets",
}

__all__ = [
    "BinaryMatrix",
    "BooleanMatrixFactorization",
    "CompletionScorer",
    "Ending",
    "Factors",
    "Result",
    "Status",
    "as_matrix",
    "binarise",
    "complete",
    "factorize",
    "list_datasets",
    "load_dataset",
    "methods",
    "planted",
    "rank_bounds",
    "synthetic_family",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'boolfact' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
