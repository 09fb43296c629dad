"""A leaf proved by prices of the ones: MLP(rho) for what is left, with named rectangles.

For whole numbers D (the scale) and p >= 0, p <= D w on the ones that need not be covered, and
omegas that bound the worth (sum of p over the ones of R, less D rho times the weight of its zeros)
of every rectangle R that may be the named rectangle u, and, never below 0, of every rectangle,

    D (cost - what is paid)  >=  sum p - sum of the omegas of the s named - (k - s) omega,

for every factorisation that keeps to the decisions: an uncovered one costs D w >= p, a one that
must be covered is, and the worths of the k rectangles together are at most what is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.certificate.reading import (
    MOST_WHOLE,
    CertificateError,
    Reduced,
    fraction,
    sequence,
    whole,
)
from boolfact.certificate.tree.decisions import Named, Path, Remaining

__all__ = ["Leaf", "read_leaf"]

_FIELDS = {"kind", "rho", "scale", "p", "omegas", "bound"}


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf whose figures are consistent; its omegas are still to be proved.

    Attributes
    ----------
    limits : list of (H, limit)
        Whole numbers for which max a'Hb <= limit over all rectangles is to be proved.
    times : list of int
        How often each omega is taken off.
    total, scale, constant
        The value is constant + (total - sum of times * omega) / scale.
    omegas, raised : list of int
        limit = omega + raised.
    """

    limits: list[tuple[NDArray[np.int64], int]]
    times: list[int]
    raised: list[int]
    total: int
    scale: int
    constant: Fraction

    def value(self, proved: list[int]) -> Fraction:
        """The bound that follows from limits that were proved."""
        off = sum(
            times * (limit - raised)
            for times, limit, raised in zip(self.times, proved, self.raised, strict=True)
        )
        return self.constant + Fraction(self.total - off, self.scale)


def read_leaf(
    proof: dict[str, Any],
    arrays: list[list[int]],
    path: Path,
    reduced: Reduced,
    rho: Fraction | None,
) -> Leaf:
    """The figures of a leaf, checked.

    Parameters
    ----------
    proof : dict
    arrays : list of lists of int
        Prices, to which the proof refers.
    path : Path
        Not impossible.
    reduced : Reduced
    rho : Fraction or None
        Of the objective; None for the error, of which MLP(rho) is a bound if k rho <= 1.
    """
    if set(proof) != _FIELDS:
        raise CertificateError("a proof by mlp must have " + ", ".join(sorted(_FIELDS)))
    own = fraction(proof["rho"], "rho of a leaf")
    if own <= 0 or (own * path.k > 1 if rho is None else own != rho):
        expected = f"at most 1/{path.k}" if rho is None else str(rho)
        raise CertificateError(f"rho of a leaf must be {expected}, got {own}")
    scale = whole(proof["scale"], "scale", 1)
    if (own * scale).denominator != 1:
        raise CertificateError(f"scale times rho must be whole, got {scale} and {own}")
    place = whole(proof["p"], "the number of an array")
    if place >= len(arrays):
        raise CertificateError(f"there is no array {place}")
    left = path.remaining(reduced)
    H = _pricing_matrix(arrays[place], scale, int(own * scale), left, reduced)
    omegas = [whole(x, "an omega", -MOST_WHOLE) for x in sequence(proof["omegas"], "omegas")]
    named = path.named
    if len(omegas) != len(named) + 1 or omegas[-1] < 0 or (len(named) == path.k and omegas[-1]):
        raise CertificateError("omegas must be one for each named rectangle and one for the others")
    total = sum(arrays[place])
    limits, times, raised = [], [], []
    for rectangle, omega in zip([*named, None], omegas, strict=True):
        often = path.k - len(named) if rectangle is None else 1
        if not often:
            continue
        small, by = _class_matrix(H, left.barred, rectangle)
        if omega + by < 0:
            raise CertificateError("an omega is less than what a rectangle is worth")
        limits.append((small, omega + by))
        times.append(often)
        raised.append(by)
    zero_price = Fraction(1) if rho is None else rho
    leaf = Leaf(limits, times, raised, total, scale, left.constant(zero_price))
    value = leaf.value([limit for _, limit in limits])
    if fraction(proof["bound"], "the bound of a leaf") != value:
        raise CertificateError(f"the bound of a leaf must be {value}, got {proof['bound']}")
    return leaf


def _pricing_matrix(
    p: list[int], scale: int, zero_price: int, left: Remaining, reduced: Reduced
) -> NDArray[np.int64]:
    """What each entry adds to the worth of a rectangle; p goes through the ones row by row."""
    ones = np.argwhere(reduced.values == 1)
    if len(p) != len(ones):
        raise CertificateError(f"p must have a price for each of {len(ones)} ones, got {len(p)}")
    zeros = int(left.weights[left.values == 0].astype(object).sum())
    if max(zero_price * max(1, zeros), sum(p)) >= MOST_WHOLE:
        raise CertificateError("the figures are too large")
    H = np.where(left.values == 0, -zero_price * left.weights, 0)
    for (i, j), x in zip(ones, p, strict=True):
        if left.barred[i, j] and x:
            raise CertificateError(f"p is {x} at ({i}, {j}), which is paid for")
        if not left.free[i, j] and x > int(left.weights[i, j]) * scale:
            raise CertificateError(
                f"p is {x} at ({i}, {j}), above weight times scale "
                f"= {int(left.weights[i, j]) * scale}"
            )
        H[i, j] = x
    return H


def _class_matrix(
    H: NDArray[np.int64], barred: NDArray[np.bool_], named: Named | None
) -> tuple[NDArray[np.int64], int]:
    """A matrix whose rectangles stand for those that may be the named one, and what was added.

    Rows and columns that are out go; those that are in become one row and one column. Their
    common entry is raised by more than all that could be gained by leaving one of them out, so
    every rectangle of the class is worth its worth and what was added. A barred entry costs more
    than its row or column can bring.
    """
    n, m = H.shape
    rows: list[list[int]] = [[i] for i in range(n)]
    columns: list[list[int]] = [[j] for j in range(m)]
    if named is not None:
        inside, outside = sorted(named.rows), named.no_rows | named.rows
        rows = [inside, *([i] for i in range(n) if i not in outside)]
        inside, outside = sorted(named.columns), named.no_columns | named.columns
        columns = [inside, *([j] for j in range(m) if j not in outside)]
    exact = H.astype(object)
    small = np.array(
        [[exact[np.ix_(r, c)].sum() for c in columns] for r in rows], dtype=object
    ).reshape(len(rows), len(columns))
    closed = np.array([[barred[np.ix_(r, c)].any() for c in columns] for r in rows])
    closed = closed.reshape(small.shape)
    gains = np.where(closed, 0, np.maximum(small, 0))
    by_row, by_column = gains.sum(axis=1), gains.sum(axis=0)
    for r, c in np.argwhere(closed):
        if named is None:
            small[r, c] = -min(by_row[r], by_column[c]) - 1
        else:
            # Where the row or the column cannot be left out, the other one has to be.
            small[r, c] = -(by_column[c] if r == 0 else by_row[r]) - 1
    raised = 0
    if named is not None:
        raised = 1 - sum(min(0, x) for x in small[0]) - sum(min(0, x) for x in small[:, 0])
        small[0, 0] += raised
    if sum(abs(x) for x in small.ravel()) >= MOST_WHOLE:
        raise CertificateError("the figures are too large")
    return small.astype(np.int64), int(raised)
