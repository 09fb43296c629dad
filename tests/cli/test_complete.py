import json

import pytest

from boolfact.io.read import as_matrix

from command_line import FAST, run


def test_complete_fills_every_missing_cell_and_says_why(data, tmp_path):
    out, why = tmp_path / "filled.csv", tmp_path / "why.csv"
    done = run("complete", data, "-k", 2, "--out", out, "--explain", why, *FAST)
    assert done.exit_code == 0
    assert "filled 2 entries" in done.stdout
    lines = out.read_text().splitlines()
    assert lines[0] == "row,likes tea,likes jazz,sings"
    assert all(cell in "01" for line in lines[1:] for cell in line.split(",")[1:])
    assert lines[2] == "bob,1,0,0"
    assert [line.split(",")[:2] for line in why.read_text().splitlines()[1:]] == [
        ["ann", "sings"],
        ["cyd", "likes jazz"],
    ]


def test_complete_by_votes_says_who_and_why(data, tmp_path):
    out, why = tmp_path / "filled.csv", tmp_path / "why.csv"
    arguments = ("complete", data, "-k", 2, "--members", 4, "--out", out, "--explain", why)
    done = run(*arguments, "--quiet", "--json")
    document = json.loads(done.stdout)
    assert done.exit_code == 0
    assert document["method"] == "ensemble"
    assert document["members"] == 4
    lines = why.read_text().splitlines()
    assert lines[0] == "row,column,value,score,probability,says_one,says_zero,members,because"
    assert len(lines) == 1 + document["filled"]
    assert as_matrix(out).n_missing == 0
    again = run(*arguments, "--quiet")
    assert "by the votes of 4 factorisations" in again.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "-k"),
        (("--members", -1), "--members"),
        (("--members", 2), "members must be at least 4"),
        (("--members", 8, "--method", "asso"), "--method"),
        (("--members", 8, "--seed", -1), "seed must not be negative, got -1"),
    ],
)
def test_complete_refuses_what_does_not_fit_together(data, tmp_path, options, message):
    done = run("complete", data, "--out", tmp_path / "filled.csv", "--quiet", *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "filled.csv").exists()


@pytest.mark.parametrize("options", [("-k", 2, *FAST), ("-k", 2, "--members", 4, "--quiet")])
def test_complete_refuses_to_write_the_explanation_over_the_matrix(data, tmp_path, options):
    out, same = tmp_path / "filled.csv", tmp_path / "sub" / ".." / "filled.csv"
    done = run("complete", data, "--out", out, "--explain", same, *options)
    assert done.exit_code == 2
    assert done.stderr == "boolfact: --out and --explain must be different files\n"
    assert list(tmp_path.iterdir()) == [data]


@pytest.mark.parametrize("name", ["filled.xlsx", "."])
def test_complete_refuses_an_output_it_cannot_write(data, tmp_path, name):
    before = sorted(tmp_path.iterdir())
    done = run("complete", data, "-k", 1, "--out", tmp_path / name, *FAST)
    assert done.exit_code == 2
    assert sorted(tmp_path.iterdir()) == before
