"""Sets of columns with their best rows, and climbing from them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from boolfact.colgen.cover.climb import best_rows, climb_all, set_worths
from boolfact.colgen.cover.point import rounded
from colgen.cover.points import all_set_arguments, random_layout, random_prices

import naive


def case(seed, most_columns=7):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 8)), int(rng.integers(1, most_columns))
    layout = random_layout(rng, n, m, 5)
    point = rounded(layout, random_prices(rng, layout), 1)
    return point, *naive.worths_of_all_sets(*all_set_arguments(point))


@given(st.integers(0, 2**32))
def test_every_set_has_its_worth(seed):
    point, sets, worths = case(seed)
    assert set_worths(point, sets).tolist() == worths.tolist()


@given(st.integers(0, 2**32))
def test_the_best_rows_are_worth_that(seed):
    point, sets, worths = case(seed)
    A = np.zeros((len(sets), point.layout.shape[0]), dtype=bool)
    A[:, point.layout.rows] = best_rows(point, sets)
    assert point.worths(A, sets).tolist() == worths.tolist()


@given(st.integers(0, 2**32))
def test_climbing_flips_the_best_column_until_none_helps(seed):
    point, sets, worths = case(seed)
    worth_of = {b.tobytes(): int(x) for b, x in zip(sets, worths, strict=True)}
    ends, values = climb_all(point, sets)
    for b, end, value in zip(sets, ends, values, strict=True):
        b = b.copy()
        while True:
            options = [worth_of[(b ^ row).tobytes()] for row in np.eye(len(b), dtype=bool)]
            if max(options) <= worth_of[b.tobytes()]:
                break
            b[int(np.argmax(options))] ^= True
        assert value == worth_of[b.tobytes()]
        assert end.tolist() == b.tolist()


def test_with_more_columns_than_lanes():
    rng = np.random.default_rng(1)
    layout = random_layout(rng, 6, 40, 3)
    point = rounded(layout, random_prices(rng, layout), 1)
    B = rng.random((20, 40)) < 0.3
    ends, values = climb_all(point, B)
    assert set_worths(point, ends).tolist() == values.tolist()
    for end, value in zip(ends, values, strict=True):
        assert (set_worths(point, end ^ np.eye(40, dtype=bool)) <= value).all()


def test_sets_that_are_given_stay_as_they_are():
    point, sets, _ = case(3)
    before = sets.copy()
    climb_all(point, sets)
    assert sets.tolist() == before.tolist()
