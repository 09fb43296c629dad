import math
from fractions import Fraction
from types import SimpleNamespace

import pytest

from boolfact.reproduce import runs
from boolfact.reproduce.cells import Budget


@pytest.mark.parametrize(
    "value", [2 - Fraction(1, 10**20), Fraction(1, 10), Fraction(4131, 20), Fraction(-1, 3)]
)
def test_bounds_are_never_rounded_up(monkeypatch, value):
    def generated(*_, **__):
        return SimpleNamespace(
            bound=SimpleNamespace(value=value, rounded=value),
            master_value=300.0,
            trace=SimpleNamespace(points=[]),
            iterations=1,
            is_optimal=False,
        )

    monkeypatch.setattr(runs, "generate_columns", generated)
    monkeypatch.setattr(runs, "warm_up", lambda *_: 0.0)
    monkeypatch.setattr(runs, "_starts", lambda *_: [])
    for figures in (
        runs.master_value("zoo", 2, False, Budget()),
        runs.master_curve("zoo", 2, "heur", Budget()),
    ):
        stored = figures["objective_lower_bound"]
        assert Fraction(stored) <= value < Fraction(math.nextafter(stored, math.inf))


@pytest.mark.parametrize("parts", [20, 3, 7])
def test_no_multiple_is_stored_above_itself(parts):
    for units in range(1, 3000 * parts):
        value = Fraction(units, parts)
        assert Fraction(runs._stored(value)) <= value


def test_without_a_bound_there_is_none():
    assert runs._stored(None) is None
