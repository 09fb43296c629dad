"""Further prices: the same relaxation with other blocks of rows.

With other blocks other zeros are charged, and other sets of columns turn out to be worth less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boolfact.colgen.cover.grow import LOOP, STRATEGY
from boolfact.colgen.cover.prices import Prices
from boolfact.colgen.cover.proof import CoverProof, PartProof
from boolfact.colgen.cover.relaxation import AssignedCover
from boolfact.colgen.loop import generate_columns
from boolfact.control.executor import Executor
from boolfact.control.stop import Stop
from boolfact.model.matrix import BinaryMatrix

__all__ = ["further_point"]

_MOST_SETS = 300
"""With which the master begins."""
_PROVED = 1e-5
"""How near the bound must be to the master's value: nearer than where only the bound counts."""


def further_point(
    matrix: BinaryMatrix,
    k: int,
    known: PartProof,
    B: NDArray[np.bool_],
    *,
    rows: int,
    error: int,
    stop: Stop,
    seed: int,
    executor: Executor,
) -> PartProof | None:
    """Prices for random blocks of about so many rows; None if there was no time.

    Parameters
    ----------
    matrix : BinaryMatrix
        With its longer side first.
    k : int
    known : PartProof
        Prices to begin with.
    B : ndarray of bool
        Sets of columns to begin with.
    rows, error, stop, seed, executor
    """
    rng = np.random.default_rng(seed)
    n = matrix.shape[0]
    order, count = rng.permutation(n), -(-n // rows)
    relaxation = AssignedCover(matrix, k, [order[u::count].tolist() for u in range(count)])
    point = known.point
    scale = float(point.scale)
    state = (
        point.layout,
        Prices(point.p / scale, point.along / scale, point.across / scale),
    )
    some = B[rng.permutation(len(B))[:_MOST_SETS]]
    generated = generate_columns(
        relaxation,
        pool=relaxation.pool_of(some, state),
        start=state,
        stop=stop,
        seed=seed,
        strategy=STRATEGY,
        executor=executor,
        incumbent=error,
        settings=replace(LOOP, proved=_PROVED),
    )
    if generated.bound is None:
        return None
    assert isinstance(generated.bound.proof, CoverProof)
    return generated.bound.proof.parts[0]
