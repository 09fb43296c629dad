"""Branch and price for MIP(rho), on its relaxation MLP(rho).

A node first bounds by column generation with decided entries. As long as a one is covered in
part, the split is on such an entry: covered, its price has no upper limit; not covered, it is
paid for and barred. Both are exact in MLP(rho). Zeros are not split on: they pay for every cover,
so a zero that is covered would not say how often.

That alone need not end. All ones may be covered wholly, by rectangles each taken in part, and
no choice of k of them is as good. Then rectangles are named; see `boolfact.exact.slots`, which also
says why splitting ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.integer.master import solve_integer_master
from boolfact.colgen.loop import ColumnGeneration, generate_columns
from boolfact.colgen.mlp.duals import DualPoint, MLPProof
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.colgen.node import Entry, Node, decide
from boolfact.control.ending import Ending
from boolfact.control.executor import Executor
from boolfact.control.stop import Stop
from boolfact.exact.branching import coverage, fractional_entries, split_slots
from boolfact.exact.decisions import Decisions
from boolfact.exact.pool import NodePool, PooledProblem, SharedPool
from boolfact.exact.problem import Evaluated, TreeNode
from boolfact.exact.slots import SlotSolution, solve_slots
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.pricing.worth import worths

__all__ = ["MipProblem", "MipSettings", "contradiction", "leaf_proof", "slot_evaluation"]


@dataclass(frozen=True)
class MipSettings:
    """Parameters of branch and price.

    Attributes
    ----------
    candidates : int
        Entries that are tried before a split.
    columns_to_try : int
        Rectangles of the masters in which they are tried.
    integer_every : int
        The integer master chooses from what a node generated at every so many levels.
    tolerance : float
        Of the masters in which candidates are tried.
    """

    candidates: int = 6
    columns_to_try: int = 150
    integer_every: int = 4
    tolerance: float = 1e-3


class MipProblem(PooledProblem):
    """Minimise MIP(rho); see `boolfact.exact.problem.Problem`.

    Parameters
    ----------
    matrix : BinaryMatrix
        Best reduced.
    k : int
    rho : Fraction or int
    pool : RectanglePool, optional
        Rectangles to begin with.
    seed : int
    settings : MipSettings, optional
    """

    on = Quantity.OBJECTIVE

    def __init__(
        self,
        matrix: BinaryMatrix,
        k: int,
        rho: Fraction | int = 1,
        *,
        pool: RectanglePool | None = None,
        seed: int = 0,
        settings: MipSettings | None = None,
    ) -> None:
        self.matrix, self.k, self.rho, self.seed = matrix, k, Fraction(rho), seed
        self.settings = settings or MipSettings()
        self.step = Fraction(1, self.rho.denominator)
        self.shared = SharedPool(matrix.shape, pool)

    def value(self, factors: Factors) -> Fraction:
        """MIP(rho)."""
        return factors.objective(self.matrix, self.rho)

    def evaluate(
        self, node: TreeNode, cutoff: Fraction, stop: Stop, executor: Executor
    ) -> Evaluated:
        """By entries, or by named rectangles once there are any."""
        decided = Decisions.of(node.path, self.k)
        if decided.contradiction:
            return contradiction(self.matrix)
        if decided.slots:
            left = decide(self.matrix, decided.node, self.rho, self.rho)
            return slot_evaluation(
                self.matrix, self.k, self.rho, decided, left, self.shared.fitting(decided),
                cutoff - self.step, stop,
            )  # fmt: skip
        return self._by_columns(decided.node, node, cutoff, stop, executor)

    def _by_columns(
        self, entries: Node, node: TreeNode, cutoff: Fraction, stop: Stop, executor: Executor
    ) -> Evaluated:
        relaxation = MLP(self.matrix, self.k, self.rho, node=entries)
        begin = self.shared.near(Decisions(entries), relaxation, node.warm, self.matrix)
        generation = generate_columns(
            relaxation,
            pool=begin.pool,
            stop=stop,
            seed=self.seed,
            executor=executor,
            incumbent=cutoff,
        )
        bound, proof, warm = Fraction(0), None, None
        if generation.bound is not None:
            found = generation.bound.proof
            assert isinstance(found, MLPProof)
            bound = generation.bound.value
            warm = _dual_of(found.point, self.matrix)
            proof = leaf_proof(found.point, self.rho, (found.omega_bound,), bound, self.matrix)
        news = begin.news(generation.pool, generation.q)
        if generation.ending in (Ending.TIME_LIMIT, Ending.INTERRUPTED):
            return Evaluated(bound, proof, news=news, complete=False)
        rounded = generation.bound.rounded if generation.bound is not None else Fraction(0)
        if rounded >= cutoff:
            return Evaluated(bound, proof, news=news)
        factors = self._choose(generation, len(node.path), stop)
        better = factors is not None and self.value(factors) <= rounded
        if better:
            return Evaluated(bound, proof, factors=factors, news=news)
        split = self._split(generation, entries, stop)
        return Evaluated(bound, proof, *split, warm=warm, factors=factors, news=news)

    def _choose(self, generation: ColumnGeneration, depth: int, stop: Stop) -> Factors | None:
        """A choice of k rectangles from those that the node knows."""
        if depth % self.settings.integer_every and self.k > 2:
            return None
        chosen = solve_integer_master(
            self.matrix,
            generation.pool,
            self.k,
            rho=self.rho,
            # A limit of iterations is what makes its work limited, and no matter of the clock.
            stop=stop.child(iteration_limit=1),
            swap_rounds=20,
            climbing=True,
            seed=self.seed,
        )
        return chosen.factors.padded(self.k)

    def _split(
        self, generation: ColumnGeneration, entries: Node, stop: Stop
    ) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        pool, q = generation.pool, generation.q
        open_ones = self.matrix.ones & (self.matrix.weights > 0)
        for i, j in entries.covered | entries.uncovered:
            open_ones[i, j] = False
        cover = coverage(pool.A, pool.B, q)
        candidates = fractional_entries(cover, open_ones, self.matrix.weights)
        if not candidates:
            found = split_slots(self.matrix, self.k, Decisions(entries), [pool], [q])
            assert found is not None
            return found
        return self._try_out(generation, entries, candidates[: self.settings.candidates], stop)

    def _try_out(
        self, generation: ColumnGeneration, entries: Node, candidates: list[Entry], stop: Stop
    ) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        """Strong branching: the candidate both of whose outcomes cost most, in small masters."""
        small = self._small_pool(generation, entries)

        def value(child: Node) -> float:
            relaxation = MLP(self.matrix, self.k, self.rho, node=child)
            master = relaxation.master()
            return master.solve(small, self.settings.tolerance, stop).value

        base = value(entries)
        best: tuple[float, Entry, tuple[int, ...]] | None = None
        for entry in candidates:
            covered, left = value(entries.cover(entry)), value(entries.leave(entry))
            score = max(covered - base, 1e-3) * max(left - base, 1e-3)
            if best is None or score > best[0]:
                best = score, entry, (0, 1) if covered <= left else (1, 0)
        assert best is not None
        return ("entry", *best[1]), best[2]

    def _small_pool(self, generation: ColumnGeneration, entries: Node) -> RectanglePool:
        """The rectangles that are taken, and those that are nearly worth it."""
        pool = generation.pool
        order = np.argsort(-generation.q, kind="stable")
        if generation.bound is not None:
            assert isinstance(generation.bound.proof, MLPProof)
            point = generation.bound.proof.point
            left = decide(self.matrix, entries, self.rho, self.rho)
            H = point.pricing_matrix(left.matrix).astype(np.float64)
            order = np.argsort(-worths(H, pool.A, pool.B), kind="stable")
        small = RectanglePool(*self.matrix.shape)
        taken = order[: self.settings.columns_to_try]
        small.extend(zip(pool.A[taken], pool.B[taken], strict=True))
        return small


def contradiction(matrix: BinaryMatrix) -> Evaluated:
    """Of a path that nothing keeps to: more than what covering nothing costs."""
    return Evaluated(Fraction(matrix.ones_weight + 1), {"kind": "contradiction"})


def leaf_proof(
    dual: DualPoint,
    rho: Fraction,
    omegas: tuple[int, ...],
    bound: Fraction,
    matrix: BinaryMatrix,
) -> dict[str, Any]:
    """What proves the bound of a node by MLP(rho), ready for JSON.

    `p` is a list over the ones of the matrix, row by row; `omegas` has one number for each named
    rectangle, and one for all others.
    """
    return {
        "kind": "mlp",
        "rho": str(rho),
        "scale": int(dual.scale),
        "p": [int(x) for x in dual.p[matrix.ones]],
        "omegas": [int(omega) for omega in omegas],
        "bound": str(bound),
    }


def slot_evaluation(
    matrix: BinaryMatrix,
    k: int,
    rho: Fraction,
    decided: Decisions,
    left: Any,
    columns: NodePool,
    needed: Fraction,
    stop: Stop,
) -> Evaluated:
    """A node with named rectangles: bound, solution and split by MLP(rho) with classes."""
    solution = solve_slots(
        left, k, rho, decided.slots, (columns.pool.A, columns.pool.B), needed, stop
    )
    proof = None
    if solution.dual is not None:
        proof = leaf_proof(solution.dual, rho, solution.omegas, solution.value, matrix)
    bound = max(Fraction(0), solution.value)
    if not solution.complete:
        return Evaluated(bound, proof, complete=False, work=solution.nodes)
    factors = _rounded_off(solution, k, matrix)
    split = None
    if bound <= needed:
        split = split_slots(matrix, k, decided, solution.pools, solution.q)
    if split is None:
        return Evaluated(bound, proof, factors=factors, work=solution.nodes)
    return Evaluated(bound, proof, *split, factors=factors, work=solution.nodes)


def _rounded_off(solution: SlotSolution, k: int, matrix: BinaryMatrix) -> Factors:
    """Of each class the rectangles that are taken most."""
    chosen = []
    for u, (pool, q) in enumerate(zip(solution.pools, solution.q, strict=True)):
        times = 1 if u < len(solution.omegas) - 1 else k - (len(solution.omegas) - 1)
        order = np.argsort(-q, kind="stable")[:times]
        rectangles = list(pool)
        chosen += [rectangles[v] for v in order if q[v] > 0]
    return Factors.from_rectangles(matrix.shape, chosen[:k]).padded(k)


def _dual_of(point: DualPoint, matrix: BinaryMatrix) -> Any:
    """Prices to choose columns by, ready for JSON."""
    scaled: NDArray[np.float64] = point.p[matrix.ones] / point.scale
    return [round(float(x), 6) for x in scaled]
