import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from boolfact.cli.app import app, main
from boolfact.io.read import as_matrix

FAST = ["--time-limit", "2", "--quiet"]
KEYS = ["dataset", "n", "m", "k", "method", "error", "error_lower_bound", "gap", "objective",
        "objective_lower_bound", "status", "ending", "seconds", "seed"]  # fmt: skip


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "mydata.csv"
    path.write_text("who,likes tea,likes jazz,sings\nann,yes,no,\nbob,1,0,0\ncyd,0,?,true\n")
    return path


def test_fit_shows_the_patterns_by_name():
    done = run("fit", "zoo", "-k", 5, *FAST)
    assert done.exit_code == 0
    assert "error 1" in done.stdout
    assert "feathers" in done.stdout
    assert "aardvark" in done.stdout


def test_fit_shows_what_patterns_explain_alone_and_together():
    done = run("fit", "zoo", "-k", 5, *FAST)
    text = " ".join(done.stdout.split())
    for title in ("precision", "recall", "alone", "shared", "gain", "two patterns both cover"):
        assert title in text


def test_fit_prints_one_json_object_as_promised():
    done = run("fit", "zoo", "-k", 2, "--json", "--seed", 3, *FAST)
    document = json.loads(done.stdout)
    assert list(document) == KEYS
    assert document["error"] == 271
    assert (document["dataset"], document["seed"], document["k"]) == ("zoo", 3, 2)


def test_fit_reads_a_file_with_header_row_names_and_missing_cells(data):
    done = run("fit", data, "-k", 2, *FAST)
    assert done.exit_code == 0
    assert "error 0" in done.stdout
    assert "likes tea" in done.stdout


def test_what_fit_saves_is_verified(data, tmp_path):
    done = run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    assert done.exit_code == 0
    checked = run("verify", tmp_path / "run")
    assert checked.exit_code == 0, checked.stdout
    assert "verified" in checked.stdout


def test_verify_refuses_a_result_whose_error_is_not_true(data, tmp_path):
    run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    path = tmp_path / "run" / "result.json"
    document = json.loads(path.read_text())
    document["error"] += 1
    path.write_text(json.dumps(document))
    checked = run("verify", tmp_path / "run")
    assert checked.exit_code == 1
    assert "REFUSED" in checked.stdout


def test_verify_wants_the_same_data(data, tmp_path):
    run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    data.write_text(data.read_text().replace("bob,1", "bob,0"))
    assert run("verify", tmp_path / "run").exit_code == 1


