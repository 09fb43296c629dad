import html
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from boolfact.control.ending import Ending
from boolfact.control.trace import Trace, TracePoint
from boolfact.model.bound import Quantity, float_below
from boolfact.results.closing import closing_lines
from boolfact.results.result import Result
from boolfact.results.status import Status

from sample_results import sample
from strategies import matrix_and_factors


def make(A, B, **changes):
    n, k = np.shape(A)
    fields = {
        "A": np.array(A, bool), "B": np.array(B, bool), "error": 3, "objective": 3.5,
        "status": Status.BOUNDED, "ending": Ending.TIME_LIMIT, "k": k, "method": "k_greedy",
        "dataset": "zoo",
        "objective_lower_bound": 2.25, "error_lower_bound": 2, "seconds": 1.5, "seed": 4,
        "rho": Fraction(19, 20), "iterations": 7, "settings": {"time_limit": 60.0},
        "row_names": tuple(f"r,{i}" for i in range(n)),
        "column_names": tuple(f'c"{j}' for j in range(np.shape(B)[1])),
        "digest": "abc", "trace": Trace([TracePoint(0.5, error=9)], {"pricings": 2}),
        "certificate": {"format": 1},
    }  # fmt: skip
    return Result(**{**fields, **changes})


@pytest.fixture
def result():
    return make([[1, 0], [1, 1], [0, 1]], [[1, 1, 0], [0, 1, 1]])


@settings(max_examples=25)
@given(matrix_and_factors(max_side=5))
def test_a_saved_result_is_loaded_unchanged(tmp_path_factory, case):
    _, factors = case
    result = make(factors.A, factors.B, error_bound_by="assigned cover, single rows")
    again = Result.load(result.save(tmp_path_factory.mktemp("result") / "run"))
    assert (again.A == result.A).all()
    assert (again.B == result.B).all()
    for name in (
        "error",
        "objective",
        "status",
        "ending",
        "k",
        "objective_lower_bound",
        "error_lower_bound",
        "objective_bound_by",
        "error_bound_by",
        "rho",
        "row_names",
        "column_names",
        "settings",
        "certificate",
        "digest",
        "iterations",
    ):
        assert getattr(again, name) == getattr(result, name)
    assert again.trace.points == result.trace.points
    assert again.trace.counters == result.trace.counters


def test_the_json_has_exactly_the_promised_keys(result):
    assert list(result.as_dict()) == [
        "dataset", "n", "m", "k", "method", "error", "observed", "ones", "missed_ones",
        "false_ones", "error_lower_bound", "error_bound_by", "gap",
        "objective", "objective_lower_bound", "objective_bound_by", "status", "ending", "seconds",
        "seed",
    ]  # fmt: skip
    assert json.loads(json.dumps(result.as_dict()))["gap"] == pytest.approx(1 / 3)


def test_gap_is_relative_to_the_error(result):
    assert make(result.A, result.B, error=0, error_lower_bound=0).gap == 0
    assert make(result.A, result.B, error_lower_bound=None).gap is None


def test_saving_over_an_older_result_replaces_all_of_it(result, tmp_path):
    result.save(tmp_path / "run")
    make(result.A, result.B, certificate=None, error=1).save(tmp_path / "run")
    again = Result.load(tmp_path / "run")
    assert again.error == 1
    assert again.certificate is None
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["A.csv", "B.csv", "result.json"]


def test_a_failed_save_leaves_nothing_behind(result, tmp_path):
    broken = make(result.A, result.B, settings={"odd": object()})
    with pytest.raises(TypeError):
        broken.save(tmp_path / "run")
    assert list(tmp_path.iterdir()) == []
    result.save(tmp_path / "run")
    with pytest.raises(TypeError):
        broken.save(tmp_path / "run")
    assert Result.load(tmp_path / "run").error == result.error
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_saving_onto_a_file_is_refused(result, tmp_path):
    (tmp_path / "run").write_text("precious")
    with pytest.raises(NotADirectoryError, match="is a file"):
        result.save(tmp_path / "run")
    assert (tmp_path / "run").read_text() == "precious"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("result.json", "{", "not readable as JSON"),
        ("result.json", "[1]", "expected a JSON object"),
        ("result.json", '{"format": 2}', "'n' is missing"),
        ("result.json", '{"format": 1}', "reads results of format 2, got format 1; run"),
        ("result.json", "{}", "reads results of format 2, got format None"),
        ("result.json", None, "is missing: not a complete result folder"),
        ("A.csv", "row,pattern 1\nr,2\n", "expected only 0 and 1"),
        ("A.csv", "row,pattern 1\nr,1\n", "do not fit"),
        ("A.csv", None, "is missing"),
        ("B.csv", "pattern,a\np,1\nq\n", "rows of different length"),
        ("B.csv", "", "not a readable factor file"),
        ("certificate.json", "nonsense", "not readable as JSON"),
    ],
)
def test_a_damaged_folder_is_refused_and_the_file_named(result, tmp_path, name, content, message):
    folder = result.save(tmp_path / "run")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(content)
    with pytest.raises(ValueError, match=message) as caught:
        Result.load(folder)
    assert name in str(caught.value)


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no result folder"):
        Result.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("error_lower_bound", "2"),
        ("error_lower_bound", float("nan")),
        ("objective", None),
        ("objective", True),
        ("status", "time limit"),
        ("ending", "optimal"),
    ],
)
def test_a_field_that_cannot_be_is_refused(result, tmp_path, name, value):
    path = result.save(tmp_path / "run") / "result.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: value}))
    with pytest.raises(ValueError, match="not a result of this program"):
        Result.load(tmp_path / "run")


