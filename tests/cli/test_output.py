"""Results whose place is not there any more, and output that nobody takes."""

import errno
import json
import subprocess
import sys

import pytest

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
