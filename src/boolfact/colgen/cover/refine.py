"""The best rows of a block, for 32 sets of columns at once.

What a set is worth without the charges between rows is a sum over its ones, and quick to get. What
a block loses by these charges is the least, over the subsets of its rows, of

    the values of the rows left out  +  the sum over ones of the others of min(value, charge).

Few ones of a block are charged by another row at all, and only those are in the second sum. For
every subset its terms are listed beforehand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from boolfact.colgen.cover.minima import LANES, lower_to_listed, take_off
from boolfact.colgen.cover.point import CoverPoint

__all__ = ["Charged", "Space", "charged_blocks", "make_space", "refine_block"]

_ALL = 1 << 30
"""Above the value of any row."""


class Charged(NamedTuple):
    """Blocks in which rows charge each other, most charged ones first.

    Attributes
    ----------
    rows : ndarray, shape (blocks + 1,)
        The rows of block q are rows[q] to rows[q + 1]; only rows of these blocks are counted.
    ones : ndarray, shape (rows + 1,)
        The ones of row i are ones[i] to ones[i + 1].
    one : ndarray, shape (ones,)
        Which one of the layout each of them is.
    starts : ndarray, shape (blocks + 1,)
        The ones of block q that another row charges are starts[q] to starts[q + 1] of `hit`.
    hit : ndarray
        The charged ones.
    subsets : ndarray, shape (blocks + 1,)
        The subsets of the rows of block q are subsets[q] to subsets[q + 1], in binary order.
    terms : ndarray, shape (subsets + 1,)
        The terms of each subset.
    line, most : ndarray of int32, shape (terms,)
        A term is the minimum of `most` and of a line: the value of a row of the block, or, after
        all its rows, what is left of a charged one.
    """

    rows: NDArray[np.int64]
    ones: NDArray[np.int64]
    one: NDArray[np.int64]
    starts: NDArray[np.int64]
    hit: NDArray[np.int64]
    subsets: NDArray[np.int64]
    terms: NDArray[np.int64]
    line: NDArray[np.int32]
    most: NDArray[np.int32]


class Space(NamedTuple):
    """Room for one block.

    Attributes
    ----------
    prices : ndarray, shape (ones,)
        What is left of each one before the lanes take something off.
    lines : ndarray, shape (lines, 32)
        The lines that terms speak of.
    loss : ndarray, shape (1, 32)
        The least loss so far.
    """

    prices: NDArray[np.int32]
    lines: NDArray[np.int32]
    loss: NDArray[np.int32]


def charged_blocks(point: CoverPoint) -> Charged:
    """The blocks of several rows with a charge between two of them."""
    layout = point.layout
    charged = point.across.sum(axis=1, dtype=np.int64)
    block = layout.block_of[layout.one_row]
    total = np.bincount(block, weights=charged, minlength=len(layout.block_start) - 1)
    blocks = np.argsort(-total, kind="stable")[: int((total > 0).sum())]
    first, last = layout.block_start[blocks], layout.block_start[blocks + 1]
    rows = _ranges(first, last)
    one = _ranges(layout.row_start[rows], layout.row_start[rows + 1])
    hit = np.flatnonzero(charged[one] > 0)
    row_ends = np.append(0, np.cumsum(last - first))
    one_ends = np.append(0, np.cumsum(layout.row_start[rows + 1] - layout.row_start[rows]))
    starts = np.searchsorted(hit, one_ends[row_ends])
    owner = (np.searchsorted(one_ends, hit, side="right") - 1).astype(np.int64)
    subsets = np.append(0, np.cumsum(np.left_shift(1, last - first)))
    terms, line, most = _list_terms(
        row_ends, starts, owner, np.ascontiguousarray(point.across[one[hit]]), subsets
    )
    return Charged(row_ends, one_ends, one, starts, hit, subsets, terms, line, most)


def _ranges(first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each first to the one before each last, one range after the other."""
    sizes = last - first
    begin = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) - np.repeat(begin - first, sizes)


