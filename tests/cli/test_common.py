import os
import subprocess
import sys

import pytest

import boolfact

from command_line import FAST, bound_by_permissions, run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "zooo", "-k", "2"], "did you mean zoo?"),
        (["fit", "nowhere.csv", "-k", "2"], "neither a file nor a bundled dataset"),
        (["fit", "zoo", "-k", "0"], "k must be at least 1, got 0"),
        (["fit", "zoo", "-k", "-3"], "k must be at least 1, got -3"),
        (["fit", "zoo", "-k", "2", "--method", "magic"], "method must be one of auto"),
        (["fit", "zoo", "-k", "2", "--time-limit", "-1"], "time_limit must be a positive"),
        (["fit", "zoo", "-k", "2", "--rho", "0"], "rho must be positive"),
        (["fit", "zoo", "-k", "2", "--seed", "-1"], "seed must not be negative"),
        (["fit", "zoo", "-k", "2", "--bound", "some"], "bound must be"),
        (["fit", "zoo", "-k", "2", "--workers", "0"], "workers must be at least 1"),
        (["fit", "zoo", "-k", "2", "--iteration-limit", "0"], "iteration_limit must be"),
        (["verify", "nowhere"], "no result folder nowhere"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,0\n0,7\n", "line 3, column 2 ('b'): value '7'"),
        ("1,0\n1\n", "ragged rows: line 2 has 1 cells, expected 2"),
        ("", "the file is empty"),
        ("a," + "x" * 200_000 + "\n1,0\n", "line 1: field larger"),
        ("gr\xf6\xdfe,b\n1,0\n", "not a UTF-8 text file"),
    ],
)
@pytest.mark.parametrize("more", [[], ["--one-hot"]])
def test_a_bad_file_is_named_with_the_place(tmp_path, text, message, more):
    if more and "7" in text:
        pytest.skip("a number is fine there")
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="latin-1")
    done = run("fit", path, "-k", 1, *more, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert message in done.stderr
    assert str(path) in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_output_is_tried_before_the_work(data, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    done = run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    assert done.exit_code == 2
    assert "cannot be written: No space left on device" in done.stderr


CLOSED = {
    "fit": ["fit", "mydata.csv", "-k", "1", "--out", "closed/run"],
    "checkpoint": [
        "fit",
        "zoo",
        "-k",
        "3",
        "--method",
        "exact",
        "--checkpoint",
        "closed/tree.json",
    ],
    "complete": ["complete", "mydata.csv", "-k", "1", "--out", "closed/full.csv"],
    "rank": ["rank", "zoo", "--path", "--plot", "closed/ranks.png"],
    "reproduce": ["reproduce", "table1", "--datasets", "zoo", "--out", "closed/table"],
    "report": ["report", "closed/run"],
    "plot": ["plot", "closed/run", "--out", "closed/picture.png"],
    "patterns": ["patterns", "closed/run", "--out", "closed/patterns.csv"],
    "certificate": ["certificate", "closed/run", "--text"],
}


@pytest.fixture
def closed(data, tmp_path):
    """A folder with a result that nobody may write to."""
    folder = tmp_path / "closed"
    boolfact.factorize(boolfact.as_matrix(data), 1, method="k_greedy").save(folder / "run")
    for path in (folder / "run", folder):
        path.chmod(0o500)
    yield folder
    for path in (folder, folder / "run"):
        path.chmod(0o700)


@pytest.mark.skipif(bound_by_permissions() is None, reason="permissions bind nobody here")
@pytest.mark.parametrize("what", sorted(CLOSED))
def test_a_folder_without_permission_is_refused_before_the_work(closed, data, what):
    before = sorted(data.parent.rglob("*"))
    command = [*bound_by_permissions(), sys.executable, "-B", "-m", "boolfact", *CLOSED[what]]
    if what in ("report", "plot", "certificate"):
        command += ["--source", str(data)]
    done = subprocess.run(command, cwd=data.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "cannot be written" in line
    assert sorted(data.parent.rglob("*")) == before


@pytest.mark.skipif(bound_by_permissions() is None, reason="permissions bind nobody here")
def test_a_result_in_a_folder_without_permission_is_checked(closed, data):
    command = [*bound_by_permissions(), sys.executable, "-B", "-m", "boolfact", "verify"]
    done = subprocess.run(
        [*command, "closed/run", "--source", str(data)],
        cwd=data.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("boolfact fit vo", ["votes", "votes_missing"]),
        ("boolfact fit my", ["mydata.csv"]),
        ("boolfact fit sub/", ["sub/deep/", "sub/other.npy"]),
        ("boolfact fit zoo --bound o", ["objective"]),
        ("boolfact ver", ["verify"]),
    ],
)
def test_the_tab_key_offers_datasets_files_and_choices(data, tmp_path, words, expected):
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    for name in ("other.npy", "notes.doc", ".hidden.csv"):
        (tmp_path / "sub" / name).touch()
    completed = subprocess.run(
        [sys.executable, "-c", "from boolfact.cli.app import app; app(prog_name='boolfact')"],
        env={
            **os.environ,
            "_BOOLFACT_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.stdout.split() == expected, completed.stderr


def test_a_cell_that_is_not_understood_points_to_one_hot(tmp_path):
    path = tmp_path / "colours.csv"
    path.write_text("who,colour,tall\nann,red,1\nbob,blue,0\n")
    done = run("fit", path, "-k", 1, *FAST)
    assert done.exit_code == 2
    assert "--one-hot makes 0/1 columns of categories and numbers" in done.stderr


def test_words_in_a_name_do_not_pass_for_a_cell_that_is_not_understood(tmp_path):
    path = tmp_path / "is not understood.csv"
    path.write_text("")
    done = run("fit", path, "-k", 1, *FAST)
    assert done.exit_code == 2
    assert "the file is empty" in done.stderr
    assert "--one-hot" not in done.stderr
