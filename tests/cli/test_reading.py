import json

import pytest

from boolfact.cli.reading import ALL, Reading

from command_line import FAST, run

CLINIC = (
    "sep=;\n"
    "Fall-Nr;Geschlecht;Größe;CRP;Stadium;Aufnahme;Ort;Notiz\n"
    "104;weiblich;1,62;3,5;1;04.03.2021;Köln;ok\n"
    "107;männlich;1,81;<0,5;2;11.03.2021;Köln;nüchtern\n"
    "109;weiblich;1,70;12,0;2;20.04.2021;Köln;\n"
    "120;männlich;1,75;8,1;3;01.05.2021;Köln;ok\n"
    ";;;;;;;\n"
)


@pytest.fixture
def clinic(tmp_path):
    path = tmp_path / "klinik.csv"
    path.write_text(CLINIC, encoding="cp1252")
    return path


@pytest.fixture
def rights(tmp_path):
    path = tmp_path / "rights.csv"
    path.write_text("user,permission\nann,read\nann,pay\nbob,read\ncyd,pay\ncyd,read\nbob,print\n")
    return path


OPTIONS = ["--one-hot", "--encoding", "cp1252", "--drop", "Notiz", "--missing", "<0,5"]
SAID = [*OPTIONS, "--categorical", "Stadium", "--threshold", "Größe=1.7"]


def test_a_clinician_goes_from_an_export_of_excel_to_a_checked_page(clinic, tmp_path):
    refused = run("fit", clinic, "-k", 2, "--one-hot")
    assert refused.exit_code == 2
    assert "not a UTF-8 text file" in refused.stderr
    assert "--encoding cp1252" in refused.stderr
    out = tmp_path / "run"
    done = run("fit", clinic, "-k", 2, *SAID, "--out", out, "--time-limit", 1)
    assert done.exit_code == 0, done.stderr
    assert "names of the rows" in done.stderr
    assert "the same value 'Köln' in every row; left out" in done.stderr
    text = " ".join((out / "B.csv").read_text("utf-8").split())
    for name in ("Geschlecht=männlich", "Größe<=1.7", "CRP>8.1", "Stadium=1"):
        assert name in text
    assert "Notiz" not in text
    assert run("report", out).exit_code == 0
    assert run("verify", out).exit_code == 0


@pytest.mark.parametrize(
    "command",
    [
        ("rank", "--time-limit", 5, "--json"),
        ("complete", "-k", 1, "--out", "full.csv", *FAST, "--json"),
    ],
)
def test_every_command_that_reads_data_takes_the_same_options(
    clinic, tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    name, *more = command
    done = run(name, clinic, *SAID, *more)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 4


def test_a_security_engineer_goes_from_a_list_of_rights_to_named_roles(rights, tmp_path):
    out, table = tmp_path / "run", tmp_path / "roles.csv"
    done = run("fit", rights, "-k", 2, "--from-below", "--out", out, "--time-limit", 1)
    assert done.exit_code == 0, done.stderr
    assert "read as pairs of user and permission: 3 rows, 3 columns, 6 ones" in done.stderr
    assert run("verify", out).exit_code == 0
    done = run("patterns", out, "--name", "clerk", "--name", "printing", "--out", table)
    assert done.exit_code == 0, done.stderr
    lines = table.read_text().splitlines()
    assert lines[0] == "pattern,side,member"
    assert "clerk,row,ann" in lines
    assert {line.split(",")[1] for line in lines[1:]} == {"row", "column"}
    assert run("report", out).exit_code == 0
    assert "clerk" in (out / "report.html").read_text("utf-8")


def test_what_was_said_is_kept_and_can_be_said_otherwise():
    said = Reading.said(one_hot=True, drop=["a"], categorical=None, both=False, header=False)
    assert said.as_dict()["drop"] == ["a"]
    assert (said.both, said.categorical, said.header) == (None, None, False)

    class Saved:
        settings = {**said.as_dict(), "binarize": 2.0}  # noqa: RUF012

    again = Reading.said(binarize=1.0, header=None, row_names=None).or_of(Saved)
    assert again == Reading(one_hot=True, drop=("a",), header=False, binarize=1.0)
    assert set(said.as_dict()) == set(ALL)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--categorical", "a"], "--categorical belongs to --one-hot"),
        (["--drop", "a"], "--drop belongs to --one-hot or --pairs"),
        (["--one-hot", "--binarize", "1"], "do not give --binarize too"),
        (["--one-hot", "--pairs"], "two ways to read a file"),
        (["--one-hot", "--raw"], "do not give --one-hot too"),
        (["--one-hot", "--threshold", "age"], "expected COLUMN=VALUE"),
        (["--one-hot", "--drop", "useer"], "did you mean 'user'"),
        (["--delimiter", "ab"], "delimiter must be one character"),
        (["--encoding", "klingon"], "encoding 'klingon' is not known"),
    ],
)
def test_options_that_do_not_fit_are_refused_by_name(rights, options, message):
    done = run("fit", rights, "-k", 1, *options, *FAST)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_hints_name_options_of_the_command_line(tmp_path):
    np = pytest.importorskip("numpy")
    np.save(tmp_path / "x.npy", np.array([[0, 7]]))
    done = run("fit", tmp_path / "x.npy", "-k", 1, *FAST)
    assert "--binarize 0" in done.stderr
    assert "binarize=" not in done.stderr


