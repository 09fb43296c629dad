"""Planted matrices: a known Boolean product, noise, and hidden entries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.model.matrix import MISSING, BinaryMatrix

__all__ = ["Planted", "planted", "roles", "synthetic_family"]


@dataclass(frozen=True)
class Planted:
    """A generated matrix together with the factors that were planted in it."""

    matrix: BinaryMatrix
    factors: Factors


def planted(
    n: int,
    m: int,
    k: int,
    *,
    density: float = 0.3,
    noise: float = 0.0,
    missing: float = 0.0,
    seed: int = 0,
) -> Planted:
    """A random Boolean product with noise and missing entries.

    Parameters
    ----------
    n, m, k : int
        Rows, columns, and the number of planted patterns.
    density : float
        Probability that an entry of a factor is 1. Each pattern has at least one row and
        one column.
    noise : float
        Probability that an entry of the product is flipped.
    missing : float
        Probability that an entry is hidden.
    seed : int

    Examples
    --------
    >>> example = planted(20, 10, 3, seed=1)
    >>> example.factors.error(example.matrix)
    0
    """
    for name, size in (("n", n), ("m", m), ("k", k)):
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    for name, share in (("density", density), ("noise", noise), ("missing", missing)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must be between 0 and 1, got {share}")
    rng = np.random.default_rng(seed)
    A = rng.random((n, k)) < density
    B = rng.random((k, m)) < density
    A[rng.integers(n, size=k), np.arange(k)] = True
    B[np.arange(k), rng.integers(m, size=k)] = True
    return _observe(A, B, noise, missing, rng)


def roles(
    n: int = 1200, m: int = 300, k: int = 18, *, extra: float = 0.01, seed: int = 0
) -> Planted:
    """Permissions of users who hold planted roles: what role mining is about.

    A role has 8 to 40 permissions, a user holds one to six roles and some permissions besides.
    Nobody lacks a permission of a role, so the planted roles fit from below.

    Parameters
    ----------
    n, m, k : int
        Users, permissions and roles; at least 40 permissions.
    extra : float
        Probability of a permission that no role of the user has.
    seed : int

    Examples
    --------
    >>> example = roles(50, 40, 5, extra=0, seed=1)
    >>> example.factors.error(example.matrix)
    0
    """
    smallest, largest, most_held = 8, 40, 6
    if n < 1 or k < 1 or m < largest:
        raise ValueError(
            f"roles need a user, a role and {largest} permissions at least, got n = {n}, "
            f"m = {m}, k = {k}"
        )
    if not 0 <= extra <= 1:
        raise ValueError(f"extra must be between 0 and 1, got {extra}")
    rng = np.random.default_rng(seed)
    A, B = np.zeros((n, k), dtype=np.bool_), np.zeros((k, m), dtype=np.bool_)
    for role in B:
        role[rng.choice(m, rng.integers(smallest, largest + 1), replace=False)] = True
    for user in A:
        held = rng.integers(1, min(k, most_held) + 1)
        user[rng.choice(k, held, replace=False)] = True
    factors = Factors(A, B)
    values = factors.product() | (rng.random((n, m)) < extra)
    return Planted(BinaryMatrix(values.astype(np.int8)), factors)


def _observe(
    A: NDArray[np.bool_],
    B: NDArray[np.bool_],
    noise: float,
    missing: float,
    rng: np.random.Generator,
) -> Planted:
    factors = Factors(A, B)
    product = factors.product()
    values = (product ^ (rng.random(product.shape) < noise)).astype(np.int8)
    values[rng.random(product.shape) < missing] = MISSING
    return Planted(BinaryMatrix(values), factors)


def synthetic_family(
    n: int, zeros: float = 0.5, noise: float = 0.0, *, seed: int = 0, m: int = 20, rank: int = 10
) -> Planted:
    """One matrix of the synthetic test family of the column generation literature.

    n is 20, 35 or 50 there, with 20 columns, Boolean rank 10, half or three quarters zeros,
    and no or 5 % noise. The density of the factors is chosen to give the product the
    asked share of zeros in expectation, and the planted patterns are certified to have full
    Boolean rank: pattern l owns a row and a column that no other pattern shares, so the
    entries where they meet are isolated ones.

    Examples
    --------
    >>> example = synthetic_family(20, zeros=0.75, noise=0.05, seed=3)
    >>> example.matrix.shape, example.factors.rank
    ((20, 20), 10)
    """
    if min(n, m) < rank:
        raise ValueError(f"rank {rank} needs at least {rank} rows and columns, got {n} and {m}")
    if not 0 < zeros < 1:
        raise ValueError(f"zeros must be between 0 and 1, got {zeros}")
    rng = np.random.default_rng(seed)
    own_rows = rng.permutation(n)[:rank]
    own_columns = rng.permutation(m)[:rank]
    # An own row holds one pattern only, which makes those rows sparser: the density of the
    # rest is searched so that the expected share of zeros of the whole is right.
    draws_a, draws_b = rng.random((n, rank)), rng.random((rank, m))
    low, high = 0.0, 1.0
    for _ in range(50):
        density = (low + high) / 2
        A, B = draws_a < density, draws_b < density
        A[own_rows] = np.eye(rank, dtype=bool)
        B[:, own_columns] = np.eye(rank, dtype=bool)
        if 1 - Factors(A, B).product().mean() > zeros:
            low = density
        else:
            high = density
    return _observe(A, B, noise, 0.0, rng)
