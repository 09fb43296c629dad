"""What the paper says about the formulations, on small matrices."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog

from boolfact.colgen.loop import generate_columns
from boolfact.colgen.mlp.relaxation import MLP
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.pricing.exact import price_exact

import naive


def isolation_number(X):
    """The largest set of ones no two of which fit into one rectangle of ones."""
    ones = [tuple(e) for e in np.argwhere(X)]

    def grow(chosen, rest):
        best = len(chosen)
        for u, (i, j) in enumerate(rest):
            if all(i != r and j != c and not (X[i, c] and X[r, j]) for r, c in chosen):
                best = max(best, grow([*chosen, (i, j)], rest[u + 1 :]))
        return best

    return grow([], ones)


@st.composite
def with_large_isolation_number(draw):
    """Ones on the diagonal, zeros above it, anything below: the diagonal is isolated."""
    size = draw(st.integers(2, 4))
    X = draw(hnp.arrays(np.int8, (size, size), elements=st.integers(0, 1)))
    X = np.tril(X, -1) + np.eye(size, dtype=np.int8)
    rows, columns = draw(st.permutations(range(size))), draw(st.permutations(range(size)))
    return X[np.ix_(rows, columns)]


@given(with_large_isolation_number(), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_below_the_isolation_number_the_relaxation_is_positive(X, k):
    """Lemma lp_NOT_zero_text."""
    assert isolation_number(X) == len(X)
    k = min(k, len(X) - 1)
    result = generate_columns(MLP(BinaryMatrix(X), k, Fraction(1, k), on=Quantity.ERROR))
    assert result.is_optimal
    assert result.bound.value > 0
    assert result.bound.rounded >= 1


def test_between_isolation_number_and_rank_the_relaxation_may_be_zero():
    """J4 - I4 has isolation number 3 and Boolean rank 4; at k = 3 six halves cover it."""
    X = 1 - np.eye(4, dtype=np.int8)
    assert isolation_number(X) == 3
    assert naive.best_error(X, np.ones((4, 4), dtype=np.int64), 3) > 0
    for formulation in ("rho", "exact"):
        result = generate_columns(
            MLP(BinaryMatrix(X), 3, Fraction(1, 3), on=Quantity.ERROR, formulation=formulation)
        )
        assert result.is_optimal
        assert result.master_value == pytest.approx(0, abs=1e-5)
        assert result.bound.rounded == 0
    below = generate_columns(MLP(BinaryMatrix(X), 2, Fraction(1, 2)))
    assert below.bound.value > 0


def strong_relaxation(X, columns, k):
    """The strong formulation over the given columns, copies allowed: value and prices of ones."""
    ones, zeros = np.argwhere(X == 1), np.argwhere(X == 0)
    size = len(columns)
    cost = np.concatenate([np.zeros(size), np.ones(len(ones)), np.ones(len(zeros))])
    rows, limits = [], []
    for u, (i, j) in enumerate(ones):
        row = np.zeros(len(cost))
        row[:size] = [-float(a[i] and b[j]) for a, b in columns]
        row[size + u] = -1
        rows.append(row)
        limits.append(-1.0)
    for r, (a, b) in enumerate(columns):
        for u, (i, j) in enumerate(zeros):
            row = np.zeros(len(cost))
            row[r] = float(a[i] and b[j])
            row[size + len(ones) + u] = -1
            rows.append(row)
            limits.append(0.0)
    rows.append(np.concatenate([np.ones(size), np.zeros(len(cost) - size)]))
    limits.append(float(k))
    solved = linprog(cost, rows, limits, method="highs")
    return solved.fun, -solved.ineqlin.marginals[: len(ones)]


def test_the_strong_formulation_only_generates_copies_of_one_column():
    """The appendix: a new column has no constraint on zeros yet, so covering them looks free."""
    X = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 0]], dtype=np.int8)
    zeros = int((X == 0).sum())
    columns = [(np.ones(4, dtype=bool), np.ones(3, dtype=bool))]
    for t in range(1, 6):
        value, prices = strong_relaxation(X, columns, k=2)
        assert value == pytest.approx(zeros / t)
        H = np.zeros(X.shape, dtype=np.int64)
        H[X == 1] = np.rint(prices * 2**20)
        everything = int(H.sum())
        assert price_exact(H).value == everything > 0
        columns.append((np.ones(4, dtype=bool), np.ones(3, dtype=bool)))
