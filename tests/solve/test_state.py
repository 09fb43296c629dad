"""The state of a run is data: it can be stored, copied, and gone on from."""

import pickle
from fractions import Fraction

import numpy as np

from boolfact.baselines.k_greedy import k_greedy
from boolfact.control.stop import Stop
from boolfact.control.trace import TracePoint
from boolfact.model.bound import Bound, Quantity
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.solve.engines import bound_objective, search
from boolfact.solve.reporter import Reporter
from boolfact.solve.state import State
from solve.tasks import ZOO, started


class Unproved:
    def entry(self):
        return {}


def error_bound(value):
    return Bound(Quantity.ERROR, Fraction(value), 5, "a test", Unproved())


def begun():
    return State.begin(ZOO, 5, Fraction(1))


def test_it_begins_with_nothing_covered():
    state = begun()
    assert state.error == state.objective == ZOO.ones_weight
    assert not state.is_optimal
    assert State.begin(ZOO, 65, Fraction(1)).population is None


def test_a_stored_run_goes_on_as_if_nothing_had_happened():
    found = []
    for stored in (False, True):
        with started(Stop()) as (task, state, reporter):
            search(task, state, Stop(iteration_limit=30), reporter)
            bound_objective(task, state, Stop(iteration_limit=5), reporter)
            if stored:
                state = pickle.loads(pickle.dumps(state))
                reporter = Reporter(state)
            search(task, state, Stop(iteration_limit=30), reporter)
            found.append(state)
    first, second = found
    assert (first.best.A == second.best.A).all()
    assert (first.pool.B == second.pool.B).all()
    assert first.iterations == second.iterations == 65
    bounds = [state.bounds[Quantity.OBJECTIVE].value for state in found]
    assert bounds[0] == bounds[1]


def test_of_equal_errors_the_lower_objective_is_kept():
    X = BinaryMatrix(np.array([[1, 1, 0], [1, 1, 0]], dtype=np.int8))
    state = State.begin(X, 2, Fraction(1))
    twice = Factors(np.ones((2, 2)), np.ones((2, 3)))
    once = Factors(np.array([[1, 0], [1, 0]]), np.ones((2, 3)))
    assert (twice.error(X), twice.objective(X)) == (2, 4)
    assert (once.error(X), once.objective(X)) == (2, 2)
    for factors in (twice, once, twice):
        state.keep(factors, X)
    assert state.best is once
    assert state.objective == 2


def test_an_offer_reaches_the_pool_and_the_search():
    state, factors = begun(), k_greedy(ZOO, 5, seed=0)
    state.offer(factors, ZOO)
    assert state.error == state.population.error == factors.error(ZOO) < ZOO.ones_weight
    assert all(rectangle in state.pool for rectangle in factors.rectangles)
    assert len(state.population.waiting) == 1


def test_only_a_bound_on_the_error_proves_it():
    state = begun()
    state.error, rho = 125, Fraction(1)
    state.prove(Bound(Quantity.OBJECTIVE, Fraction(127), 5, "a test", Unproved(), rho))
    assert not state.is_optimal
    state.prove(error_bound(124))
    assert not state.is_optimal
    state.prove(error_bound("249/2"))
    assert state.is_optimal
    state.prove(error_bound(3))
    assert state.bounds[Quantity.ERROR].rounded == 125


def test_a_copy_without_search_shares_nothing_that_changes():
    state = begun()
    copied = state.without_search()
    assert copied.population is None
    copied.offer(k_greedy(ZOO, 5, seed=0), ZOO)
    copied.prove(error_bound(7))
    copied.iterations = 9
    copied.trace.add(TracePoint(1.0, error_lower_bound=7.0))
    assert len(state.pool) == len(state.bounds) == len(state.trace.points) == 0
    state.take_over(copied, ZOO)
    assert state.error == copied.error
    assert state.bounds[Quantity.ERROR].value == 7
    assert state.iterations == 9
    assert state.trace.points == copied.trace.points
