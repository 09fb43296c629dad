"""Hiding observed entries, at random or fold by fold, and scoring what is predicted for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = [
    "Scores",
    "entry_folds",
    "fold_numbers",
    "hide_entries",
    "score_entries",
    "without_entries",
]


@dataclass(frozen=True)
class Scores:
    """How well predicted entries agree with true ones; ones are the positives.

    A share of nothing is 0, as in scikit-learn with `zero_division=0`.
    """

    entries: int
    accuracy: float
    precision: float
    recall: float
    f1: float


def hide_entries(
    matrix: BinaryMatrix, share: float = 0.1, *, seed: int = 0
) -> tuple[BinaryMatrix, NDArray[np.bool_]]:
    """Hide a random share of the observed ones and the same share of the observed zeros.

    Returns the matrix with those entries missing, and where they are.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 0] * 5, [0, 1] * 5]))
    >>> hidden, where = hide_entries(X, 0.2)
    >>> hidden.n_missing, X.ones[where].sum()
    (4, np.int64(2))
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share must be between 0 and 1, got {share}")
    rng = np.random.default_rng(seed)
    where = np.zeros(matrix.shape, dtype=np.bool_)
    for value in (0, 1):
        entries = np.flatnonzero(matrix.values == value)
        where.flat[rng.permutation(entries)[: round(share * len(entries))]] = True
    return without_entries(matrix, where), where


def entry_folds(
    matrix: BinaryMatrix, n_splits: int = 5, *, seed: int = 0
) -> Iterator[tuple[BinaryMatrix, NDArray[np.bool_]]]:
    """Entry-wise K-fold: each observed entry is hidden in exactly one fold.

    Ones and zeros are dealt out separately, so every fold has its share of both.
    """
    fold = fold_numbers(matrix, n_splits, seed=seed)
    for split in range(n_splits):
        where = fold == split
        yield without_entries(matrix, where), where


def fold_numbers(matrix: BinaryMatrix, n_splits: int = 5, *, seed: int = 0) -> NDArray[Any]:
    """The fold in which each entry is hidden, from 0 on; -1 where it is missing.

    Examples
    --------
    >>> np.sort(fold_numbers(BinaryMatrix(np.array([[1, 1, -1, 1]])), 3))
    array([[-1,  0,  1,  2]], dtype=int8)
    """
    if n_splits < 2:
        raise ValueError(f"n_splits must be at least 2, got {n_splits}")
    rng = np.random.default_rng(seed)
    fold = np.full(matrix.shape, -1, dtype=np.min_scalar_type(-n_splits))
    for value in (0, 1):
        entries = rng.permutation(np.flatnonzero(matrix.values == value))
        fold.flat[entries] = np.arange(len(entries)) % n_splits
    return fold


def without_entries(matrix: BinaryMatrix, where: NDArray[np.bool_]) -> BinaryMatrix:
    """The same matrix with some more entries missing."""
    values = np.where(where, MISSING, matrix.values).astype(np.int8)
    return BinaryMatrix(values, matrix.weights, matrix.row_names, matrix.column_names)


def score_entries(
    truth: BinaryMatrix, predicted: NDArray[np.bool_], where: NDArray[np.bool_]
) -> Scores:
    """Compare a prediction with the truth on some entries; those the truth lacks do not count.

    Examples
    --------
    >>> X = BinaryMatrix(np.array([[1, 1, 0, 0]]))
    >>> score_entries(X, np.array([[True, False, True, False]]), np.ones((1, 4), bool)).f1
    0.5
    """
    where = where & ~truth.missing
    actual, guess = truth.ones[where], np.asarray(predicted, dtype=np.bool_)[where]
    both = int((actual & guess).sum())
    positive, called = int(actual.sum()), int(guess.sum())
    total = len(actual)
    return Scores(
        entries=total,
        accuracy=float((actual == guess).mean()) if total else 0.0,
        precision=both / called if called else 0.0,
        recall=both / positive if positive else 0.0,
        f1=2 * both / (positive + called) if positive + called else 0.0,
    )
