"""What a population knows, as plain data: it can be stored, and a search goes on from it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from boolfact.local_search.plan import Found, Plan
from boolfact.local_search.problem import MAX_RANK
from boolfact.local_search.starts import FreshStarts, Sides
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["Member", "PopulationState"]


class Member(NamedTuple):
    """A factorisation and its error."""

    factors: Factors
    error: int


@dataclass
class PopulationState:
    """A population between two searches.

    Attributes
    ----------
    best : Factors
        The best factorisation so far; the empty one at first.
    error : int
        Its error.
    sequence : SeedSequence
        Of the chains; each gets a child of it.
    rng : Generator
        Of the choices between chains.
    iterations : int
        Children tried so far.
    members : list of Member
    waiting : deque of Member
        Solutions found elsewhere, each to be the start of a chain.
    open : deque of (Plan, Found)
        Chains that found something and are to go on.
    starts : FreshStarts
    sides : Sides
    planned, epoch, stale : int
        Chains so far, restarts so far, and children in a row that brought nothing.
    """

    best: Factors
    error: int
    sequence: np.random.SeedSequence
    rng: np.random.Generator
    iterations: int = 0
    members: list[Member] = field(default_factory=list)
    waiting: deque[Member] = field(default_factory=deque)
    open: deque[tuple[Plan, Found]] = field(default_factory=deque)
    starts: FreshStarts = field(default_factory=FreshStarts)
    sides: Sides = field(default_factory=Sides)
    planned: int = 0
    epoch: int = 0
    stale: int = 0

    @classmethod
    def begin(
        cls, matrix: BinaryMatrix, k: int, seed: int | np.random.SeedSequence = 0
    ) -> PopulationState:
        """Nobody yet.

        Examples
        --------
        >>> X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 1]], dtype=np.int8))
        >>> PopulationState.begin(X, 1).error
        5
        """
        if not 1 <= k <= MAX_RANK:
            raise ValueError(f"k must be from 1 to {MAX_RANK} for local search, got {k}")
        sequence = (
            seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        )
        return cls(
            best=Factors.empty(matrix.shape, k),
            error=matrix.ones_weight,
            sequence=sequence,
            rng=np.random.default_rng(sequence.spawn(1)[0]),
        )

    def offer(self, factors: Factors, matrix: BinaryMatrix) -> None:
        """Take a solution found elsewhere: it will be the start of a chain."""
        k = self.best.rank
        if factors.shape != matrix.shape or factors.rank > k:
            raise ValueError(
                f"expected factors of shape {matrix.shape} and rank up to {k}, "
                f"got shape {factors.shape} and rank {factors.rank}"
            )
        padded = factors.padded(k)
        error = padded.error(matrix)
        self.keep_best(padded, error)
        self.waiting.append(Member(padded, error))

    def keep_best(self, factors: Factors, error: int) -> bool:
        """Whether this is the best so far."""
        if error >= self.error:
            return False
        self.best, self.error = factors, error
        return True
