"""The bound on the error by assigned cover, as runs get it."""

import numpy as np
import pytest

from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.datasets import list_datasets
from boolfact.model.bound import Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.status import Status
from boolfact.solve.engines import bound_error_by_cover
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
