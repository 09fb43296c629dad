import numpy as np
import pytest

import boolfact

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

from boolfact.show.side_by_side import plot_side_by_side

from sample_results import sample


def counted(axes):
    """How many cells of each kind were drawn."""
    kinds, counts = np.unique(np.asarray(axes.images[0].get_array()), return_counts=True)
    return dict(zip(kinds.tolist(), counts.tolist(), strict=True))


def test_cells_are_what_the_patterns_say_of_them():
    result, X = sample()
    (axes,) = plot_side_by_side([result], X).axes
    said, values = result.factors.product(), X.values
    expected = {
        0: (values == 0) & ~said,
        1: (values == 1) & said,
        2: (values == 1) & ~said,
        3: (values == 0) & said,
        4: (values == -1) & ~said,
        5: (values == -1) & said,
    }
    assert counted(axes) == {kind: n for kind, where in expected.items() if (n := where.sum())}


def test_all_panels_stand_in_one_order():
    X = boolfact.as_matrix([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    runs = [boolfact.factorize(X, k, time_limit=5) for k in (1, 2)]
    one, two = plot_side_by_side(runs, X, titles=["a", "b"]).axes
    first, second = (np.asarray(axes.images[0].get_array()) for axes in (one, two))
    # The ones, explained or missed, are at the same places.
    assert ((first == 1) | (first == 2)).tolist() == ((second == 1) | (second == 2)).tolist()
    assert one.get_title() == "a\n4 ones missed, 0 zeros covered"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r, X: ([], X, None), "at least one result"),
        (lambda r, X: ([r], X, ["a", "b"]), "one for each of 1 results"),
        (
            lambda r, X: ([r], boolfact.as_matrix([[1, 0]]), None),
            r"results\[0\] is of data of shape",
        ),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    results, X, titles = change(*sample())
    with pytest.raises(ValueError, match=message):
        plot_side_by_side(results, X, titles=titles)


def test_other_data_than_a_matrix_is_refused():
    result, _ = sample()
    with pytest.raises(TypeError, match="must be a BinaryMatrix"):
        plot_side_by_side([result], [[1, 0]])
