"""The error of large data, recomputed a block at a time, against the plain sum over entries."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate.large import recomputed
from boolfact.model.packed import PackedMatrix
from large.rows import large_data

RHO = Fraction(3, 4)


def plainly(rows, A, B):
    """Entry by entry: the error, and MIP(rho), where every cover of a zero costs rho of it."""
    values = rows.values(slice(None))
    weights = np.ones(values.shape, dtype=np.int64)
    if rows.row_weights is not None:
        weights *= rows.row_weights[:, None]
    if rows.column_weights is not None:
        weights *= rows.column_weights
    times = A.astype(np.int64) @ B.astype(np.int64)
    missed = rows.missed_one_cost * int(weights[(values == 1) & (times == 0)].sum())
    zeros = np.where(values == 0, weights * rows.false_one_cost, 0)
    return missed + int(zeros[times > 0].sum()), missed + RHO * int((zeros * times).sum())


@settings(max_examples=60, deadline=None)
@given(large_data(), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_it_is_the_plain_sum(data, seed, k):
    rng = np.random.default_rng(seed)
    n, m = data.rows.shape
    A, B = rng.random((n, k)) < 0.6, rng.random((k, m)) < 0.6
    assert recomputed(A, B, data.rows, RHO) == plainly(data.rows, A, B)


@pytest.mark.parametrize("weighted", [False, True])
def test_more_blocks_than_one_add_up(weighted):
    rng = np.random.default_rng(0)
    values = rng.integers(-1, 2, (3000, 1000)).astype(np.int8)
    rows = PackedMatrix.from_dense(values)
    if weighted:
        heights, widths = rng.integers(1, 5, 3000), rng.integers(1, 5, 1000)
        rows = dataclasses.replace(
            rows, row_weights=heights, column_weights=widths, false_one_cost=2, missed_one_cost=3
        )
    A, B = rng.random((3000, 2)) < 0.5, rng.random((2, 1000)) < 0.5
    assert recomputed(A, B, rows, RHO) == plainly(rows, A, B)
