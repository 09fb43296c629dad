"""The columns in the order of the walk, with the tables that its kernels add up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.minima import LANES
from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.refine import Charged, charged_blocks

__all__ = ["LOW", "NEVER", "Walk", "plan_walk"]

LOW = 5
"""Columns in a group; the sets of the last group are evaluated side by side."""
NEVER = -(1 << 30)
"""Below every price that a point may have, and with all charges still inside 32 bits."""


class Walk(NamedTuple):
    """The columns in the order of the walk, and what the kernels need to know of them.

    Columns are walked in groups of five, which end with the low ones. Columns that harm each
    other most are in one group: the bound adds up over groups, so what is in one group counts.
    Ones are in the order of the walk, too: those of a column that is skipped are passed over.

    Attributes
    ----------
    order : ndarray, shape (m,)
        The column at each place of the walk.
    p : ndarray, shape (ones,)
    starts : ndarray, shape (m + 1,)
        The ones of the column at place c are starts[c] to starts[c + 1].
    charges : ndarray, shape (m, ones)
        What taking the column at each place charges each one.
    tables : ndarray, shape (groups, ones, 32)
        What each choice of the columns of a group takes off each one, all of it if its own
        column is not chosen; groups are counted from the end, where they are full.
    high : int
        The places before this one are walked, the low ones after it evaluated side by side.
    charged : Charged
        Blocks of several rows, with their ones as numbered here.
    low : ndarray, shape (ones of charged blocks, 32)
        The table of the last group once more, for these ones.
    """

    order: NDArray[np.int64]
    p: NDArray[np.int32]
    starts: NDArray[np.int64]
    charges: NDArray[np.int32]
    tables: NDArray[np.int32]
    high: int
    charged: Charged
    low: NDArray[np.int32]


def plan_walk(point: CoverPoint) -> Walk:
    """Put the columns in order, and tabulate the choices in each group."""
    layout = point.layout
    m = layout.shape[1]
    order = _grouped_order(point)
    place = np.empty(m, dtype=np.int64)
    place[order] = np.arange(m)
    by_place = np.argsort(place[layout.one_column], kind="stable")
    own = place[layout.one_column][by_place]
    charges = np.ascontiguousarray(point.along[by_place].T[order])
    tables = np.zeros((-(-m // LOW), len(own), LANES), dtype=np.int32)
    lanes = np.arange(LANES)
    for group, table in enumerate(tables):
        for bit in range(LOW):
            column = m - LOW * (group + 1) + bit
            taken = (lanes >> bit) & 1 == 1
            if column < 0:
                # There is no such column: whatever takes it is worth nothing.
                table[:, taken] = -NEVER
                continue
            table[:, taken] += charges[column][:, None]
            table[np.ix_(own == column, ~taken)] = -NEVER
    number = np.empty(len(own), dtype=np.int64)
    number[by_place] = np.arange(len(own))
    charged = charged_blocks(point)
    charged = charged._replace(one=number[charged.one])
    return Walk(
        order=order,
        p=point.p[by_place],
        starts=np.searchsorted(own, np.arange(m + 1)),
        charges=charges,
        tables=tables,
        high=max(0, m - LOW),
        charged=charged,
        low=tables[0][charged.one],
    )


def _grouped_order(point: CoverPoint) -> NDArray[np.int64]:
    """Dearest columns first, each followed by those that it harms, and that harm it, most."""
    layout = point.layout
    m = layout.shape[1]
    own = layout.one_column
    harm = np.zeros((m, m))
    lost = np.minimum(point.along, np.maximum(point.p, 0)[:, None])
    np.add.at(harm, own, lost)
    harm = harm + harm.T
    price = np.bincount(own, weights=point.p, minlength=m)
    free = np.ones(m, dtype=np.bool_)
    order: list[int] = []
    # The first group may be short: the groups are full from the end on.
    size = m % LOW or LOW
    while len(order) < m:
        group = [int(np.argmax(np.where(free, price, -1.0)))]
        free[group[0]] = False
        while len(group) < size:
            worst = int(np.argmax(np.where(free, harm[group].sum(axis=0), -1.0)))
            free[worst] = False
            group.append(worst)
        order += group
        size = LOW
    return np.array(order, dtype=np.int64)
