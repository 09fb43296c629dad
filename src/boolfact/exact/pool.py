"""Rectangles that the nodes of a search share: what one generated helps the next.

The pool changes between batches only. A node begins with the rectangles that are worth most at the
prices of its parent, since a master with all of them would be slow, and tells of those it took.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.mlp.relaxation import MLP
from boolfact.exact.decisions import Decisions
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.worth import worths

__all__ = ["NodePool", "PooledProblem", "SharedPool"]

_MOST = 20_000
"""Rectangles in the pool; more are not taken in."""
_FIRST = 400
"""Rectangles that a node begins with."""
_TOLD = 60
"""Rectangles that a node tells of, those that it takes most of."""
_TAKEN = 1e-4


@dataclass(frozen=True, eq=False)
class NodePool:
    """The rectangles that a node begins with."""

    pool: RectanglePool

    def news(self, pool: RectanglePool, q: NDArray[np.float64]) -> list[str]:
        """Rectangles that the node takes, as texts."""
        order = np.argsort(-q, kind="stable")[:_TOLD]
        return [_text(pool.A[u], pool.B[u]) for u in order if q[u] > _TAKEN]


class SharedPool:
    """The pool of a search.

    Parameters
    ----------
    shape : tuple of int
    pool : RectanglePool, optional
        What it begins with.
    """

    def __init__(self, shape: tuple[int, int], pool: RectanglePool | None = None) -> None:
        self._pool = RectanglePool(*shape)
        if pool is not None:
            self._pool.extend(zip(pool.A[-_MOST:], pool.B[-_MOST:], strict=True))

    def __len__(self) -> int:
        return len(self._pool)

    def take(self, news: list[str]) -> None:
        """Take in what a node told of."""
        for text in news:
            if len(self._pool) < _MOST:
                self._pool.add(*_rectangle(text, (self._pool.n, self._pool.m)))

    def state(self) -> list[str]:
        """All rectangles, ready for JSON."""
        return [_text(a, b) for a, b in self._pool]

    def restore(self, state: list[str]) -> None:
        """The rectangles of a `state`, in their order."""
        self._pool = RectanglePool(self._pool.n, self._pool.m)
        self.take(state)

    def fitting(self, decided: Decisions) -> NodePool:
        """The newest that cover nothing they should not."""
        A, B = self._pool.A, self._pool.B
        fits = np.flatnonzero(decided.keeps(A, B))[-_FIRST:]
        return NodePool(_pool_of(self._pool, fits))

    def near(
        self, decided: Decisions, relaxation: MLP, prices: list[float] | None, matrix: BinaryMatrix
    ) -> NodePool:
        """Those that are worth most at the prices of the parent; the newest without prices."""
        if prices is None:
            return self.fitting(decided)
        A, B = self._pool.A, self._pool.B
        fits = np.flatnonzero(decided.keeps(A, B))
        H = np.zeros(matrix.shape)
        H[matrix.ones] = prices
        left = relaxation.matrix
        H = np.where(left.ones, H, -float(relaxation.rho) * left.weights)
        worth = worths(H, A[fits], B[fits])
        return NodePool(_pool_of(self._pool, fits[np.argsort(-worth, kind="stable")[:_FIRST]]))


def _pool_of(pool: RectanglePool, chosen: NDArray[np.int64]) -> RectanglePool:
    own = RectanglePool(pool.n, pool.m)
    own.extend(zip(pool.A[chosen], pool.B[chosen], strict=True))
    return own


def _text(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> str:
    return np.packbits(np.r_[a, b]).tobytes().hex()


def _rectangle(text: str, shape: tuple[int, int]) -> tuple[Any, Any]:
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(text), dtype=np.uint8), count=sum(shape))
    return bits[: shape[0]].astype(np.bool_), bits[shape[0] :].astype(np.bool_)


class PooledProblem:
    """What all problems do whose nodes share a pool; see `boolfact.exact.problem.Problem`."""

    shared: SharedPool

    def absorb(self, news: Any) -> None:
        """Rectangles for the pool."""
        self.shared.take(news)

    def state(self) -> Any:
        """The pool."""
        return self.shared.state()

    def restore(self, state: Any) -> None:
        """A pool."""
        self.shared.restore(state)
