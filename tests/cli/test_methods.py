import json

import boolfact

from command_line import run


def test_methods_are_listed_with_what_they_prove():
    first, *lines = run("methods").stdout.splitlines()
    assert first.split() == ["name", "proves", "description"]
    assert lines[0].startswith("auto            error and objective  local search and")
    assert [line.split()[0] for line in lines] == boolfact.methods()


def test_methods_are_listed_as_json():
    table = json.loads(run("methods", "--json").stdout)
    assert [row["name"] for row in table] == boolfact.methods()
    expected = {"error and objective", "error or objective", "nothing"}
    assert {row["proves"] for row in table} == expected
