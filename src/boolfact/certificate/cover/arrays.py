"""The arrays that the kernels of the walk share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lanes", "Layout", "Scratch", "Stack", "Steps"]


class Layout(NamedTuple):
    """Where things are; rows are in the order of blocks, ones in the order of rows.

    Attributes
    ----------
    first_one : array (n + 1,)
        The ones of row i are first_one[i], ..., first_one[i + 1] - 1.
    block : array (n,)
        The first row of the block of row i.
    slot : array (E,)
        cross_er is at slot[e] + r - (first row of the block).
    pieces : array (P, 2)
        First row and end of each piece, in the order in which they are tried.
    gains : array (P,)
        How much each piece has taken off so far.
    """

    first_one: NDArray[np.int64]
    block: NDArray[np.int64]
    slot: NDArray[np.int64]
    pieces: NDArray[np.int64]
    gains: NDArray[np.int64]


class Steps(NamedTuple):
    """What a column of the first ones adds: `left` if taken or skipped, `cross` if taken."""

    left: NDArray[Any]  # (2, columns, E)
    cross: NDArray[Any]  # (columns, slots)


class Lanes(NamedTuple):
    """What each set of the last columns adds."""

    left: NDArray[Any]  # (E, lanes)
    cross: NDArray[Any]  # (slots, lanes)


class Stack(NamedTuple):
    """A node of each depth, and the choice to try next there."""

    left: NDArray[Any]  # (columns + 1, E)
    cross: NDArray[Any]  # (columns + 1, slots)
    choice: NDArray[np.int64]  # (columns + 1,)


class Scratch(NamedTuple):
    """Space for one node: values per row and lane, and `left` and `cross` of one piece."""

    rows: NDArray[Any]  # (n, lanes)
    total: NDArray[Any]  # (lanes,)
    best: NDArray[Any]  # (2, lanes)
    left: NDArray[Any]  # (ones of a piece, lanes)
    cross: NDArray[Any]  # (rows of a piece, ones of a piece, lanes)
    live: NDArray[np.int64]  # (lanes,)
    names: NDArray[np.int64]  # (2, ones of a piece)
    slots: NDArray[np.int64]  # (ones of a piece,)
