import json
import os

import pytest

from boolfact.reproduce.cells import Budget, Cell, Store, run_cells, write_whole


class Counting:
    """Work that counts how often it is done."""

    def __init__(self, fail=False):
        self.times, self.fail = 0, fail

    def __call__(self, budget):
        self.times += 1
        if self.fail:
            raise KeyboardInterrupt
        return {"error": self.times, "limit": budget.time_limit}


def silent(line):
    pass


def test_a_finished_cell_is_not_run_again(tmp_path):
    work = Counting()
    cells = [Cell("zoo", 2, "asso", work)]
    first = run_cells(cells, Store(tmp_path), Budget(), silent)
    again = run_cells(cells, Store(tmp_path), Budget(), silent)
    assert first == again == {"zoo-k2-asso": {"error": 1, "limit": 10.0}}
    assert work.times == 1


@pytest.mark.parametrize("other", [Budget(time_limit=20), Budget(seed=1), Budget(workers=2)])
def test_another_budget_is_another_run(tmp_path, other):
    work = Counting()
    cells = [Cell("zoo", None, "dimensions", work)]
    run_cells(cells, Store(tmp_path), Budget(), silent)
    run_cells(cells, Store(tmp_path), other, silent)
    assert work.times == 2


def test_an_interrupted_study_goes_on_where_it_was(tmp_path):
    done, broken, fixed = Counting(), Counting(fail=True), Counting()
    store = Store(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run_cells([Cell("zoo", 2, "a", done), Cell("zoo", 2, "b", broken)], store, Budget(), silent)
    assert [path.name for path in tmp_path.iterdir()] == ["zoo-k2-a.json"]
    said = []
    run_cells([Cell("zoo", 2, "a", done), Cell("zoo", 2, "b", fixed)], store, Budget(), said.append)
    assert (done.times, fixed.times) == (1, 1)
    assert said == ["2/2 zoo-k2-b"]


def test_a_file_says_when_and_on_what(tmp_path):
    Store(tmp_path).save(Cell("zoo", 2, "asso", Counting()), Budget(), {"error": 3})
    document = json.loads((tmp_path / "zoo-k2-asso.json").read_text())
    assert document["figures"] == {"error": 3}
    assert document["budget"] == {"time_limit": 10.0, "seed": 0, "workers": 1}
    assert "cores" in document["machine"]
    assert document["date"].count("-") == 2


def test_a_damaged_cell_is_named(tmp_path):
    (tmp_path / "zoo-k2-asso.json").write_text("{")
    with pytest.raises(ValueError, match=r"zoo-k2-asso.json: not readable"):
        Store(tmp_path).load(Cell("zoo", 2, "asso", Counting()), Budget())


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    write_whole(path, "old")

    def broken(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"seed": -1}, {"workers": 0}])
def test_bad_budgets(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Budget(**wrong)


def test_names_are_fit_for_files():
    names = [Cell("zoo", 2, m, Counting()).name for m in ("MLP(1)", "MLP(1 over k)", "asso++")]
    assert names == ["zoo-k2-MLP_1", "zoo-k2-MLP_1_over_k", "zoo-k2-asso"]
