import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.datasets import load_dataset, planted
from boolfact.rank import rank_bounds
from boolfact.rank.bounds import distinct_rows_bound
from boolfact.rank.isolation import critical_ones, is_isolated

import naive
from strategies import matrices

PUBLISHED = {
    "zoo": 16, "tumor": 24, "hepat": 30, "heart": 22, "lymp": 42, "audio": 90, "apb": 104,
    "votes": 30,
}  # fmt: skip


@settings(max_examples=25)
@given(matrices(max_side=4))
def test_every_bound_holds_and_the_isolation_number_is_found(matrix):
    bounds = rank_bounds(matrix, time_limit=None)
    rank = naive.boolean_rank(matrix.values, matrix.weights)
    size = naive.isolation_number(matrix.values, matrix.weights)
    assert bounds.lower <= rank <= bounds.upper
    assert bounds.isolation_lower == size == bounds.isolation_upper
    assert bounds.distinct_lower <= rank
    assert bounds.isolation_lower <= bounds.fractional_upper
    assert bounds.fractional_lower <= rank
    assert bounds.cover.error(matrix) == 0
    assert bounds.cover.rank == bounds.upper
    assert len(bounds.isolated) == size
    assert is_isolated(matrix, bounds.isolated)


@pytest.mark.parametrize("name", ["zoo", "heart"])
def test_small_published_isolation_numbers_are_proved_and_equal_the_rank(name):
    bounds = rank_bounds(name, time_limit=None)
    assert bounds.isolation_lower == bounds.isolation_upper == PUBLISHED[name]
    assert bounds.lower == bounds.upper == PUBLISHED[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_isolation_numbers(name):
    bounds = rank_bounds(name, time_limit=120)
    assert bounds.isolation_lower == PUBLISHED[name]
    assert bounds.isolation_upper >= PUBLISHED[name]
    if name not in ("hepat", "votes"):
        assert bounds.isolation_upper == PUBLISHED[name]


def test_different_rows_need_different_unions():
    X = load_dataset("zoo")
    assert distinct_rows_bound(X) == 6  # 59 different animals
    assert distinct_rows_bound(X.T) == 5
    assert distinct_rows_bound(load_dataset("votes_missing")) < 9


def test_figures_for_json_are_rounded_to_the_safe_side():
    figures = rank_bounds(1 - np.eye(5, dtype=int), time_limit=None).as_dict()
    assert figures["fractional_cover_lower"] <= 10 / 3 <= figures["fractional_cover_upper"]
    assert figures["rank_lower"] == 4
    assert figures["rank_upper"] == 4


def test_large_matrices_are_bounded_from_a_sample_of_their_ones(monkeypatch):
    X = planted(60, 50, 4, noise=0.05, seed=1).matrix
    monkeypatch.setattr("boolfact.rank.bounds.LARGEST_TABLE", 100)
    assert len(critical_ones(X)) > 100
    stop_soon = rank_bounds(X, time_limit=3)
    assert 1 < stop_soon.isolation_lower <= stop_soon.isolation_upper <= 50
    assert stop_soon.cover.error(X) == 0
    assert is_isolated(X, stop_soon.isolated)
