"""MEBF: patterns grown from the median row or column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from boolfact.baselines.checks import THRESHOLDS, checked_rank, checked_thresholds
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.rectangles import Rectangle

__all__ = ["mebf"]


def mebf(
    matrix: BinaryMatrix,
    k: int,
    *,
    thresholds: Iterable[float] = THRESHOLDS,
    stop: Stop | None = None,
) -> Factors:
    """MEBF, median expansion, of Wan, Chang, Zhao, Li, Cao and Zhang (2020).

    If rows and columns can be sorted so that the ones fill a triangle, the largest rectangle
    in it touches the middle of its slope: the median column (by its number of ones, among
    those that have any) is as tall as that rectangle, the median row as wide. So a rectangle
    is the median column with every column that contains more than a share t of its ones; or
    likewise from the median row; of these, and of ties for the median, the best is taken
    (bidirectional growth). If
    neither lowers the error, the common ones of the two fullest columns, or rows, are
    expanded instead (weak signal); if that fails too, the run ends. Covered ones are removed.

    Parameters
    ----------
    matrix : BinaryMatrix
        Weights count in the ones of a row or column and in the error; missing entries are
        never part of a row's or column's ones and cost nothing.
    k : int
    thresholds : iterable of float
        Values of t, each in (0, 1]; the best result over them is returned.
    stop : Stop, optional
        Asked for each pattern; the best of what there is by then is returned.

    References
    ----------
    C. Wan et al., Fast and efficient Boolean matrix factorization by geometric segmentation,
    AAAI 2020.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("zoo")
    >>> factors = mebf(X, 2)
    >>> factors.rank, factors.error(X) < X.ones_weight
    (2, True)
    """
    k = checked_rank(k)
    chosen = checked_thresholds(thresholds)
    stop = stop or Stop()
    runs = []
    for threshold in chosen:
        runs.append(_one_run(matrix, k, threshold, stop))
        if stop.now():
            break
    return min(runs, key=lambda factors: factors.error(matrix))


def _one_run(matrix: BinaryMatrix, k: int, threshold: float, stop: Stop) -> Factors:
    left = np.where(matrix.ones, matrix.weights, 0).astype(np.float64)
    product = np.zeros(matrix.shape, dtype=np.bool_)
    found: list[Rectangle] = []
    error = matrix.ones_weight
    while len(found) < k and left.any() and not (found and stop.now()):
        for propose in (_bidirectional_growth, _weak_signal):
            lowest, best = error, None
            for rectangle in propose(left, threshold):
                after = _error(matrix, product, rectangle)
                if after < lowest:
                    lowest, best = after, rectangle
                if stop.now():
                    break
            if best is not None:
                break
        else:
            break
        found.append(best)
        product[np.ix_(best.a, best.b)] = True
        left[product] = 0.0
        error = lowest
    return Factors.from_rectangles(matrix.shape, found).padded(k)


def _error(matrix: BinaryMatrix, product: NDArray[np.bool_], rectangle: Rectangle) -> int:
    covered = product | np.outer(rectangle.a, rectangle.b)
    return int(matrix.weights[covered != matrix.ones].sum())


def _bidirectional_growth(left: NDArray[np.float64], threshold: float) -> Iterator[Rectangle]:
    for j in _median_columns(left):
        yield Rectangle(*_expand(left, left[:, j], threshold))
    for i in _median_columns(left.T):
        b, a = _expand(left.T, left[i], threshold)
        yield Rectangle(a, b)


def _weak_signal(left: NDArray[np.float64], threshold: float) -> Iterator[Rectangle]:
    for side, turned in ((left, False), (left.T, True)):
        if side.shape[1] < 2:
            continue
        first, second = np.argsort(-side.sum(axis=0), kind="stable")[:2]
        common = np.minimum(side[:, first], side[:, second])
        if common.any():
            a, b = _expand(side, common, threshold)
            yield Rectangle(b, a) if turned else Rectangle(a, b)


def _median_columns(left: NDArray[np.float64]) -> NDArray[np.int64]:
    """The columns whose sum is the median, or one of two middle ones, of those not zero."""
    sums = left.sum(axis=0)
    ranked = np.sort(sums[sums > 0])
    middle = ranked[[(len(ranked) - 1) // 2, len(ranked) // 2]]
    return np.flatnonzero(np.isin(sums, middle))


def _expand(
    left: NDArray[np.float64], base: NDArray[np.float64], threshold: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The rows of a base column, and the columns that contain more than a share of it."""
    share = (base @ (left > 0)) / base.sum()
    return base > 0, share > threshold
