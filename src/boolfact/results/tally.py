"""Entries counted, whatever they cost: observed ones and zeros, and those that are wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["Tally", "tally_of"]


@dataclass(frozen=True)
class Tally:
    """How many entries a factorisation gets right; missing ones are not counted.

    Attributes
    ----------
    observed : int
        Entries that are 0 or 1.
    ones : int
        Those that are 1.
    missed_ones : int
        Ones that no pattern covers.
    false_ones : int
        Zeros that some pattern covers.

    Examples
    --------
    >>> Tally(observed=20, ones=8, missed_ones=1, false_ones=2).wrong
    3
    """

    observed: int
    ones: int
    missed_ones: int
    false_ones: int

    def __post_init__(self) -> None:
        for name, count in asdict(self).items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise ValueError(f"{name} must be a whole number from 0, got {count!r}")

    @property
    def wrong(self) -> int:
        """Entries in which the factorisation differs from the data."""
        return self.missed_ones + self.false_ones

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)


def tally_of(factors: Factors, matrix: BinaryMatrix) -> Tally:
    """Count the entries of a matrix.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, -1, 0]]))
    >>> tally_of(Factors(np.array([[1], [1]]), np.array([[1, 0, 0]])), X)
    Tally(observed=5, ones=3, missed_ones=1, false_ones=0)
    """
    # An entry that costs nothing counts as missing, see `BinaryMatrix`.
    observed = matrix.weights > 0
    covered, ones = factors.product(), matrix.ones & observed
    return Tally(
        observed=int(np.count_nonzero(observed)),
        ones=int(np.count_nonzero(ones)),
        missed_ones=int(np.count_nonzero(ones & ~covered)),
        false_ones=int(np.count_nonzero(covered & observed & ~ones)),
    )
