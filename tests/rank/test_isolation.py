import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from boolfact.rank.isolation import (
    IsolationSearch,
    conflicts,
    critical_ones,
    is_isolated,
    isolated_set,
    propagate,
)

import naive
from strategies import matrices


def best_size(matrix):
    return naive.isolation_number(matrix.values, matrix.weights)


@settings(max_examples=60)
@given(matrices(max_side=4))
def test_critical_ones_hold_a_largest_isolated_set(matrix):
    entries = critical_ones(matrix)
    conflict = conflicts(matrix, entries)
    best = 0
    for size in range(len(entries) + 1):
        for some in itertools.combinations(range(len(entries)), size):
            if not conflict[np.ix_(some, some)].any():
                best = size
    assert best == best_size(matrix)


@settings(max_examples=60)
@given(matrices(max_side=4))
def test_covering_critical_ones_with_maximal_rectangles_covers_all(matrix):
    allowed = (matrix.values != 0) | (matrix.weights == 0)
    covered = np.zeros(matrix.shape, dtype=bool)
    for i, j in critical_ones(matrix):
        b = allowed[allowed[:, j] & (np.arange(len(allowed)) == i)].all(axis=0)
        a = allowed[:, b].all(axis=1)
        covered |= np.outer(a, allowed[a].all(axis=0))
    assert covered[matrix.ones & (matrix.weights > 0)].all()


@settings(max_examples=60)
@given(matrices(max_side=4))
def test_the_search_decides_every_size(matrix):
    entries = critical_ones(matrix)
    conflict = conflicts(matrix, entries)
    best = best_size(matrix)
    for target in range(1, best + 2):
        answer = IsolationSearch(entries, conflict, target).advance(Stop())
        if target <= best:
            assert len(answer.isolated) >= target
            assert is_isolated(matrix, answer.isolated)
        else:
            assert answer.isolated is None
        assert answer.decided


@settings(max_examples=40)
@given(matrices(max_side=4))
def test_tabu_search_gives_an_isolated_set(matrix):
    entries = critical_ones(matrix)
    found = isolated_set(entries, conflicts(matrix, entries), stop=Stop(), rounds=1)
    assert is_isolated(matrix, found)
    assert len(found) <= best_size(matrix)
    assert (len(found) > 0) == (best_size(matrix) > 0)


def test_propagation_strikes_out_what_cannot_be_in_a_full_set():
    # Two columns; the second one of column 0 goes with nothing in column 1.
    conflict = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    alive = np.ones(3, dtype=bool)
    assert propagate(alive, conflict, np.array([0, 2, 3]), 2) == 0
    assert alive.tolist() == [True, False, True]
    assert propagate(np.ones(3, dtype=bool), conflict, np.array([0, 2, 3]), 3) == -1


def test_an_interrupted_search_goes_on_where_it_was():
    X = reduce_matrix(load_dataset("zoo")).matrix
    entries = critical_ones(X)
    search = IsolationSearch(entries, conflicts(X, entries), 16)
    stop = Stop()
    stop.interrupt()
    turns = 1
    while not (answer := search.advance(stop)).decided:
        assert answer.isolated is None
        turns += 1
    assert turns > 1
    assert len(answer.isolated) == 16
    assert is_isolated(X, answer.isolated)


def test_what_is_not_isolated():
    X = BinaryMatrix(np.array([[1, 1], [1, 0]], dtype=np.int8))
    assert is_isolated(X, np.array([[0, 1], [1, 0]]))
    assert not is_isolated(X, np.array([[0, 0], [1, 0]]))
    assert not is_isolated(X, np.array([[1, 1]]))
    assert not is_isolated(X, np.array([[0, 1], [0, 1]]))


@pytest.mark.parametrize(("name", "size"), [("zoo", 16), ("heart", 22), ("tumor", 24)])
def test_published_isolation_numbers_are_found(name, size):
    X = reduce_matrix(load_dataset(name)).matrix
    entries = critical_ones(X)
    conflict = conflicts(X, entries)
    assert len(isolated_set(entries, conflict, stop=Stop(), enough=size, rounds=20)) == size
    answer = IsolationSearch(entries, conflict, size + 1).advance(Stop())
    assert answer.decided
    assert answer.isolated is None