def test_datasets_and_methods_are_listed():
    assert "votes_missing" in run("datasets").stdout
    assert len(json.loads(run("datasets", "--json").stdout)) == 12
    assert "auto" in run("methods").stdout.split()


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
    ("arguments", "message"),
    [
        (["fit", "zoo", "-k", "two"], "'--rank'"),
        (["fit", "zoo"], "Missing option"),
        (["fit", "zoo", "-k", "2", "--nonsense"], "--nonsense"),
        (["fit"], "SOURCE"),
        (["nonsense"], "'nonsense'"),
    ],
)
def test_a_malformed_command_is_one_line_that_points_to_the_help(
    arguments, message, capsys, monkeypatch
):
    monkeypatch.setattr(sys, "argv", ["boolfact", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    assert told.err.startswith("boolfact: ")
    assert message in told.err
    assert told.err.strip().endswith("--help)")


def test_an_interruption_before_any_result_has_an_exit_code_of_its_own(capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("boolfact.datasets.list_datasets", interrupt)
    monkeypatch.setattr(sys, "argv", ["boolfact", "datasets"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "boolfact: interrupted\n"


def test_the_bare_command_shows_the_help():
    done = run()
    assert done.exit_code == 0
    assert "Usage: " in done.stdout


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


def test_a_rank_that_is_too_large_is_a_warning_with_the_useful_one(data):
    done = run("fit", data, "-k", 1000000000, "--json", *FAST)
    assert done.exit_code == 0
    assert "using k = 3" in done.stderr
    assert json.loads(done.stdout)["k"] == 3


def test_an_output_that_cannot_be_written_is_refused_before_the_work(data, tmp_path):
    (tmp_path / "file").write_text("precious")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        done = run("fit", data, "-k", 1, "--out", out, *FAST)
        assert done.exit_code == 2
        assert "--out" in done.stderr
    assert (tmp_path / "file").read_text() == "precious"


def test_an_output_is_tried_before_the_work(data, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    done = run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    assert done.exit_code == 2
    assert "cannot be written: No space left on device" in done.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(data, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    done = run("fit", data, "-k", 1, "--out", closed / "run", *FAST)
    assert done.exit_code == 2
    assert "no permission" in done.stderr


def test_a_corrupt_result_is_refused(data, tmp_path):
    run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    (tmp_path / "run" / "result.json").write_text("{")
    done = run("verify", tmp_path / "run")
    assert done.exit_code == 2
    assert "result.json" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_ctrl_c_keeps_and_saves_the_best_result_so_far(tmp_path):
    out = tmp_path / "run"
    command = [sys.executable, "-m", "boolfact", "fit", "votes", "-k", "10", "--json",
               "--time-limit", "600", "--out", str(out)]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The first progress line says that the search is under way and Ctrl-C is listened to.
    assert process.stderr.readline()
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    document = json.loads(stdout)
    assert document["ending"] == "interrupted"
    assert (out / "result.json").exists()


def test_help_and_version():
    assert "verify" in run("--help").stdout
    assert "boolfact fit zoo -k 5" in " ".join(run("fit", "--help").stdout.split())
    assert run("--version").stdout.strip()


def test_complete_fills_every_missing_cell_and_says_why(data, tmp_path):
    out, why = tmp_path / "filled.csv", tmp_path / "why.csv"
    done = run("complete", data, "-k", 2, "--out", out, "--explain", why, *FAST)
    assert done.exit_code == 0
    assert "filled 2 entries" in done.stdout
    lines = out.read_text().splitlines()
    assert lines[0] == "row,likes tea,likes jazz,sings"
    assert all(cell in "01" for line in lines[1:] for cell in line.split(",")[1:])
    assert lines[2] == "bob,1,0,0"
    assert [line.split(",")[:2] for line in why.read_text().splitlines()[1:]] == [
        ["ann", "sings"],
        ["cyd", "likes jazz"],
    ]


def test_complete_by_votes_says_who_and_why(data, tmp_path):
    out, why = tmp_path / "filled.csv", tmp_path / "why.csv"
    arguments = ("complete", data, "-k", 2, "--members", 4, "--out", out, "--explain", why)
    done = run(*arguments, "--quiet", "--json")
    document = json.loads(done.stdout)
    assert done.exit_code == 0
    assert document["method"] == "ensemble"
    assert document["members"] == 4
    lines = why.read_text().splitlines()
    assert lines[0] == "row,column,value,score,probability,says_one,says_zero,members,because"
    assert len(lines) == 1 + document["filled"]
    assert as_matrix(out).n_missing == 0
    again = run(*arguments, "--quiet")
    assert "by the votes of 4 factorisations" in again.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "-k"),
        (("--members", -1), "--members"),
        (("--members", 2), "members must be at least 4"),
        (("--members", 8, "--method", "asso"), "--method"),
        (("--members", 8, "--seed", -1), "seed must not be negative, got -1"),
    ],
)
def test_complete_refuses_what_does_not_fit_together(data, tmp_path, options, message):
    done = run("complete", data, "--out", tmp_path / "filled.csv", "--quiet", *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "filled.csv").exists()


@pytest.mark.parametrize("options", [("-k", 2, *FAST), ("-k", 2, "--members", 4, "--quiet")])
def test_complete_refuses_to_write_the_explanation_over_the_matrix(data, tmp_path, options):
    out, same = tmp_path / "filled.csv", tmp_path / "sub" / ".." / "filled.csv"
    done = run("complete", data, "--out", out, "--explain", same, *options)
    assert done.exit_code == 2
    assert done.stderr == "boolfact: --out and --explain must be different files\n"
    assert list(tmp_path.iterdir()) == [data]


@pytest.mark.parametrize("name", ["filled.xlsx", "."])
def test_complete_refuses_an_output_it_cannot_write(data, tmp_path, name):
    before = sorted(tmp_path.iterdir())
    done = run("complete", data, "-k", 1, "--out", tmp_path / name, *FAST)
    assert done.exit_code == 2
    assert sorted(tmp_path.iterdir()) == before


def test_prices_and_from_below_are_kept_with_the_result(tmp_path):
    done = run("fit", "zoo", "-k", 3, "--from-below", "--out", tmp_path / "run", "--json", *FAST)
    assert json.loads(done.stdout)["error"] < 761
    checked = run("verify", tmp_path / "run")
    assert checked.exit_code == 0, checked.stdout


@pytest.mark.parametrize(
    "command", ["", *(c.name or c.callback.__name__ for c in app.registered_commands)]
)
def test_help_pages_have_examples(command):
    text = " ".join(run(*command.split(), "--help").stdout.split())
    assert "Examples: $ boolfact" in text


def test_help_says_what_the_exit_codes_mean():
    text = " ".join(run("--help").stdout.split())
    for code in ("0 success", "1 a check failed", "2 bad input", "130 interrupted"):
        assert code in text


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
