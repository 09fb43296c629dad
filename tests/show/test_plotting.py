import dataclasses
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from boolfact.cli.app import app
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.result import Result
from boolfact.show.ordering import order_by_factors, stretches

pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")

from boolfact.show.plotting import (
    plot_convergence,
    plot_factors,
    plot_matrix,
    plot_ranks,
    save_figure,
)

from sample_results import asked, sample, saved_sample


def pixels(axes, shape):
    """The colour of the middle of every cell."""
    image = np.asarray(axes.images[0].get_array())
    n, m = shape
    rows = ((np.arange(n) + 0.5) * image.shape[0] / n).astype(int)
    columns = ((np.arange(m) + 0.5) * image.shape[1] / m).astype(int)
    return image[np.ix_(rows, columns)].astype(int)


def test_the_matrix_is_drawn_in_the_order_of_the_patterns():
    result, X = sample()
    data = plot_matrix(result, X).axes[0]
    rows, columns = order_by_factors(result.factors)
    values = X.values[np.ix_(rows, columns)]
    colours = pixels(data, X.shape)
    for value in (0, 1, -1):
        assert len(np.unique(colours[values == value], axis=0)) == 1
    assert colours[values == 1].sum() < colours[values == 0].sum()
    assert [t.get_text() for t in data.get_yticklabels()] == [X.row_label(i) for i in rows]


def test_every_block_of_every_pattern_has_a_frame():
    result, X = sample()
    rows, columns = order_by_factors(result.factors)
    blocks = sum(
        len(stretches(a[rows])) * len(stretches(b[columns])) for a, b in result.factors.rectangles
    )
    data, patterns, _ = plot_matrix(result, X).axes
    for axes in (data, patterns):
        assert sum(len(frames.get_paths()) for frames in axes.collections) == blocks
    uncovered = ~result.factors.product()[np.ix_(rows, columns)]
    assert ((pixels(patterns, X.shape) == 255).all(axis=2) == uncovered).all()
    assert sorted(t.get_text() for t in patterns.texts) == ["1", "2", "3"]


def test_no_two_frames_of_many_patterns_look_the_same():
    k = 70
    factors = Factors(np.eye(k, dtype=bool), np.eye(k, dtype=bool))
    X = BinaryMatrix(np.eye(k, dtype=np.int8))
    result = dataclasses.replace(sample(k, k, k, names=False)[0], A=factors.A, B=factors.B)
    _, patterns, _ = plot_matrix(result, X).axes
    looks = {
        (tuple(frames.get_edgecolor()[0]), str(frames.get_linestyle()))
        for frames in patterns.collections
    }
    assert len(patterns.collections) == len(looks) == k


def test_frames_that_would_bury_the_data_are_drawn_around_the_patterns_only():
    result, X = sample(n=150, m=60, k=12)
    data, patterns, _ = plot_matrix(result, X).axes
    assert len(data.collections) == 0
    assert len(patterns.collections) == 12
    assert sorted(text.get_text() for text in patterns.texts) == sorted(map(str, range(1, 13)))


def test_large_counts_have_commas():
    result, X = sample(n=1200, m=5, k=2)
    data, _, errors = plot_matrix(result, X).axes
    assert data.yaxis.get_label_text() == "1,200 rows"
    assert errors.get_title() == f"{result.error:,} errors"


def test_errors_are_counted_and_coloured_by_kind():
    result, X = sample(missing=0.2)
    figure = plot_matrix(result, X)
    product, order = result.factors.product(), order_by_factors(result.factors)
    missed, false_ones = X.ones & ~product, (X.values == 0) & product
    assert figure.axes[2].get_title() == f"{result.error} errors"
    legend = [text.get_text().split() for text in figure.legends[0].get_texts()]
    assert legend[0][0] == str(missed.sum())
    assert legend[1][0] == str(false_ones.sum())
    colours = pixels(figure.axes[2], X.shape)
    kinds = [colours[kind[np.ix_(*order)]] for kind in (missed, false_ones, X.missing)]
    assert all(len(np.unique(kind, axis=0)) == 1 for kind in kinds)
    assert len({tuple(kind[0]) for kind in kinds}) == 3


def test_weighted_errors_say_so():
    result, X = sample(weights=np.full((12, 7), 3))
    assert f"(weight {result.error})" in plot_matrix(result, X).axes[2].get_title()


