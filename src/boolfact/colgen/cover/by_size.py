"""Exact pricing one size of sets after the other, for single rows.

With blocks of single rows a set b of columns is worth the sum over its ones e of the positive part
of p_e - load_e(b), where the load is what the columns of b charge to e. Say b has s columns. Let
each of them bring to every one e of b the number p_e - s load_e(j): all of them together bring s
times what is left of e. The sum of positive parts f is sublinear, so the rotation lemma
(`boolfact.pricing.rotation`) holds for these s columns alone, with equal shares:

Lemma. If b is worth at least T, then there is a start in b from which the first t columns of b,
going round, bring at least t T, for every t up to s.

When t columns S of b are known, y_e = t p_e - s load_e(S) is what they bring to e. Ones of
columns that were passed over are not in b. Of the columns that are still to come, s - t are in
b; so what the ones of b get is at most the sum of y_e^+ in S, and the s - t largest sums
of y_e^+ in a column that is still to come. Below t T nothing further is looked at. The same holds
for each column that may come next: it and the s - t - 1 largest sums behind it must make up what
is missing.

A price is thus counted only as far as the columns known have earned it, and rows that miss some
of them have nothing left from the start. That is what keeps the search short where ones
are few. Everything is an integer and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["BySize", "SizeTree", "search_sizes_a_little"]

_DEPTH, _ROOT, _NODES, _BEST, _SIZE = 0, 1, 2, 3, 4
"""Places in `control`: columns chosen, how many of them are given, nodes so far, the worth to
beat, and the size of the sets."""

_WORK_PER_CALL = 60_000_000
"""Ones looked at in one call of the kernel: some 50 ms."""
_SIDE_BY_SIDE = 8
"""Ones of different columns are taken side by side as long as there are so many columns."""


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the ones are.

    The columns are numbered from the one with most ones to the one with fewest. The first ones of
    all columns come first, then the second ones, and so on, as long as enough columns have one;
    then, column by column, what is left of the longest ones.

    Attributes
    ----------
    columns : ndarray of int, shape (m,)
        The column of each number.
    ones : ndarray of int, shape (ones,)
        Which one is at each place.
    first : ndarray of int
        Where the first, second, ... ones begin, and where they end.
    rest : ndarray of int
        Where the ones that are left begin, for the first columns, and where they end.
    """

    columns: NDArray[np.int64]
    ones: NDArray[np.int64]
    first: NDArray[np.int64]
    rest: NDArray[np.int64]

    @classmethod
    def of(cls, own: NDArray[np.int64], m: int) -> _Places:
        """For ones of these columns, each of which has one."""
        counts = np.bincount(own, minlength=m)
        columns = np.argsort(-counts, kind="stable")
        by_column = np.split(np.argsort(own, kind="stable"), np.cumsum(counts)[:-1])
        lists = [by_column[c] for c in columns]
        ones: list[int] = []
        first, rest = [0], []
        for slot in range(int(counts.max())):
            across = [own_ones[slot] for own_ones in lists if len(own_ones) > slot]
            if len(across) < min(_SIDE_BY_SIDE, m):
                break
            ones += across
            first.append(len(ones))
        slots = len(first) - 1
        for own_ones in lists:
            if len(own_ones) > slots:
                rest.append(len(ones))
                ones += list(own_ones[slots:])
        rest.append(len(ones))
        return cls(columns, *(np.array(x, dtype=np.int64) for x in (ones, first, rest)))


