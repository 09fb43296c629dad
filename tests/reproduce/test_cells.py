import json

import pytest

from boolfact.reproduce.cells import Budget, Cell, Store


def nothing(budget):
    return {}


def test_a_file_says_when_and_on_what(tmp_path):
    Store(tmp_path).save(Cell("zoo", 2, "asso", nothing), Budget(), {"error": 3})
    document = json.loads((tmp_path / "zoo-k2-asso.json").read_text())
    assert document["figures"] == {"error": 3}
    assert document["budget"] == {"time_limit": 10.0, "seed": 0}
    assert "cores" in document["machine"]
    assert document["date"].count("-") == 2


def test_a_cell_of_another_format_is_run_again(tmp_path):
    store, cell = Store(tmp_path), Cell("zoo", 2, "asso", nothing)
    store.save(cell, Budget(), {"bound": 3})
    assert store.load(cell, Budget()) == {"bound": 3}
    path = tmp_path / "zoo-k2-asso.json"
    older = {**json.loads(path.read_text()), "format": 1}
    path.write_text(json.dumps(older))
    assert store.load(cell, Budget()) is None


def test_a_damaged_cell_is_named(tmp_path):
    (tmp_path / "zoo-k2-asso.json").write_text("{")
    with pytest.raises(ValueError, match=r"zoo-k2-asso.json: not readable"):
        Store(tmp_path).load(Cell("zoo", 2, "asso", nothing), Budget())


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"seed": -1}])
def test_bad_budgets(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Budget(**wrong)


def test_names_are_fit_for_files():
    names = [Cell("zoo", 2, m, nothing).name for m in ("MLP(1)", "MLP(1 over k)", "asso++")]
    assert names == ["zoo-k2-MLP_1", "zoo-k2-MLP_1_over_k", "zoo-k2-asso"]
