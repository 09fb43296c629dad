"""What proves a bound by a search over columns, as an entry of the certificate.

The proof is the circle: with it anybody can search again, from every start, and find nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.column_search.circle import SCALE, Circle
from boolfact.model.bound import Bound, Quantity

__all__ = ["ColumnProof", "bound_of", "column_bound"]


@dataclass(frozen=True, eq=False)
class ColumnProof:
    """A circle of columns, none of whose starts leads to a smaller error.

    Attributes
    ----------
    order, shares : ndarray of int64, shape (m,)
        The columns as they go round, and what each must gain, in units of 1 / SCALE.
    transposed : bool
        Whether the columns are the rows of the matrix.
    nodes : int
        How long the search was.
    usual : ndarray of int, shape (m,)
        What makes the shifts of the circle, in thousandths; all 0 where it has none.
    """

    order: NDArray[np.int64]
    shares: NDArray[np.int64]
    transposed: bool
    nodes: int
    usual: NDArray[np.int64]

    @classmethod
    def read(cls, entry: dict[str, Any]) -> ColumnProof:
        """The way back from `entry`."""
        return cls(
            np.array(entry["order"], dtype=np.int64),
            np.array(entry["shares"], dtype=np.int64),
            bool(entry["transposed"]),
            int(entry["nodes"]),
            np.array(entry["usual"], dtype=np.int64),
        )

    def entry(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "kind": "column_search",
            "transposed": self.transposed,
            "order": [int(j) for j in self.order],
            "shares": [int(share) for share in self.shares],
            "usual": [int(often) for often in self.usual],
            "scale": SCALE,
            "nodes": int(self.nodes),
        }


def column_bound(
    error: int, k: int, circle: Circle, target: int, *, transposed: bool, nodes: int
) -> Bound:
    """No factorisation of rank k has a smaller error than this."""
    shares = circle.shares(target)
    proof = ColumnProof(circle.order, shares, transposed, nodes, circle.usual)
    return bound_of(proof, error, k)


def bound_of(proof: ColumnProof, error: int, k: int) -> Bound:
    """What a proof is about: no factorisation of rank k has a smaller error than this."""
    name = "search over rows" if proof.transposed else "search over columns"
    return Bound(Quantity.ERROR, Fraction(error), k, name, proof)
