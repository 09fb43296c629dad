"""Shifts come to nothing over all columns, whatever they are made of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.certificate.columns.shifts import make_shifts, unit_of
from certificate.circles import random_shares, random_usual


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_they_add_up_to_nothing_and_are_what_is_expected(seed, k):
    rng = np.random.default_rng(seed)
    m, n = (int(x) for x in rng.integers(1, 9, 2))
    columns = rng.integers(-5, 6, (m, n)) * int(10 ** rng.integers(0, 4))
    shares = [int(x) for x in random_shares(rng, m, 1000)]
    usual = [int(x) for x in random_usual(rng, m)]
    unit = unit_of(columns)
    shifts = make_shifts(columns, shares, usual, k, unit)
    assert shifts.shape == (m, k, n)
    assert not shifts.sum(axis=0).any()
    heaviest = int(np.argmax(shares))
    for q in range(k):
        covered = 1 - (1 - np.array(usual) / 1000) ** (q + 1)
        expected = unit * columns * covered[:, None]
        exact = np.outer(np.array(shares) / 1000, expected.sum(axis=0)) - expected
        others = np.arange(m) != heaviest
        assert np.abs(shifts[others, q] - exact[others]).max(initial=0) <= 0.5 + 1e-6
        assert np.abs(shifts[heaviest, q] - exact[heaviest]).max() <= 0.5 * m + 1e-6


@pytest.mark.parametrize(
    ("weight", "unit"), [(1, 64), (60, 64), (4000, 1), (2**27, 1), (2**29, 0), (2**60, 0)]
)
def test_heavy_entries_leave_less_room(weight, unit):
    columns = np.array([[weight, -weight], [-weight, weight]])
    assert unit_of(columns) == unit
