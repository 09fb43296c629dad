"""The methods `auto` and `colgen`: what they do in which order, and when they end."""

import numpy as np
import pytest

from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.solve.auto import AutoSettings, run_auto
from boolfact.solve.local import run_local
from boolfact.solve.paper import PaperSettings, run_paper
from boolfact.solve.provers import Step
from solve.tasks import ZOO, started


def watching(calls, ending=Ending.STALLED):
    def engine(task, state, stop, reporter):
        calls.append((task.workers, state.population is None, state.error))
        return ending

    return (Step("watched", engine, {"auto": 0.1, "objective": 0.1, "error": 0.1}),)


def test_one_after_the_other_with_one_worker_and_beside_each_other_with_two():
    # Beside the search the proof has both workers, one of which waits until the search is done.
    for workers, expected in ((1, (1, False)), (2, (2, True))):
        calls = []
        settings = AutoSettings(last_patience=0.1, last_times=0.1)
        stop = Stop(time_limit=20)
        with started(stop, workers=workers) as (task, state, reporter):
            run_auto(task, state, reporter, settings, watching(calls))
        assert [call[:2] for call in calls] == [expected]
        assert calls[0][2] < ZOO.ones_weight


def test_with_an_iteration_limit_nothing_is_done_beside_anything_else():
    calls = []
    with started(Stop(iteration_limit=2), workers=3) as (task, state, reporter):
        ending = run_auto(task, state, reporter, steps=watching(calls))
    assert [call[:2] for call in calls] == [(3, False)]
    assert ending is Ending.ITERATION_LIMIT
    assert state.iterations == 4


@pytest.mark.parametrize(("bound", "asked"), [("none", 0), ("auto", 0), ("objective", 1)])
def test_on_large_data_bounds_are_proved_only_if_asked_for(bound, asked):
    calls = []
    settings = AutoSettings(unasked_ones=10)
    with started(Stop(iteration_limit=1), bound=bound) as (task, state, reporter):
        run_auto(task, state, reporter, settings, watching(calls))
    assert len(calls) == asked


def test_at_the_target_nothing_more_is_done():
    calls = []
    with started(Stop(time_limit=60, target=300)) as (task, state, reporter):
        ending = run_auto(task, state, reporter, steps=watching(calls))
    assert ending is Ending.TARGET
    assert state.error <= 300
    assert calls == []


def test_it_ends_when_nothing_moves_and_says_so():
    settings = AutoSettings(last_patience=0.1, last_times=0.1)
    with started(Stop(time_limit=600), bound="none") as (task, state, reporter):
        ending = run_auto(task, state, reporter, settings)
    assert ending is Ending.DONE
    assert task.stop.elapsed() < 60


def test_it_ends_once_the_error_is_proved():
    X = BinaryMatrix(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1]]))
    stop = Stop(time_limit=300)
    with started(stop, k=2, bound="error", matrix=X) as (task, state, reporter):
        ending = run_auto(task, state, reporter)
    assert state.bounds[Quantity.ERROR].rounded == state.error == 1
    assert ending is Ending.PROVED
    assert task.stop.elapsed() < 300


def test_more_patterns_than_the_search_can_take_begin_with_the_greedy_ones():
    rng = np.random.default_rng(0)
    matrix = BinaryMatrix((rng.random((80, 70)) < 0.3).astype(np.int8))
    stop = Stop(iteration_limit=1)
    with started(stop, k=66, bound="none", matrix=matrix) as (task, state, reporter):
        run_auto(task, state, reporter)
    assert state.population is None
    assert state.error < matrix.ones_weight


def test_an_interruption_before_the_beginning_is_told():
    stop = Stop(time_limit=100)
    stop.interrupt()
    for method in (run_auto, run_local, run_paper):
        with started(stop) as (task, state, reporter):
            assert method(task, state, reporter) is Ending.INTERRUPTED


def test_the_paper_starts_from_its_two_heuristics_and_solves_a_second_rho():
    with started(Stop(iteration_limit=2), bound="objective") as (task, state, reporter):
        ending = run_paper(task, state, reporter)
    assert ending is Ending.ITERATION_LIMIT
    masters = [name for name in state.trace.counters if name.startswith("integer_master")]
    assert masters == [
        "integer_master_objective[rho=1]",
        "integer_master_objective[rho=19/20]",
    ]
    assert state.bounds[Quantity.OBJECTIVE].rounded <= state.objective


def test_wide_data_is_not_given_to_asso(monkeypatch):
    def never(*given, **named):
        raise AssertionError("called")

    monkeypatch.setattr("boolfact.solve.paper.asso_plus_plus", never)
    with started(Stop(iteration_limit=1)) as (task, state, reporter):
        run_paper(task, state, reporter, PaperSettings(most_columns_for_asso=5))
    with (
        started(Stop(iteration_limit=1)) as (task, state, reporter),
        pytest.raises(AssertionError, match="called"),
    ):
        run_paper(task, state, reporter)
