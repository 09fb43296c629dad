"""Two searches in turn on large data: each goes on with what the other found."""

from dataclasses import replace

import numpy as np
import pytest

from boolfact.control.stop import Stop
from boolfact.datasets.planted import planted
from boolfact.local_search.population import Population
from boolfact.model.costs import with_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from boolfact.solve.turns import begin_samples, search_in_turns
from solve.tasks import ZOO, started

EXAMPLE = planted(1000, 300, 10, density=0.07, noise=0.01, seed=1)
LARGE = EXAMPLE.matrix
DENSE = planted(1000, 300, 10, density=0.25, noise=0.02, seed=1).matrix


def begun(matrix, run):
    """The run with a search by samples, and what the matrix was reduced to."""
    task, state, reporter = run
    task = replace(task, reduction=reduce_matrix(matrix))
    begin_samples(task, state)
    return task, state, reporter


def test_only_large_sparse_data_without_an_iteration_limit_are_searched_by_samples():
    cases = [(ZOO, Stop(time_limit=9), False), (LARGE, Stop(iteration_limit=5), False)]
    cases.append((DENSE, Stop(time_limit=9), False))
    for matrix, stop, wanted in [*cases, (LARGE, Stop(time_limit=9), True)]:
        with started(stop, k=10, matrix=reduce_matrix(matrix).matrix) as run:
            assert (begun(matrix, run)[1].samples is not None) == wanted


def test_weights_of_entries_are_left_to_the_other_search():
    weights = np.random.default_rng(0).integers(1, 4, LARGE.shape)
    matrix = BinaryMatrix(LARGE.values, weights)
    with started(Stop(time_limit=9), k=10, matrix=reduce_matrix(matrix).matrix) as run:
        assert begun(matrix, run)[1].samples is None


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("prices", [{}, {"false_one_cost": 3}, {"from_below": True}])
def test_the_error_is_that_of_the_factors_and_the_planted_one_is_reached(wide, prices):
    example = planted(2000, 600, 10, density=0.09, missing=0.05, seed=1)
    matrix = with_costs(example.matrix, **prices)
    # Some rows come three times, and so get weights.
    matrix = BinaryMatrix(
        np.vstack([matrix.values, matrix.values[:50], matrix.values[:50]]),
        np.vstack([matrix.weights, matrix.weights[:50], matrix.weights[:50]]),
    )
    matrix = matrix.T if wide else matrix
    reduced = reduce_matrix(matrix).matrix
    assert reduced.shape != matrix.shape
    with started(Stop(time_limit=60, target=0), k=10, matrix=reduced, bound="none") as run:
        task, state, reporter = begun(matrix, run)
        population = Population(reduced, 10, state=state.population, pool=state.pool)
        search_in_turns(task, state, task.stop, reporter, population)
    assert state.error == state.best.error(reduced) == 0


def test_each_search_goes_on_with_what_the_other_found():
    reduced = reduce_matrix(LARGE).matrix
    with started(Stop(time_limit=60), k=10, matrix=reduced, workers=1) as run:
        task, state, reporter = begun(LARGE, run)
        population = Population(reduced, 10, state=state.population, pool=state.pool)
        turns = []
        stop = task.stop.child(until=lambda: len(turns) > 3)
        reporter.found = lambda known, seconds: turns.append(known.error)
        search_in_turns(task, state, stop, reporter, population)
        assert turns == sorted(turns, reverse=True)
        planted_error = Factors(EXAMPLE.factors.A, EXAMPLE.factors.B).error(LARGE)
        assert state.error <= 1.1 * planted_error
        assert population.state.error == state.error
        assert state.samples.best.error <= turns[0]
