"""One part of an assigned cover, read with suspicion: its cells, prices, charges and blocks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.cover.circle import Circle, Order, read_circle
from boolfact.certificate.reading import (
    MOST_WHOLE,
    CertificateError,
    Reduced,
    fraction,
    merged,
    read_maps,
    sequence,
    whole,
)

__all__ = ["MOST_ROWS", "Duals", "Part", "read_part"]

MOST_ROWS = 12
"""Of a block: the search tries every subset of them."""

_FIELDS = {
    "row_map",
    "column_map",
    "scale",
    "blocks",
    "p",
    "charges",
    "omega_bound",
    "bound",
    "circle",
}

_Cell = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Duals:
    """Prices of ones, charges of zeros on ones, and the blocks of rows that they stay in.

    Attributes
    ----------
    shape : tuple
        Rows and columns.
    blocks : list of list of int
        Every row is in one of them.
    ones : array (E, 3)
        Row, column and price of every one that has a price.
    charges : array (C, 4)
        Row and column of the zero, position of the one in `ones`, amount.
    """

    shape: tuple[int, int]
    blocks: list[list[int]]
    ones: NDArray[np.int64]
    charges: NDArray[np.int64]

    @property
    def total(self) -> int:
        """The sum of all prices, which no rectangle's worth exceeds."""
        return int(self.ones[:, 2].sum())


@dataclass(frozen=True, eq=False)
class Part:
    """The claim of a part: no rectangle is worth more than omega_bound / scale.

    `cells` are the rows and columns of the reduced matrix that it is about; `circle` says how its
    columns go round, if the search is to be around a circle.
    """

    cells: tuple[NDArray[np.int64], NDArray[np.int64]]
    scale: int
    duals: Duals
    omega_bound: int
    circle: Circle | Order | None

    def bound_from(self, omega: int, k: int) -> Fraction:
        """What follows for the error on its cells if no rectangle is worth more than omega."""
        return Fraction(self.duals.total - k * omega, self.scale)


def read_part(document: Any, k: int, reduced: Reduced) -> Part:
    """Read a part; its duals lie in their boxes, and its bound follows from them and omega.

    Raises
    ------
    CertificateError
    """
    if not isinstance(document, dict):
        raise CertificateError("it must be an object")
    if unknown := {str(name) for name in set(document) - _FIELDS}:
        raise CertificateError(f"fields that a part does not have: {', '.join(sorted(unknown))}")
    rows, columns = read_maps(document, reduced.values.shape)
    data = merged(reduced.values, reduced.weights, rows, columns)
    scale = _small(document.get("scale"), "scale", 1)
    blocks = _read_blocks(document.get("blocks"), data.values.shape[0])
    prices = _read_prices(document.get("p"), scale, data)
    charges = _read_charges(document.get("charges"), scale, data, blocks)
    duals = Duals(data.values.shape, blocks, *_as_arrays(prices, charges))
    omega = _small(document.get("omega_bound"), "omega_bound")
    cells = np.flatnonzero(rows >= 0), np.flatnonzero(columns >= 0)
    circle = None
    if "circle" in document:
        circle = read_circle(document["circle"], data.values.shape[1])
        if isinstance(circle, Order) and len(blocks) < data.values.shape[0]:
            raise CertificateError(
                "a circle with order alone is for single rows; there is a block of several"
            )
    part = Part(cells, scale, duals, omega, circle)
    value = part.bound_from(omega, k)
    if fraction(document.get("bound"), "bound") != value:
        raise CertificateError(
            f"bound must be (sum of p - k omega_bound) / scale = {value}, got {document['bound']}"
        )
    return part


def _small(value: Any, name: str, least: int = 0) -> int:
    number = whole(value, name, least)
    if number >= MOST_WHOLE:
        raise CertificateError(f"{name} is too large")
    return number


def _read_blocks(value: Any, n: int) -> list[list[int]]:
    """The blocks as they are named, and every other row by itself."""
    blocks = []
    seen: set[int] = set()
    for item in sequence(value, "blocks"):
        block = [whole(i, "a row of a block") for i in sequence(item, "a block")]
        if not 1 <= len(block) <= MOST_ROWS:
            raise CertificateError(f"a block must have 1 to {MOST_ROWS} rows, got {len(block)}")
        for i in block:
            if i >= n:
                raise CertificateError(f"a block has row {i}, the part has {n} rows")
            if i in seen:
                raise CertificateError(f"row {i} is in the blocks twice")
            seen.add(i)
        blocks.append(block)
    return blocks + [[i] for i in range(n) if i not in seen]


def _read_prices(value: Any, scale: int, data: Reduced) -> dict[_Cell, int]:
    prices: dict[_Cell, int] = {}
    for item in sequence(value, "p"):
        triple = sequence(item, "an entry of p", 3)
        i, j = _cell(triple[0], triple[1], 1, "p", data)
        x = _small(triple[2], "a price", 1)
        if (i, j) in prices:
            raise CertificateError(f"p has two entries at ({i}, {j})")
        most = int(data.weights[i, j]) * scale
        if x > most:
            raise CertificateError(f"p is {x} at ({i}, {j}), above weight times scale = {most}")
        prices[i, j] = x
    return prices


def _read_charges(
    value: Any, scale: int, data: Reduced, blocks: list[list[int]]
) -> dict[tuple[_Cell, _Cell], int]:
    """No zero charges more than it weighs, nor outside its block."""
    block_of = {i: u for u, block in enumerate(blocks) for i in block}
    charges: dict[tuple[_Cell, _Cell], int] = {}
    sums: dict[_Cell, int] = {}
    for item in sequence(value, "charges"):
        five = sequence(item, "an entry of charges", 5)
        zero = _cell(five[0], five[1], 0, "charges", data)
        one = _cell(five[2], five[3], 1, "charges", data)
        x = _small(five[4], "a charge", 1)
        if block_of[zero[0]] != block_of[one[0]]:
            raise CertificateError(f"{zero} charges {one}, which is in another block")
        if (zero, one) in charges:
            raise CertificateError(f"{zero} charges {one} twice")
        charges[zero, one] = x
        sums[zero] = sums.get(zero, 0) + x
    for (i, c), total in sums.items():
        most = int(data.weights[i, c]) * scale
        if total > most:
            raise CertificateError(f"({i}, {c}) charges {total}, above weight times scale = {most}")
    return charges


def _cell(i: Any, j: Any, value: int, name: str, data: Reduced) -> _Cell:
    """An observed one or zero of the part."""
    i, j = whole(i, f"a row in {name}"), whole(j, f"a column in {name}")
    n, m = data.values.shape
    if i >= n or j >= m or data.values[i, j] != value:
        wanted = "one" if value else "zero"
        raise CertificateError(f"{name} has a {wanted} at ({i}, {j}), where there is none")
    return i, j


def _as_arrays(
    prices: dict[_Cell, int], charges: dict[tuple[_Cell, _Cell], int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if 2 * sum(prices.values()) + sum(charges.values()) >= MOST_WHOLE:
        raise CertificateError("the figures are too large")
    place = {cell: e for e, cell in enumerate(prices)}
    ones = [[i, j, x] for (i, j), x in prices.items()]
    # A one without a price is worth nothing, whatever is charged to it.
    rows = [[i, c, place[e], x] for ((i, c), e), x in charges.items() if e in place]
    return (
        np.array(ones, dtype=np.int64).reshape(-1, 3),
        np.array(rows, dtype=np.int64).reshape(-1, 4),
    )
