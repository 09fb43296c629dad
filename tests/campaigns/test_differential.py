"""A short slice of the campaign, which runs on demand for as long as wanted."""

import dataclasses
import json
import sys
from fractions import Fraction

import numpy as np
import pytest

import boolfact
from campaigns import differential


@pytest.mark.parametrize("place", [0, 1, 2, 19, 139])
def test_a_slice_finds_nothing_wrong(tmp_path, place):
    campaign = differential.Campaign(tmp_path)
    assert campaign.run(7, place)["wrong"] == []
    assert campaign.seen["instances"] == 1
    assert campaign.seen["comparisons"] > 2


@pytest.mark.parametrize(
    "change", [{"error": 0}, {"error_lower_bound": 3.0}, {"objective_lower_bound": 3.0}]
)
def test_what_is_wrong_is_found(tmp_path, change):
    X = boolfact.as_matrix([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    result = boolfact.factorize(X, 1, method="k_greedy")
    campaign = differential.Campaign(tmp_path)
    wrong = dataclasses.replace(result, **change)
    campaign.compare(wrong, X, Fraction(1), 2, Fraction(2), "a test")
    assert campaign.wrong


def test_a_log_says_where_to_go_on(tmp_path, monkeypatch, capsys):
    log = tmp_path / "soak.jsonl"
    log.write_text(json.dumps({"seed": 3, "place": 4}) + "\n")
    assert differential.done_before(log, 3) == 5
    assert differential.done_before(log, 2) == 0
    told = lambda self, seed, place: {"seed": seed, "place": place, "wrong": [1]}  # noqa: E731
    monkeypatch.setattr(differential.Campaign, "run", told)
    options = ["--seed", "3", "--instances", "2", "--log", str(log)]
    monkeypatch.setattr(sys, "argv", ["differential.py", *options])
    assert differential.main() == 1
    assert "instances 5 to 6: 2 with something wrong" in capsys.readouterr().out
    assert differential.done_before(log, 3) == 7


def test_an_instance_is_the_same_whenever_it_runs():
    first, again = (
        differential.random_matrix(np.random.default_rng([0, 5]), 6, 6) for _ in range(2)
    )
    assert first[0].digest() == again[0].digest()
    assert first[1] == again[1]
