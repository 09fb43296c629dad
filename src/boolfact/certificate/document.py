"""The certificate as a document: what is written down for anybody to prove a bound again.

A bound declares its kind and what it is on; `boolfact.certificate.kinds` has, for every kind,
what proves it and how it is checked.
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
from boolfact.model.rows import RowMatrix

__all__ = ["FORMAT", "certify_rows", "entry_of", "make_certificate", "seal"]

FORMAT = 2


class _Reduction(Protocol):
    @property
    def original(self) -> BinaryMatrix: ...
    @property
    def row_map(self) -> NDArray[np.int64]: ...
    @property
    def column_map(self) -> NDArray[np.int64]: ...


def make_certificate(reduction: _Reduction, k: int, bounds: Iterable[Bound]) -> dict[str, Any]:
    """Write down what proves some bounds.

    Parameters
    ----------
    reduction : Reduction
        From the matrix that the bounds are for to the one that their proofs are about.
    k : int
        The rank; every bound must be for it.
    bounds : iterable of Bound

    Returns
    -------
    dict
        Ready for JSON: format, digest (of the data), k, shape, row_map, column_map (reduced
        position of each row and column, -1 where it was dropped), bounds, seal. Each bound
        has kind, on ("error" or "objective"), relaxation (for people), bound, rounded (the bound
        rounded up to what the quantity can be) and the fields of its kind; fractions are texts.
        Of kind mlp: rho, scale, p (triples row, column, value), omega_bound.
        Of kind assigned_cover: parts, each with row_map, column_map (from the reduced matrix to
        the part), scale, blocks (lists of rows), p, charges (row and column of a zero, row and
        column of a one, value), omega_bound, bound, and circle if the search for the best
        rectangle goes around one (order of the columns, and for each place weights and usual;
        order alone if it goes by size).
        Of kind column_search: transposed, order (the columns of the reduced matrix as they go
        round, or its rows if transposed), shares (one for each place), scale, nodes (how long the
        search was, for information).
        Of kind enumeration: transposed, points (each like a part of kind assigned_cover, of the
        whole reduced matrix), sets and choices (how many there were, for information).
    """
    n, m = reduction.original.shape
    document = {
        "format": FORMAT,
        "digest": reduction.original.digest(),
        "k": int(k),
        "shape": [n, m],
        "row_map": [int(i) for i in reduction.row_map],
        "column_map": [int(j) for j in reduction.column_map],
        "bounds": [entry_of(bound, k) for bound in bounds],
    }
    return {**document, "seal": seal(document)}


def certify_rows(rows: RowMatrix, digest: str, k: int, bounds: Iterable[Bound]) -> dict[str, Any]:
    """The same for large data.

    There are no maps, because every bound says itself which rows and columns it is about. It is of
    kind column_groups: transposed, and parts, each with columns, rows (texts of 0 and 1, the
    distinct rows on these columns, each of which stands for all that are equal to it), and proof,
    a bound of another kind on them.

    Parameters
    ----------
    rows : PackedMatrix or SparseMatrix
    digest : str
        Of the rows.
    k : int
    bounds : iterable of Bound
    """
    document = {
        "format": FORMAT,
        "digest": digest,
        "k": int(k),
        "shape": list(rows.shape),
        "bounds": [entry_of(bound, k) for bound in bounds],
    }
    return {**document, "seal": seal(document)}


def entry_of(bound: Bound, k: int) -> dict[str, Any]:
    """A bound with what proves it, as it stands in a certificate."""
    if bound.k != k:
        raise ValueError(f"every bound must be for rank k = {k}, got one for rank {bound.k}")
    if bound.node is not None:
        raise ValueError("a bound at a node holds there only, and cannot stand by itself")
    fields = bound.proof.entry()
    if "kind" not in fields:
        raise ValueError(f"the proof of a bound must declare its kind, got {sorted(fields)}")
    declared = {
        "kind": fields["kind"],
        "on": bound.on.value,
        "relaxation": bound.relaxation,
        "bound": str(bound.value),
        "rounded": str(bound.rounded),
    }
    for name in ("on", "bound"):
        if fields.get(name, declared[name]) != declared[name]:
            raise ValueError(
                f"a bound and its proof must agree: {name} is {declared[name]} in the one and "
                f"{fields[name]} in the other"
            )
    return {**fields, **declared}


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
