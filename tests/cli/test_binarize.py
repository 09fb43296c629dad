import json
import shlex

import pytest

from boolfact.io.read import as_matrix
from boolfact.results.result import Result

from command_line import FAST, run

TABLE = "patient,sex,age,stage,notes,site\n" + "".join(
    f"p{i},{'fm'[i % 2]},{30 + i},{i % 3 + 1},text {i},north\n" for i in range(60)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return path


def test_it_says_what_becomes_of_every_column_and_writes_that(table, tmp_path):
    out = tmp_path / "x.csv"
    done = run("binarize", table, "--drop", "notes", "--threshold", "age=40", "--out", out)
    assert done.exit_code == 0, done.stderr
    told = " ".join(done.stdout.split())
    for text in ("names of the rows", "categories, 2 values", "numbers, split at 40", "left out"):
        assert text in told
    assert "60 rows, 6 columns" in done.stdout
    assert "--categorical stage takes them so" in done.stderr
    X = as_matrix(out)
    assert X.column_names == ("sex=f", "sex=m", "age<=40", "age>40", "stage<=2", "stage>2")
    assert X.row_names[:2] == ("p0", "p1")


def test_columns_with_too_many_values_are_refused_all_at_once(tmp_path):
    path = tmp_path / "t.csv"
    lines = (f"{i % 2},text {i},{'<5' if i % 9 == 0 else i + 0.5}\n" for i in range(80))
    path.write_text("ill,notes,crp\n" + "".join(lines))
    done = run("binarize", path)
    assert done.exit_code == 2
    assert "'notes' has 80 different values" in done.stderr
    assert "most_values" not in done.stderr
    assert "--drop notes" in done.stderr
    assert "--missing '<5'" in done.stderr
    assert run("binarize", path, "--drop", "notes", "--missing", "<5").exit_code == 0


def test_json_is_one_object_with_the_columns(table):
    done = run("binarize", table, "--drop", "notes", "--index", "patient", "--json")
    document = json.loads(done.stdout)
    assert (document["n"], document["m"]) == (60, 6)
    by_name = {column["name"]: column for column in document["columns"]}
    assert by_name["stage"]["made"] == ["stage<=2", "stage>2"]
    assert by_name["notes"]["taken_as"] == "left out"
    assert any("'site' has the same value 'north'" in text for text in document["warnings"])


def test_pairs_and_numbers_are_written_as_they_are_read(tmp_path):
    path, out = tmp_path / "rights.csv", tmp_path / "x.csv"
    path.write_text("ann,read\nbob,read\nbob,pay\n")
    assert run("binarize", path, "--pairs", "--out", out).exit_code == 0
    assert out.read_text() == "row,read,pay\nann,1,0\nbob,1,1\n"
    path.write_text("0.5,2\n3,0\n")
    assert run("binarize", path, "--binarize", 1, "--out", out).exit_code == 0
    assert out.read_text() == "0,1\n1,0\n"


def test_a_missing_file_is_refused_and_nothing_written(tmp_path):
    done = run("binarize", tmp_path / "none.csv", "--out", tmp_path / "x.csv")
    assert done.exit_code == 2
    assert "no file" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        ["--drop", "free text", "--threshold", "age=40", "--categorical", "stage", "--both"],
        ["--drop", "free text", "--index", "patient", "--missing", "<5", "--header"],
        ["--drop", "free text", "--out", "x y.csv"],
    ],
)
def test_it_says_what_to_type_next_and_that_reads_the_same(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run1").mkdir()
    path = tmp_path / "my table.csv"
    path.write_text(TABLE.replace("notes", "free text"))
    done = run("binarize", "my table.csv", *options)
    (said,) = [line for line in done.stdout.splitlines() if line.startswith("next: ")]
    program, *words = shlex.split(said.removeprefix("next: "))
    assert program == "boolfact"
    fitted = run(*words, *FAST)
    assert fitted.exit_code == 0, fitted.stderr
    n, m = Result.load(tmp_path / "run2").shape
    assert f"{n} rows, {m} columns" in done.stdout


def test_pairs_are_seen_as_fit_sees_them_and_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = (f"u{i},{right}\n" for i in range(60) for right in ("read", "pay")[: 1 + i % 2])
    (tmp_path / "rights.csv").write_text("user,permission\n" + "".join(lines))
    done = run("binarize", "rights.csv")
    assert done.exit_code == 0, done.stderr
    assert "read as pairs of user and permission" in done.stderr
    assert "60 rows, 2 columns: 90 ones" in done.stdout
    assert "next: boolfact fit rights.csv -k 2 --pairs --out run1\n" in done.stdout
    # Who speaks of its columns means a table.
    done = run("binarize", "rights.csv", "--index", "user")
    assert "permission" in done.stdout


def test_dates_can_be_left_out_as_it_says(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("seen,ill\n" + "".join(f"2021-03-0{1 + i},{i % 2}\n" for i in range(4)))
    done = run("binarize", path, "--no-row-names")
    assert "--drop seen leaves them out" in done.stderr
    assert run("binarize", path, "--no-row-names", "--drop", "seen").exit_code == 0


def test_what_to_type_next_after_pairs_says_pairs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rights.txt").write_text("ann,read\nbob,read\nbob,pay\n")
    done = run("binarize", "rights.txt", "--pairs")
    assert done.stdout.endswith("next: boolfact fit rights.txt -k 2 --pairs --out run1\n")