@pytest.mark.parametrize(
    ("name", "text"), [("edges.txt", "7 1\n7 2\n9\n"), ("edges.dat", "7 1\n7 2\n")]
)
def test_lists_that_are_no_matrix_are_refused_with_the_options_that_read_them(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    refused = run("fit", tmp_path / name, "-k", 1, *FAST)
    assert refused.exit_code == 2
    assert "--pairs reads pairs" in refused.stderr
    assert "--baskets lists of items" in refused.stderr
    assert "read_pairs" not in refused.stderr
    done = run("fit", tmp_path / name, "-k", 1, "--baskets", *FAST)
    assert done.exit_code == 0, done.stderr


def test_edges_with_a_comment_before_them_are_read_as_they_are(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text("# FromNodeId\tToNodeId\n10\t1\n10\t2\n12\t1\n")
    done = run("fit", path, "-k", 1, "--time-limit", 1)
    assert done.exit_code == 0, done.stderr
    assert "read as pairs: 2 rows, 2 columns, 3 ones" in done.stderr


def test_options_for_reading_and_a_cluster_say_how_they_go_together(rights, tmp_path):
    done = run("fit", rights, "-k", 1, "--pairs", "--cluster", "tcp://127.0.0.1:1")
    assert done.exit_code == 2
    assert "`boolfact binarize` makes such a matrix" in done.stderr
    made = run("binarize", rights, "--pairs", "--out", tmp_path / "made.csv")
    assert made.exit_code == 0, made.stderr
    assert run("fit", tmp_path / "made.csv", "-k", 1, *FAST).exit_code == 0


@pytest.mark.parametrize(
    ("command", "more"), [("report", []), ("plot", ["--out", "x.png"]), ("verify", [])]
)
def test_data_that_were_moved_are_asked_for_by_name(rights, tmp_path, monkeypatch, command, more):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "rights.csv", "-k", 1, *FAST, "--out", "run").exit_code == 0
    rights.rename(tmp_path / "moved.csv")
    done = run(command, "run", *more)
    assert done.exit_code == 2
    assert "'rights.csv', are not found from here; say with --source" in done.stderr
    assert run(command, "run", *more, "--source", "moved.csv").exit_code == 0
    done = run(command, "run", *more, "--source", "nowhere.csv")
    assert "'nowhere.csv' is neither a file" in done.stderr


def test_large_lists_of_pairs_are_read_by_their_ones_and_checked(tmp_path, monkeypatch):
    from boolfact.solve import large

    monkeypatch.setattr(large, "LARGE_CELLS", 10)
    path, out = tmp_path / "pairs.txt", tmp_path / "run"
    path.write_text("".join(f"{i} {j}\n" for i in range(6) for j in range(5) if i % 2 == j % 2))
    done = run("fit", path, "--pairs", "-k", 2, *FAST, "--out", out, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["error"] == 0
    assert json.loads((out / "result.json").read_text())["digest"].startswith("rows:")
    assert run("verify", out).exit_code == 0
