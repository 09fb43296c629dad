"""A run can begin from what is known, in any form, and never ends worse."""

import numpy as np
import pytest

from boolfact import Factors, factorize
from boolfact.datasets import load_dataset
from boolfact.solve.method import METHODS
from boolfact.solve.start import read_start

QUICK = {"iteration_limit": 1, "time_limit": 20, "workers": 1, "bound": "none"}
TAKERS = [method.name for method in METHODS.values() if method.takes_start]


@pytest.fixture(scope="module")
def good():
    """Better than what one iteration finds."""
    return factorize("lymp", 10, method="local", target=690, time_limit=60, workers=1)


def test_five_methods_take_a_start():
    assert TAKERS == ["auto", "local", "colgen", "exact", "compact"]


@pytest.mark.parametrize("method", ["auto", "local", "colgen"])
def test_the_answer_is_never_worse_than_the_start(good, method):
    cold = factorize("lymp", 10, method=method, **QUICK)
    warm = factorize("lymp", 10, method=method, start=good, **QUICK)
    assert warm.error <= good.error < cold.error
    assert warm.trace.points[0].error == good.error
    assert warm.trace.points[0].seconds == 0.0


def test_nor_is_that_of_the_integer_program():
    good = factorize("zoo", 5, method="local", target=127, time_limit=60, workers=1)
    cold, warm = (
        factorize("zoo", 5, method="compact", start=start, time_limit=2, workers=1)
        for start in (None, good)
    )
    assert warm.error <= good.error < cold.error


@pytest.mark.parametrize("method", [name for name in METHODS if name not in TAKERS])
def test_the_other_methods_say_that_they_cannot(good, method):
    message = f"method {method} cannot begin from a start; auto, local, colgen, exact, compact can"
    with pytest.raises(ValueError, match=message):
        factorize("lymp", 10, method=method, start=good)


def test_every_form_gives_the_same(good, tmp_path):
    folder = good.save(tmp_path / "run")
    pair = (good.A.astype(int).tolist(), good.B)
    results = [
        factorize("lymp", 10, method="local", start=start, **QUICK)
        for start in (good, good.factors, pair, folder, str(folder))
    ]
    assert {result.error for result in results} == {results[0].error}
    assert results[0].error <= good.error
    starts = [result.settings["start"] for result in results]
    assert starts == ["given"] * 3 + [str(folder)] * 2


def test_fewer_patterns_are_filled_up_and_empty_ones_do_not_count():
    A, B = np.eye(4, 3), np.eye(3, 6)
    assert read_start((A, B), (4, 6), 5).rank == 5
    B[1] = 0
    assert read_start((A, B), (4, 6), 2).rank == 2


@pytest.mark.parametrize(
    ("start", "error", "message"),
    [
        ((np.eye(4, 3), np.eye(3, 6)), ValueError, "at most k = 2 patterns, got 3"),
        ((np.eye(5, 2), np.eye(2, 6)), ValueError, "4 rows and 6 columns, got 5 and 6"),
        ((np.eye(4, 3), np.eye(2, 6)), ValueError, "do not fit"),
        ((np.full((4, 1), 0.5), np.eye(1, 6)), ValueError, "A of start: .*0.5"),
        ((np.eye(4, 1), [[None] * 6]), ValueError, "B of start must be 0 or 1"),
        (3, TypeError, "start must be Factors, a pair .*, got int"),
        ("nowhere", FileNotFoundError, "no result folder nowhere"),
    ],
)
def test_what_cannot_be_a_start_is_named(start, error, message):
    with pytest.raises(error, match=message):
        read_start(start, (4, 6), 2)


def test_merged_rows_of_different_codes_do_not_make_a_start_worse():
    X = load_dataset("votes_missing")
    rng = np.random.default_rng(0)
    noisy = Factors(rng.random((X.shape[0], 3)) < 0.3, rng.random((3, X.shape[1])) < 0.3)
    result = factorize(X, 3, method="local", start=noisy, **QUICK)
    assert result.error <= noisy.error(X)
