"""What proves a bound by assigned cover, as an entry of the certificate.

A part is some of the rows and columns, equal ones merged, with prices and charges of its own.
Parts share no entry of the matrix, so what they prove adds up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.turn import SizeTurn, Turn
from boolfact.model.bound import Bound, Quantity

__all__ = ["CoverProof", "PartProof", "cover_bound"]


@dataclass(frozen=True, eq=False)
class PartProof:
    """Prices of a part and what no rectangle of it is worth more than.

    Attributes
    ----------
    row_map, column_map : ndarray
        For each row and column of the whole, its place in the part; -1 where left out.
    point : CoverPoint
    omega_bound : int
        In units of 1 / scale.
    turn : Turn or SizeTurn, optional
        The circle around which that was proved; None where all sets of columns were walked
        through.
    """

    row_map: NDArray[np.int64]
    column_map: NDArray[np.int64]
    point: CoverPoint
    omega_bound: int
    turn: Turn | SizeTurn | None = None

    @property
    def value(self) -> Fraction:
        """The bound on the error in the part, before it is rounded up."""
        return self.point.value(self.omega_bound)

    @property
    def rounded(self) -> int:
        """The error in the part is whole, and not negative."""
        return max(0, math.ceil(self.value))

    @property
    def is_whole(self) -> bool:
        """Whether it is of all rows and columns as they are: none left out, merged or moved."""
        maps, shape = (self.row_map, self.column_map), self.point.layout.shape
        return all(
            np.array_equal(to, np.arange(size)) for to, size in zip(maps, shape, strict=True)
        )

    def entry(self) -> dict[str, Any]:
        """Ready for JSON."""
        point, layout = self.point, self.point.layout
        rows, columns = layout.rows[layout.one_row], layout.one_column
        priced = np.flatnonzero(point.p)
        charges = []
        for e, c in np.argwhere(point.along):
            charges.append((rows[e], c, rows[e], columns[e], point.along[e, c]))
        for e, slot in np.argwhere(point.across):
            first = layout.block_start[layout.block_of[layout.one_row[e]]]
            charges.append(
                (layout.rows[first + slot], columns[e], rows[e], columns[e], point.across[e, slot])
            )
        circle = {} if self.turn is None else {"circle": self.turn.entry()}
        return {
            "row_map": [int(i) for i in self.row_map],
            "column_map": [int(j) for j in self.column_map],
            "scale": point.scale,
            "blocks": [block for block in layout.blocks if len(block) > 1],
            "p": [[int(rows[e]), int(columns[e]), int(point.p[e])] for e in priced],
            "charges": [[int(x) for x in charge] for charge in sorted(charges)],
            **circle,
            "omega_bound": int(self.omega_bound),
            "bound": str(self.value),
        }


@dataclass(frozen=True, eq=False)
class CoverProof:
    """Parts that share no entry; each proves its own bound.

    Attributes
    ----------
    parts : tuple of PartProof
    transposed : bool
        Whether they are parts of the transposed matrix.
    """

    parts: tuple[PartProof, ...]
    transposed: bool = False

    @property
    def whole(self) -> PartProof | None:
        """The only part, if it is of the whole matrix: a single part can be a group of columns."""
        (part,) = self.parts if len(self.parts) == 1 else (None,)
        return part if part is not None and part.is_whole else None

    def entry(self) -> dict[str, Any]:
        """Ready for JSON."""
        parts = [part.entry() for part in self.parts]
        return {"kind": "assigned_cover", "transposed": self.transposed, "parts": parts}


def cover_bound(parts: Sequence[PartProof], k: int, transposed: bool = False) -> Bound:
    """The bound on the error that some parts prove together."""
    rows, columns = ("columns", "rows") if transposed else ("rows", "columns")
    largest = max((part.point.layout.slots for part in parts), default=1)
    blocks = f"single {rows}" if largest == 1 else f"blocks of up to {largest} {rows}"
    name = f"assigned cover, {blocks}"
    if len(parts) > 1:
        name += f", {len(parts)} groups of {columns}"
    total = sum(part.rounded for part in parts)
    return Bound(Quantity.ERROR, Fraction(total), k, name, CoverProof(tuple(parts), transposed))
