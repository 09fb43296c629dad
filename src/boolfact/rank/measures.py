"""What is measured of each rank: errors on hidden entries, stability, bounds on the error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from boolfact.colgen.cover.grow import bound_by_cover
from boolfact.colgen.cover.proof import CoverProof
from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.duals import restate
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.completion.folds import entry_folds, score_entries
from boolfact.control.progress import Event
from boolfact.control.stop import Stop
from boolfact.model.bound import Bound, Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import RectanglePool
from boolfact.model.reduction import reduce_matrix
from boolfact.rank.solver import PathSolver, Slices
from boolfact.rank.stability import stability

__all__ = ["error_bounds", "hidden_errors", "stabilities"]

_MLP_SHARE = 0.25
"""Of the time for one rank, for MLP(1/k): it is best for one pattern, and soon falls behind."""
_MOST_RECTANGLES = 500
"""Of the pool, the newest, with which assigned cover begins."""


def hidden_errors(
    solver: PathSolver, matrix: BinaryMatrix, max_rank: int, folds: int, seed: int, share: float
) -> dict[int, float]:
    """Share of hidden entries that are predicted wrongly, for each rank that all folds solved."""
    wrong: dict[int, list[float]] = {}
    total = 0
    if not folds:
        return {}
    split = list(entry_folds(matrix, folds, seed=seed))
    problems = [
        (seed, hidden, f"fold {fold} of {folds}") for fold, (hidden, _) in enumerate(split, start=1)
    ]
    for (_, where), found in zip(split, solver.solve_all(max_rank, share, problems), strict=False):
        for k, factors in enumerate(found, start=1):
            scores = score_entries(matrix, factors.product(), where)
            wrong.setdefault(k, []).append((1 - scores.accuracy) * scores.entries)
        total += int(where.sum())
    return {k: float(sum(w) / max(total, 1)) for k, w in wrong.items() if len(w) == folds}


def stabilities(
    solver: PathSolver, first: list[Factors], seeds: int, seed: int, share: float
) -> dict[int, float]:
    """How alike the patterns are, for each rank that was solved with every seed."""
    if seeds < 2:
        return {}
    problems = [(seed + 1000 * s, None, f"seed {s + 1} of {seeds}") for s in range(1, seeds)]
    runs = [first, *solver.solve_all(len(first), share, problems)]
    if len(runs) < seeds:
        return {}
    return {k: stability(found) for k, found in enumerate(zip(*runs, strict=False), start=1)}


def error_bounds(
    solver: PathSolver, found: list[Factors], seed: int, share: float
) -> dict[int, int]:
    """Proved lower bounds on the errors; small ranks first, for which they are strongest."""
    if not share:
        return {}
    reduction = reduce_matrix(solver.matrix)
    pool = RectanglePool(*reduction.matrix.shape)
    for factors in found:
        pool.extend(reduction.restrict(factors).rectangles)
    phase = Slices(solver.stop.share(share, solver.total), len(found))
    proved: list[Bound] = []
    for k, factors in enumerate(found, start=1):
        error, said = factors.error(solver.matrix), None
        if error > 0 and not solver.stop.now():
            known = reduction.restrict(factors)
            new = _prove(reduction.matrix, k, known, error, pool, phase.next(), solver, seed)
            said = max((int(bound.rounded) for bound in new), default=None)
            proved += new
        outcome = "no bound" if said is None else f"at least {said}"
        solver.progress(Event(f"bounds, k = {k}, error {error}, {outcome}", solver.stop.elapsed()))
    return {
        k: bound
        for k, factors in enumerate(found, start=1)
        if (bound := _best_bound(proved, k, factors.error(solver.matrix))) is not None
    }


def _prove(
    matrix: BinaryMatrix,
    k: int,
    factors: Factors,
    error: int,
    pool: RectanglePool,
    stop: Stop,
    solver: PathSolver,
    seed: int,
) -> list[Bound]:
    """Bounds on the error of one rank, by MLP(1/k) and, unless that meets the error, by cover."""
    columns = generate_columns(
        MLP(matrix, k, Fraction(1, k), on=Quantity.ERROR),
        pool=pool,
        stop=stop.share(_MLP_SHARE),
        seed=seed,
        executor=solver.executor,
        incumbent=error,
    )
    proved = [] if columns.bound is None else [columns.bound]
    if all(bound.rounded < error for bound in proved) and not stop.now():
        growth = bound_by_cover(
            matrix,
            k,
            factors=factors,
            # Those of MLP(1/k), of this rank and of those before, and all factorisations.
            rectangles=(pool.A[-_MOST_RECTANGLES:], pool.B[-_MOST_RECTANGLES:]),
            stop=stop,
            seed=seed,
            executor=solver.executor,
            incumbent=error,
        )
        proved += [] if growth.bound is None else [growth.bound]
    return proved


def _best_bound(proved: Sequence[Bound], k: int, error: int) -> int | None:
    """The best bound on the error of rank k; prices found for a larger rank are valid too."""
    if error == 0:
        return 0
    known = [_at_rank(bound, k) for bound in proved if bound.k >= k]
    bound = max(known, default=None)
    if bound is not None and bound > error:
        raise AssertionError(f"bug: the bound {bound} exceeds the error {error} reached")
    return bound


def _at_rank(bound: Bound, k: int) -> int:
    """What the prices of a bound prove for another rank."""
    if not isinstance(bound.proof, CoverProof):
        return int(restate(bound, k=k).rounded)
    values = [
        Fraction(part.point.total - k * part.omega_bound, part.point.scale)
        for part in bound.proof.parts
    ]
    return sum(max(0, math.ceil(value)) for value in values)
