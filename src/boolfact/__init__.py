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
import os
import stat
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boolfact.completion.ensemble import EnsembleCompletion, complete
    from boolfact.completion.scorer import CompletionScorer
    from boolfact.control.ending import Ending
    from boolfact.control.progress import Event
    from boolfact.control.trace import Trace, TracePoint
    from boolfact.datasets import (
        describe_dataset,
        list_datasets,
        load_dataset,
        planted,
        synthetic_family,
    )
    from boolfact.estimator import BooleanMatrixFactorization
    from boolfact.io.binarize import binarize
    from boolfact.io.pairs import read_pairs
    from boolfact.io.read import as_matrix
    from boolfact.model.bound import Bound, Quantity
    from boolfact.model.factors import Factors
    from boolfact.model.matrix import BinaryMatrix
    from boolfact.rank import rank_bounds
    from boolfact.rank.path import rank_path
    from boolfact.results.result import Result
    from boolfact.results.status import Status
    from boolfact.solve.factorize import factorize
    from boolfact.solve.method import methods

__version__ = "0.1.0"

# Numba, HiGHS and scikit-learn take seconds to import: each name loads its module when used.
_HOMES = {
    "BinaryMatrix": "boolfact.model.matrix",
    "BooleanMatrixFactorization": "boolfact.estimator",
    "Bound": "boolfact.model.bound",
    "CompletionScorer": "boolfact.completion.scorer",
    "Ending": "boolfact.control.ending",
    "EnsembleCompletion": "boolfact.completion.ensemble",
    "Event": "boolfact.control.progress",
    "Factors": "boolfact.model.factors",
    "Quantity": "boolfact.model.bound",
    "Result": "boolfact.results.result",
    "Status": "boolfact.results.status",
    "Trace": "boolfact.control.trace",
    "TracePoint": "boolfact.control.trace",
    "as_matrix": "boolfact.io.read",
    "binarize": "boolfact.io.binarize",
    "complete": "boolfact.completion.ensemble",
    "describe_dataset": "boolfact.datasets",
    "factorize": "boolfact.solve.factorize",
    "list_datasets": "boolfact.datasets",
    "load_dataset": "boolfact.datasets",
    "methods": "boolfact.solve.method",
    "planted": "boolfact.datasets",
    "rank_bounds": "boolfact.rank",
    "rank_path": "boolfact.rank.path",
    "read_pairs": "boolfact.io.pairs",
    "synthetic_family": "boolfact.datasets",
}

__all__ = [
    "BinaryMatrix",
    "BooleanMatrixFactorization",
    "Bound",
    "CompletionScorer",
    "Ending",
    "EnsembleCompletion",
    "Event",
    "Factors",
    "Quantity",
    "Result",
    "Status",
    "Trace",
    "TracePoint",
    "as_matrix",
    "binarize",
    "complete",
    "describe_dataset",
    "factorize",
    "list_datasets",
    "load_dataset",
    "methods",
    "planted",
    "rank_bounds",
    "rank_path",
    "read_pairs",
    "synthetic_family",
]


_MODULES = ("anndata", "certificate", "datasets", "estimator", "rank")
"""Modules with functions of their own that are documented: there after `import boolfact`."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"boolfact.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'boolfact' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


def _can_make(path: str) -> bool:
    """Whether a folder is there to write in, or can be made; judged without making it."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return os.path.isdir(path) and os.access(path, os.W_OK)


def _own_temporary_folder() -> str:
    """One for all runs of a user, unless somebody else has made it: what is in it is executed."""
    import tempfile

    path = os.path.join(tempfile.gettempdir(), f"boolfact-{os.getuid()}")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        found = os.lstat(path)
        closed = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) & 0o077 == 0
        if not closed or found.st_uid != os.getuid():
            return tempfile.mkdtemp(prefix="boolfact-")
    return path


def _keep_kernels_somewhere() -> None:
    """Numba refuses to compile what it cannot keep: beside the code, or in the user's cache.

    Where neither can be written, a folder for temporary files has to do.
    """
    if os.name != "posix" or os.environ.get("NUMBA_CACHE_DIR"):
        return
    home = os.path.expanduser("~")
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    if sys.platform == "darwin":
        user = os.path.join(home, "Library", "Caches")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
    if _can_make(beside) or _can_make(os.path.abspath(user)):
        return
    try:
        folder = _own_temporary_folder()
    except OSError:
        return
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = folder


_keep_kernels_somewhere()
