"""Whole searches, against the best error there is."""

import json
from fractions import Fraction

import numpy as np
import pytest

from boolfact.column_search.search import MOST_PATTERNS, SearchSettings, search_columns
from boolfact.control.ending import Ending
from boolfact.control.executor import ThreadExecutor
from boolfact.control.stop import Stop
from boolfact.datasets.bundled import load_dataset
from boolfact.datasets.planted import planted
from boolfact.model.bound import Quantity
from boolfact.model.costs import with_costs
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.model.reduction import reduce_matrix
from colgen.cover.points import random_matrix

import naive

COSTS = (
    {},
    {"false_one_cost": 3},
    {"false_one_cost": 2, "missed_one_cost": 3},
    {"from_below": True},
)
SHORT = SearchSettings(first_nodes=40, most_trial_nodes=400, batch=3, stale=2, trial_nodes=2000)


def nothing(matrix, k):
    n, m = matrix.shape
    return Factors(np.zeros((n, k), dtype=bool), np.zeros((k, m), dtype=bool))


def check(seed, settings=None):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 7)), int(rng.integers(1, 6))
    k = int(rng.choice([1, 2, 3])) if m < 4 else int(rng.choice([1, 2]))
    matrix = with_costs(random_matrix(rng, n, m), **COSTS[seed % len(COSTS)])
    best = naive.best_error(matrix.values, matrix.weights, k)
    if rng.random() < 0.4:
        matrix = matrix.T
    if rng.random() < 0.5:
        matrix = reduce_matrix(matrix).matrix
    start = nothing(matrix, k)
    if rng.random() < 0.5:
        start = Factors(rng.random(start.A.shape) < 0.3, rng.random(start.B.shape) < 0.3)
    found = search_columns(matrix, k, factors=start, seed=seed, settings=settings)
    assert found.ending is Ending.PROVED
    error = start.error(matrix) if found.factors is None else found.factors.error(matrix)
    assert error == best
    if best:
        assert found.bound.on is Quantity.ERROR
        assert found.bound.value == best
        assert found.bound.k == k
        proof = found.bound.proof
        order = proof.order
        assert len(proof.usual) == len(order)
        assert sorted(order) == list(range(min(matrix.shape)))


@pytest.mark.parametrize("seed", range(200))
def test_the_least_error_is_found_and_proved(seed):
    check(seed, SHORT if seed % 2 else None)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 4000))
def test_the_least_error_is_found_and_proved_often(seed):
    check(seed, SHORT if seed % 2 else None)


def test_answers_do_not_depend_on_the_workers():
    matrix = planted(40, 14, 3, noise=0.15, seed=1).matrix
    answers = []
    for workers in (1, 3):
        with ThreadExecutor(workers) as executor:
            found = search_columns(
                matrix, 2, factors=nothing(matrix, 2), stop=Stop(iteration_limit=4),
                executor=executor, settings=SearchSettings(nodes_per_iteration=4000),
            )  # fmt: skip
        answers.append((found.bound.value, found.nodes, found.ending, found.bound.proof.entry()))
    assert answers[0] == answers[1]


def test_an_iteration_limit_ends_it_with_a_bound():
    matrix = reduce_matrix(load_dataset("heart")).matrix
    found = search_columns(matrix, 3, factors=nothing(matrix, 3), stop=Stop(iteration_limit=6))
    assert found.ending is Ending.ITERATION_LIMIT
    assert 0 < found.bound.value <= 976


def test_a_stop_ends_it():
    matrix = reduce_matrix(load_dataset("heart")).matrix
    stop = Stop()
    stop.interrupt()
    found = search_columns(matrix, 3, factors=nothing(matrix, 3), stop=stop)
    assert found.ending is Ending.INTERRUPTED
    assert found.bound is None


@pytest.mark.parametrize(("name", "k", "least"), [("zoo", 1, 415), ("zoo", 2, 271)])
def test_bundled_matrices_from_nothing(name, k, least):
    matrix = reduce_matrix(load_dataset(name)).matrix
    events = []
    found = search_columns(matrix, k, factors=nothing(matrix, k), progress=events.append)
    assert found.bound.value == found.factors.error(matrix) == least
    shown = [e.error_lower_bound for e in events if e.error_lower_bound is not None]
    assert shown == sorted(shown)
    assert shown[-1] == least


