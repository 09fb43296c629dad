import json

import boolfact

from command_line import run


def test_methods_are_a_table_with_what_they_prove(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    text = run("methods").stdout
    rows = [line for line in text.splitlines() if line.startswith("│")]
    assert [row.split("│")[1].strip() for row in rows] == boolfact.methods()
    assert rows[0].split("│")[2].strip() == "error and objective"
    assert "proves a bound on" in text


def test_methods_are_listed_as_json():
    table = json.loads(run("methods", "--json").stdout)
    assert [row["name"] for row in table] == boolfact.methods()
    expected = {"error and objective", "error or objective", "nothing"}
    assert {row["proves"] for row in table} == expected
