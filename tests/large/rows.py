"""Random data for the tests of large data, in bits and by lists, with weights and prices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.large.data import prepare
from boolfact.model.packed import PackedMatrix
from boolfact.model.sparse import SparseMatrix


def in_lists(values):
    stored = values != 0
    return SparseMatrix.from_scipy(scipy.sparse.csr_array(stored.astype(np.int8)), values[stored])


@st.composite
def large_data(draw, max_side=8):
    """Small data that are treated as large ones."""
    shape = draw(st.tuples(st.integers(1, 40), st.integers(1, max_side)))
    alphabet = draw(st.sampled_from([(0, 1), (0, 1, -1), (0,), (1,)]))
    values = draw(hnp.arrays(np.int8, shape, elements=st.sampled_from(alphabet)))
    rows = draw(st.sampled_from([PackedMatrix.from_dense, in_lists]))(values)
    for name, size in (("row_weights", shape[0]), ("column_weights", shape[1])):
        if draw(st.booleans()):
            weights = draw(hnp.arrays(np.int64, size, elements=st.integers(1, 4)))
            rows = replace(rows, **{name: weights})
    false, missed = draw(st.sampled_from([(1, 1), (3, 1), (1, 2), (1000, 1), (40_000, 3)]))
    return prepare(replace(rows, false_one_cost=false, missed_one_cost=missed))


def cell_costs(data):
    """What covering each cell costs, missing ones nothing, and what its ones cost uncovered."""
    values = data.rows.values(slice(None))
    weights = np.ones(values.shape, dtype=np.int64)
    if len(data.row_weights):
        weights *= data.row_weights[:, None]
    if len(data.column_weights):
        weights *= data.column_weights
    zeros = np.where(values == 0, weights * data.false_one_cost, 0)
    ones = np.where(values == 1, weights * data.missed_one_cost, 0)
    return zeros, ones


def error_of(data, U, V):
    """Cell by cell."""
    zeros, ones = cell_costs(data)
    total = 0
    for i in range(len(U)):
        for j in range(len(V)):
            covered = (int(U[i]) & int(V[j])) != 0
            total += int(zeros[i, j]) if covered else int(ones[i, j])
    return total
