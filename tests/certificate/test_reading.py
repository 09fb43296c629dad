"""Every check of what is read has a case that only this check refuses."""

import re

import numpy as np
import pytest

from boolfact.certificate.reading import (
    MOST_WHOLE,
    CertificateError,
    fraction,
    merged,
    read_kind,
    read_maps,
    read_quantity,
    read_reduced,
    sequence,
    whole,
)
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix


def refused(message):
    return pytest.raises(CertificateError, match=f"^{re.escape(message)}")


def test_whole_numbers():
    assert whole(0, "x") == 0
    assert whole(-1, "x", -1) == -1
    assert whole(2**80, "x") == 2**80
    for wrong in (True, False, 1.0, "1", None, np.int64(1)):
        with refused("x must be a whole number, got "):
            whole(wrong, "x")
    with refused("x must be at least 0, got -1"):
        whole(-1, "x")
    with refused("x must be at least 3, got 2"):
        whole(2, "x", 3)


def test_fractions():
    assert fraction("19/20", "x") * 20 == 19
    # Every sign that a fraction may have at once.
    assert fraction("-1234567890/7", "x") * 7 == -1234567890
    for wrong in ("1e9", "0.5", " 1", "1/0", "/", "", "1/-2", 1, None, ["1"]):
        with refused("x must be a fraction in quotes, got "):
            fraction(wrong, "x")


def test_lists():
    assert sequence([1, 2], "x") == sequence((1, 2), "x", 2) == [1, 2]
    for wrong in ("ab", {"a": 1}, None, 3):
        with refused("x must be a list") as raised:
            sequence(wrong, "x")
        assert str(raised.value) == "x must be a list"
    for wrong in ([1], [1, 2, 3], "ab"):
        with refused("x must be a list of 2"):
            sequence(wrong, "x", 2)


def test_kind_and_quantity_are_declared():
    assert read_kind({"kind": "mlp"}) == "mlp"
    for wrong in (3, ["kind"], None):
        with refused("a bound must be an object"):
            read_kind(wrong)
    for wrong in ({}, {"kind": 3}, {"kind": ["mlp"]}):
        with refused("kind must be a text, got "):
            read_kind(wrong)
    for quantity in Quantity:
        assert read_quantity({"on": quantity.value}) is quantity
    with refused("on must be 'objective' or 'error', got 'gap'"):
        read_quantity({"on": "gap"})


DATA = BinaryMatrix(
    np.array([[1, 0, 1], [1, 0, 1], [0, 0, 0], [1, -1, 0]], dtype=np.int8),
    np.array([[1, 2, 3], [2, 4, 6], [1, 1, 1], [1, 1, 1]]),
)


def maps(rows, columns):
    return {"row_map": rows, "column_map": columns}


def test_maps_use_every_position():
    rows, columns = read_maps(maps([1, 1, -1, 0], [0, 2, 1]), DATA.shape)
    assert (rows.tolist(), columns.tolist()) == ([1, 1, -1, 0], [0, 2, 1])
    good = [0, 1, 2]
    for wrong in ([0, 1, 3, 2], [1, 1, 1, 1], [0, 0, 2, 2]):
        if sorted(set(wrong)) == list(range(len(set(wrong)))):
            continue
        with refused("row_map must use every position from 0 up to its largest"):
            read_maps(maps(wrong, good), DATA.shape)
    with refused("column_map must use every position"):
        read_maps(maps([0, 1, 2, 3], [-1, -1, -1]), DATA.shape)
    with refused("an entry of row_map must be at least -1, got -2"):
        read_maps(maps([0, 1, 2, -2], good), DATA.shape)
    with refused("an entry of row_map must be a whole number, got False"):
        read_maps(maps([0, 1, 2, False], good), DATA.shape)
    for wrong in ([0, 1, 2], [0, 1, 2, 3, 4], None):
        with refused("row_map must be a list of 4"):
            read_maps(maps(wrong, good), DATA.shape)


def test_what_is_merged_adds_up():
    reduced = read_reduced(maps([0, 0, -1, 1], [1, 0, 2]), DATA)
    assert reduced.values.tolist() == [[0, 1, 1], [-1, 1, 0]]
    assert reduced.weights[0].tolist() == [6, 3, 9]
    assert reduced.weights[1, 1:].tolist() == [1, 1]
    assert reduced.values.dtype == np.int8
    assert reduced.weights.dtype == np.int64


def test_no_one_is_dropped():
    for rows, columns, what in (
        ([-1, 0, 1, 2], [0, 1, 2], "row"),
        ([0, 1, 2, -1], [0, 1, 2], "row"),
        ([0, 1, 2, 3], [-1, 0, 1], "column"),
    ):
        with refused(f"a {what} that has a one was dropped"):
            read_reduced(maps(rows, columns), DATA)
    # The column in the middle has no one, nor has the third row.
    assert read_reduced(maps([0, 1, -1, 2], [0, -1, 1]), DATA).values.shape == (3, 2)


def test_a_one_of_weight_zero_is_none():
    light = BinaryMatrix(np.array([[1, 1], [1, 0]], dtype=np.int8), np.array([[1, 1], [0, 1]]))
    reduced = read_reduced(maps([0, -1], [0, 1]), light)
    assert reduced.values.tolist() == [[1, 1]]
    whole_data = read_reduced(maps([0, 1], [0, 1]), light)
    assert whole_data.values.tolist() == [[1, 1], [-1, 0]]


def test_only_equal_lines_are_merged():
    for rows, columns, message in (
        ([0, 1, 1, 2], [0, 1, 2], "merged rows differ in value"),
        ([0, 1, 2, 3], [0, 0, 1], "merged columns differ in value"),
        # A missing entry is equal to a missing one, and to nothing else.
        ([0, 1, 2, 0], [0, 1, 2], "merged rows differ in value"),
        ([0, 1, 2, 2], [0, 1, 2], "merged rows differ in value"),
    ):
        with refused(message):
            read_reduced(maps(rows, columns), DATA)


@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
def test_weights_of_merged_lines_are_proportional(turned):
    def read(weights):
        values, weights = np.ones((3, 2), dtype=np.int8), np.array(weights)
        sides = [0, 1, 0], [0, 1]
        if turned:
            return read_reduced(maps(*sides[::-1]), BinaryMatrix(values.T, weights.T)).weights.T
        return read_reduced(maps(*sides), BinaryMatrix(values, weights)).weights

    assert read([[1, 2], [7, 1], [3, 6]]).tolist() == [[4, 8], [7, 1]]
    what = "columns" if turned else "rows"
    for wrong in ([[1, 2], [7, 1], [3, 5]], [[1, 2], [1, 2], [2, 1]]):
        with refused(f"the weights of merged {what} are not proportional"):
            read(wrong)


def test_weights_fit_into_64_bits():
    """The sum of all is what counts, after merging."""
    values, one = np.ones((2, 2), dtype=np.int8), np.arange(2)
    half = MOST_WHOLE // 2
    weights = np.array([[half, 0], [half - 1, 0]])
    assert merged(values, weights, one, one).weights.tolist() == weights.tolist()
    assert MOST_WHOLE == 2**62
    for wrong in ([[half, 0], [half, 0]], [[2 * half, 0], [2 * half, 0]]):
        with refused("the weights are too large"):
            merged(values, np.array(wrong), one, one)
        with refused("the weights are too large"):
            merged(values, np.array(wrong), np.array([0, 0]), one)
