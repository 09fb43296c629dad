"""Branch and bound on the error, by entries of the product.

A node is bounded by assigned cover, or by MLP(1/k) where there are too many columns for it, on
the matrix that its decisions leave. A zero that is covered is paid for and costs nothing more; that
is exact for the error, where a zero is paid for once. So ones and zeros are split on. Where all
are decided and the bound is still below the best, k rectangles may or may not cover just these
entries: then rectangles are named, see `boolfact.exact.slots`. With every zero barred or paid for,
MLP(1/k) has nothing left to underestimate, and splitting ends.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.grow import LOOP, STRATEGY
from boolfact.colgen.cover.layout import Layout
from boolfact.colgen.cover.point import CoverPoint
from boolfact.colgen.cover.prices import Prices
from boolfact.colgen.cover.proof import CoverProof, cover_bound
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.integer.swap import swap_search
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.duals import MLPProof
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.colgen.node import Decided, Node, decide
from boolfact.control.ending import Ending
from boolfact.control.executor import Executor
from boolfact.control.stop import Stop
from boolfact.exact.branching import coverage, fractional_entries, split_slots
from boolfact.exact.decisions import Decisions
from boolfact.exact.mip import contradiction, leaf_proof, slot_evaluation
from boolfact.exact.pool import PooledProblem, SharedPool
from boolfact.exact.problem import Evaluated, Split, TreeNode
from boolfact.model.bound import Bound, Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool

__all__ = ["ErrorProblem", "cover_proof"]

_MOST_COLUMNS = 22
"""On the shorter side, up to which assigned cover walks through all sets at every node."""
_ROUNDS = 5
"""Of the swap search at a node."""


class ErrorProblem(PooledProblem):
    """Minimise the error; see `boolfact.exact.problem.Problem`.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced.
    k : int
    pool : RectanglePool, optional
        Rectangles to begin with.
    seed : int
    """

    on = Quantity.ERROR
    step = Fraction(1)

    def __init__(
        self, matrix: BinaryMatrix, k: int, *, pool: RectanglePool | None = None, seed: int = 0
    ) -> None:
        self.matrix, self.k, self.seed = matrix, k, seed
        self.shared = SharedPool(matrix.shape, pool)
        self._begin: tuple[Layout, Prices] | None = None

    def begin_with(self, point: CoverPoint) -> None:
        """Blocks of rows and prices that were good at the root: every node begins with them.

        They are of the matrix with its longer side first.
        """
        scale = float(point.scale)
        prices = Prices(point.p / scale, point.along / scale, point.across / scale)
        self._begin = (point.layout, prices)

    def value(self, factors: Factors) -> Fraction:
        """The error."""
        return Fraction(factors.error(self.matrix))

    def evaluate(
        self, node: TreeNode, cutoff: Fraction, stop: Stop, executor: Executor
    ) -> Evaluated:
        """By entries, or by named rectangles once there are any."""
        decided = Decisions.of(node.path, self.k)
        if decided.contradiction:
            return contradiction(self.matrix)
        rho = Fraction(1, self.k)
        if decided.slots:
            left = decide(self.matrix, decided.node, rho, Fraction(1))
            return slot_evaluation(
                self.matrix, self.k, rho, decided, left, self.shared.fitting(decided),
                cutoff - 1, stop,
            )  # fmt: skip
        left = decide(self.matrix, decided.node, Fraction(1), Fraction(1))
        if not left.matrix.ones_weight:
            return self._nothing_left(left)
        if min(self.matrix.shape) <= _MOST_COLUMNS:
            return self._by_cover(decided.node, left, cutoff, stop, executor)
        return self._by_mlp(decided.node, cutoff, stop, executor)

    def _nothing_left(self, left: Decided) -> Evaluated:
        """All ones are given up: covering nothing costs no more than what is paid."""
        ones = int(self.matrix.ones.sum())
        proof = {
            "kind": "mlp",
            "rho": str(Fraction(1, self.k)),
            "scale": self.k,
            "p": [0] * ones,
            "omegas": [0],
            "bound": str(left.constant),
        }
        return Evaluated(left.constant, proof, factors=Factors.empty(self.matrix.shape, self.k))

    def _by_cover(
        self, entries: Node, left: Decided, cutoff: Fraction, stop: Stop, executor: Executor
    ) -> Evaluated:
        turned = self.matrix.shape[0] < self.matrix.shape[1]
        matrix = left.matrix.T if turned else left.matrix
        blocks = () if self._begin is None else self._begin[0].blocks
        relaxation = AssignedCover(matrix, self.k, blocks)
        known = self.shared.fitting(Decisions(entries)).pool
        sets = known.A if turned else known.B
        sets = np.unique(np.vstack([sets, np.eye(matrix.shape[1], dtype=np.bool_)]), axis=0)
        generation = generate_columns(
            relaxation,
            pool=relaxation.pool_of(sets, self._begin),
            start=self._begin,
            stop=stop,
            seed=self.seed,
            strategy=STRATEGY,
            executor=executor,
            incumbent=cutoff - left.constant,
            settings=LOOP,
        )
        bound, proof = Fraction(0), None
        if generation.bound is not None:
            assert isinstance(generation.bound.proof, CoverProof)
            proved = cover_bound(generation.bound.proof.parts, self.k, transposed=turned)
            bound, proof = left.constant + proved.rounded, cover_proof(proved)
        pool = generation.pool
        A, B = (pool.B, pool.A) if turned else (pool.A, pool.B)
        return self._finish(entries, bound, proof, A, B, generation.q, generation.ending, cutoff)

    def _by_mlp(self, entries: Node, cutoff: Fraction, stop: Stop, executor: Executor) -> Evaluated:
        rho = Fraction(1, self.k)
        relaxation = MLP(self.matrix, self.k, rho, on=Quantity.ERROR, node=entries)
        generation = generate_columns(
            relaxation,
            pool=self.shared.fitting(Decisions(entries)).pool,
            stop=stop,
            seed=self.seed,
            executor=executor,
            incumbent=cutoff,
        )
        bound, proof = Fraction(0), None
        if generation.bound is not None:
            found = generation.bound.proof
            assert isinstance(found, MLPProof)
            bound = generation.bound.value
            proof = leaf_proof(found.point, rho, (found.omega_bound,), bound, self.matrix)
        pool = generation.pool
        return self._finish(
            entries, bound, proof, pool.A, pool.B, generation.q, generation.ending, cutoff
        )

    def _finish(
        self,
        entries: Node,
        bound: Fraction,
        proof: dict[str, Any] | None,
        A: NDArray[np.bool_],
        B: NDArray[np.bool_],
        q: NDArray[np.float64],
        ending: Ending,
        cutoff: Fraction,
    ) -> Evaluated:
        """A solution from what was generated, and a split."""
        if ending in (Ending.TIME_LIMIT, Ending.INTERRUPTED):
            return Evaluated(bound, proof, complete=False)
        if bound > cutoff - 1:
            return Evaluated(bound, proof)
        pool = RectanglePool(*self.matrix.shape)
        pool.extend(zip(A, B, strict=True))
        factors = swap_search(
            self.matrix, pool, self.k, rounds=_ROUNDS, climbing=True, seed=self.seed
        )
        split = self._split(entries, A, B, q)
        if split is None:
            untaken = np.zeros(len(pool))
            split = split_slots(self.matrix, self.k, Decisions(entries), [pool], [untaken])
        assert split is not None
        return Evaluated(bound, proof, *split, factors=factors)

    def _split(
        self,
        entries: Node,
        A: NDArray[np.bool_],
        B: NDArray[np.bool_],
        q: NDArray[np.float64],
    ) -> tuple[Split, tuple[int, ...]] | None:
        """On an entry that is covered in part, else on any that is open; None if there is none."""
        open_entries = self.matrix.weights > 0
        for i, j in entries.covered | entries.uncovered:
            open_entries[i, j] = False
        if not open_entries.any():
            return None
        cover = coverage(A, B, q)
        candidates = fractional_entries(cover, open_entries, self.matrix.weights)
        if candidates:
            i, j = candidates[0]
        else:
            score = np.where(open_entries, self.matrix.weights, -1)
            i, j = (int(x) for x in np.unravel_index(int(np.argmax(score)), score.shape))
        return ("entry", i, j), (0, 1) if cover[i, j] >= 0.5 else (1, 0)


def cover_proof(bound: Bound) -> dict[str, Any]:
    """A bound by assigned cover as the proof of a node, ready for JSON."""
    return {
        **bound.proof.entry(),
        "on": bound.on.value,
        "bound": str(bound.value),
        "rounded": str(bound.rounded),
    }
