import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.datasets import load_dataset, planted
from boolfact.factors import Factors
from boolfact.selection import description_length, rank_path, stability

from strategies import matrix_and_factors


def set_bits(among, size):
    return math.log2(among + 1) + math.log2(math.comb(among, size))


@given(matrix_and_factors())
def test_description_length_is_the_sum_of_its_parts(case):
    matrix, factors = case
    n, m = matrix.shape
    product, seen = factors.product(), ~matrix.missing
    bits = math.log2(min(n, m) + 1)
    for a, b in factors.rectangles:
        if a.any() and b.any():
            bits += set_bits(n, a.sum()) + set_bits(m, b.sum())
    bits += set_bits((product & seen).sum(), (product & seen & ~matrix.ones).sum())
    bits += set_bits((~product & seen).sum(), (~product & matrix.ones).sum())
    assert description_length(factors, matrix) == pytest.approx(bits)


@given(matrix_and_factors(), st.randoms(use_true_random=False))
def test_stability_does_not_see_the_order_of_patterns(case, random):
    _, factors = case
    order = list(range(factors.rank))
    random.shuffle(order)
    shuffled = Factors(factors.A[:, order], factors.B[order])
    assert stability([factors, shuffled]) == pytest.approx(1.0)


def test_stability_of_patterns_without_a_common_entry_is_zero():
    left = Factors(np.array([[1], [0]]), np.array([[1, 0]]))
    right = Factors(np.array([[0], [1]]), np.array([[0, 1]]))
    assert stability([left, right]) == 0.0
    with pytest.raises(ValueError, match="at least two"):
        stability([left])


def test_the_path_never_gets_worse_with_a_larger_rank():
    path = rank_path(load_dataset("zoo"), 6, time_limit=30, iteration_limit=5)
    errors = [point.error for point in path.points]
    assert errors == sorted(errors, reverse=True)
    assert [point.k for point in path.points] == list(range(1, 7))
    assert path[2].factors.rank == 2
    assert path.as_dict()["path"][0]["k"] == 1
    with pytest.raises(KeyError, match="ranks 1 to 6"):
        path[7]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_planted_rank_is_recommended(seed):
    example = planted(200, 60, 5, noise=0.05, seed=seed)
    path = rank_path(example.matrix, 8, time_limit=60, iteration_limit=3)
    assert path.recommended == 5
    assert "shortest description" in path.reason


def test_cross_validation_and_stability_are_measured_when_asked_for():
    example = planted(40, 20, 2, noise=0.02, seed=3)
    path = rank_path(example.matrix, 3, time_limit=60, iteration_limit=2, folds=2, seeds=2)
    assert path[2].hidden_error < path[1].hidden_error
    assert 0.9 < path[2].stability <= 1
    assert "hidden entries are predicted best" in path.reason


@pytest.mark.parametrize("bad", [{"max_rank": 0}, {"folds": 1}, {"seeds": 1}])
def test_bad_arguments_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        rank_path("zoo", **{"max_rank": 2, **bad})
