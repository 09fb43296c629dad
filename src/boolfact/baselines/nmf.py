"""NMF: non-negative factors, rounded at a threshold."""

from __future__ import annotations

import warnings

import numpy as np

from boolfact.baselines.checks import checked_rank, refuse_missing, refuse_weights
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["nmf"]


def nmf(
    matrix: BinaryMatrix,
    k: int,
    *,
    threshold: float = 0.5,
    restarts: int = 10,
    max_iter: int = 500,
    seed: int = 0,
    stop: Stop | None = None,
) -> Factors:
    """Non-negative matrix factorisation of scikit-learn; factor entries above 0.5 become 1.

    Minimises the squared error of the real product W H over W, H >= 0 by coordinate descent
    from a random start and rounds both factors. The scale of W against H is whatever the
    start leads to, and rounding depends on it, so several starts are tried and the one with
    the least Boolean error is kept.

    Parameters
    ----------
    matrix : BinaryMatrix
        Complete and unweighted: coordinate descent knows neither weights nor gaps.
    k : int
    threshold : float
    restarts : int
    max_iter : int
        Sweeps of coordinate descent.
    seed : int
    stop : Stop, optional
        Asked after each start.

    References
    ----------
    D. D. Lee and H. S. Seung, Learning the parts of objects by non-negative matrix
    factorization, Nature 401, 1999.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("zoo")
    >>> factors = nmf(X, 2)
    >>> factors.rank, factors.error(X) < X.ones_weight
    (2, True)
    """
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    k = checked_rank(k)
    refuse_weights(matrix, "nmf")
    refuse_missing(matrix, "nmf")
    if restarts < 1:
        raise ValueError(f"restarts must be at least 1, got {restarts}")
    best = Factors.empty(matrix.shape, k)
    best_error = matrix.ones_weight
    values = matrix.ones.astype(np.float64)
    if not values.any():
        return best
    for own_seed in np.random.SeedSequence(seed).generate_state(restarts):
        model = NMF(k, init="random", random_state=int(own_seed), max_iter=max_iter)
        with warnings.catch_warnings():
            # Rounding does not need the last digits.
            warnings.simplefilter("ignore", ConvergenceWarning)
            W = model.fit_transform(values)
        factors = Factors(threshold < W, threshold < model.components_)
        error = factors.error(matrix)
        if error < best_error:
            best, best_error = factors, error
        if stop is not None and stop.now():
            break
    return best
