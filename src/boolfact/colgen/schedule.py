"""When to leave guessing for proving, and what to forget: the bookkeeping of the loop."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.settings import LoopSettings
from boolfact.control.stop import Stop

__all__ = ["PoolLimit", "ProofSchedule"]


class ProofSchedule:
    """When to price exactly at the centre, and how far.

    A bound is due when the guessed gap has shrunk to a third since the last time, and when the
    time is running out: what was gained since must not stay a guess.
    """

    def __init__(self, stop: Stop, settings: LoopSettings) -> None:
        self._stop, self._settings = stop, settings
        self._tried = -math.inf
        self._reserve = settings.reserve * stop.remaining()

    def is_new(self, guess: float) -> bool:
        """Whether the guess is above the one that was tried last."""
        return guess > self._tried

    def is_due(self, guess: float, value: float, needed: float) -> bool:
        """Whether to prove the guess now; `needed` is the bound that would end the loop."""
        if not self.is_new(guess):
            return False
        s = self._settings
        ends = guess > needed + s.guess_margin
        shrunk = value - guess < min(s.first_proof * value, (value - self._tried) / s.gap_shrinks)
        if not ends and not shrunk and not self._is_late():
            return False
        self._tried = guess
        return True

    def node_limit(self, iterations: int) -> int | None:
        """How far a proof may go: not too far while there is time, to the end if it is late."""
        if not self._is_late():
            return self._settings.nodes_per_iteration * iterations
        self._reserve = self._settings.reserve * self._stop.remaining()
        return None

    def _is_late(self) -> bool:
        """Whether what is left of the time had better go into a bound."""
        return math.isfinite(self._reserve) and self._stop.remaining() <= self._reserve


class PoolLimit:
    """How many rectangles the pool may have, and which to forget beyond that.

    The limit grows where the guess has hardly risen since the last purge: then rectangles were
    forgotten that were needed.
    """

    def __init__(self, limit: int | None, settings: LoopSettings) -> None:
        self.limit, self._settings = limit, settings
        self._guess = -math.inf

    def is_over(self, size: int) -> bool:
        """Whether the pool is too large."""
        return self.limit is not None and size > self.limit

    def keep(self, worth: NDArray[np.float64], new: int) -> NDArray[np.bool_]:
        """The rectangles of largest worth, and the `new` ones at the end in any case."""
        if self.limit is None:
            return np.ones(len(worth), dtype=np.bool_)
        worth = worth.copy()
        worth[len(worth) - new :] = np.inf
        keep = np.zeros(len(worth), dtype=np.bool_)
        kept = int(self._settings.pool_kept * self.limit)
        keep[np.argsort(-worth, kind="stable")[:kept]] = True
        return keep

    def adapt(self, guess: float, value: float) -> None:
        """Raise the limit if the last purge did harm."""
        s = self._settings
        if self.limit is not None and guess < self._guess + s.purge_progress * (
            value - self._guess
        ):
            self.limit = int(s.pool_growth * self.limit)
        self._guess = guess