@njit(cache=True, nogil=True)
def _list_terms(
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    owner: NDArray[np.int64],
    across: NDArray[np.int32],
    subsets: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """For every subset of every block: the rows left out, and the ones that the others charge."""
    terms = np.zeros(subsets[-1] + 1, np.int64)
    line = np.empty(0, np.int32)
    most = np.empty(0, np.int32)
    # First the terms are counted, then written.
    for writing in (False, True):
        if writing:
            line = np.empty(terms[-1], np.int32)
            most = np.empty(terms[-1], np.int32)
        count = 0
        for q in range(len(rows) - 1):
            size = rows[q + 1] - rows[q]
            for subset in range(1 << size):
                for r in range(size):
                    if not subset >> r & 1:
                        if writing:
                            line[count], most[count] = r, _ALL
                        count += 1
                for t in range(starts[q], starts[q + 1]):
                    if not subset >> (owner[t] - rows[q]) & 1:
                        continue
                    charge = 0
                    for r in range(size):
                        if subset >> r & 1:
                            charge += across[t, r]
                    if charge > 0:
                        if writing:
                            line[count], most[count] = size + t - starts[q], charge
                        count += 1
                terms[subsets[q] + subset + 1] = count
    return terms, line, most


@njit(cache=True, nogil=True)
def make_space(charged: Charged) -> Space:
    """Room for the largest block."""
    most = 1
    for q in range(len(charged.rows) - 1):
        rows = charged.rows[q + 1] - charged.rows[q]
        most = max(most, rows + charged.starts[q + 1] - charged.starts[q])
    return Space(
        np.zeros(len(charged.one), np.int32),
        np.zeros((most, LANES), np.int32),
        np.zeros((1, LANES), np.int32),
    )


@njit(cache=True, nogil=True)
def refine_block(
    charged: Charged,
    q: int,
    base: NDArray[np.int32],
    off: NDArray[np.int32],
    space: Space,
    total: NDArray[np.int32],
) -> int:
    """Take off each total what block q loses; returns the number of terms that were added up.

    Parameters
    ----------
    charged : Charged
    q : int
    base : array (ones of the layout,)
        What is left of each one; not above 0 where it is out.
    off : array (ones of the charged blocks, 32)
        What each lane takes off each one.
    space : Space
    total : array (1, 32)
    """
    low, high = charged.rows[q], charged.rows[q + 1]
    loss = space.loss
    alive = _write_lines(charged, q, base, off, space)
    loss[0, :] = _ALL
    work = 0
    # A row without value is never in; the others are in or out.
    subset = alive
    while subset >= 0:
        at = charged.subsets[q] + subset
        first, last = charged.terms[at], charged.terms[at + 1]
        lower_to_listed(space.lines, charged.line, charged.most, first, last, loss)
        work += last - first
        subset = (subset - 1) & alive if subset > 0 else -1
    for lane in range(LANES):
        total[0, lane] = np.int32(total[0, lane] - loss[0, lane])
    return work + charged.ones[high] - charged.ones[low]


@njit(cache=True, nogil=True)
def _write_lines(
    charged: Charged,
    q: int,
    base: NDArray[np.int32],
    off: NDArray[np.int32],
    space: Space,
) -> int:
    """The values of the rows and of the charged ones; the set of rows that have a value."""
    low, high = charged.rows[q], charged.rows[q + 1]
    prices, lines = space.prices, space.lines
    none = np.int32(0)
    alive = 0
    for i in range(low, high):
        first, last = charged.ones[i], charged.ones[i + 1]
        worth = none
        for u in range(first, last):
            price = max(base[charged.one[u]], none)
            prices[u] = price
            worth = np.int32(worth + price)
        lines[i - low, :] = worth
        if worth > 0:
            alive |= 1 << (i - low)
            take_off(off, prices, first, last, lines, i - low)
    for t in range(charged.starts[q], charged.starts[q + 1]):
        u = charged.hit[t]
        place = high - low + t - charged.starts[q]
        lines[place, :] = prices[u]
        if prices[u] > 0:
            take_off(off, prices, u, u + 1, lines, place)
    return alive
