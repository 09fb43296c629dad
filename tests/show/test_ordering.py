import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boolfact.model.factors import Factors
from boolfact.show.ordering import order_by_factors, stretches


@st.composite
def some_factors(draw):
    n, m, k = (draw(st.integers(1, limit)) for limit in (12, 9, 5))
    return Factors(draw(arrays(bool, (n, k))), draw(arrays(bool, (k, m))))


def blocks(codes):
    return sum(len(stretches(column)) for column in codes.T)


@given(some_factors())
def test_both_are_orders_and_equal_codes_stand_together(factors):
    for order, codes in zip(order_by_factors(factors), (factors.A, factors.B.T), strict=True):
        assert sorted(order) == list(range(len(codes)))
        seen = [tuple(code) for code in codes[order]]
        changes = sum(a != b for a, b in itertools.pairwise(seen))
        assert changes == len(set(seen)) - 1
        if not all(map(any, codes)):
            assert not any(seen[-1])


@given(some_factors())
def test_never_more_blocks_than_by_sorting_the_codes(factors):
    for order, codes in zip(order_by_factors(factors), (factors.A, factors.B.T), strict=True):
        sorted_codes = codes[np.lexsort(codes.T[::-1])[::-1]]
        assert blocks(codes[order]) <= blocks(sorted_codes)


def test_disjoint_and_nested_patterns_are_single_blocks():
    rng = np.random.default_rng(0)
    A = np.zeros((60, 5), dtype=bool)
    for u in range(4):
        A[15 * u : 15 * u + 15, u] = True
    A[20:40, 4] = True
    shuffled = A[rng.permutation(60)]
    rows, columns = order_by_factors(Factors(shuffled, shuffled.T))
    assert blocks(shuffled[rows]) == 5
    assert blocks(shuffled[columns]) == 5


@given(arrays(bool, st.integers(0, 12)))
def test_stretches_are_all_that_is_true(flags):
    found = np.zeros(len(flags), dtype=bool)
    last = -1
    for start, stop in stretches(flags):
        assert last < start < stop
        found[start:stop] = True
        last = stop
    assert (found == flags).all()


def test_many_codes_are_ordered_too():
    rng = np.random.default_rng(1)
    codes = rng.random((1500, 12)) < 0.5
    rows, _ = order_by_factors(Factors(codes, np.ones((12, 3), dtype=bool)))
    assert sorted(rows) == list(range(1500))
    assert blocks(codes[rows]) < blocks(codes) / 2
