"""Completion: missing entries filled by the patterns, and how good that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = [
    "FilledEntry",
    "Scores",
    "Vote",
    "column_majority",
    "entry_folds",
    "filled_entries",
    "fold_numbers",
    "hide_entries",
    "masked_nmf",
    "masked_nmf_scores",
    "score_entries",
    "without_entries",
]


@dataclass(frozen=True)
class FilledEntry:
    """A missing entry, the value it was given, and the patterns that cover it."""

    row: int
    column: int
    row_name: str
    column_name: str
    value: int
    patterns: tuple[int, ...]


@dataclass(frozen=True)
class Vote:
    """A missing entry: what it is filled with, who says so, and because of what.

    Attributes
    ----------
    row, column : int
    row_name, column_name : str
    value : int
    score : float
        From 0 (all members say zero) to 1 (all say one).
    probability : float
        Share of ones among the observed entries with such a score.
    says_one, says_zero, members : int
        How many members cover the entry as a one, as a zero, and how many there are.
    because : tuple of (str, int)
        What else the patterns that agree with the value name and the row is observed to have
        ("milk") or to lack ("not eggs"), and in how many members; most frequent first.
    """

    row: int
    column: int
    row_name: str
    column_name: str
    value: int
    score: float
    probability: float
    says_one: int
    says_zero: int
    members: int
    because: tuple[tuple[str, int], ...]


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


def filled_entries(factors: Factors, matrix: BinaryMatrix) -> list[FilledEntry]:
    """For each missing entry: its value, and by which patterns (numbered from 1) it is covered."""
    filled = []
    for i, j in np.argwhere(matrix.missing):
        covering = np.flatnonzero(factors.A[i] & factors.B[:, j])
        filled.append(
            FilledEntry(
                row=int(i),
                column=int(j),
                row_name=matrix.row_label(int(i)),
                column_name=matrix.column_label(int(j)),
                value=int(len(covering) > 0),
                patterns=tuple(int(u) + 1 for u in covering),
            )
        )
    return filled


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

    Ones and zeros are dealt out separately, so that every fold has its share of both.
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


def column_majority(matrix: BinaryMatrix) -> NDArray[np.bool_]:
    """Predict each entry by the value that its column has more often."""
    ones = np.where(matrix.ones, matrix.weights, 0).sum(axis=0)
    return np.broadcast_to(2 * ones > matrix.weights.sum(axis=0), matrix.shape).copy()


def masked_nmf(
    matrix: BinaryMatrix, k: int, *, seed: int = 0, iterations: int = 500, threshold: float = 0.5
) -> NDArray[np.bool_]:
    """Predict by non-negative factorisation of the observed entries, cut at a threshold."""
    return threshold < masked_nmf_scores(matrix, k, seed=seed, iterations=iterations)


def masked_nmf_scores(
    matrix: BinaryMatrix, k: int, *, seed: int = 0, iterations: int = 500
) -> NDArray[np.float64]:
    """The real product of non-negative factors of the observed entries.

    Multiplicative updates for the weighted squared error, in which missing entries have
    weight 0; scikit-learn's NMF cannot leave entries out.
    """
    rng = np.random.default_rng(seed)
    X, weights = matrix.ones.astype(np.float64), matrix.weights.astype(np.float64)
    W, H = rng.random((X.shape[0], k)) + 0.1, rng.random((k, X.shape[1])) + 0.1
    tiny = 1e-12
    target = weights * X
    for _ in range(iterations):
        W *= (target @ H.T) / ((weights * (W @ H)) @ H.T + tiny)
        H *= (W.T @ target) / (W.T @ (weights * (W @ H)) + tiny)
    return np.asarray(W @ H)
