import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given

import boolfact
from boolfact.io.binarize import binarize
from boolfact.io.limits import check_size
from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows

from strategies import matrices

EXPECTED = [[1, 0, -1], [0, 1, 1]]


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "data",
    [
        [[1, 0, None], [0, 1, 1]],
        np.array([[1.0, 0.0, np.nan], [0.0, 1.0, 1.0]]),
        np.array([["yes", "no", "?"], ["FALSE", " True", "1.0"]]),
        np.array([[True, False, None], [False, True, True]], dtype=object),
        np.ma.masked_array([[1, 0, 1], [0, 1, 1]], mask=[[0, 0, 1], [0, 0, 0]]),
        pd.DataFrame({"a": [1, 0], "b": [0, 1], "c": [np.nan, 1]}),
        pd.DataFrame({"a": [True, False], "b": [0, 1], "c": pd.array([pd.NA, True], "boolean")}),
        pd.DataFrame({"a": ["yes", "no"], "b": ["no", "yes"], "c": [None, "yes"]}),
        pl.DataFrame({"a": [1, 0], "b": [False, True], "c": [None, "yes"]}, strict=False),
        sp.csr_array(np.array([[1.0, 0.0, np.nan], [0.0, 1.0, 1.0]])),
    ],
    ids=lambda data: type(data).__module__.split(".")[0] + "-" + type(data).__name__,
)
def test_every_kind_of_object_is_read(data):
    assert as_matrix(data).values.tolist() == EXPECTED


def test_names_of_frames_are_kept():
    frame = pd.DataFrame({"a": [1, 0], "b": [0, 1]}, index=["x", "y"])
    X = as_matrix(frame)
    assert X.row_names == ("x", "y")
    assert X.column_names == ("a", "b")
    assert as_matrix(frame.reset_index(drop=True)).row_names is None
    assert as_matrix(pl.DataFrame({"p": [1], "q": [0]})).column_names == ("p", "q")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.csv", "1,0,\n0,1,1\n"),
        ("header.csv", "a,b,c\n1,0,NA\n0,1,1\n"),
        ("names.csv", "row,a,b,c\nr1,1,0,?\nr2,0,1,1\n"),
        ("names_without_header.csv", "r1,1,0,nan\nr2,0,1,1\n"),
        ("numbered.csv", ",0,1,2\n0,1.0,0.0,\n1,0.0,1.0,1.0\n"),
        ("written_by_r.csv", '"a","b","c"\n"r1",1,0,NA\n"r2",0,1,1\n'),
        ("semicolon.csv", "a;b;c\nyes;no;\nno;yes;yes\n"),
        ("bom.csv", "\ufeffa,b,c\n1,0,\n0,1,1\n"),
        ("crlf.csv", "a,b,c\r\n1,0,\r\n0,1,1\r\n\r\n"),
        ("quoted.csv", '"a, first",b,c\n1,0,\n0,1,1\n'),
        ("tabs.tsv", "a\tb\tc\n1\t0\t\n0\t1\t1\n"),
        ("spaces.txt", "1 0 ?\n0 1 1\n"),
        ("spaces_header.txt", "a b c\ntrue false na\nfalse true true\n"),
    ],
)
def test_text_files_are_read_with_or_without_names(tmp_path, name, text):
    X = as_matrix(write(tmp_path, name, text))
    assert X.values.tolist() == EXPECTED


def test_names_in_files_are_kept(tmp_path):
    X = as_matrix(write(tmp_path, "x.csv", "animal,wings,fins\nduck,1,0\nduck,0,1\n"))
    assert X.row_names == ("duck", "duck")
    assert X.column_names == ("wings", "fins")


def test_what_the_content_cannot_tell_can_be_said(tmp_path):
    path = write(tmp_path, "x.csv", "1,0\n0,1\n1,1\n")
    assert as_matrix(path).shape == (3, 2)
    assert as_matrix(path, header=True).shape == (2, 2)
    assert as_matrix(path, row_names=True).values.tolist() == [[0], [1], [1]]


