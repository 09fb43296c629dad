"""The bound on the error by assigned cover, as runs get it."""

import numpy as np
import pytest

from boolfact.colgen.cover.grow import CoverSettings, bound_by_cover
from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.datasets import list_datasets
from boolfact.enumeration.search import enumerate_sets
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from boolfact.results.status import Status
from boolfact.solve.engines import bound_error_by_cover, bound_error_by_enumeration
from boolfact.solve.factorize import factorize
from solve.tasks import started

import naive


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("costs", [{}, {"false_one_cost": 2}, {"from_below": True}], ids=str)
def test_the_bound_of_a_run_is_not_above_the_best_error(seed, costs):
    rng = np.random.default_rng(seed)
    shape = (3, 6) if seed % 2 else (6, 3)
    values = (rng.random(shape) < 0.5).astype(np.int8)
    values[rng.random(shape) < 0.1] = -1
    tall = values if seed % 2 == 0 else values.T
    k = 1 + seed % 2
    result = factorize(BinaryMatrix(values), k, bound="error", iteration_limit=3, **costs)
    weights = np.where(tall == 0, costs.get("false_one_cost", 1), 1) * (tall != -1)
    if "from_below" in costs:
        weights = np.where(tall == 0, 100, weights)
    best = naive.best_error(tall, weights, k)
    assert (result.error_lower_bound or 0) <= best <= result.error
    if result.status is Status.OPTIMAL:
        assert result.error == best


def test_what_is_proved_becomes_a_bound_on_the_error_of_the_run():
    stop = Stop(iteration_limit=4)
    with started(stop, bound="error") as (task, state, reporter):
        ending = bound_error_by_cover(task, state, stop, reporter)
        bound = state.bounds[Quantity.ERROR]
        again = state.iterations
    assert isinstance(ending, Ending)
    assert bound.proof.entry()["kind"] == "assigned_cover"
    # The best error known is 125; MLP(1/5) proves 43.
    assert 43 < bound.rounded <= 125
    assert again > 0


GROUPS = CoverSettings(whole_columns=2, part_columns=4, hasty_columns=4)
"""Five columns are divided into four and one, and one is nothing to prove anything of."""


def one_group(seed):
    """Noisy patterns, the bound by one group of their columns, the best error, a worse solution."""
    rng = np.random.default_rng(seed)
    A, B = rng.random((10, 2)) < 0.55, rng.random((2, 5)) < 0.6
    values = ((A.astype(int) @ B) > 0) ^ (rng.random((10, 5)) < 0.12)
    values[:, 4] = A[:, 0]
    matrix = reduce_matrix(BinaryMatrix(values.astype(np.int8))).matrix
    bound = bound_by_cover(matrix, 2, settings=GROUPS, stop=Stop(iteration_limit=60)).bound
    best = naive.best_error(matrix.values, matrix.weights, 2)
    for _ in range(2000):
        n, m = matrix.shape
        worse = Factors(rng.random((n, 2)) < 0.5, rng.random((2, m)) < 0.5)
        if best < worse.error(matrix) <= best + 3:
            return matrix, bound, best, worse
    raise AssertionError("no solution is a little worse")


@pytest.mark.parametrize("seed", [18, 19, 20, 31, 36, 41, 45, 48])
def test_prices_of_a_single_group_of_columns_are_not_those_of_the_whole(seed):
    """With these an enumeration proved whatever error was known."""
    matrix, bound, best, worse = one_group(seed)
    assert len(bound.proof.parts) == 1
    assert bound.proof.parts[0].point.layout.shape[1] < matrix.shape[1] == 5
    assert best < worse.error(matrix)
    with started(Stop(10.0), k=2, matrix=matrix) as (task, state, reporter):
        state.prove(bound)
        state.keep(worse, matrix)
        ending = bound_error_by_enumeration(task, state, task.stop, reporter, small=1.0)
        assert ending is Ending.DONE
        assert state.bounds[Quantity.ERROR].rounded <= best
    with pytest.raises(ValueError, match="prices of the whole matrix"):
        enumerate_sets(matrix, 2, bound.proof.parts[0], transposed=False, factors=worse)


def test_a_solution_without_error_needs_no_bound():
    matrix = BinaryMatrix(np.eye(3, dtype=np.int8))
    with started(Stop(iteration_limit=2), k=3, matrix=matrix) as (task, state, reporter):
        state.keep(Factors(np.eye(3, dtype=bool), np.eye(3, dtype=bool)), matrix)
        assert bound_error_by_cover(task, state, task.stop, reporter) is Ending.PROVED
        assert state.bounds == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", list_datasets())
def test_ten_seconds_prove_something_on_every_bundled_matrix(name):
    result = factorize(name, 5, bound="error", time_limit=10, workers=1)
    assert result.error_lower_bound is not None
    assert 0 < result.error_lower_bound <= result.error
