import dataclasses

import numpy as np
import pytest

import boolfact
from boolfact.results.prices import error_noun, price_lines

USERS = boolfact.BinaryMatrix(
    np.array(
        [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]],
    ),
    row_names=("ann", "bob", "cyd", "dan", "eve"),
    column_names=("read", "write", "admin", "audit"),
)


def fit(**options):
    return boolfact.factorize(USERS, 1, time_limit=5, seed=0, **options)


def test_from_below_speaks_of_rights_covered_none_added_and_users_without_a_role():
    assert price_lines(fit(from_below=True), USERS) == [
        "from below: 1 pattern (role) covers 6 of 8 ones (rights), 75.0 %; 2 are left out",
        "no zero is covered: no row (user) gets a right that it does not have",
        "proved: 1 pattern from below covers at most 6 of these ones",
        "rows (users) without a pattern (role): 2 of 5 (dan, eve), 1 of them with ones",
    ]


def test_all_rights_are_said_to_be_covered_only_where_they_are():
    X = boolfact.BinaryMatrix(np.ones((40, 40)) - np.eye(40, k=39))
    result = boolfact.factorize(X, 1, from_below=True, iteration_limit=5, time_limit=None)
    assert "100.0 %" not in price_lines(result, X)[0]
    assert "97.5 %" in price_lines(result, X)[0]


def test_a_dearer_one_is_counted_as_one_and_its_price_is_explained():
    lines = price_lines(fit(from_below=True, missed_one_cost=3), USERS)
    assert lines[0].startswith("prices: leaving out a one costs 3; error, objective")
    assert "covers 6 of 8 ones" in lines[1]
    assert "at most 6 of these ones" in lines[3]


def test_a_method_that_covers_zeros_all_the_same_is_found_out():
    result = fit(from_below=True)
    forced = boolfact.Result(
        A=np.ones((5, 1), bool),
        B=np.ones((1, 4), bool),
        error=99,
        objective=99.0,
        status=boolfact.Status.HEURISTIC,
        k=1,
        method="local",
        settings=result.settings,
    )
    assert "12 zeros are covered all the same" in price_lines(forced, USERS)[1]


def test_prices_are_explained_and_a_price_of_one_is_not():
    assert price_lines(fit(), USERS) == []
    (line,) = price_lines(fit(false_one_cost=4), USERS)
    assert line.startswith("prices: covering a zero costs 4, leaving out a one costs 1; error")


def test_without_the_data_the_same_is_said_of_roles_and_users_by_what_was_counted():
    result = fit(from_below=True)
    lines = price_lines(result)
    assert lines == [
        "from below: 1 pattern (role) covers 6 of 8 ones (rights), 75.0 %; 2 are left out",
        "no zero is covered: no row (user) gets a right that it does not have",
        "rows (users) without a pattern (role): 2 of 5 (dan, eve)",
    ]
    assert lines[0] in result.summary()
    uncounted = dataclasses.replace(result, tally=None)
    assert price_lines(uncounted) == [
        "from below: no zero may be covered; the error counts ones left out"
    ]


def test_large_data_say_how_many_rights_the_roles_cover(capsys):
    from boolfact.io.rows import as_rows
    from boolfact.show.terminal import print_result

    result = boolfact.factorize(as_rows(USERS), 1, from_below=True, time_limit=2)
    assert result.row_names is None or result.row_names == USERS.row_names
    print_result(result, None)
    said = " ".join(capsys.readouterr().out.split())
    assert "1 pattern (role) covers 6 of 8 ones (rights)" in said
    assert "rows (users) without a pattern (role): 2 of 5" in said


@pytest.mark.parametrize(
    ("options", "noun"),
    [
        ({}, "wrong entries"),
        ({"from_below": True}, "ones left out"),
        ({"from_below": True, "missed_one_cost": 2}, "wrong entries in the prices given"),
        ({"false_one_cost": 2}, "wrong entries in the prices given"),
    ],
)
def test_an_axis_says_what_the_error_counts(options, noun):
    assert error_noun(fit(**options)) == noun