def test_too_many_names_become_a_count():
    result, X = sample(n=100, m=70)
    data = plot_matrix(result, X).axes[0]
    assert data.get_ylabel() == "100 rows"
    assert data.get_xlabel() == "70 columns"
    assert len(data.get_yticks()) == 0


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 9, 1), (9, 1, 2), (700, 300, 20)])
def test_all_shapes_can_be_drawn_and_saved(tmp_path, shape):
    n, m, k = shape
    result, X = sample(n, m, k, names=n < 100, missing=0)
    for figure in (plot_matrix(result, X), plot_factors(result), plot_convergence(result)):
        assert save_figure(figure, tmp_path / "deep" / "x.png").stat().st_size > 1000


def test_factors_show_one_colour_a_pattern():
    result, _ = sample()
    left, right = plot_factors(result).axes
    rows, columns = order_by_factors(result.factors)
    for axes, flags in ((left, result.A[rows]), (right, result.B.T[columns])):
        colours = pixels(axes, flags.shape)
        for u in range(result.k):
            inside = np.unique(colours[flags[:, u], u], axis=0)
            assert len(inside) == 1
            assert not (inside[0] == np.unique(colours[~flags[:, u], u], axis=0)[0]).all()
    names = [text.get_text().replace("\\", "") for text in right.get_yticklabels()]
    assert names == [result.column_names[j] for j in columns]


def test_convergence_shows_the_best_so_far_and_ends_with_the_result():
    result, _ = sample()
    result = asked(result, error_lower_bound=4, objective_lower_bound=9.5)
    of_error, of_objective = plot_convergence(result).axes
    lines = {line.get_label(): line for line in of_error.lines}
    error = lines["error"]
    assert error.get_ydata().tolist() == [30, 20, result.error]
    assert error.get_xdata().tolist() == [1, 3, 4]
    assert lines["proved bound on the error"].get_ydata().tolist() == [1, 4]
    assert not [label for label in lines if "objective" in label]
    assert of_error.get_ylabel() == "wrong entries"
    assert of_error.get_title().endswith(f"error {result.error}, proved at least 4")
    others = {line.get_label(): line for line in of_objective.lines}
    assert others["objective MIP(1)"].get_ydata().tolist() == [result.objective]
    assert others["proved bound on the objective MIP(1)"].get_ydata().tolist() == [2.5, 9.5]
    assert not [label for label in others if "error" in label]
    assert of_objective.get_ylabel() == "objective MIP(1)"
    assert "proved at least 9.50" in of_objective.get_title()
    assert of_error.yaxis.get_major_formatter()(1250) == "1,250"


def test_convergence_without_a_bound_has_no_line_for_it():
    result, _ = sample()
    result = dataclasses.replace(result, trace=Trace([TracePoint(4.0, error=result.error)]))
    (axes,) = plot_convergence(result).axes
    labels = [text.get_text() for text in axes.legend_.get_texts()]
    assert labels == ["error"]


def test_ranks_show_bounds_and_description_lengths_where_given():
    figure = plot_ranks(
        [1, 2, 3], [9, 5, 2], bounds=[9, 4, None], description_lengths=[50, 40, 45], recommended=2
    )
    errors, lengths = figure.axes
    labels = [text.get_text() for text in errors.legend_.get_texts()]
    assert labels == [
        "error", "proved bound on the error", "description length", "recommended: k = 2",
    ]  # fmt: skip
    assert list(lengths.lines[0].get_ydata()) == [50, 40, 45]
    assert len(plot_ranks([1, 2], [3, 1], bounds=[None, None]).axes[0].lines) == 1
    with pytest.raises(ValueError, match="errors must have one value for each of 2 ks"):
        plot_ranks([1, 2], [3])


def test_the_legend_of_ranks_is_inside_the_axes_and_hides_no_point():
    figure = plot_ranks(
        [1, 2, 3, 4], [9, 9, 9, 9], bounds=[9, 9, 9, 9], description_lengths=[1, 50, 60, 60],
        recommended=4,
    )  # fmt: skip
    figure.draw_without_rendering()
    errors, lengths = figure.axes
    legend = errors.legend_.get_window_extent()
    assert errors.bbox.y0 <= legend.y0 < legend.y1 <= errors.bbox.y1
    assert errors.bbox.x0 <= legend.x0 < legend.x1 <= errors.bbox.x1
    assert len(errors.texts) == 0
    for axes in (errors, lengths):
        for line in axes.lines[:2]:
            if line.get_label().startswith("recommended"):
                continue
            assert axes.transData.transform(line.get_xydata())[:, 1].max() < legend.y0


