"""The soak runs each campaign with a share of the time and goes on where it ended."""

import json
import subprocess
import sys

from campaigns import soak


def test_each_campaign_is_there_and_takes_what_it_is_given():
    assert sum(soak.SHARES.values()) == 1
    for name in soak.SHARES:
        program, script, *options = soak.command(name, 0.5, 7)
        assert (program, script) == (sys.executable, str(soak.HERE / f"{name}.py"))
        text = (soak.HERE / f"{name}.py").read_text()
        assert all(f'"{option}"' in text for option in options if option.startswith("--"))


def test_what_a_campaign_finds_is_kept_and_the_next_run_goes_on(tmp_path, monkeypatch, capsys):
    told = []

    def run(arguments, **_):
        told.append(arguments)
        wrong = "differential.py" in arguments[1]
        return subprocess.CompletedProcess(arguments, int(wrong), "1 wrong\n", "")

    monkeypatch.setattr(soak.subprocess, "run", run)
    options = ["--hours", "0.0000003", "--out", str(tmp_path), "--only", "differential", "load"]
    monkeypatch.setattr(sys, "argv", ["soak.py", *options])
    assert soak.main() == 1
    assert soak.main() == 1
    lines = [json.loads(line) for line in (tmp_path / "soak.jsonl").read_text().splitlines()]
    seeds = [line["seed"] for line in lines]
    assert seeds == sorted(seeds)
    assert len(set(seeds)) >= 2
    assert len(lines) == len(told)
    assert [line["wrong"] for line in lines[:2]] == [True, False]
    assert (tmp_path / "differential-0.txt").read_text() == "1 wrong\n"
    assert "campaigns found something" in capsys.readouterr().out
