import signal
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.colgen.cover.grow import bound_by_cover
from boolfact.control.stop import Stop
from boolfact.datasets import load_dataset, planted
from boolfact.model.matrix import BinaryMatrix
from boolfact.rank import measures
from boolfact.rank.path import rank_path

import naive
from strategies import matrices


def test_the_path_never_gets_worse_with_a_larger_rank():
    path = rank_path(load_dataset("zoo"), 6, time_limit=30, iteration_limit=5)
    errors = [point.error for point in path.points]
    assert errors == sorted(errors, reverse=True)
    assert [point.k for point in path.points] == list(range(1, 7))
    assert path[2].factors.rank == 2
    assert path.as_dict()["path"][0]["k"] == 1
    with pytest.raises(KeyError, match="ranks 1 to 6"):
        path[7]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_planted_rank_is_recommended(seed):
    example = planted(200, 60, 5, noise=0.05, seed=seed)
    path = rank_path(example.matrix, 8, time_limit=60, iteration_limit=3)
    assert path.recommended == 5
    assert "shortest description" in path.reason


def test_cross_validation_and_stability_are_measured_when_asked_for():
    example = planted(40, 20, 2, noise=0.02, seed=3)
    path = rank_path(example.matrix, 3, time_limit=60, iteration_limit=2, folds=2, seeds=2)
    assert path[2].hidden_error < path[1].hidden_error
    assert 0.9 < path[2].stability <= 1
    assert "hidden entries are predicted best" in path.reason


@settings(max_examples=10, deadline=None)
@given(matrices())
def test_bounds_never_exceed_the_least_error(matrix):
    small = BinaryMatrix(matrix.values[:4, :4])
    path = rank_path(small, 3, time_limit=20, iteration_limit=3, bounds=True)
    for point in path.points:
        best = naive.best_error(small.values, small.weights, point.k)
        assert point.error == best
        assert 0 <= point.error_lower_bound <= best


def test_bounds_are_proved_for_every_rank():
    path = rank_path(load_dataset("zoo"), 3, time_limit=30, iteration_limit=3, bounds=True)
    proved = [point.error_lower_bound for point in path.points]
    assert proved[0] == path[1].error == 415
    # MLP(1/k) has 207 and 115: assigned cover proves more.
    assert 207 < proved[1] <= 271
    assert 115 < proved[2] <= 196
    assert proved == sorted(proved, reverse=True)
    assert path.as_dict()["path"][0]["error_lower_bound"] == 415


def test_prices_of_a_larger_rank_bound_the_error_of_smaller_ones():
    rng = np.random.default_rng(0)
    proved = 0
    for _ in range(20):
        ones = rng.random((6, 5)) < 0.5
        matrix = BinaryMatrix(ones.astype(np.int8), rng.integers(1, 4, ones.shape))
        bound = bound_by_cover(matrix, 3, stop=Stop(iteration_limit=4)).bound
        if bound is None:
            continue
        proved += 1
        assert measures._at_rank(bound, 3) == bound.rounded
        best = naive.best_error(matrix.values, matrix.weights, 1)
        assert bound.rounded < measures._at_rank(bound, 1) <= best
    assert proved > 10


def test_ctrl_c_keeps_the_ranks_solved_so_far():
    heard = []

    def listen(event):
        heard.append(event.phase)
        if sum("k = 3" in phase for phase in heard) == 1 and "k = 3" in event.phase:
            signal.raise_signal(signal.SIGINT)

    path = rank_path(
        "zoo", 8, time_limit=60, iteration_limit=2, folds=2, seeds=2, bounds=True, progress=listen
    )
    assert path.interrupted
    assert [point.k for point in path.points] == [1, 2, 3]
    assert path[1].error == 415
    assert path[1].hidden_error is path[1].stability is path[1].error_lower_bound is None
    assert path.recommended in (1, 2, 3)


def test_a_path_that_ran_to_its_end_is_not_called_interrupted():
    assert not rank_path("zoo", 2, time_limit=60, iteration_limit=1).interrupted


def test_bounds_that_were_not_proved_in_time_are_told_of(monkeypatch):
    def no_time(*_, **__):
        return SimpleNamespace(bound=None)

    monkeypatch.setattr("boolfact.rank.measures.generate_columns", no_time)
    monkeypatch.setattr("boolfact.rank.measures.bound_by_cover", no_time)
    path = rank_path("zoo", 2, time_limit=60, iteration_limit=1, bounds=True)
    assert [point.error_lower_bound for point in path.points] == [None, None]
    assert path.interrupted


def test_more_ranks_than_local_search_can_do_are_refused():
    with pytest.raises(ValueError, match="max_rank must be at most 64"):
        rank_path(np.ones((70, 70)), 70)


@pytest.mark.parametrize("bad", [{"max_rank": 0}, {"folds": 1}, {"seeds": 1}])
def test_bad_arguments_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        rank_path("zoo", **{"max_rank": 2, **bad})


def test_a_path_is_short_to_print_and_a_notebook_shows_what_was_measured():
    path = rank_path(planted(30, 15, 2, noise=0.02, seed=1).matrix, 3, iteration_limit=50)
    assert repr(path) == f"<RankPath: ranks 1 to 3, recommended {path.recommended}>"
    assert "array" not in repr(path[1])
    page = path._repr_html_()
    assert page.count("<tr>") == 4
    assert f">{path.recommended} (recommended)<" in page
    assert "proved" not in page
    point = replace(path.points[0], error_lower_bound=1)
    known = replace(path, points=(point, *path.points[1:]))
    assert "proved: error at least" in known._repr_html_()
