"""Enumerations for small matrices: points with any prices, and a claim of any error."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from boolfact.model.bound import Bound, Quantity
from certificate.covers import best_cover, random_blocks, random_cover

SETS, CHOICES = 7, 9
"""For information, and not checked."""


@dataclass(frozen=True)
class Points:
    documents: list
    transposed: bool

    def entry(self):
        return {
            "kind": "enumeration",
            "transposed": self.transposed,
            "points": self.documents,
            "sets": SETS,
            "choices": CHOICES,
        }


def enumeration(matrix, k, error, covers, *, turned=False):
    """The claim that no factorisation has an error below `error`, with the prices of covers."""
    side = matrix.T if turned else matrix
    maps = [np.arange(size) for size in side.shape]
    documents = [cover.document(maps, k) for cover in covers]
    return Bound(
        Quantity.ERROR, Fraction(error), k, "enumeration of sets", Points(documents, turned)
    )


def random_enumeration(rng, matrix, k, error, turned=None):
    """One point to three, of any prices or of good ones; None if the first has no price."""
    turned = bool(rng.random() < 0.4) if turned is None else turned
    side = matrix.T if turned else matrix
    if rng.random() < 0.2 and side.shape[0] * side.shape[1] <= 12:
        covers = [best_cover(side, k, random_blocks(rng, side.shape[0], 3)) for _ in range(2)]
    else:
        covers = [random_cover(rng, side) for _ in range(int(rng.integers(1, 4)))]
    return enumeration(matrix, k, error, covers, turned=turned) if covers[0].prices else None
