import datetime

import pandas as pd
import pytest

from boolfact.io.table import as_table, read_table


def write(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_what_a_spreadsheet_leaves_of_emptied_rows_and_columns_is_no_data(tmp_path):
    table = read_table(write(tmp_path, "sex;stage;\nf;1;\nm;2;\n;;\n"))
    assert table.columns == {"sex": ["f", "m"], "stage": ["1", "2"]}


def test_a_column_with_values_and_no_title_is_named_by_its_place(tmp_path):
    table = read_table(write(tmp_path, "sex,\nf,1\nm,2\nm,2\n"))
    assert list(table.columns) == ["sex", "column 2"]


@pytest.mark.parametrize(
    ("title", "named"),
    [("patient_id", True), ("CaseNo", True), ("casino", False), ("weight", False)],
)
def test_numbers_name_the_rows_only_under_a_title_that_says_so(tmp_path, title, named):
    table = read_table(write(tmp_path, f"{title},sex\n17,f\n12,m\n15,m\n"))
    assert (table.rows == ("17", "12", "15")) is named


def test_text_that_is_numbers_with_commas_names_no_rows(tmp_path):
    assert read_table(write(tmp_path, "crp;sex\n1,5;f\n2,5;m\n0,5;m\n")).rows is None


def test_own_words_for_missing_are_missing(tmp_path):
    path = write(tmp_path, "crp,sex\n<5,f\n12,unknown\n7,m\n")
    table = as_table(path, missing=["<5", "Unknown"])
    assert table.columns == {"crp": [None, "12", "7"], "sex": ["f", None, "m"]}


def test_a_parquet_file_keeps_dates_categories_and_its_index(tmp_path):
    pytest.importorskip("pyarrow")
    day = datetime.datetime(2021, 3, 4)
    frame = pd.DataFrame(
        {
            "stage": pd.Categorical(["late", "early"], ["early", "late"]),
            "seen": [day, None],
            "age": [3.5, None],
        },
        index=["p1", "p2"],
    )
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.rows == ("p1", "p2")
    assert table.ordered == {"stage": ["early", "late"]}
    assert table.columns["seen"] == [day, None]
    assert table.columns["age"] == [3.5, None]


@pytest.mark.parametrize(
    ("name", "message"),
    [("sexx", "no column 'sexx'; did you mean 'sex'"), ("zzz", r"no column 'zzz' \(there is")],
)
def test_a_column_that_is_not_there_is_refused_with_the_nearest(name, message):
    with pytest.raises(ValueError, match=message):
        as_table({"sex": ["f"], "age": [3]}).check_names([name])


def test_names_of_rows_are_needed_for_all_rows():
    table = as_table({"who": ["a", None], "age": [1, 2]})
    with pytest.raises(ValueError, match="column 'who' cannot name the rows: row 1"):
        table.indexed_by("who")
    assert as_table({"who": [7.0, 8.0], "age": [1, 2]}).indexed_by("who").rows == ("7", "8")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ValueError, match="expected a table"):
        read_table(write(tmp_path, "", "t.npy"))
    with pytest.raises(ValueError, match=r"expected a table.*fit it with binarize=0"):
        read_table(write(tmp_path, "", "t.h5ad"))
    with pytest.raises(FileNotFoundError, match="no file"):
        read_table(tmp_path / "none.csv")
