"""Random matrices for hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix

MAX_SIDE = 9


def shapes(max_side=MAX_SIDE):
    return st.tuples(st.integers(1, max_side), st.integers(1, max_side))


@st.composite
def matrices(draw, max_side=MAX_SIDE, weighted=None):
    """0/1/missing in any mixture, down to 1x1, all zeros, all ones and all missing."""
    shape = draw(shapes(max_side))
    alphabet = draw(st.sampled_from([(0, 1), (0, 1, -1), (0,), (1,), (-1,), (1, -1), (0, -1)]))
    values = draw(hnp.arrays(np.int8, shape, elements=st.sampled_from(alphabet)))
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 4)))
    return BinaryMatrix(values, weights)


@st.composite
def factors_of(draw, shape, max_rank=4):
    k = draw(st.integers(1, max_rank))
    A = draw(hnp.arrays(np.bool_, (shape[0], k)))
    B = draw(hnp.arrays(np.bool_, (k, shape[1])))
    return Factors(A, B)


@st.composite
def matrix_and_factors(draw, max_side=MAX_SIDE):
    matrix = draw(matrices(max_side))
    return matrix, draw(factors_of(matrix.shape))


@st.composite
def factor_pairs(draw):
    """Two factorisations of the same shape and rank."""
    (n, m), k = draw(shapes(6)), draw(st.integers(1, 4))
    return tuple(
        Factors(draw(hnp.arrays(np.bool_, (n, k))), draw(hnp.arrays(np.bool_, (k, m))))
        for _ in range(2)
    )
