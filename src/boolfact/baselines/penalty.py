"""The penalty method: non-negative factors driven towards 0 and 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boolfact.baselines.checks import checked_rank
from boolfact.control.stop import Stop
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

__all__ = ["penalty"]

_TINY = 1e-9
# Once the penalty outweighs the data by this much, rounding changes nothing any more.
_BINARY = 1e-3


def penalty(
    matrix: BinaryMatrix,
    k: int,
    *,
    growth: float = 1.1,
    start: float = 1e-4,
    max_iter: int = 10_000,
    restarts: int = 5,
    seed: int = 0,
    stop: Stop | None = None,
) -> Factors:
    """The penalty function method of Zhang, Li, Ding and Zhang (2007), known as "pymf".

    Minimises, over W, H >= 0 and with the weights of the entries as factors in the first sum,

        sum (x - W H)^2 / 2  +  (lambda / 2) (sum (W^2 - W)^2 + sum (H^2 - H)^2)

    by multiplicative updates, while lambda grows by a constant factor each round until all
    entries are near 0 or 1; then rounds.

    Parameters
    ----------
    matrix : BinaryMatrix
        Weights count; missing entries have weight 0.
    k : int
    growth : float
        Factor by which lambda grows in a round, above 1.
    start : float
        The first lambda.
    max_iter : int
        Largest number of rounds.
    restarts : int
        Random starts; the best result is returned.
    seed : int
    stop : Stop, optional
        Asked in every round; what there is then is rounded.

    References
    ----------
    Z. Zhang, T. Li, C. Ding and X. Zhang, Binary matrix factorization with applications,
    ICDM 2007.

    Examples
    --------
    >>> from boolfact.datasets import load_dataset
    >>> X = load_dataset("zoo")
    >>> factors = penalty(X, 2)
    >>> factors.rank, factors.error(X) < X.ones_weight
    (2, True)
    """
    k = checked_rank(k)
    if not growth > 1:
        raise ValueError(f"growth must be above 1, got {growth!r}")
    if not start > 0:
        raise ValueError(f"start must be positive, got {start!r}")
    if restarts < 1:
        raise ValueError(f"restarts must be at least 1, got {restarts}")
    stop = stop or Stop()
    scale = float(max(matrix.weights.max(), 1))
    weights = matrix.weights / scale
    best = Factors.empty(matrix.shape, k)
    best_error = matrix.ones_weight
    for child in np.random.SeedSequence(seed).spawn(restarts):
        rng = np.random.default_rng(child)
        W, H = rng.random((matrix.shape[0], k)), rng.random((k, matrix.shape[1]))
        strength = start
        for _ in range(max_iter):
            _update(weights * matrix.ones, weights, W, H, strength)
            _update((weights * matrix.ones).T, weights.T, H.T, W.T, strength)
            strength *= growth
            if (_is_binary(W) and _is_binary(H)) or stop.now():
                break
        factors = Factors(W > 0.5, H > 0.5)
        error = factors.error(matrix)
        if error < best_error:
            best, best_error = factors, error
        if stop.now():
            break
    return best


def _update(
    target: NDArray[np.float64],
    weights: NDArray[np.float64],
    W: NDArray[np.float64],
    H: NDArray[np.float64],
    strength: float,
) -> None:
    """One multiplicative step for W with H fixed, in place.

    The gradient of the penalty splits into 3 W^2 below and 2 W^3 + W above zero.
    """
    pull = target @ H.T + 3 * strength * W**2
    push = (weights * (W @ H)) @ H.T + strength * (2 * W**3 + W)
    W *= pull / (push + _TINY)


def _is_binary(W: NDArray[np.float64]) -> bool:
    return bool((np.minimum(np.abs(W), np.abs(W - 1)) < _BINARY).all())
