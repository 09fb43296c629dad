import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boolfact.baselines.rank_one import (
    alternating,
    linear_program,
    relaxation,
    rounded_relaxation,
)

import naive
from strategies import shapes

worths = shapes(5).flatmap(lambda shape: hnp.arrays(np.int64, shape, elements=st.integers(-3, 3)))


def best_error(worth):
    return min(
        naive.rank_one_error(worth, a, b)
        for a in naive.binary_vectors(worth.shape[0])
        for b in naive.binary_vectors(worth.shape[1])
    )


@settings(max_examples=60)
@given(worths)
def test_the_minimum_cut_solves_the_relaxation(worth):
    a, b = relaxation(worth)
    value = 0.0
    for i in range(worth.shape[0]):
        for j in range(worth.shape[1]):
            x, y = a[i] / 2, b[j] / 2
            if worth[i, j] > 0:
                value += worth[i, j] * max(1 - x, 1 - y)
            else:
                value -= worth[i, j] * max(0, x + y - 1)
    assert value == pytest.approx(naive.rank_one_relaxation(worth), abs=1e-6)


@settings(max_examples=40)
@given(worths)
def test_both_relaxations_are_within_twice_the_least_error(worth):
    least = best_error(worth)
    for step in (linear_program, rounded_relaxation):
        a, b = step(worth, np.random.default_rng(0))
        assert least <= naive.rank_one_error(worth, a, b) <= 2 * least


@settings(max_examples=40)
@given(worths)
def test_alternation_is_never_worse_than_nothing(worth):
    a, b = alternating(worth, np.random.default_rng(0))
    assert naive.rank_one_error(worth, a, b) <= worth[worth > 0].sum()


def test_weights_too_large_for_the_flow_are_refused():
    worth = np.array([[2**40, -1], [1, 1]])
    with pytest.raises(ValueError, match="use rank_one='alternating'"):
        linear_program(worth, np.random.default_rng(0))
