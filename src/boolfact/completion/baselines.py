"""Simple predictions of hidden entries, to compare with: column majority and NMF."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.model.matrix import BinaryMatrix

__all__ = ["column_majority", "masked_nmf", "masked_nmf_scores"]


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
