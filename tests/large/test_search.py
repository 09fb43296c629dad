"""The search on samples, on data small enough to check everything."""

from dataclasses import replace

import numpy as np
import pytest

from boolfact.control.executor import SERIAL, make_executor
from boolfact.control.stop import Stop
from boolfact.datasets.planted import planted
from boolfact.large.data import prepare
from boolfact.large.search import LargeSearch, LargeSettings
from boolfact.local_search.problem import codes_of
from boolfact.model.packed import PackedMatrix
from large.rows import error_of, in_lists

SMALL = LargeSettings(
    sample_cells=2000, most_cells=8000, fewest_rows=40, some_entries=4000, children=8
)


@pytest.fixture(scope="module")
def example():
    return planted(2000, 40, 4, noise=0.02, missing=0.02, seed=3)


@pytest.mark.parametrize("make", [PackedMatrix.from_dense, in_lists])
def test_planted_patterns_are_found_on_samples(example, make):
    data = prepare(make(example.matrix.values))
    search = LargeSearch(data, 4, settings=SMALL)
    search.advance(Stop(iteration_limit=60), SERIAL)
    assert search.best.error <= example.factors.error(example.matrix)
    assert search.best.error == error_of(data, search.best.U, search.best.V)


def test_the_answer_does_not_depend_on_the_workers(example):
    data = prepare(PackedMatrix.from_dense(example.matrix.values))
    found = []
    for workers in (1, 2):
        with make_executor(workers) as executor:
            search = LargeSearch(data, 3, seed=5, settings=SMALL)
            search.advance(Stop(iteration_limit=50), executor)
            found.append((search.best.error, search.best.V.tolist(), search.iterations))
    assert found[0] == found[1]
    assert found[0][2] >= 50


def test_columns_are_sampled_too_and_extended(example):
    data = prepare(in_lists(example.matrix.values))
    settings = replace(SMALL, most_columns=20)
    search = LargeSearch(data, 4, settings=settings)
    search.advance(Stop(iteration_limit=100), SERIAL)
    assert search.best.error == error_of(data, search.best.U, search.best.V)
    assert search.best.error < 1.2 * example.factors.error(example.matrix)


def test_many_patterns_are_searched(example):
    data = prepare(PackedMatrix.from_dense(example.matrix.values[:400]))
    search = LargeSearch(data, 15, settings=SMALL)
    search.advance(Stop(iteration_limit=10), SERIAL)
    assert search.best.error == error_of(data, search.best.U, search.best.V) < data.nothing


def test_from_below_no_zero_is_covered(example):
    values = example.matrix.values
    packed = PackedMatrix.from_dense(values)
    data = prepare(replace(packed, false_one_cost=packed.n_ones + 1))
    search = LargeSearch(data, 4, settings=SMALL)
    search.advance(Stop(iteration_limit=40), SERIAL)
    covered = (search.best.U[:, None] & search.best.V) != 0
    assert covered.any()
    assert not (covered & (values == 0)).any()
    assert search.best.error == ((values == 1) & ~covered).sum()


def test_a_known_solution_is_kept(example):
    data = prepare(PackedMatrix.from_dense(example.matrix.values))
    search = LargeSearch(data, 4, settings=SMALL)
    search.offer(example.factors, stop=Stop(), executor=SERIAL)
    planted_error = error_of(data, codes_of(example.factors.A), codes_of(example.factors.B.T))
    assert search.best.error <= planted_error
    assert search.best.error == error_of(data, search.best.U, search.best.V)


def test_events_tell_of_every_better_error(example):
    events = []
    data = prepare(PackedMatrix.from_dense(example.matrix.values))
    search = LargeSearch(data, 3, settings=SMALL, progress=events.append)
    search.advance(Stop(iteration_limit=30), SERIAL)
    errors = [event.error for event in events]
    assert errors
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == search.best.error


def test_data_without_error_end_at_once():
    values = np.repeat(np.eye(3, dtype=np.int8), 50, axis=0)
    search = LargeSearch(prepare(PackedMatrix.from_dense(values)), 3, settings=SMALL)
    assert search.advance(Stop(iteration_limit=1000), SERIAL) == 0
    assert search.rounds <= 1


def test_limits_are_needed_and_ranks_checked(example):
    data = prepare(PackedMatrix.from_dense(example.matrix.values))
    with pytest.raises(ValueError, match="stop needs"):
        LargeSearch(data, 2).advance(Stop(), SERIAL)
    with pytest.raises(ValueError, match="from 1 to 64"):
        LargeSearch(data, 65)


def test_prices_that_do_not_fit_are_refused():
    packed = PackedMatrix.from_dense(np.ones((2, 2), dtype=np.int8))
    with pytest.raises(ValueError, match="do not fit 64-bit sums"):
        prepare(replace(packed, false_one_cost=2**61, missed_one_cost=2**61))