@pytest.mark.parametrize("columns", [17, 30, 34, 35])
def test_names_of_columns_are_shown_only_where_they_do_not_touch(columns):
    result, X = sample(m=columns)
    figure = plot_matrix(result, X)
    figure.draw_without_rendering()
    names = figure.axes[0].get_xticklabels()
    boxes = [text.get_window_extent() for text in names]
    # A name on its side is as wide as its letters are high, with some air in the box.
    assert not any(a.x1 - b.x0 > 0.3 * a.width for a, b in itertools.pairwise(boxes))
    assert len(names) == (columns if columns <= 34 else 0)


@pytest.mark.parametrize("k", [18, 50])
def test_numbers_of_many_patterns_do_not_cover_one_another(k):
    result, X = sample(n=120, m=60, k=k, missing=0)
    figure = plot_matrix(result, X)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[1].texts]
    assert len(boxes) == k
    pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]]
    assert sum(a.overlaps(b) for a, b in pairs) <= (0 if k == 18 else k // 5)
    for axes in plot_factors(result).axes:
        axes.figure.draw_without_rendering()
        ticks = [text.get_window_extent() for text in axes.get_xticklabels()]
        assert not any(a.x1 > b.x0 for a, b in itertools.pairwise(ticks))


def test_names_on_pictures_cannot_turn_a_line_or_start_a_formula():
    result, X = sample()
    odd = ("\u202egnp", "a\nb", "$x^$", "<script>", "\"'", "שלום", "x" * 300)
    X = dataclasses.replace(X, column_names=odd)
    figure = plot_matrix(dataclasses.replace(result, column_names=odd), X)
    figure.draw_without_rendering()
    texts = {text.get_text() for text in figure.axes[0].get_xticklabels()}
    assert {"\\u202egnp", "a\\nb", "<script>", "\"'", "שלום"} <= texts
    assert max(map(len, texts)) < 40


def test_other_data_and_unknown_formats_are_refused(tmp_path):
    result, X = sample()
    with pytest.raises(ValueError, match=r"shape \(12, 7\)"):
        plot_matrix(result, X.T)
    with pytest.raises(TypeError, match="X must be a BinaryMatrix"):
        plot_matrix(result, X.values)
    with pytest.raises(ValueError, match="expected a file name"):
        save_figure(plot_convergence(result), tmp_path / "x.doc")


def test_no_screen_is_looked_for():
    code = (
        "import sys, boolfact.show.plotting as p; p.plot_ranks([1], [2]);"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'boolfact\[plot\]'"):
        plot_ranks([1], [2])


@pytest.fixture
def saved(tmp_path):
    return saved_sample(tmp_path)


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


@pytest.mark.parametrize("kind", ["matrix", "convergence", "factors", "ranks"])
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_each_picture_is_one_command(saved, tmp_path, kind, ending):
    out = tmp_path / f"picture.{ending}"
    done = run("plot", saved, "--kind", kind, "--out", out)
    assert done.exit_code == 0, done.stderr
    assert out.read_bytes()[:4] == {"png": b"\x89PNG", "svg": b"<?xm"}[ending]


def test_plot_refuses_other_data_and_other_endings(saved, tmp_path):
    done = run("plot", saved, "--out", tmp_path / "x.doc")
    assert done.exit_code == 2
    assert "ends in .png" in done.stderr
    done = run("plot", saved, "--source", "zoo", "--out", tmp_path / "x.png")
    assert done.exit_code == 2
    assert "not the data" in done.stderr
    done = run("plot", saved, saved, "--out", tmp_path / "x.png")
    assert done.exit_code == 2
    assert "one result" in done.stderr
    assert not list(tmp_path.glob("x.*"))


def test_ranks_are_of_the_same_data(saved, tmp_path):
    other = tmp_path / "other"
    Result.load(saved).save(other)
    document = json.loads((other / "result.json").read_text())
    (other / "result.json").write_text(json.dumps({**document, "digest": "0"}))
    done = run("plot", saved, other, "--kind", "ranks", "--out", tmp_path / "x.png")
    assert done.exit_code == 2
    assert "same data" in done.stderr
