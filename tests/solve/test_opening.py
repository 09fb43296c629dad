"""On large data `auto` begins with heuristics and is never above them."""

import numpy as np
import pytest

from boolfact.baselines.asso import asso
from boolfact.baselines.grecond import grecond
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset
from boolfact.datasets.planted import planted, roles
from boolfact.model.costs import with_costs
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from boolfact.solve.auto import run_auto
from boolfact.solve.opening import improve_many_patterns, open_with_heuristics, wants_opening
from solve.tasks import ZOO, started

LARGE = planted(700, 300, 10, density=0.1, noise=0.01, seed=1).matrix
BELOW = with_costs(load_dataset("votes"), from_below=True)


@pytest.mark.parametrize(
    ("matrix", "k", "wanted"), [(ZOO, 5, False), (LARGE, 10, True), (BELOW, 5, True)]
)
def test_only_large_data_and_dear_zeros_have_an_opening(matrix, k, wanted):
    with started(Stop(iteration_limit=1), k=k, matrix=matrix) as (task, state, _):
        assert wants_opening(task, state) == wanted


@pytest.mark.parametrize("matrix", [LARGE, BELOW], ids=["large", "below"])
def test_the_best_heuristic_is_kept_and_the_search_begins_with_it(matrix):
    with started(Stop(iteration_limit=1), k=10, matrix=matrix) as (task, state, reporter):
        open_with_heuristics(task, state, task.stop, reporter)
    expected = min(method(matrix, 10).error(matrix) for method in (grecond, asso))
    assert state.error == expected == reporter.error
    assert state.population.waiting[0].error == expected
    assert len(state.pool) > 0


@pytest.mark.parametrize("example", ["sparse", "missing", "costs", "roles"])
def test_auto_is_never_above_them(example):
    matrix = {
        "sparse": LARGE,
        "missing": planted(700, 300, 10, density=0.1, missing=0.1, noise=0.01).matrix,
        "costs": with_costs(LARGE, false_one_cost=3),
        "roles": with_costs(roles(600, 150, 10).matrix, from_below=True),
    }[example]
    matrix = reduce_matrix(matrix).matrix
    with started(Stop(iteration_limit=20), k=10, matrix=matrix, bound="none") as run:
        run_auto(*run)
        state = run[1]
    assert state.error == state.best.error(matrix)
    assert state.error <= min(method(matrix, 10).error(matrix) for method in (grecond, asso))


def test_more_patterns_than_the_search_can_take_are_improved_too():
    rng = np.random.default_rng(0)
    matrix = BinaryMatrix((rng.random((90, 80)) < 0.3).astype(np.int8))
    with started(Stop(time_limit=60), k=66, matrix=matrix) as (task, state, reporter):
        open_with_heuristics(task, state, task.stop, reporter)
        before = state.error
        improve_many_patterns(task, state, reporter)
    assert state.error == state.best.error(matrix) <= before < matrix.ones_weight
