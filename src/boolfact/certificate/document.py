"""The certificate as a document: what is written down so that anybody can prove a bound again.

For a rank k, whole numbers D (the scale) and p_ij >= 0 on the ones of the reduced matrix with
p_ij <= D w_ij, and a number omega that bounds the worth of every rectangle R,

    sum_{ones in R} p - D rho (weight of the zeros in R)  <=  omega,

linear programming duality gives (sum p - k omega) / D <= MIP(rho) for every solution of rank k;
and MIP(rho) <= error where rho <= 1/k, since a covered zero then costs at most k rho <= 1.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boolfact.model.bound import Bound
from boolfact.model.matrix import BinaryMatrix

__all__ = ["FORMAT", "make_certificate", "seal"]

FORMAT = 1


class _Reduction(Protocol):
    @property
    def original(self) -> BinaryMatrix: ...
    @property
    def row_map(self) -> NDArray[np.int64]: ...
    @property
    def column_map(self) -> NDArray[np.int64]: ...


def make_certificate(reduction: _Reduction, k: int, bounds: Iterable[Bound]) -> dict[str, Any]:
    """Write down what proves some dual bounds.

    Parameters
    ----------
    reduction : Reduction
        From the matrix that the bounds are for to the one that their duals belong to.
    k : int
        The rank; every bound must be for it.
    bounds : iterable of Bound
        Each is recorded as what its proof says.

    Returns
    -------
    dict
        Ready for JSON: format, digest (of the data), k, shape, row_map, column_map (reduced
        position of each row and column, -1 where it was dropped), bounds, seal. Each bound
        has kind, on, rho, scale, p (triples row, column, value), omega_bound, bound and rounded
        (bound rounded up to what the quantity can be); fractions are strings.
    """
    n, m = reduction.original.shape
    document = {
        "format": FORMAT,
        "digest": reduction.original.digest(),
        "k": int(k),
        "shape": [n, m],
        "row_map": [int(i) for i in reduction.row_map],
        "column_map": [int(j) for j in reduction.column_map],
        "bounds": [_entry(bound, k) for bound in bounds],
    }
    return {**document, "seal": seal(document)}


def _entry(bound: Bound, k: int) -> dict[str, Any]:
    if bound.k != k:
        raise ValueError(f"every bound must be for rank k = {k}, got one for rank {bound.k}")
    if bound.node is not None:
        raise ValueError("a bound at a node of a search tree is no bound on every factorisation")
    return bound.proof.entry()


def seal(document: dict[str, Any]) -> str:
    """SHA-256 of everything in a certificate but its seal.

    It shows an accident, not a lie: whoever changes a certificate can seal it anew, and it is
    the proof that has to be right.

    Examples
    --------
    >>> seal({"k": 2}) == seal({"k": 2, "seal": "anything"}) != seal({"k": 3})
    True
    """
    rest = {key: value for key, value in document.items() if key != "seal"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