@pytest.mark.parametrize("rho", [Fraction(19, 20), Fraction(1, 3), Fraction(1, 7)])
def test_what_is_stored_says_the_fraction_that_was_meant(rho):
    for units in range(1, 3000):
        exact = Fraction(units, rho.denominator)
        result = make(
            [[1]],
            [[1]],
            rho=rho,
            objective=float(exact),
            objective_lower_bound=float_below(exact),
        )
        pair = result.pairs[1]
        assert pair.value == pair.lower_bound == exact
        assert pair.gap == 0


def test_a_pair_never_mixes_the_two_quantities(result):
    error, objective = result.pairs
    assert (error.quantity, error.value, error.lower_bound) == (Quantity.ERROR, 3, 2)
    assert objective.quantity is Quantity.OBJECTIVE
    assert (objective.value, objective.lower_bound) == (Fraction(7, 2), Fraction(9, 4))


def test_the_summary_names_the_patterns_and_keeps_the_two_bounds_apart(result):
    first, second, blank, run, error, proved, objective = result.summary().splitlines()
    assert first == 'pattern 1: 2 rows: c"0, c"1'
    assert second == 'pattern 2: 2 rows: c"1, c"2'
    assert blank == ""
    assert run == (
        "run        zoo: 3 x 3, 2 patterns, method k_greedy; ended after 1.5 s: time limit"
    )
    assert error == "error      3"
    assert proved == "proved     no 2 patterns have an error below 2; gap 33.4 %"
    assert objective == (
        "objective  3.50 of MIP(19/20); no 2 patterns have an objective below 2.25; gap 35.8 %"
    )


def test_a_long_list_of_columns_is_capped_in_the_summary():
    columns = tuple(f"c{j}" for j in range(20))
    result = make([[1], [1]], np.ones((1, 20)), column_names=columns)
    first = result.summary().splitlines()[0]
    assert first == f"pattern 1: 2 rows: {', '.join(columns[:12])} and 8 more"


def test_names_of_patterns_are_kept_with_the_result(result, tmp_path):
    named = result.named(["tea", "jazz"])
    assert named.summary().startswith("tea: 2 rows")
    folder = named.save(tmp_path / "run")
    assert Result.load(folder).pattern_names == ("tea", "jazz")
    assert (folder / "A.csv").read_text().startswith("row,tea,jazz")
    with pytest.raises(ValueError, match="there are 2 patterns, but 1 names"):
        result.named(["tea"])
    with pytest.raises(ValueError, match="two patterns are called 'tea'"):
        result.named(["tea", "tea"])


def test_one_sentence_says_what_was_proved_and_by_which_relaxation(result):
    assert result.proved is None
    both = replace(result, error_bound_by="assigned cover", objective_bound_by="MLP(19/20)")
    assert both.proved == (
        "no factorisation of rank 2 has an error below 2 (by assigned cover) "
        "or an objective below 2.25 (by MLP(19/20))"
    )
    one = replace(both, error_lower_bound=None, error_bound_by=None)
    assert one.proved == "no factorisation of rank 2 has an objective below 2.25 (by MLP(19/20))"


def test_a_result_without_the_names_of_relaxations_is_read(result, tmp_path):
    folder = replace(result, error_bound_by="assigned cover").save(tmp_path / "run")
    document = json.loads((folder / "result.json").read_text())
    for name in ("error_bound_by", "objective_bound_by"):
        del document[name]
    (folder / "result.json").write_text(json.dumps(document))
    assert Result.load(folder).error_bound_by is None
    document["error_bound_by"] = 7
    (folder / "result.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="error_bound_by must be a text"):
        Result.load(folder)


def test_a_gap_that_is_not_closed_is_never_shown_as_zero():
    text = make([[1]], [[1]], error=9999, objective=9999.0, error_lower_bound=9998).summary()
    assert "an error below 9,998; gap 0.1 %" in text
    text = make([[1]], [[1]], error=9999, objective=9999.0, error_lower_bound=9999).summary()
    assert "an error below 9,999; gap 0.0 %" in text


def test_a_result_is_short_to_print_and_pairs_the_error_with_its_own_bound():
    result, _ = sample()
    told = f"error {result.error}, heuristic"
    assert repr(result) == f"<Result: example, 12 x 7, 3 patterns, {told}>"
    proved = replace(result, error_lower_bound=2.0, objective_lower_bound=3.5)
    assert f"error {result.error}, proved at least 2, " in repr(proved)
    assert "3.5" not in repr(proved)


def test_a_notebook_shows_the_closing_lines_and_the_patterns():
    result, _ = sample(m=40, column="<b>")
    page = result.named(["<i>", "y", "z"])._repr_html_()
    for label, text in closing_lines(result):
        assert f">{html.escape(label)}<" in page
        assert html.escape(text) in page
    assert "<b>" not in page
    assert "&lt;i&gt;" in page
    assert f"and {int(result.B[0].sum()) - 12} more" in page
