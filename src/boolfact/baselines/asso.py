"""ASSO: patterns from association rules between columns, chosen greedily."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from boolfact.baselines.checks import THRESHOLDS, checked_rank, checked_thresholds
from boolfact.baselines.residual import worth_of_covering
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import Rectangle

__all__ = ["asso", "asso_runs", "associations"]

_SPARSE = 0.05
"""Up to this share of ones a sparse product is faster than BLAS."""


def asso(
    matrix: BinaryMatrix,
    k: int,
    *,
    thresholds: Iterable[float] = THRESHOLDS,
    stop: Stop | None = None,
) -> Factors:
    """ASSO of Miettinen, Mielikäinen, Gionis, Das and Mannila (2006, 2008).

    The confidence of the rule "a one in column j goes with a one in column l" is the share of
    the ones of column j whose row also has a one in column l. For a threshold t, column j gives
    the candidate pattern of all l whose confidence is at least t. Of the m candidates the one
    that gains most is taken, k times: a row uses it if that covers more ones than zeros, among
    entries not covered before. The best factorisation over the thresholds is returned.

    Parameters
    ----------
    matrix : BinaryMatrix
        Weights count in confidences and gains; a row in which column l is missing takes no part
        in a rule that leads to l.
    k : int
    thresholds : iterable of float
        Each in (0, 1].
    stop : Stop, optional
        Asked between the steps; the best so far is returned.

    References
    ----------
    P. Miettinen et al., The discrete basis problem, PKDD 2006 and IEEE TKDE 20(10), 2008.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("votes")
    >>> asso(X, 2).error(X)
    2931
    """
    return min(asso_runs(matrix, k, thresholds, stop), key=lambda factors: factors.error(matrix))


def asso_runs(
    matrix: BinaryMatrix,
    k: int,
    thresholds: Iterable[float] = THRESHOLDS,
    stop: Stop | None = None,
) -> Iterator[Factors]:
    """The factorisation of each threshold; when `stop` says so, no more than the first ones."""
    k = checked_rank(k)
    chosen = checked_thresholds(thresholds)
    confidence = associations(matrix)
    for threshold in chosen:
        yield _greedy_cover(matrix, k, confidence >= threshold, stop)
        if stop is not None and stop.now():
            return


def associations(matrix: BinaryMatrix) -> NDArray[np.float64]:
    """The confidence of the rule from column j to column l, at row j and column l."""
    ones = matrix.ones & (matrix.weights > 0)
    weighted = np.where(ones, matrix.weights, 0).astype(np.float64)
    together = _products(weighted.T, ones.T)
    possible = weighted.sum(axis=0)[:, None] - _products(weighted.T, (matrix.weights == 0).T)
    return np.divide(together, possible, out=np.zeros_like(together), where=possible > 0)


def _greedy_cover(
    matrix: BinaryMatrix, k: int, candidates: NDArray[np.bool_], stop: Stop | None = None
) -> Factors:
    """Take the candidate that gains most, k times.

    What a row gains by a candidate changes only where something is newly covered, so the product
    of all rows and candidates is taken once. All numbers are whole, and the sums exact.
    """
    candidates = np.unique(candidates, axis=0)
    worth = worth_of_covering(matrix)
    row_gains = _products(worth, candidates)
    gains = np.maximum(row_gains, 0.0).sum(axis=0)
    taken: list[Rectangle] = []
    while len(taken) < k and not (taken and stop is not None and stop.now()):
        best = int(np.argmax(gains))
        if gains[best] <= 0:
            break
        a, b = row_gains[:, best] > 0, candidates[best]
        taken.append(Rectangle(a, b))
        before = row_gains[a]
        after = before - _products(worth[np.ix_(a, b)], candidates[:, b])
        gains += (np.maximum(after, 0.0) - np.maximum(before, 0.0)).sum(axis=0)
        row_gains[a] = after
        worth[np.ix_(a, b)] = 0.0
    return Factors.from_rectangles(matrix.shape, taken).padded(k)


def _products(worth: NDArray[np.float64], candidates: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The worth of every row (n, m) for every candidate (c, m), shape (n, c)."""
    if candidates.mean() > _SPARSE:
        return worth @ candidates.T.astype(np.float64)
    product: NDArray[np.float64] = (csr_array(candidates, dtype=np.float64) @ worth.T).T
    return np.ascontiguousarray(product)
