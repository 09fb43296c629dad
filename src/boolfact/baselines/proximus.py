"""Proximus: split the rows again and again, each part explained by one pattern."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolfact.baselines.checks import checked_rank
from boolfact.baselines.rank_one import alternating, linear_program, rounded_relaxation
from boolfact.baselines.residual import worth_of_covering
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import Rectangle

__all__ = ["proximus"]

RankOne = Literal["alternating", "linear_program", "rounding"]
_STEPS: dict[str, Callable[[NDArray[np.int64], np.random.Generator], Rectangle]] = {
    "alternating": alternating,
    "linear_program": linear_program,
    "rounding": rounded_relaxation,
}


class _Part(NamedTuple):
    """Some rows and the rectangle among them; `worth` is what the rectangle gains."""

    rows: NDArray[np.int64]
    a: NDArray[np.bool_]
    b: NDArray[np.bool_]
    worth: int


def proximus(
    matrix: BinaryMatrix,
    k: int,
    *,
    rank_one: RankOne = "alternating",
    seed: int = 0,
    stop: Stop | None = None,
) -> Factors:
    """Proximus of Koyutürk, Grama and Ramakrishnan (2002, 2005), in integer arithmetic.

    The best pattern found for a set of rows divides it into the rows that use the pattern and
    those that do not; each part is treated in the same way. So every row ends up with at most
    one pattern and the ordinary product A B is binary. The original stops dividing when the
    rows of a part are near enough to its pattern; here, with k given, the part whose division
    lowers the error most is divided first, until there are k patterns or no division helps.

    Parameters
    ----------
    matrix : BinaryMatrix
        Weights count; missing entries have weight 0.
    k : int
    rank_one : {"alternating", "linear_program", "rounding"}
        How a pattern is found: alternating refits from several starts; the linear program of
        Shen, Ji and Ye (2009), within twice the least error; or the rounding of Shi, Wang and
        Shi (2014) of the half-integral relaxation, within twice the least error too. See
        `boolfact.baselines.rank_one`.
    seed : int
    stop : Stop, optional
        Asked before each division, and within "alternating"; the patterns found by then are
        returned.

    References
    ----------
    M. Koyutürk, A. Grama and N. Ramakrishnan, Compression, clustering, and pattern discovery
    in very high-dimensional discrete-attribute data sets, IEEE TKDE 17(4), 2005.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("zoo")
    >>> factors = proximus(X, 5)
    >>> int(factors.cover_counts().max())
    1
    """
    k = checked_rank(k)
    if rank_one not in _STEPS:
        raise ValueError(f"rank_one must be one of {', '.join(_STEPS)}, got {rank_one!r}")
    rng = np.random.default_rng(seed)
    worth = worth_of_covering(matrix).astype(np.int64)
    stop = stop or Stop()
    step = _STEPS[rank_one]
    if rank_one == "alternating":
        step = partial(alternating, stop=stop)
    leaves = [_solve(worth, np.arange(matrix.shape[0]), step, rng)]
    # Largest gain first; the ticket keeps the heap from comparing arrays.
    queue: list[tuple[int, int, int, tuple[_Part, _Part]]] = []
    ticket = itertools.count()

    def enqueue(index: int) -> None:
        parts = None if stop.now() else _divide(worth, leaves[index], step, rng)
        if parts is not None:
            gain = parts[0].worth + parts[1].worth - leaves[index].worth
            heapq.heappush(queue, (-gain, next(ticket), index, parts))

    enqueue(0)
    while queue and not stop.now():
        negative_gain, _, index, parts = heapq.heappop(queue)
        if negative_gain >= 0:
            break
        used = sum(part.worth > 0 for part in leaves)
        extra = sum(part.worth > 0 for part in parts) - (leaves[index].worth > 0)
        if used + extra > k:
            continue
        leaves[index] = parts[0]
        leaves.append(parts[1])
        enqueue(index)
        enqueue(len(leaves) - 1)
    return _assemble(matrix, k, [part for part in leaves if part.worth > 0])


def _solve(
    worth: NDArray[np.int64],
    rows: NDArray[np.int64],
    step: Callable[[NDArray[np.int64], np.random.Generator], Rectangle],
    rng: np.random.Generator,
    at_least: _Part | None = None,
) -> _Part:
    """The rectangle of these rows; never worth less than one known from before."""
    block = worth[rows]
    a, b = step(block, rng)
    value = int(block[np.ix_(a, b)].sum())
    if at_least is not None:
        kept = block[:, at_least.b].sum(axis=1) > 0
        old = int(block[np.ix_(kept, at_least.b)].sum())
        if old > value:
            a, b, value = kept, at_least.b, old
    return _Part(rows, a, b, value)


def _divide(
    worth: NDArray[np.int64],
    part: _Part,
    step: Callable[[NDArray[np.int64], np.random.Generator], Rectangle],
    rng: np.random.Generator,
) -> tuple[_Part, _Part] | None:
    """The part in two, each with a pattern of its own; None if it does not fall apart."""
    inside = _inside(worth, part)
    if inside.all() or not inside.any():
        return None
    return (
        _solve(worth, part.rows[inside], step, rng, part),
        _solve(worth, part.rows[~inside], step, rng, part),
    )


def _inside(worth: NDArray[np.int64], part: _Part) -> NDArray[np.bool_]:
    """The rows that stay with the pattern.

    If every row uses it, those in the outer half of its radius leave, as in the original
    where rows beyond a given radius do.
    """
    if not part.a.all():
        return part.a
    block = worth[part.rows]
    missed = np.where(~part.b & (block > 0), block, 0).sum(axis=1)
    wrong = np.where(part.b & (block < 0), -block, 0).sum(axis=1)
    distance = missed + wrong
    return distance <= distance.max() / 2


def _assemble(matrix: BinaryMatrix, k: int, parts: list[_Part]) -> Factors:
    rectangles = []
    for part in parts:
        a = np.zeros(matrix.shape[0], dtype=np.bool_)
        a[part.rows[part.a]] = True
        rectangles.append(Rectangle(a, part.b))
    return Factors.from_rectangles(matrix.shape, rectangles).padded(k)
