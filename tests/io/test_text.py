import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolfact.io.read import as_matrix
from boolfact.io.rows import as_rows
from boolfact.io.text import EncodingError, TextStyle, delimiter_of, read_lines, read_number


@pytest.mark.parametrize(
    ("lines", "kind", "expected"),
    [
        (["a,b", "1,0"], "csv", ","),
        (["name, first name;age", "Roe, Ann;30,5"], "csv", ";"),
        (["1,5;2,5;3,5", "0,5;1,5;2,5"], "csv", ";"),
        (["a\tb", "1\t0"], "csv", "\t"),
        (['"x;y",b', '"z;",0'], "csv", ","),
        (["1 0 1", "0 1 1"], "txt", None),
        (["1|0", "0|1"], "txt", "|"),
        # Lines of different lengths: what stands most often in the first one.
        (["1,0", "1"], "csv", ","),
        ([], "txt", None),
    ],
)
def test_the_delimiter_is_found_by_what_cuts_all_lines_alike(lines, kind, expected):
    assert delimiter_of(lines, kind) == expected


@pytest.mark.parametrize(
    ("text", "decimal", "thousands", "expected"),
    [
        ("1.5", ".", False, 1.5),
        ("1,5", ".", False, None),
        ("1,5", ",", False, 1.5),
        ("1.5", ",", True, None),
        ("1.234,5", ",", True, 1234.5),
        ("1,234,567", ".", True, 1234567.0),
        ("12 345", ".", True, 12345.0),
        ("-2e3", ".", False, -2000.0),
        (".5", ".", False, 0.5),
        ("1e999", ".", False, None),
        ("nan", ".", False, None),
        ("1_000", ".", True, None),
        ("", ".", False, None),
    ],
)
def test_numbers_have_the_decimals_and_thousands_that_are_said(text, decimal, thousands, expected):
    assert read_number(text, decimal, thousands=thousands) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_of_python_is_read_with_either_mark(value):
    assert read_number(repr(value)) == value
    assert read_number(repr(value).replace(".", ","), ",") == value


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_of_spreadsheets_are_read_as_they_are(tmp_path, encoding):
    path = tmp_path / "x.csv"
    path.write_text("sep=;\nname;Größe;Tür\nann;1;0\nbob;0;1\n", encoding=encoding)
    X = as_matrix(path)
    assert X.column_names == ("Größe", "Tür")
    assert X.values.tolist() == [[1, 0], [0, 1]]
    rows = as_rows(path)
    assert (rows.row_names, rows.column_names) == (X.row_names, X.column_names)
    assert rows.values(slice(None)).tolist() == X.values.tolist()


def test_other_encodings_marks_and_decimals_are_read_where_said(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("Größe|Tür\n0,2|1,5\n2,0|0,1\n", encoding="cp1252")
    with pytest.raises(EncodingError, match=r"not a UTF-8 text file .* encoding='cp1252'"):
        as_matrix(path)
    X = as_matrix(path, encoding="cp1252", delimiter="|", decimal=",", binarize=1)
    assert (X.column_names, X.values.tolist()) == (("Größe", "Tür"), [[0, 1], [1, 0]])


def test_the_number_of_a_line_counts_the_line_that_names_the_delimiter(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("sep=;\na;b\n1;7\n")
    with pytest.raises(ValueError, match="line 3, column 2"):
        as_matrix(path)
    with pytest.raises(ValueError, match="line 3"):
        as_rows(path)
    assert [number for number, _ in read_lines(path, "csv")] == [2, 3]


@pytest.mark.parametrize(
    ("style", "message"),
    [
        ({"delimiter": "ab"}, "delimiter must be one character"),
        ({"delimiter": '"'}, "delimiter must be one character"),
        ({"decimal": ";"}, "decimal must be"),
        ({"encoding": "klingon"}, "encoding 'klingon' is not known"),
    ],
)
def test_a_style_that_makes_no_sense_is_refused(style, message):
    with pytest.raises(ValueError, match=message):
        TextStyle(**style)


def test_a_style_is_for_text_files(tmp_path):
    with pytest.raises(ValueError, match="are for text files; this is a list"):
        as_matrix([[1, 0]], delimiter=";")
    path = tmp_path / "x.npy"
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="are for csv, tsv and txt files"):
        as_matrix(path, encoding="cp1252")
