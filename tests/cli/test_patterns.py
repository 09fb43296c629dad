import json

import pytest

from boolfact.results.result import Result

from command_line import FAST, run


@pytest.fixture
def saved(data, tmp_path):
    out = tmp_path / "run"
    assert run("fit", data, "-k", 2, "--out", out, *FAST).exit_code == 0
    return out


def test_names_are_kept_with_the_result_and_stand_in_every_output(saved, tmp_path):
    done = run("patterns", saved, "--name", "tea drinkers", "--name", "singers")
    assert done.exit_code == 0, done.stderr
    assert "tea drinkers" in done.stdout
    assert Result.load(saved).pattern_names == ("tea drinkers", "singers")
    assert run("verify", saved).exit_code == 0
    document = json.loads(run("patterns", saved, "--json").stdout)
    assert [pattern["name"] for pattern in document["patterns"]] == ["tea drinkers", "singers"]
    assert run("patterns", saved, "--out", tmp_path / "p.json").exit_code == 0
    assert json.loads((tmp_path / "p.json").read_text()) == document


def test_the_table_has_a_line_for_every_member(saved, tmp_path):
    assert run("patterns", saved, "--out", tmp_path / "p.csv").exit_code == 0
    lines = (tmp_path / "p.csv").read_text().splitlines()
    result = Result.load(saved)
    assert lines[0] == "pattern,side,member"
    assert len(lines) - 1 == int(result.A.sum() + result.B.sum())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--name", "one"], "there are 2 patterns, but 1 names"),
        (["--name", "one", "--name", "one"], "two patterns are called 'one'"),
        (["--out", "p.txt"], "ends in .csv or .json"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(saved, options, message):
    before = (saved / "result.json").read_bytes()
    done = run("patterns", saved, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert (saved / "result.json").read_bytes() == before
