import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner

import boolfact
from boolfact.cli.app import app
from boolfact.io.binarize import binarize, read_table

PATIENTS = """patient,sex,age,bilirubin,fatigue,stage
p1,male,30,1.0,no,early
p2,female,50,,yes,late
p3,male,34,0.7,yes,
p4,female,61,3.9,?,early
p5,female,39,1.2,no,middle
"""


def columns(X):
    return {name: X.values[:, j].tolist() for j, name in enumerate(X.column_names)}


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS)
    return path


def test_categories_numbers_and_yes_no_become_named_columns(patients):
    X = binarize(patients)
    assert columns(X) == {
        "sex=female": [0, 1, 0, 1, 1],
        "sex=male": [1, 0, 1, 0, 0],
        "age<=39": [1, 0, 1, 0, 1],
        "age>39": [0, 1, 0, 1, 0],
        "bilirubin<=1.1": [1, -1, 1, 0, 0],
        "bilirubin>1.1": [0, -1, 0, 1, 1],
        "fatigue": [0, 1, 1, -1, 0],
        "stage=early": [1, 0, -1, 1, 0],
        "stage=late": [0, 1, -1, 0, 0],
        "stage=middle": [0, 0, -1, 0, 1],
    }
    assert X.row_names == ("p1", "p2", "p3", "p4", "p5")


def test_a_frame_gives_the_same_as_its_file(patients):
    frame = pd.read_csv(patients, index_col="patient", na_values="?")
    for given in (frame, pl.from_pandas(frame.reset_index(drop=True))):
        assert columns(binarize(given)) == columns(binarize(patients))
    assert binarize(frame).row_names == ("p1", "p2", "p3", "p4", "p5")
    assert binarize(pl.from_pandas(frame)).row_names is None


def test_a_pandas_category_keeps_its_order_and_is_never_split(patients):
    frame = pd.read_csv(patients, index_col="patient")
    frame["stage"] = pd.Categorical(frame["stage"], ["early", "middle", "late", "never"])
    frame["grade"] = pd.Categorical([1, 2, 3, 2, 1])
    names = binarize(frame[["stage", "grade"]]).column_names
    assert names == ("stage=early", "stage=middle", "stage=late", "grade=1", "grade=2", "grade=3")


def test_options_choose_categories_thresholds_and_both_answers(patients):
    frame = {"grade": [1, 2, 3], "age": [10, 20, 30], "ill": [True, False, None]}
    X = binarize(frame, categorical=["grade"], thresholds={"age": 10}, both=True)
    assert columns(X) == {
        "grade=1": [1, 0, 0],
        "grade=2": [0, 1, 0],
        "grade=3": [0, 0, 1],
        "age<=10": [1, 0, 0],
        "age>10": [0, 1, 1],
        "ill=no": [0, 1, -1],
        "ill=yes": [1, 0, -1],
    }
    zero = binarize(frame, both=True, unknown="zero")
    assert zero.n_missing == 0
    assert columns(zero)["ill=yes"] == [1, 0, 0]


def test_a_median_that_is_the_largest_value_still_splits():
    X = binarize({"visits": [1, 5, 5, 5]})
    assert columns(X) == {"visits<=1": [1, 0, 0, 0], "visits>1": [0, 1, 1, 1]}


def test_the_zoo_is_made_from_its_table_as_in_the_paper():
    zoo = boolfact.load_dataset("zoo")
    legs = np.where(zoo.ones[:, zoo.column_names.index("legs<=4")], 4, 6)
    table = {name: zoo.values[:, j].tolist() for j, name in enumerate(zoo.column_names[:15])}
    X = binarize({**table, "legs": legs.tolist()}, thresholds={"legs": 4})
    assert X.column_names == zoo.column_names
    assert (X.values == zoo.values).all()


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        ({"a": [1, 2]}, {"unknown": "maybe"}, "unknown must be"),
        ({"a": [1, 2]}, {"categorical": ["b"]}, "no column 'b'"),
        ({"a": ["x", "3"]}, {"thresholds": {"a": 1}}, "value 'x' is not a number"),
        ({"a": list("abcd")}, {"most_values": 3}, "4 different values"),
        ({"a": [1, 2], "b": [1]}, {}, "column 'b' has 1 cells, expected 2"),
        ({}, {}, "empty"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(frame, options, message):
    with pytest.raises(ValueError, match=message):
        binarize(frame, **options)


def test_other_kinds_are_refused_and_empty_columns_left_out():
    with pytest.raises(TypeError, match="got ndarray"):
        binarize(np.zeros((2, 2)))
    with pytest.warns(UserWarning, match="'b' has no value"):
        assert binarize({"a": [1, 0], "b": [None, None]}).column_names == ("a",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("a,b\n", "no row below"),
        ("a,b\n1\n", "ragged rows: line 2 has 1 cells, expected 2"),
        ("a,a\nx,y\n", "two columns are called 'a'"),
    ],
)
def test_a_bad_table_is_refused_with_its_file(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        read_table(path)
    assert str(path) in str(caught.value)


def test_the_first_column_names_rows_only_if_it_can(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("colour,size\nred,1\nred,2\nblue,3\n")
    assert binarize(path).row_names is None
    assert binarize(read_table(path, row_names=True)).row_names == ("red", "red", "blue")
    path.write_text("red,1\nred,2\nblue,3\n")
    names = binarize(read_table(path, header=False)).column_names
    assert names == ("column 1=blue", "column 1=red", "column 2<=2", "column 2>2")


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_from_a_table_with_categories_to_a_page_in_two_commands(patients, tmp_path):
    out = tmp_path / "run"
    done = run("fit", patients, "-k", 2, "--one-hot", "--out", out, "--time-limit", 2, "-q")
    assert done.exit_code == 0, done.stderr
    assert "sex=female" in done.stdout
    done = run("report", out)
    assert done.exit_code == 0, done.stderr
    page = (out / "report.html").read_text("utf-8")
    assert "bilirubin&lt;=1.1" in page or "bilirubin&gt;1.1" in page or "stage=" in page
    assert run("verify", out).exit_code == 0


def test_categories_without_the_option_are_refused_with_a_hint(patients):
    done = run("fit", patients, "-k", 2)
    assert done.exit_code == 2
    assert "--one-hot" in done.stderr
    done = run("fit", "zoo", "-k", 2, "--one-hot")
    assert done.exit_code == 2
    assert "--one-hot reads" in done.stderr
