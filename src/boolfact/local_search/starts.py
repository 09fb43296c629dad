"""Which kind of fresh start suits the matrix at hand: annealed or built by rectangles."""

from __future__ import annotations

__all__ = ["FreshStarts"]

_TRIALS = 3
"""Each kind is tried this many times before the better one is preferred."""


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
