"""What proves a bound by enumeration, as an entry of the certificate.

The proof is the prices: with them anybody can list the sets of columns that a better factorisation
could have, choose k of them in every way, and find none that is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from boolfact.colgen.cover.proof import PartProof
from boolfact.model.bound import Bound, Quantity

__all__ = ["EnumerationProof", "enumeration_bound"]


@dataclass(frozen=True, eq=False)
class EnumerationProof:
    """Prices at which few sets of columns are left, and no k of them have a smaller error.

    Attributes
    ----------
    points : tuple of PartProof
        Each of the whole matrix. The sets are listed at the first, and left out by the others.
    transposed : bool
        Whether the columns are the rows of the matrix.
    sets, choices : int
        How many sets were left, and how many choices of k of them.
    """

    points: tuple[PartProof, ...]
    transposed: bool
    sets: int
    choices: int

    def entry(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "kind": "enumeration",
            "transposed": self.transposed,
            "points": [point.entry() for point in self.points],
            "sets": int(self.sets),
            "choices": int(self.choices),
        }


def enumeration_bound(proof: EnumerationProof, error: int, k: int) -> Bound:
    """No factorisation of rank k has a smaller error than this."""
    side = "rows" if proof.transposed else "columns"
    return Bound(Quantity.ERROR, Fraction(error), k, f"enumeration of sets of {side}", proof)