def test_binary_files_are_read(tmp_path):
    dense = np.array([[1.0, 0.0, np.nan], [0.0, 1.0, 1.0]])
    np.save(tmp_path / "x.npy", dense)
    np.savez(tmp_path / "dense.npz", X=dense, other=np.zeros(3))
    sp.save_npz(tmp_path / "sparse.npz", sp.csr_matrix(dense))
    scipy.io.mmwrite(tmp_path / "x.mtx", sp.coo_matrix(np.nan_to_num(dense)))
    pd.DataFrame(dense, index=["p", "q"], columns=list("abc")).to_parquet(tmp_path / "x.parquet")
    for name in ("x.npy", "dense.npz", "sparse.npz", "x.parquet"):
        assert as_matrix(tmp_path / name).values.tolist() == EXPECTED
    assert as_matrix(tmp_path / "x.mtx").values.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert as_matrix(tmp_path / "x.parquet").row_names == ("p", "q")
    assert as_matrix(tmp_path / "x.parquet").column_names == ("a", "b", "c")


@given(matrices())
def test_a_written_matrix_is_read_back(matrix):
    values = np.where(matrix.missing, np.nan, matrix.ones.astype(float))
    assert (as_matrix(values).values == matrix.values).all()
    assert (as_matrix(pd.DataFrame(values)).values == matrix.values).all()
    assert (as_matrix(values.tolist()).values == matrix.values).all()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[1, 2]], r"row 0, column 1: value 2 is not understood; expected 0, 1"),
        ([[1, 0], [1]], "ragged rows: row 1 has 1 entries, row 0 has 2"),
        ([["yes", "maybe"]], "'maybe' is not understood"),
        ([1, 0], "Expected 2D array"),
        ([], "Expected 2D array"),
        ([[]], "empty"),
        (np.zeros((0, 4)), "empty"),
        ([[1 + 2j]], "Complex data not supported"),
        (pd.DataFrame({"a": [1, 3]}, index=["x", "y"]), r"row 1 \(y\), column 0 \(a\): value 3"),
        (pd.DataFrame(), "empty"),
        (pl.DataFrame({"a": [1, 3]}), r"column 0 \(a\): value '3'"),
    ],
)
def test_bad_objects_are_refused_with_the_place(data, message):
    with pytest.raises(ValueError, match=message):
        as_matrix(data)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "a,b\n1,0\n0,2\n", r"x.csv: line 3, column 2 \('b'\): value '2'"),
        ("x.csv", "row,a,b\nr1,1,0\nr2,no,perhaps\n", r"line 3, row 'r2', column 3 \('b'\)"),
        ("x.csv", "1,0\n1,0,1\n", "ragged rows: line 2 has 3 cells, expected 2"),
        ("x.csv", "1,0,1\n2,0,1\n1,1,0\n", "line 2, column 1: value '2'"),
        ("x.csv", "", "the file is empty"),
        ("x.csv", "\n\n", "the file is empty"),
        ("x.csv", "a,b,c\n", "a header but no row"),
        ("x.csv", "row\nr1\nr2\n", "no column besides the row names"),
        ("x.xlsx", "1,0\n", "workbooks are not read; save the sheet as CSV"),
        ("x.doc", "1,0\n", "unknown file type '.doc'"),
        ("x.npy", "1,0\n", "not a readable npy file"),
        ("x.npz", "1,0\n", "not a readable npz file"),
        ("x.mtx", "1,0\n", "not a readable Matrix Market file"),
        ("x.parquet", "1,0\n", "not a readable parquet file"),
    ],
)
def test_bad_files_are_refused_with_the_place(tmp_path, name, text, message):
    with pytest.raises(ValueError, match=message):
        as_matrix(write(tmp_path, name, text))


@pytest.mark.parametrize("read", [as_matrix, as_rows])
@pytest.mark.parametrize("cell", ["1\0", "\0", "0\0\0"])
def test_a_cell_with_a_nul_is_no_number_and_not_missing(tmp_path, read, cell):
    """NumPy would take the NUL for the end of the text."""
    path = write(tmp_path, "x.csv", f"1,0\n{cell},1\n")
    for X in (path, np.array([["1", "0"], [cell, "1"]], dtype=object)):
        with pytest.raises(ValueError, match="is not understood"):
            read(X)


