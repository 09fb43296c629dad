import json

import pytest

from command_line import FAST, run


@pytest.fixture
def saved(data, tmp_path):
    assert run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST).exit_code == 0
    return tmp_path / "run"


def test_it_says_what_the_certificate_claims(saved):
    done = run("certificate", saved)
    assert done.exit_code == 0
    assert "bound 1: the " in done.stdout
    assert "is at least" in done.stdout


def test_text_is_written_beside_the_result_or_where_it_is_said(saved, tmp_path):
    done = run("certificate", saved, "--text")
    assert done.exit_code == 0, done.stderr
    assert (saved / "text" / "data.txt").read_text() == "10?\n100\n0?1\n"
    assert (saved / "text" / "certificate.txt").exists()
    assert run("certificate", saved, "--text", "--out", tmp_path / "elsewhere").exit_code == 0
    assert (tmp_path / "elsewhere" / "factors.txt").exists()


def test_costs_of_the_run_become_weights(data, tmp_path):
    run("fit", data, "-k", 1, "--from-below", "--out", tmp_path / "run", *FAST)
    assert run("certificate", tmp_path / "run", "--text").exit_code == 0
    assert (tmp_path / "run" / "text" / "weights.txt").exists()


def test_other_data_is_refused_and_nothing_is_written(data, saved):
    data.write_text(data.read_text().replace("bob,1", "bob,0"))
    done = run("certificate", saved, "--text")
    assert done.exit_code == 2
    assert "digest" in done.stderr
    assert not (saved / "text").exists()


def test_out_without_text_is_refused(saved, tmp_path):
    done = run("certificate", saved, "--out", tmp_path / "elsewhere")
    assert done.exit_code == 2
    assert "--text" in done.stderr


@pytest.mark.parametrize("damage", [{"bounds": 3}, {"bounds": [{}]}, {"bounds": [3]}])
@pytest.mark.parametrize("options", [[], ["--text"]])
def test_a_damaged_certificate_ends_in_one_line(saved, damage, options):
    path = saved / "certificate.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    done = run("certificate", saved, *options)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "certificate.json" in done.stderr
    assert not (saved / "text").exists()


def test_a_result_without_a_certificate_has_data_and_factors(data, tmp_path):
    run("fit", data, "-k", 1, "--method", "asso", "--out", tmp_path / "run", "--quiet")
    assert "nothing is proved" in run("certificate", tmp_path / "run").stdout
    done = run("certificate", tmp_path / "run", "--text")
    assert done.exit_code == 0
    assert not (tmp_path / "run" / "text" / "certificate.txt").exists()
