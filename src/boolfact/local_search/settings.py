"""Parameters of the population search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boolfact.local_search.weights import zeros_are_dear
from boolfact.model.matrix import BinaryMatrix

__all__ = ["PopulationSettings"]


@dataclass(frozen=True)
class PopulationSettings:
    """Parameters of the search; the defaults were chosen on a mixture of shapes and ranks.

    Parameters
    ----------
    size : int
        Members of the population.
    ahead : int
        Chains planned before the results of earlier ones are in; more than this many workers
        would wait.
    chain_work : float
        Length of a chain in elementary operations; a chain tries as many children as that
        pays for, within `fewest_children` and `most_children`.
    replaced, slack : int, float
        See `boolfact.local_search.chain.Rules`; the slack is in typical weights of an entry.
    patience : int
        Start afresh after this many times `size` chains that did not improve their parents.
    exact_rank : int
        Largest rank at which descents use exact refits.
    material : int
        At most this many rectangles of the pool are offered to a chain.
    anneal_work, most_sweeps, table_entries : float, int, int
        Length of an annealing run in elementary operations, its largest number of sweeps, and
        the largest table of subset sums for which there is annealing at all.
    exchange_work : float
        From this many cells times rectangles on, chains exchange single rectangles
        (`boolfact.local_search.exchange`).
    tries, try_work : int, float
        Each for the best of so many others, fewer where the matrix has more cells than
        `try_work` pays for, two at least.
    exchange_chain_work : float
        Length of a chain of exchanges, as `chain_work`, but shorter, so that the best of several
        chains is gone on with soon.
    large_ahead : int
        Chains planned ahead on large data; where time is the limit, as many as there are workers.
    large_size, size_work : int, float
        Members of the population there, at most; with `size_work` they are members times cells
        times rectangles: the longer one takes to improve, the fewer, two at least.
    """

    size: int = 10
    ahead: int = 8
    chain_work: float = 1e9
    fewest_children: int = 4
    most_children: int = 1000
    replaced: int = 2
    slack: float = 2.0
    patience: int = 3
    exact_rank: int = 12
    material: int = 256
    anneal_work: float = 1e9
    most_sweeps: int = 300
    table_entries: int = 1 << 21
    exchange_work: float = 2e6
    tries: int = 8
    try_work: float = 2e7
    exchange_chain_work: float = 2.5e8
    large_ahead: int = 3
    large_size: int = 4
    size_work: float = 1e8

    def __post_init__(self) -> None:
        for name in ("size", "ahead", "fewest_children", "replaced", "patience"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.slack < 0:
            raise ValueError(f"slack must not be negative, got {self.slack}")

    def is_large(self, shape: tuple[int, int], k: int) -> bool:
        """Whether a child of an ordinary chain would take long."""
        return shape[0] * shape[1] * k >= self.exchange_work

    def members(self, shape: tuple[int, int], k: int) -> int:
        """Members of the population: all on small data, few on large."""
        if not self.is_large(shape, k):
            return self.size
        few = max(2.0, self.size_work / (shape[0] * shape[1] * k))
        return int(min(self.size, self.large_size, few))

    def exchanges(self, matrix: BinaryMatrix, k: int) -> bool:
        """Whether chains exchange rectangles: on large data, and where zeros are dear."""
        return self.is_large(matrix.shape, k) or zeros_are_dear(matrix)

    def tries_of(self, shape: tuple[int, int]) -> int:
        """New rectangles that are tried for one that is exchanged."""
        return int(np.clip(self.try_work / (shape[0] * shape[1]), 2, self.tries))

    def children(self, shape: tuple[int, int], k: int, exchange: bool = False) -> int:
        """Children of one chain: fixed by shape and rank, so runs can be repeated."""
        n, m = shape
        if exchange:
            # All rectangles have their turn twice at least: the first builds, the second mends.
            few = self.exchange_chain_work / (2 * self.tries_of(shape) * n * m)
            return int(np.clip(few, 2 * k, self.most_children))
        sweep = n * m * k / 8
        if k <= self.exact_rank:
            sweep += (n + m) * k * 2.0**k / 8
        return int(
            np.clip(self.chain_work / (10 * sweep), self.fewest_children, self.most_children)
        )

    def sweeps(self, shape: tuple[int, int], k: int) -> int:
        """Sweeps of the longest annealing run; 0 where the tables would be too large."""
        n, m = shape
        if k > self.exact_rank or max(n, m) << k > self.table_entries:
            return 0
        return int(min(self.most_sweeps, self.anneal_work / (n * m * k * (5 + 2**k / 32))))