@pytest.mark.parametrize("mark", ["\v", "\f", "\x1c", "\x85", "\u2028"])
def test_lines_end_where_those_of_files_end(tmp_path, mark):
    """Python's splitlines would cut at these, too, and the readers would differ."""
    path = write(tmp_path, "x.txt", f"1 0{mark} 1\n0 1 1\n")
    assert as_matrix(path).values.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert as_rows(path).values(slice(None)).tolist() == [[1, 0, 1], [0, 1, 1]]


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    for data, name in ((b"\x80\x00\x01", "UTF-8"), (b"\xff\xfe\x00", "UTF-16")):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=f"not a {name} text file"):
            as_matrix(path)


def test_a_missing_file_or_unknown_name_is_refused_with_the_nearest_names(tmp_path):
    with pytest.raises(FileNotFoundError, match="did you mean votes"):
        as_matrix("vote")
    with pytest.raises(FileNotFoundError, match="neither a file nor a bundled dataset"):
        as_matrix(tmp_path / "nowhere.csv")
    with pytest.raises(ValueError, match="is a folder"):
        as_matrix(tmp_path)


def test_a_threshold_makes_numbers_binary_and_keeps_missing_entries():
    X = as_matrix([[0.2, 3, np.nan]], binarize=0.5)
    assert X.values.tolist() == [[0, 1, -1]]
    with pytest.raises(ValueError, match="infinity"):
        as_matrix([[np.inf]], binarize=0.5)


def test_weights_can_be_given():
    assert as_matrix([[1, 0]], weights=[[2, 3]]).weights.tolist() == [[2, 3]]


def test_entries_of_a_strange_type_are_refused():
    with pytest.raises(TypeError, match="row 0, column 1: argument must be a string or a number"):
        as_matrix([[1, {"a": 1}]])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n0.5,2\n3,0\n", None),
        ("0.5,2\n3,0.5\n", None),
        ("patient_id,b\n7,2\n9,0\n", ("7", "9")),
        ("who,b\nann,2\nbob,0\n", ("ann", "bob")),
    ],
)
def test_a_first_column_of_numbers_is_data_where_there_is_a_threshold(tmp_path, text, names):
    path = write(tmp_path, "x.csv", text)
    X = as_matrix(path, binarize=1)
    assert X.row_names == names
    assert X.shape == (2, 2 if names is None else 1)
    rows = as_rows(path, binarize=1)
    assert (rows.row_names, rows.shape) == (X.row_names, X.shape)


def test_words_in_a_frame_are_refused_with_what_reads_them():
    frame = pd.DataFrame({"raucht": ["ja", "nein"], "hustet": ["nein", "ja"]})
    with pytest.raises(ValueError, match=r"value 'ja' is not understood.*boolfact\.binarize makes"):
        as_matrix(frame)
    assert binarize(frame).values.tolist() == [[1, 0], [0, 1]]


TABLE = "who,a,b\nann,x,1\nbob,y,2\ncy,x,1\n"
SAME = "who,a,b\nann,x,1\nbob,x,1\ncy,x,1\n"


@pytest.mark.filterwarnings("ignore:column 'a' has the same value")
@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (
            lambda path: binarize(pd.DataFrame([["x", "y"], ["y", "x"]], columns=["a", "a"])),
            "the frame has two columns of the same name",
        ),
        (lambda path: binarize(path, drop=["who", "a", "b"]), "there is no column left"),
        (
            lambda path: binarize(path, categorical=["b"], thresholds={"b": 1.5}),
            "column 'b' cannot be split at a threshold and be categorical",
        ),
        (
            lambda path: binarize(path.with_name("same.csv"), drop=["who", "b"]),
            "the table has no column with different values in it",
        ),
        (lambda path: check_size("x.npy", (3, -1), 1), "shape (3, -1) has a negative side"),
        (
            lambda path: boolfact.read_pairs(path.with_name("none.txt")),
            "pairs are read from a text file; no file",
        ),
    ],
)
def test_more_input_is_refused_with_words(tmp_path, attempt, message):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    (tmp_path / "same.csv").write_text(SAME)
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(message)):
        attempt(path)
