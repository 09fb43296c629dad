import pytest

from boolfact.reproduce.cells import Cell
from boolfact.reproduce.curves import curves_csv, draw_curves, falling, rising

POINTS = {
    "proved": [[0.1, 9.0, None], [0.2, 5.0, 2.0], [0.4, 4.0, 4.0]],
    "no bound": [[0.1, 9.0, None], [0.2, 5.0, None]],
    "no value": [[0.1, None, None], [0.2, None, 2.0]],
    "no value or bound": [[0.0, None, None]],
    "nothing": [],
}


def case(*names):
    cells = [Cell("zoo", 2, name, lambda budget: {}) for name in names]
    figures = {
        cell.name: {"points": POINTS[cell.method], "is_optimal": cell.method == "proved"}
        for cell in cells
    }
    return cells, figures


def test_values_fall_and_bounds_rise():
    assert falling(POINTS["proved"]) == ([0.1, 0.2, 0.4], [9.0, 5.0, 4.0])
    assert rising(POINTS["proved"]) == ([0.1, 0.2, 0.4], [0.0, 2.0, 4.0])
    assert falling(POINTS["no value"]) == ([], [])
    assert rising([[0.1, None, 3.0], [0.2, None, 1.0]]) == ([0.1, 0.2], [3.0, 3.0])


@pytest.mark.parametrize("names", [*((name,) for name in POINTS), tuple(POINTS)], ids=str)
def test_runs_that_were_over_too_soon_are_drawn(tmp_path, names):
    pytest.importorskip("matplotlib")
    cells, figures = case(*names)
    path = draw_curves(tmp_path / "curves.png", cells, figures)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert len(curves_csv(cells, figures).splitlines()) == 1 + sum(len(POINTS[n]) for n in names)
