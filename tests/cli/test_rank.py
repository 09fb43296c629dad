import json
import os
import signal
import subprocess
import sys

import pytest

from command_line import run


def test_rank_prints_one_json_object():
    done = run("rank", "zoo", "--json", "--time-limit", 120)
    document = json.loads(done.stdout)
    assert done.exit_code == 0
    assert document["dataset"] == "zoo"
    assert document["isolation_lower"] == document["isolation_upper"] == 16
    assert document["rank_lower"] == document["rank_upper"] == 16
    assert len(document["isolated"]) == 16


def test_rank_names_the_isolated_ones(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("row,tea,milk\nAnn,1,0\nBob,0,1\n")
    done = run("rank", path)
    assert "Boolean rank              2" in done.stdout
    assert "Ann: tea" in done.stdout
    assert "Bob: milk" in done.stdout


QUICK = ("--time-limit", 60, "--iteration-limit", 2)


def test_the_path_is_one_json_object():
    done = run("rank", "zoo", "--path", "--max-k", 3, "--folds", 2, "--seeds", 2, "--json", *QUICK)
    document = json.loads(done.stdout)
    assert done.exit_code == 0
    assert (document["dataset"], document["n"], document["m"]) == ("zoo", 101, 17)
    assert [point["k"] for point in document["path"]] == [1, 2, 3]
    first = document["path"][0]
    assert first["error"] == first["error_lower_bound"] == 415
    assert 0 < first["hidden_error"] < 1
    assert 0 < first["stability"] <= 1
    assert document["recommended"] == 3
    assert "shortest description" in document["reason"]
    assert not document["interrupted"]
    assert "fold 2 of 2" in done.stderr or "path, k = " in done.stderr


def test_the_path_is_a_table_and_a_plot(tmp_path):
    out = tmp_path / "ranks.svg"
    done = run("rank", "zoo", "--path", "--max-k", 2, "--folds", 0, "--seeds", 0, "--no-bounds",
               "--plot", out, "--quiet", *QUICK)  # fmt: skip
    assert done.exit_code == 0
    assert done.stderr == ""
    assert "415" in done.stdout
    assert "recommended: 2 patterns" in done.stdout
    assert out.read_text().lstrip().startswith("<?xml")


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
def test_ctrl_c_prints_the_path_so_far():
    command = [sys.executable, "-m", "boolfact", "rank", "votes", "--path", "--max-k", "16",
               "--time-limit", "60", "--json"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if "path, k = 1," in line:
            break
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    document = json.loads(stdout)
    assert document["interrupted"]
    assert document["path"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-k", 3), "--max-k belongs to --path"),
        (("--no-bounds",), "--bounds belongs to --path"),
        (("--plot", "ranks.png"), "--plot belongs to --path"),
        (("--path", "--max-k", 0), "max_rank must be at least 1"),
        (("--path", "--plot", "ranks.doc"), "ranks.doc"),
        (("--path", "--folds", 1), "folds"),
        (("--workers", 0), "workers must be at least 1, got 0"),
        (("--path", "--workers", 0), "workers must be at least 1, got 0"),
        (("--seed", -1), "seed must not be negative, got -1"),
        (("--path", "--seed", -1), "seed must not be negative, got -1"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    done = run("rank", "zoo", *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [("rank", "zoo", "--time-limit", -1), ("rank", "zooo")])
def test_bad_input_is_one_line_and_exit_code_two(arguments):
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
