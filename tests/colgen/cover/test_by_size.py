"""The search by size, against every set of columns."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolfact.colgen.cover.by_size import BySize


def instance(seed, largest=30):
    """Prices, loads and columns of some ones; every column has one."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 9))
    own = np.concatenate([np.arange(m), rng.integers(0, m, int(rng.integers(0, 3 * m)))])
    prices = rng.integers(1, largest + 1, len(own))
    loads = rng.integers(0, 1 + largest // 2, (m, len(own)))
    loads *= rng.random(loads.shape) < rng.random()
    loads[own, np.arange(len(own))] = 0
    return rng, prices, loads, own, rng.permutation(m)


def worth(prices, loads, own, b):
    left = prices - loads[b].sum(axis=0)
    return int(np.maximum(left, 0)[b[own]].sum())


def worths(prices, loads, own):
    m = len(loads)
    sets = np.array(list(itertools.product([False, True], repeat=m)))
    return {b.tobytes(): worth(prices, loads, own, b) for b in sets}


def search(by_size, level, rng=None):
    """All trees to their end, in small steps, now and then divided; what was found."""
    found, nodes = [], 0
    for start in range(len(by_size)):
        trees = [by_size.subtree(start)]
        while trees:
            tree = trees.pop(0 if rng is None else int(rng.integers(len(trees))))
            budget = 10**6 if rng is None else int(rng.integers(1, 20))
            finished, best, taken = tree.run(level, budget)
            nodes += taken
            assert taken <= budget
            if best > level:
                found.append((best, by_size.to_columns(tree)))
                level = best
            if not finished:
                if rng is not None and (part := tree.split()) is not None:
                    trees.append(part)
                trees.append(tree)
    return level, found, nodes


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_finds_the_best_set_and_nothing_else(seed):
    rng, prices, loads, own, order = instance(seed)
    known = worths(prices, loads, own)
    most = max(known.values())
    for level in {0, most // 2, most - 1, most, most + 1}:
        best, found, _ = search(BySize(prices, loads, own, order), level, rng)
        assert best == max(level, most)
        for value, b in found:
            assert known[b.tobytes()] == value


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_each_size_finds_the_best_set_of_its_size(seed):
    _, prices, loads, own, order = instance(seed)
    m = len(order)
    known = worths(prices, loads, own)
    for size in range(1, m + 1):
        most = max(x for b, x in known.items() if sum(b) == size)
        best, _, _ = search(BySize(prices, loads, own, order, [size]), 0)
        assert best == most


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_divided_trees_look_at_the_same_sets(seed):
    rng, prices, loads, own, order = instance(seed)
    most = max(worths(prices, loads, own).values())
    whole = search(BySize(prices, loads, own, order), most)
    divided = search(BySize(prices, loads, own, order), most, rng)
    assert divided[2] == whole[2]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_numbers_too_large_for_32_bits(seed):
    _, prices, loads, own, order = instance(seed)
    factor = 10**9
    most = max(worths(prices, loads, own).values())
    best, _, _ = search(BySize(factor * prices, factor * loads, own, order), factor * most - 1)
    assert best == factor * most


def test_many_ones_in_few_columns():
    """Most ones are then no longer taken side by side."""
    rng = np.random.default_rng(1)
    m = 12
    own = np.concatenate([np.arange(m), rng.integers(0, 3, 100)])
    prices = rng.integers(1, 30, len(own))
    loads = rng.integers(0, 12, (m, len(own)))
    loads[own, np.arange(len(own))] = 0
    most = max(worths(prices, loads, own).values())
    assert search(BySize(prices, loads, own, rng.permutation(m)), most - 1)[0] == most
    assert search(BySize(prices, loads, own, rng.permutation(m)), most)[1] == []


@pytest.mark.parametrize("m", [1, 2])
def test_one_and_two_columns(m):
    own = np.arange(m)
    prices = np.arange(3, 3 + m)
    loads = np.zeros((m, m), dtype=np.int64)
    assert search(BySize(prices, loads, own, np.arange(m)), 0)[0] == prices.sum()
