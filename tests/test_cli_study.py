import json

import pytest
from typer.testing import CliRunner

from boolfact.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_rank_prints_one_json_object():
    done = run("rank", "zoo", "--json", "--time-limit", 20)
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


@pytest.mark.parametrize("arguments", [("rank", "zoo", "--time-limit", -1), ("rank", "zooo")])
def test_bad_input_is_one_line_and_exit_code_two(arguments):
    done = run(*arguments)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
