"""Proofs by a search over columns for small matrices: any circle, any shares."""

from fractions import Fraction

import numpy as np

from boolfact.model.bound import Bound, Quantity


class Circle:
    """The entry of a certificate, as it was given."""

    def __init__(self, order, shares, usual, scale, turned):
        self.fields = {
            "kind": "column_search",
            "transposed": bool(turned),
            "order": [int(j) for j in order],
            "shares": [int(x) for x in shares],
            "usual": [int(x) for x in usual],
            "scale": int(scale),
            "nodes": 7,
        }

    def entry(self):
        return dict(self.fields)


def ones_weight(matrix):
    return int(matrix.weights[matrix.values == 1].sum())


def random_shares(rng, m, total):
    """Positive whole numbers that add up to the total, equal or not at all so."""
    if rng.random() < 0.3:
        shares = np.full(m, total // m)
    else:
        parts = rng.random(m) ** int(rng.integers(1, 5)) + 1e-9
        shares = np.maximum(1, np.floor(parts / parts.sum() * (total - m)).astype(np.int64))
    shares[int(rng.integers(m))] += total - int(shares.sum())
    assert shares.min() >= 1
    assert shares.sum() == total
    return shares


def random_usual(rng, m):
    """How often columns are expected, in thousandths: never, always, alike or anything."""
    kind = rng.random()
    if kind < 0.25:
        return np.zeros(m, dtype=np.int64)
    if kind < 0.4:
        return np.full(m, int(rng.integers(1, 1001)))
    return np.clip(rng.integers(-200, 1200, m), 0, 1000)


def random_search(rng, matrix, k, error, turned=None):
    """The claim that no factorisation has a smaller error, true or not; None if it has no shares.

    The shares must be positive: a target of 0 leaves nothing to give.
    """
    turned = bool(rng.random() < 0.4) if turned is None else turned
    m = matrix.shape[0 if turned else 1]
    target = ones_weight(matrix) - error + 1
    scale = int(rng.integers(1, 4)) * 2 * m
    if target < 1:
        return None
    shares = random_shares(rng, m, scale * target)
    circle = Circle(rng.permutation(m), shares, random_usual(rng, m), scale, turned)
    return Bound(Quantity.ERROR, Fraction(error), k, "search over columns", circle)