class BySize:
    """The search through the sets of every size, as `Sweep` goes through them.

    Parameters
    ----------
    prices : ndarray of int64, shape (ones,)
        Positive.
    loads : ndarray of int64, shape (m, ones)
        What each column charges to each one; nothing to its own.
    own : ndarray of int64, shape (ones,)
        The column of each one; every column has one.
    order : ndarray of int, shape (m,)
        The columns as they go round.
    sizes : sequence of int, optional
        Which sizes, in which order; all of them if nothing is said.
    """

    def __init__(
        self,
        prices: NDArray[np.int64],
        loads: NDArray[np.int64],
        own: NDArray[np.int64],
        order: NDArray[np.int64],
        sizes: Sequence[int] | None = None,
    ) -> None:
        m = len(order)
        self._places = _Places.of(own, m)
        self._prices = prices[self._places.ones]
        # By the place of the column in the circle.
        self._loads = np.ascontiguousarray(loads[order][:, self._places.ones])
        self._order = order
        number = np.empty(m, dtype=np.int64)
        number[self._places.columns] = np.arange(m)
        self._numbers = number[order]
        self._sizes = list(range(1, m + 1)) if sizes is None else list(sizes)
        in_column = np.bincount(own, weights=prices, minlength=m).max(initial=0)
        largest = m * max(float(in_column), float(self._loads.sum(axis=0).max(initial=0)))
        self._kind = np.int32 if largest < 2**31 else np.int64
        self.budget = max(100, _WORK_PER_CALL // (len(prices) + 2 * m))

    def __len__(self) -> int:
        return len(self._sizes)

    def subtree(self, start: int) -> SizeTree:
        """The whole search through the sets of one of the sizes."""
        m, size = len(self._order), self._sizes[start]
        control = np.zeros(5, dtype=np.int64)
        control[_SIZE] = size
        steps = (self._prices - size * self._loads).astype(self._kind)
        return SizeTree(
            steps,
            self._places,
            self._numbers,
            sums=np.zeros((size + 1, steps.shape[1]), dtype=self._kind),
            following=np.zeros(size + 1, dtype=np.int64),
            allowed=np.ones((size + 1, m), dtype=np.bool_),
            taken=np.zeros(size, dtype=np.int64),
            control=control,
            found=np.zeros(m, dtype=np.bool_),
        )

    def to_columns(self, tree: SizeTree) -> NDArray[np.bool_]:
        """The set that a subtree found, in the numbering of `loads`."""
        out = np.zeros(len(self._order), dtype=np.bool_)
        out[self._order] = tree.found
        return out


@dataclass(eq=False)
class SizeTree:
    """A part of the search through the sets of one size: the kernel's arguments.

    Attributes
    ----------
    steps : array (m, ones)
        What the column at each place of the circle brings.
    places : _Places
    numbers : array (m,)
        The number of the column at each place of the circle.
    sums : array (size + 1, ones)
        sums[t]: what the first t columns bring.
    following : array (size + 1,)
        Which place is tried next at each depth; places go on beyond m, round the circle.
    allowed : array (size + 1, m)
        Which columns may come next at each depth, by how far they are from the first.
    taken : array (size,)
        The places of the columns that are chosen.
    control : array (5,)
    found : array (m,)
        The best set, by place.
    """

    steps: NDArray[Any]
    places: _Places
    numbers: NDArray[np.int64]
    sums: NDArray[Any]
    following: NDArray[np.int64]
    allowed: NDArray[np.bool_]
    taken: NDArray[np.int64]
    control: NDArray[np.int64]
    found: NDArray[np.bool_]

    def run(self, best: int, budget: int) -> tuple[bool, int, int]:
        """Look for sets worth more than `best`; see `boolfact.pricing.circle.Subtree`."""
        self.control[_BEST] = best
        before = int(self.control[_NODES])
        finished = _search(
            self.steps, self.places.first, self.places.rest, self.numbers,
            self.sums, self.following, self.allowed, self.taken, self.control, self.found, budget,
        )  # fmt: skip
        return bool(finished), int(self.control[_BEST]), int(self.control[_NODES]) - before

    def split(self) -> SizeTree | None:
        """Give away what is still to come nearest to the root, if there is anything."""
        m, size = len(self.numbers), int(self.control[_SIZE])
        for d in range(int(self.control[_ROOT]), int(self.control[_DEPTH])):
            end = m if d == 0 else int(self.taken[0]) + m - (size - d) + 1
            if self.following[d] < end:
                other = replace(
                    self,
                    sums=self.sums.copy(),
                    following=self.following.copy(),
                    allowed=self.allowed.copy(),
                    taken=self.taken.copy(),
                    control=self.control.copy(),
                    found=self.found.copy(),
                )
                other.control[[_DEPTH, _ROOT, _NODES]] = d, d, 0
                self.control[_ROOT] = d + 1
                return other
        return None


def search_sizes_a_little() -> None:
    """Have the kernel compiled, or loaded."""
    one = np.ones(2, dtype=np.int64)
    BySize(one, np.zeros((2, 2), dtype=np.int64), np.arange(2), np.arange(2)).subtree(0).run(0, 10)


@njit(cache=True, nogil=True)
def _search(
    steps: NDArray[Any],
    first: NDArray[np.int64],
    rest: NDArray[np.int64],
    numbers: NDArray[np.int64],
    sums: NDArray[Any],
    following: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    taken: NDArray[np.int64],
    control: NDArray[np.int64],
    found: NDArray[np.bool_],
    budget: int,
) -> bool:
    """Search on from the stored state for at most `budget` nodes; whether it is finished.

    A node is the choice of one more column. Sets worth more than control[_BEST] are sought; each
    one met goes to `found` and raises it.
    """
    m = len(numbers)
    size = control[_SIZE]
    worths = np.zeros(m, dtype=sums.dtype)
    largest = np.zeros(size + 1, dtype=sums.dtype)
    t = control[_DEPTH]
    nodes = 0
    while t >= control[_ROOT]:
        place = following[t]
        end = m if t == 0 else taken[0] + m - (size - t) + 1
        while t > 0 and place < end and not allowed[t, place - taken[0]]:
            place += 1
        following[t] = place
        if place >= end:
            t -= 1
            continue
        if nodes == budget:
            break
        following[t] = place + 1
        taken[t] = place
        nodes += 1
        _bring(sums[t], steps[place % m], sums[t + 1], first, rest, worths)
        worth = np.int64(0)
        for u in range(t + 1):
            worth += worths[numbers[taken[u] % m]]
        missing = (t + 1) * (control[_BEST] + 1) - worth
        if size == t + 1:
            if missing <= 0:
                # All columns are known, so this is the worth of the set, `size` times.
                control[_BEST] = worth // size
                for other in range(m):
                    found[other] = False
                for u in range(size):
                    found[taken[u] % m] = True
            continue
        beyond = np.int64(0)
        for later in range(place + 1, taken[0] + m):
            beyond += worths[numbers[later % m]]
        if beyond < missing:
            continue
        if not _allow(
            worths, numbers, taken[0], place, size - t - 2, missing, allowed[t + 1], largest
        ):
            continue
        t += 1
        following[t] = place + 1
    control[_DEPTH] = t
    control[_NODES] += nodes
    return t < control[_ROOT]


@njit(cache=True, nogil=True)
def _bring(
    before: NDArray[Any],
    step: NDArray[Any],
    after: NDArray[Any],
    first: NDArray[np.int64],
    rest: NDArray[np.int64],
    worths: NDArray[Any],
) -> None:
    """One more column: what all ones have then, and the positive parts of each column."""
    kind = before.dtype.type
    zero = kind(0)
    for c in range(len(worths)):
        worths[c] = zero
    for slot in range(len(first) - 1):
        low, high = first[slot], first[slot + 1]
        # Slices from 0 on make vector code.
        x, y, z = before[low:high], step[low:high], after[low:high]
        for c in range(len(x)):
            value = kind(x[c] + y[c])
            z[c] = value
            worths[c] = kind(worths[c] + max(value, zero))
    for c in range(len(rest) - 1):
        low, high = rest[c], rest[c + 1]
        x, y, z = before[low:high], step[low:high], after[low:high]
        part = zero
        for i in range(len(x)):
            value = kind(x[i] + y[i])
            z[i] = value
            part = kind(part + max(value, zero))
        worths[c] = kind(worths[c] + part)


@njit(cache=True, nogil=True)
def _allow(
    worths: NDArray[Any],
    numbers: NDArray[np.int64],
    start: int,
    place: int,
    behind: int,
    missing: int,
    allowed: NDArray[np.bool_],
    largest: NDArray[Any],
) -> bool:
    """Which of the columns after a place may come next, if so many more follow behind it.

    It and the largest of those behind it must make up what is missing. Returned is whether there is
    any.
    """
    m = len(numbers)
    total = np.int64(0)
    known = 0
    is_any = False
    for later in range(start + m - 1, place, -1):
        worth = worths[numbers[later % m]]
        allowed[later - start] = worth + total >= missing
        is_any |= worth + total >= missing
        if worth <= 0 or behind == 0:
            continue
        if known == behind:
            if worth <= largest[behind - 1]:
                continue
            total -= largest[behind - 1]
        else:
            known += 1
        total += worth
        i = known - 1
        while i > 0 and largest[i - 1] < worth:
            largest[i] = largest[i - 1]
            i -= 1
        largest[i] = worth
    return is_any
