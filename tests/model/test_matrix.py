import numpy as np
import pytest

from boolfact.model.matrix import MISSING, BinaryMatrix


def test_weights_are_one_where_observed_and_zero_where_missing():
    X = BinaryMatrix(np.array([[1, 0, MISSING]], dtype=np.int8))
    assert X.weights.tolist() == [[1, 1, 0]]


def test_weights_of_missing_entries_are_forced_to_zero():
    X = BinaryMatrix(np.array([[1, MISSING]]), np.array([[3, 5]]))
    assert X.weights.tolist() == [[3, 0]]
    assert X.is_weighted


def test_values_cannot_be_changed_in_place():
    X = BinaryMatrix(np.array([[1, 0]]))
    with pytest.raises(ValueError, match="read-only"):
        X.values[0, 0] = 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((0, 3)), "empty"),
        (np.zeros((2, 0)), "empty"),
        (np.zeros(3), "two dimensions"),
        (np.array([[2]]), "0, 1 or -1"),
    ],
)
def test_bad_values_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        BinaryMatrix(values)


@pytest.mark.parametrize("weights", [[[-1, 1]], [[0.5, 1]], [[1, 1, 1]]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="weights"):
        BinaryMatrix(np.array([[1, 0]]), np.array(weights))


def test_names_must_fit_the_shape():
    with pytest.raises(ValueError, match="column_names must have 2 names, got 1"):
        BinaryMatrix(np.array([[1, 0]]), column_names=("a",))


@pytest.mark.parametrize("weight", [2**60, 2**61, 2**62, 2**63 - 1])
def test_weights_whose_sum_would_not_be_a_sum_are_refused(weight):
    with pytest.raises(ValueError, match="the weights are too large"):
        BinaryMatrix(np.eye(2, dtype=np.int8), np.full((2, 2), weight))


def test_missing_entries_may_be_given_any_weight():
    X = BinaryMatrix(np.array([[1, -1]]), np.array([[2**61, 2**62]]))
    assert X.weights.tolist() == [[2**61, 0]]


def test_transposing_turns_names_and_weights():
    X = BinaryMatrix(np.array([[1, 0]]), np.array([[2, 3]]), ("r",), ("a", "b"))
    assert X.T.row_names == ("a", "b")
    assert X.T.weights.tolist() == [[2], [3]]


def test_digest_depends_on_values_weights_and_shape():
    base = BinaryMatrix(np.array([[1, 0]]))
    others = [
        BinaryMatrix(np.array([[0, 1]])),
        BinaryMatrix(np.array([[1], [0]])),
        BinaryMatrix(np.array([[1, 0]]), np.array([[1, 2]])),
        BinaryMatrix(np.array([[1, MISSING]])),
    ]
    assert base.digest() == BinaryMatrix(np.array([[1, 0]])).digest()
    assert len({X.digest() for X in [base, *others]}) == 5


def test_a_matrix_is_short_to_print_and_shows_its_corner_in_a_notebook():
    X = BinaryMatrix(np.tile(np.array([[1, 0, -1]], dtype=np.int8), (20, 10)))
    assert repr(X) == "<BinaryMatrix: 20 x 30, 200 ones, 200 missing>"
    page = X._repr_html_()
    assert page.count("<tr>") == 1 + 8 + 1
    assert page.count(">?<") == 8 * 4
    named = BinaryMatrix(np.ones((1, 1)), np.array([[2]]), ["<r>"], ["<c>"])
    assert repr(named).endswith("0 missing, with prices>")
    assert "&lt;r&gt;" in named._repr_html_()
    assert "…" not in named._repr_html_()
