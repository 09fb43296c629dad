"""Why something ended: one word for a run, a loop, a search and a solver."""

from __future__ import annotations

import enum

__all__ = ["Ending"]


class Ending(enum.Enum):
    """Why a run, or a part of one, ended."""

    PROVED = "proved"
    """What it was to prove is proved."""
    INCUMBENT = "incumbent met"
    """The bound, rounded up, meets the value of a known solution."""
    DONE = "done"
    """It did all it does; nothing more would come of it."""
    STALLED = "stalled"
    """It could not get further: out of precision, or out of ideas."""
    TIME_LIMIT = "time limit"
    ITERATION_LIMIT = "iteration limit"
    NODE_LIMIT = "node limit"
    GAP_LIMIT = "gap limit"
    TARGET = "target reached"
    INTERRUPTED = "interrupted"
    OUT_OF_MEMORY = "out of memory"

    @property
    def is_limit(self) -> bool:
        """Whether it was ended from outside, with work left to do."""
        return self in _LIMITS


_LIMITS = {
    Ending.TIME_LIMIT,
    Ending.ITERATION_LIMIT,
    Ending.NODE_LIMIT,
    Ending.GAP_LIMIT,
    Ending.TARGET,
    Ending.INTERRUPTED,
    Ending.OUT_OF_MEMORY,
}
