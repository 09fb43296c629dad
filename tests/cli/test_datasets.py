import json

from boolfact.datasets import list_datasets

from command_line import run


def test_datasets_are_listed():
    assert "votes_missing" in run("datasets").stdout
    document = json.loads(run("datasets", "--json").stdout)
    assert [row["name"] for row in document] == list_datasets()
