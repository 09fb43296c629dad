import os
import subprocess
import sys

import pytest

from boolfact.cli.app import app, main

from command_line import run


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


def test_an_interruption_while_the_program_is_loaded_is_one_line(tmp_path):
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    done = subprocess.run(
        [sys.executable, "-m", "boolfact", "datasets"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "boolfact: interrupted\n")


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


def test_help_and_version():
    assert "verify" in run("--help").stdout
    assert "boolfact fit zoo -k 5" in " ".join(run("fit", "--help").stdout.split())
    assert run("--version").stdout.strip()


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
