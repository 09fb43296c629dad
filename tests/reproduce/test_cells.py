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


@pytest.mark.parametrize(
    ("figures", "fits"),
    [
        ({"error": 3, "gap": None, "is_optimal": True, "seconds": 0.5}, True),
        ({"status": "optimal", "ending": "proved", "refused": "too large"}, True),
        ({"points": [[0.1, None, 3], []]}, True),
        ({"error": "3"}, False),
        ({"status": 3}, False),
        ({"points": [0.1]}, False),
        ({"points": [["x", 1, 2]]}, False),
        ({"points": [[[1]]]}, False),
        ({"error": {"x": 1}}, False),
    ],
)
def test_figures_are_numbers(tmp_path, figures, fits):
    store, cell = Store(tmp_path), Cell("zoo", 2, "asso", nothing)
    store.save(cell, Budget(), figures)
    if fits:
        assert store.load(cell, Budget()) == figures
    else:
        with pytest.raises(ValueError, match=r"zoo-k2-asso.json: not the figures of this cell"):
            store.load(cell, Budget())


@pytest.mark.parametrize("error", [KeyError, TypeError, ValueError, OverflowError])
def test_figures_that_cannot_be_used_are_refused(tmp_path, error):
    def use(cell, figures):
        assert (cell.method, figures) == ("asso", {"error": 3})
        raise error("x")

    cell = Cell("zoo", 2, "asso", nothing)
    store = Store(tmp_path, use)
    assert store.load(cell, Budget()) is None
    store.save(cell, Budget(), {"error": 3})
    with pytest.raises(ValueError, match=r"zoo-k2-asso.json: not the figures of this cell"):
        store.load(cell, Budget())


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"seed": -1}])
def test_bad_budgets(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Budget(**wrong)


def test_names_are_fit_for_files():
    names = [Cell("zoo", 2, m, nothing).name for m in ("MLP(1)", "MLP(1 over k)", "asso++")]
    assert names == ["zoo-k2-MLP_1", "zoo-k2-MLP_1_over_k", "zoo-k2-asso"]