def test_there_is_nothing_to_prove_where_all_is_covered():
    matrix = planted(8, 6, 2, seed=0).matrix
    found = search_columns(matrix, 2, factors=search_columns(
        matrix, 2, factors=nothing(matrix, 2)).factors)  # fmt: skip
    assert (found.bound, found.factors, found.ending) == (None, None, Ending.PROVED)


@pytest.mark.parametrize("k", [0, MOST_PATTERNS + 1])
def test_ranks_that_it_cannot_do_are_refused(k):
    matrix = planted(8, 6, 2, seed=0).matrix
    with pytest.raises(ValueError, match=f"k must be from 1 to {MOST_PATTERNS}.*got {k}"):
        search_columns(matrix, k, factors=nothing(matrix, 1))


def test_the_bound_says_what_proved_it():
    matrix = reduce_matrix(load_dataset("zoo")).matrix
    for X, name in ((matrix, "search over columns"), (matrix.T, "search over rows")):
        bound = search_columns(X, 1, factors=nothing(X, 1)).bound
        assert bound.relaxation == name
        assert bound.value == Fraction(415)
        assert bound.proof.transposed == (name == "search over rows")


def test_a_search_that_is_left_again_and_again_ends_with_the_same_answer():
    matrix = reduce_matrix(load_dataset("heart")).matrix
    whole = search_columns(matrix, 2, factors=nothing(matrix, 2))
    rng = np.random.default_rng(0)
    kept, found, rounds = None, None, 0
    start = nothing(matrix, 2)
    while found is None or found.ending is not Ending.PROVED:
        states = []
        stop, last = Stop(), int(rng.integers(1, 40))

        def keep(state, states=states, stop=stop, last=last):
            states.append(json.loads(json.dumps(state)))
            if len(states) == last:
                stop.interrupt()

        found = search_columns(
            matrix, 2, factors=start, stop=stop, seed=rounds, resume=kept, keep=keep
        )
        kept = states[-1] if states else kept
        rounds += 1
    assert rounds > 5
    assert found.bound.value == whole.bound.value == 1185
    assert found.factors.error(matrix) == 1185


def test_branches_that_were_finished_with_other_numbers_are_searched_again():
    """A share or a shift that is rounded otherwise elsewhere makes another level."""
    rng = np.random.default_rng(3)
    matrix = BinaryMatrix((rng.random((9, 6)) < 0.5).astype(np.int8))
    best = naive.best_error(matrix.values, matrix.weights, 2)
    start, states = nothing(matrix, 2), []
    search_columns(matrix, 2, factors=start, settings=SHORT, keep=states.append)
    state = {**states[-1], "error": best + 1, "done": list(range(1000)), "mark": "of elsewhere"}
    state.update(proof=None, B=["0" * 6] * 2)
    found = search_columns(matrix, 2, factors=start, settings=SHORT, resume=state)
    assert found.bound.value == best
    assert found.factors.error(matrix) == best


def test_a_node_limit_ends_it():
    matrix = reduce_matrix(load_dataset("heart")).matrix
    found = search_columns(matrix, 3, factors=nothing(matrix, 3), node_limit=300_000)
    assert found.ending is Ending.ITERATION_LIMIT
    assert 0 < found.bound.value <= 976


def test_weights_too_large_to_add_up_prove_nothing():
    X = random_matrix(np.random.default_rng(1), 4, 3)
    for factor in (1 << 20, 1 << 28, 1 << 40):
        heavy = BinaryMatrix(X.values, X.weights * factor)
        found = search_columns(heavy, 1, factors=nothing(heavy, 1))
        if found.bound is None:
            assert (found.ending, found.nodes) == (Ending.DONE, 0)
            assert factor > 1 << 20
        else:
            best = naive.best_error(X.values, X.weights, 1)
            assert found.bound.value == best * factor
