"""What a split leaves out would be lost: its children, contradictions, and what is left."""

import re
from fractions import Fraction

import numpy as np
import pytest

from boolfact.certificate.reading import CertificateError, Reduced
from boolfact.certificate.tree.decisions import Named, Path

ONE = Named(frozenset({1}), frozenset({2}))
OTHER = Named(frozenset({0}), frozenset({3}), frozenset({2}), frozenset({0}))
ROOT = Path(2, (3, 4))


def named(*rectangles, **more):
    return Path(2, (3, 4), named=rectangles, **more)


def test_an_entry_is_covered_or_not():
    path = named(ONE, covered=frozenset({(0, 0)}), uncovered=frozenset({(2, 2)}))
    covering, leaving = path.children(["entry", 2, 3])
    assert covering == named(
        ONE, covered=frozenset({(0, 0), (2, 3)}), uncovered=frozenset({(2, 2)})
    )
    assert leaving == named(ONE, covered=frozenset({(0, 0)}), uncovered=frozenset({(2, 2), (2, 3)}))


def test_an_entry_has_an_owner_or_none():
    leaving = frozenset({(2, 3)})
    new = Named(frozenset({2}), frozenset({3}))
    assert ROOT.children(["owner", 2, 3]) == [named(new), Path(2, (3, 4), uncovered=leaving)]
    grown = Named(frozenset({1, 2}), frozenset({2, 3}))
    assert named(ONE).children(["owner", 2, 3]) == [
        named(grown), named(ONE, new), named(ONE, uncovered=leaving)
    ]  # fmt: skip
    other = Named(frozenset({0, 2}), frozenset({3}), frozenset({2}), frozenset({0}))
    # There are k rectangles, and no further one.
    assert named(ONE, OTHER).children(["owner", 2, 3]) == [
        named(grown, OTHER), named(ONE, other), named(ONE, OTHER, uncovered=leaving)
    ]  # fmt: skip


def test_a_line_is_in_a_rectangle_or_not():
    with_row, without = named(ONE, OTHER).children(["row", 1, 1])
    assert with_row == named(
        ONE, Named(frozenset({0, 1}), frozenset({3}), frozenset({2}), frozenset({0}))
    )
    assert without == named(
        ONE, Named(frozenset({0}), frozenset({3}), frozenset({1, 2}), frozenset({0}))
    )
    with_column, without = named(ONE, OTHER).children(["column", 0, 3])
    assert with_column == named(Named(frozenset({1}), frozenset({2, 3})), OTHER)
    assert without == named(
        Named(frozenset({1}), frozenset({2}), frozenset(), frozenset({3})), OTHER
    )


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (["entry", 3, 0], "a split is on the entry (3, 0), which is not there"),
        (["entry", 0, 4], "a split is on the entry (0, 4), which is not there"),
        (["owner", 3, 3], "a split is on the entry (3, 3), which is not there"),
        (["row", 1, 0], "a split is on row 0 of the rectangle 1, not there"),
        (["row", 0, 3], "a split is on row 3 of the rectangle 0, not there"),
        (["column", 0, 4], "a split is on column 4 of the rectangle 0, not there"),
        (["column", 1, 0], "a split is on column 0 of the rectangle 1, not there"),
        (["side", 0, 0], "a split must be one that can be checked, got 'side'"),
        ([["row"], 0, 0], "a split must be one that can be checked, got ['row']"),
        (["entry", -1, 0], "a number of a split must be at least 0, got -1"),
        (["entry", 0, True], "a number of a split must be a whole number, got True"),
        (["entry", 0], "a split must be a list of 3"),
        (["row", 0, 0, 0], "a split must be a list of 3"),
    ],
)
def test_what_is_no_split_is_refused(split, message):
    with pytest.raises(CertificateError, match=f"^{re.escape(message)}"):
        named(ONE).children(split)


@pytest.mark.parametrize(
    ("path", "impossible"),
    [
        (ROOT, False),
        (named(ONE, OTHER), False),
        (named(covered=frozenset({(0, 0), (1, 1)}), uncovered=frozenset({(0, 1)})), False),
        (named(covered=frozenset({(0, 0), (1, 1)}), uncovered=frozenset({(1, 1)})), True),
        (named(ONE, Named(frozenset({0}), frozenset({3}), frozenset({0}))), True),
        (named(Named(frozenset({0}), frozenset({3}), frozenset({1}), frozenset({3})), ONE), True),
        (named(ONE, uncovered=frozenset({(1, 2)})), True),
        (named(OTHER, ONE, uncovered=frozenset({(0, 0), (1, 2)})), True),
        # Only its row or only its column is in a rectangle; or each in another one.
        (named(ONE, uncovered=frozenset({(1, 1)})), False),
        (named(ONE, uncovered=frozenset({(0, 2)})), False),
        (named(ONE, OTHER, uncovered=frozenset({(1, 3)})), False),
        # What is out of a rectangle may be in another one, or covered.
        (named(OTHER, covered=frozenset({(2, 0)})), False),
        (named(ONE, Named(frozenset({0}), frozenset({3}), frozenset({1}), frozenset({2}))), False),
    ],
)
def test_contradictions(path, impossible):
    assert path.is_impossible is impossible


def test_what_is_left():
    values = np.array([[1, 0, -1, 1], [0, 1, 0, 1], [0, 0, 1, 1]], dtype=np.int8)
    weights = np.array([[2, 3, 0, 5], [7, 11, 13, 17], [19, 23, 29, 31]])
    data = Reduced(values.copy(), weights.copy())
    path = Path(
        2,
        (3, 4),
        covered=frozenset({(0, 0), (0, 1), (0, 2), (1, 0)}),
        uncovered=frozenset({(1, 1), (1, 2), (2, 3)}),
    )
    left = path.remaining(data)
    assert left.values.tolist() == [[1, -1, -1, 1], [-1, -1, -1, 1], [0, 0, 1, -1]]
    assert left.weights.tolist() == [[2, 0, 0, 5], [0, 0, 0, 17], [19, 23, 29, 0]]
    assert np.argwhere(left.free).tolist() == [[0, 0]]
    assert np.argwhere(left.barred).tolist() == [[1, 1], [1, 2], [2, 3]]
    assert (left.ones_paid, left.zeros_paid) == (11 + 31, 3 + 7)
    assert left.constant(Fraction(1, 2)) == 47
    assert (data.values == values).all()
    assert (data.weights == weights).all()
