"""The steps of the proving side share the time of the run, in order."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from boolfact.baselines.k_greedy import k_greedy
from boolfact.control.ending import Ending
from boolfact.control.stop import Stop
from boolfact.datasets.planted import planted
from boolfact.model.bound import Bound, Quantity
from boolfact.solve.provers import STEPS, Done, Step, prove
from solve.tasks import ZOO, started


class Unproved:
    def entry(self):
        return {}


def recorder(calls, ending=Ending.STALLED):
    def engine(task, state, stop, reporter):
        calls.append((stop.remaining(), state.error))
        return ending

    return engine


def test_each_step_gets_its_share_of_the_run_and_steps_not_asked_for_are_left_out():
    calls = []
    steps = (
        Step("first", recorder(calls), {"auto": 0.5, "error": 0.1}),
        Step("second", recorder(calls), {"error": 0.2}),
        Step("third", recorder(calls), {"auto": 0.25}),
    )
    with started(Stop(time_limit=100)) as (task, state, reporter):
        prove(task, state, reporter, seconds=40.0, steps=steps)
    assert [round(seconds) for seconds, _ in calls] == [20, 10]


def test_the_last_step_goes_on_to_the_end_where_the_search_goes_on_beside():
    calls = []
    steps = tuple(Step(name, recorder(calls), {"auto": 0.1}) for name in ("first", "last"))
    with started(Stop(time_limit=100)) as (task, state, reporter):
        prove(task, state, reporter, seconds=40.0, steps=steps, to_the_end=True)
    assert [round(seconds) for seconds, _ in calls] == [4, 95]


def test_each_step_begins_with_the_best_of_the_search():
    calls, better = [], k_greedy(ZOO, 5, seed=0)
    steps = (Step("only", recorder(calls), {"auto": 0.5}),)
    with started(Stop(time_limit=100)) as (task, state, reporter):
        prove(task, state, reporter, lambda: better, seconds=40.0, steps=steps)
    assert calls[0][1] == better.error(ZOO)


def test_a_step_is_told_how_long_the_others_took():
    told = []

    def is_worth_it(task, state, share, done):
        told.append((share, dict(done.took)))
        return False

    calls = []
    steps = (
        Step("proved", recorder(calls, Ending.PROVED), {"auto": 0.1}),
        Step("cut short", recorder(calls, Ending.TIME_LIMIT), {"auto": 0.1}),
        Step("asks", recorder(calls), {"auto": 0.2}, is_worth_it),
    )
    with started(Stop(time_limit=100)) as (task, state, reporter):
        prove(task, state, reporter, seconds=10.0, steps=steps)
    share, took = told[0]
    assert share == 2.0
    assert took["proved"] < 5
    assert took["cut short"] == math.inf
    assert len(calls) == 2


@pytest.mark.parametrize(("columns", "expected"), [(17, False), (60, True)])
def test_mlp_bounds_the_error_only_where_there_are_many_columns(columns, expected):
    (step,) = [step for step in STEPS if step.name == "error by MLP"]
    wide = planted(70, columns, 3, noise=0.1, seed=0).matrix
    with started(Stop(time_limit=100), bound="auto") as (task, state, _):
        for k in (3, 4):
            given = replace(task, k=k, matrix=wide)
            assert step.is_worth_it(given, state, 9.0, Done(60.0)) is expected
        # For many patterns only where there is no time for the undivided matrix.
        given = replace(task, k=5, matrix=wide)
        assert not step.is_worth_it(given, state, 9.0, Done(400.0))
        assert step.is_worth_it(given, state, 1.0, Done(9.0)) is expected


@pytest.mark.parametrize(
    ("k", "names"),
    [
        (2, ["error by columns, to the end"]),
        (3, ["error by columns"]),
        (4, ["error by columns, briefly"]),
        (5, []),
        (6, []),
    ],
)
def test_columns_are_searched_over_where_patterns_are_few(k, names):
    with started(Stop(time_limit=100), bound="auto") as (task, state, _):
        chosen = [
            step.name
            for step in STEPS
            if "columns" in step.name
            and step.is_worth_it(replace(task, k=k), state, 9.0, Done(60.0))
        ]
    assert chosen == names


def test_the_error_is_proved_by_default_and_last():
    assert STEPS[-1].name == "error"
    assert set(STEPS[-1].shares) == {"auto", "error"}


def test_for_two_patterns_nothing_follows_the_search_over_columns_unless_it_failed():
    (last,) = [step for step in STEPS if step.name == "error"]
    with started(Stop(time_limit=100)) as (task, state, _):
        for k, expected in ((2, False), (3, True)):
            given = replace(task, k=k)
            state.bounds.clear()
            assert last.is_worth_it(given, state, 9.0, Done(60.0))
            state.prove(Bound(Quantity.ERROR, Fraction(1), k, "a test", Unproved()))
            assert last.is_worth_it(given, state, 9.0, Done(60.0)) is expected


def test_no_time_goes_into_what_is_proved():
    with started(Stop(time_limit=100)) as (task, state, _):
        state.error = 43
        state.prove(Bound(Quantity.ERROR, Fraction(43), 5, "a test", Unproved()))
        wanted = [step.name for step in STEPS if step.is_worth_it(task, state, 99.0, Done(100.0))]
    assert wanted == ["objective"]


@pytest.mark.parametrize("bound", ["auto", "objective", "error"])
def test_the_shares_leave_time_for_the_search(bound):
    # Of the searches over columns only one is made, and where it has most of the time it ends,
    # or leaves what it cannot use.
    shares = {step.name: step.shares.get(bound, 0.0) for step in STEPS}
    nearly_all = shares.pop("error by columns, to the end")
    mostly = shares.pop("error by columns")
    assert 0.3 < sum(shares.values()) < 0.95
    assert mostly < 0.8
    assert nearly_all < 1.0
