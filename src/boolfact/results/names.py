"""What patterns and their members are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["named_members", "pattern_labels"]


def pattern_labels(k: int, labels: Sequence[str] | None = None) -> list[str]:
    """The names that a user gives the patterns, or "pattern 1", "pattern 2", and so on.

    Examples
    --------
    >>> pattern_labels(2), pattern_labels(2, ["mammals", "birds"])
    (['pattern 1', 'pattern 2'], ['mammals', 'birds'])
    """
    if labels is None:
        return [f"pattern {u + 1}" for u in range(k)]
    given = [str(label).strip() for label in labels]
    if len(given) != k:
        raise ValueError(f"there are {k} patterns, but {len(given)} names for them")
    for label in given:
        if not label:
            raise ValueError("a pattern cannot have an empty name")
        if given.count(label) > 1:
            raise ValueError(f"two patterns are called {label!r}")
    return given


def named_members(names: Sequence[str] | None, flags: NDArray[np.bool_]) -> list[str]:
    """The names of the rows or columns that are in a pattern; their positions without names.

    Examples
    --------
    >>> named_members(("a", "b", "c"), np.array([True, False, True]))
    ['a', 'c']
    """
    where = np.flatnonzero(flags).tolist()
    return [str(i) if names is None else names[i] for i in where]
