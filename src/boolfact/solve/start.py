"""Where a run begins, if a user knows a solution: factors, a result, or the folder of one."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from boolfact.io.read import as_matrix
from boolfact.model.factors import Factors
from boolfact.results.result import Result

__all__ = ["read_start"]


def read_start(start: Any, shape: tuple[int, int], k: int) -> Factors:
    """The factors that a user gave, checked.

    Parameters
    ----------
    start : Factors, pair (A, B), Result, or path of a saved result
    shape : tuple of int
        Of the data.
    k : int
        Patterns that cover nothing are dropped or added to have this many; more are refused.

    Examples
    --------
    >>> read_start(([[1], [0]], [[1, 1]]), (2, 2), 3).rank
    3
    """
    factors = _factors(start)
    if factors.shape != shape:
        raise ValueError(
            f"start must be for data of {shape[0]} rows and {shape[1]} columns, "
            f"got {factors.shape[0]} and {factors.shape[1]}"
        )
    used = factors.A.any(axis=0) & factors.B.any(axis=1)
    factors = Factors(factors.A[:, used], factors.B[used])
    if factors.rank > k:
        raise ValueError(f"start must have at most k = {k} patterns, got {factors.rank}")
    return factors.padded(k)


def _factors(start: Any) -> Factors:
    if isinstance(start, Factors):
        return start
    if isinstance(start, Result):
        return start.factors
    if isinstance(start, str | os.PathLike):
        return Result.load(start).factors
    if isinstance(start, tuple | list) and len(start) == 2:
        return Factors(*(_binary(part, name) for part, name in zip(start, "AB", strict=True)))
    raise TypeError(
        "start must be Factors, a pair (A, B), a Result or the folder of a saved one, "
        f"got {type(start).__name__}"
    )


def _binary(part: Any, name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if np.ndim(part) == 2 and 0 in np.shape(part):
        return np.zeros(np.shape(part), dtype=np.bool_)
    try:
        matrix = as_matrix(part)
    except ValueError as error:
        raise ValueError(f"{name} of start: {error}") from error
    if matrix.n_missing:
        raise ValueError(f"{name} of start must be 0 or 1 everywhere, got missing entries")
    return matrix.ones
