"""Which kind of start, and which side of it, suits the matrix at hand."""

from __future__ import annotations

__all__ = ["FreshStarts", "Sides"]

_TRIALS = 3
"""Each kind is tried this many times before the better one is preferred."""


_MEMORY = 0.7
"""Of a gain, at the next one on the same side."""


class Sides:
    """Prefers the side from which rectangles were lately exchanged with more success.

    Growth adds and drops columns while the rows answer, and it depends on the matrix and its
    costs which of its sides had better be the columns. The other side has every fourth turn.

    Examples
    --------
    >>> sides = Sides()
    >>> for turned in (False, True):
    ...     sides.record(turned, gain=10 * turned, children=5)
    >>> [sides.turned_next() for _ in range(4)]
    [True, True, True, False]
    """

    def __init__(self) -> None:
        self._drawn = 0
        self._gains = {False: 0.0, True: 0.0}
        self._children = {False: 0.0, True: 0.0}

    def turned_next(self) -> bool:
        """Whether the next walk is to see the matrix transposed."""
        self._drawn += 1
        if not all(self._children.values()):
            return self._drawn % 2 == 0
        means = {side: self._gains[side] / self._children[side] for side in (False, True)}
        better = means[True] > means[False]
        return better if self._drawn % 4 else not better

    def record(self, turned: bool, gain: float, children: int) -> None:
        """Note what a walk from a known solution gained."""
        self._gains[turned] = _MEMORY * self._gains[turned] + gain
        self._children[turned] = _MEMORY * self._children[turned] + children


class FreshStarts:
    """Prefers the kind of start whose chains ended with the lower mean error.

    Annealing wins by far on dense matrices and loses by far on sparse ones. The other kind
    still gets every fourth start: a population needs members that differ.

    Examples
    --------
    >>> starts = FreshStarts()
    >>> for error in (10, 11, 12):
    ...     starts.record(True, error)
    ...     starts.record(False, error + 5)
    >>> [starts.anneal_next() for _ in range(4)]
    [True, True, True, False]
    """

    def __init__(self) -> None:
        self._drawn = 0
        self._sums = {True: 0, False: 0}
        self._counts = {True: 0, False: 0}

    def anneal_next(self) -> bool:
        """Whether the next fresh start is to be annealed."""
        self._drawn += 1
        if min(self._counts.values()) < _TRIALS:
            return self._drawn % 2 == 1
        means = {kind: self._sums[kind] / self._counts[kind] for kind in (True, False)}
        better = means[True] < means[False]
        return better if self._drawn % 4 else not better

    def record(self, annealed: bool, error: int) -> None:
        """Note how a chain from a fresh start ended."""
        self._sums[annealed] += error
        self._counts[annealed] += 1
