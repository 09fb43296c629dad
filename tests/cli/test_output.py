"""Results whose place is not there any more, and output that nobody takes."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import boolfact
from boolfact.results.result import Result

from command_line import FAST, run


@pytest.fixture
def full(monkeypatch, tmp_path):
    """A disk that is full under one folder, from the end of the search on."""
    save = Result.save

    def refuse(self, folder):
        if folder == tmp_path / "run":
            raise OSError(errno.ENOSPC, "No space left on device", str(folder))
        return save(self, folder)

    monkeypatch.setattr(Result, "save", refuse)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return tmp_path / "run"


def test_a_result_that_cannot_be_saved_is_shown_and_saved_elsewhere(full, data):
    done = run("fit", data, "-k", 1, "--out", full, "--json", *FAST)
    assert done.exit_code == 2
    assert "No space left on device" in done.stderr
    elsewhere = done.stderr.split("saved in ")[1].removesuffix(" instead\n")
    assert Result.load(elsewhere).error == json.loads(done.stdout)["error"]


@pytest.mark.parametrize("options", [("-k", 1, *FAST), ("-k", 1, "--members", 4, "--quiet")])
def test_a_filled_matrix_that_cannot_be_written_is_saved_elsewhere(
    monkeypatch, data, tmp_path, options
):
    write = boolfact.io.write.write_whole
    out, why = tmp_path / "filled.csv", tmp_path / "why.csv"
    out.write_text("old")

    def refuse(path, text):
        if path in (out, why):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write(path, text)

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("boolfact.io.write.write_whole", refuse)
    done = run("complete", data, "--out", out, "--explain", why, *options)
    assert done.exit_code == 2
    assert out.read_text() == "old"
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert all("No space left on device); saved in " in line for line in lines)
    elsewhere = [Path(line.split("saved in ")[1].removesuffix(" instead")) for line in lines]
    assert [path.name for path in elsewhere] == ["filled.csv", "why.csv"]
    assert boolfact.as_matrix(elsewhere[0]).n_missing == 0
    assert f"written to {elsewhere[0]}" in done.stdout


LIMITED = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))
sys.argv[0] = "boolfact"
from boolfact.cli.app import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
@pytest.mark.parametrize("name", ["report", "plot"])
def test_a_file_that_does_not_fit_leaves_the_old_one(tmp_path, data, name):
    """A limit on the size of files stands for a disk without room: the system refuses to write."""
    boolfact.factorize(boolfact.as_matrix(data), 1, method="k_greedy").save(tmp_path / "run")
    out = tmp_path / ("x.html" if name == "report" else "x.png")
    out.write_text("old")
    before = sorted(tmp_path.rglob("*"))
    arguments = [name, tmp_path / "run", "--source", data, "--out", out]
    done = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, *arguments], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("File too large")
    assert "Traceback" not in done.stderr
    assert out.read_text() == "old"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_output_that_is_not_taken_is_one_line_or_silence():
    command = [sys.executable, "-m", "boolfact", "datasets"]
    with open("/dev/full", "w") as disk:
        done = subprocess.run(command, stdout=disk, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "boolfact: standard output: No space left on device\n"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 141


def test_names_do_not_reach_the_terminal_raw(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a\x1b[31m,b\u202eq,=1+1\n1,0,1\n0,1,1\n1,1,0\n", encoding="utf-8")
    done = run("fit", path, "-k", 2, *FAST)
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert "\\x1b[31m" in done.stdout
