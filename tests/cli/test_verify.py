import json

from command_line import FAST, run


def test_what_fit_saves_is_verified(data, tmp_path):
    done = run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    assert done.exit_code == 0
    checked = run("verify", tmp_path / "run")
    assert checked.exit_code == 0, checked.stdout
    assert "verified" in checked.stdout


def test_verify_refuses_a_result_whose_error_is_not_true(data, tmp_path):
    run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    path = tmp_path / "run" / "result.json"
    document = json.loads(path.read_text())
    document["error"] += 1
    path.write_text(json.dumps(document))
    checked = run("verify", tmp_path / "run")
    assert checked.exit_code == 1
    assert "REFUSED" in checked.stdout


def test_verify_wants_the_same_data(data, tmp_path):
    run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    data.write_text(data.read_text().replace("bob,1", "bob,0"))
    assert run("verify", tmp_path / "run").exit_code == 1


def test_a_corrupt_result_is_refused(data, tmp_path):
    run("fit", data, "-k", 1, "--out", tmp_path / "run", *FAST)
    (tmp_path / "run" / "result.json").write_text("{")
    done = run("verify", tmp_path / "run")
    assert done.exit_code == 2
    assert "result.json" in done.stderr


def test_prices_and_from_below_are_kept_with_the_result(tmp_path):
    done = run("fit", "zoo", "-k", 3, "--from-below", "--out", tmp_path / "run", "--json", *FAST)
    assert json.loads(done.stdout)["error"] < 761
    checked = run("verify", tmp_path / "run")
    assert checked.exit_code == 0, checked.stdout
