"""An enumeration as plain data, to go on from: its prices are what took long to find."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from boolfact.colgen.cover.layout import make_layout
from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.proof import PartProof
from boolfact.enumeration.proof import EnumerationProof, enumeration_bound
from boolfact.model.bound import Bound
from boolfact.model.matrix import BinaryMatrix

__all__ = ["kept_state", "restored_state"]


def kept_state(
    points: Sequence[PartProof], transposed: bool, bound: Bound | None
) -> dict[str, Any]:
    """Prices, and what was proved with some of them, ready for JSON."""
    listed = list(points)
    state: dict[str, Any] = {"transposed": transposed, "proved": None}
    if bound is not None:
        proof = bound.proof
        assert isinstance(proof, EnumerationProof)
        listed += [point for point in proof.points if all(point is not known for known in listed)]
        used = [u for point in proof.points for u, own in enumerate(listed) if own is point]
        state["proved"] = {
            "error": int(bound.value),
            "points": used,
            "sets": int(proof.sets),
            "choices": int(proof.choices),
        }
    return {**state, "points": [point.entry() for point in listed]}


def restored_state(
    state: dict[str, Any], matrix: BinaryMatrix, k: int
) -> tuple[list[PartProof], bool, Bound | None]:
    """The way back from `kept_state`; the matrix as it was given, whichever side is longer."""
    transposed = bool(state["transposed"])
    turned = matrix.T if transposed else matrix
    points = [_read_point(entry, turned, k) for entry in state["points"]]
    proved, bound = state["proved"], None
    if proved is not None:
        used = tuple(points[u] for u in proved["points"])
        proof = EnumerationProof(used, transposed, int(proved["sets"]), int(proved["choices"]))
        bound = enumeration_bound(proof, int(proved["error"]), k)
    # The best prices come first.
    return sorted(points, key=lambda point: -point.value), transposed, bound


def _read_point(entry: dict[str, Any], matrix: BinaryMatrix, k: int) -> PartProof:
    layout = make_layout(matrix, entry["blocks"])
    place = np.empty(len(layout.rows), dtype=np.int64)
    place[layout.rows] = np.arange(len(layout.rows))
    ones = len(layout.one_row)
    p = np.zeros(ones, dtype=np.int32)
    along = np.zeros((ones, matrix.shape[1]), dtype=np.int32)
    across = np.zeros((ones, layout.slots), dtype=np.int32)
    for i, j, price in entry["p"]:
        p[layout.one_at[place[i], j]] = price
    for zero_row, zero_column, i, j, charge in entry["charges"]:
        e = layout.one_at[place[i], j]
        if zero_row == i:
            along[e, zero_column] = charge
        else:
            across[e, place[zero_row] - layout.block_start[layout.block_of[place[i]]]] = charge
    point = CoverPoint(layout, p, along, across, int(entry["scale"]), k)
    read = PartProof(
        np.array(entry["row_map"], dtype=np.int64),
        np.array(entry["column_map"], dtype=np.int64),
        point,
        int(entry["omega_bound"]),
    )
    if not read.is_whole or read.value != Fraction(entry["bound"]):
        raise ValueError("the prices of the checkpoint do not prove what they are said to")
    return read
