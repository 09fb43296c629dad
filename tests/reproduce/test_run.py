import csv
import errno

import pytest
from typer.testing import CliRunner

from boolfact.baselines.asso_plus_plus import asso_plus_plus
from boolfact.cli.app import app
from boolfact.datasets import load_dataset
from boolfact.model.reduction import reduce_matrix
from boolfact.reproduce import STUDIES, published, reproduce, run
from boolfact.reproduce.cells import Budget
from boolfact.reproduce.runs import integer_value
from boolfact.reproduce.studies import PAPER_ROWS
from boolfact.solve.method import methods

QUIET = {"time_limit": 60.0, "say": lambda line: None}


def entries_by_row(done):
    return {(e.dataset, e.k, e.row): e for e in done.entries}


def test_published_rows_are_complete():
    rows = [*published.DIMENSIONS.values()]
    for table in (published.VALUES, published.ERRORS):
        assert tuple(table) == published.RANKS
        rows += [row for by_method in table.values() for row in by_method.values()]
    assert all(len(row) == len(published.DATASETS) for row in rows)
    for k in published.RANKS:
        # The relaxations are below what they relax.
        table = published.VALUES[k]
        for low, middle, high in zip(
            table["MLP(1/k)"], table["MLP(1)"], table["MIP(1)"], strict=True
        ):
            assert low <= middle <= high + 0.5


def test_every_row_of_the_table_of_errors_is_a_method():
    assert set(PAPER_ROWS) <= set(methods())
    assert {row for row in PAPER_ROWS.values() if row} == set(published.ERRORS[2])


def test_table1_has_shape_isolation_number_and_share_of_ones(tmp_path):
    done = reproduce("table1", tmp_path, datasets=["zoo"], time_limit=30, say=lambda line: None)
    figures = {e.row: e for e in done.entries}
    assert [figures[row].ours for row in ("n", "m", "i(X)", "% ones")] == [101, 17, 16, 44.3]
    assert all(figures[row].difference == 0 for row in ("n", "m", "i(X)", "% ones"))
    assert figures["Boolean rank"].ours == 16
    assert (tmp_path / "table1.md").read_text() == done.markdown


def test_table2_compares_gaps(tmp_path):
    done = reproduce("table2", tmp_path, datasets=["tumor"], ranks=[2], time_limit=3, say=list)
    rows = entries_by_row(done)
    ours, compact, big = (rows["tumor", 2, row] for row in ("MIP(1)", "KGH17", "LVA08"))
    assert 0 <= ours.ours <= 100
    assert 0 <= compact.ours <= 100
    assert (ours.paper, compact.paper) == (0.9, 40.8)
    assert big.ours is None
    assert big.note == "does not fit into memory"


def test_table3_orders_the_relaxations(tmp_path):
    done = reproduce("table3", tmp_path, datasets=["zoo"], ranks=[2], **QUIET)
    rows = entries_by_row(done)
    weak, strong, whole = (rows["zoo", 2, r] for r in ("MLP(1/k)", "MLP(1)", "MIP(1)"))
    assert weak.ours == pytest.approx(206.5, abs=0.05)
    assert strong.ours == pytest.approx(272)
    assert whole.ours >= strong.ours - 1e-3
    assert weak.paper == 206.5


def test_without_time_the_integer_master_keeps_the_start():
    X = reduce_matrix(load_dataset("hepat")).matrix
    figures = integer_value("hepat", 5, Budget(time_limit=0.01))
    start = asso_plus_plus(X, 5)
    assert figures["objective"] <= start.objective(X)
    assert figures["error"] <= figures["objective"]


def test_table4_writes_errors_beside_the_papers(tmp_path):
    done = reproduce(
        "table4",
        tmp_path,
        datasets=["apb"],
        ranks=[2],
        methods=["asso", "mebf", "grecond"],
        **QUIET,
    )
    rows = entries_by_row(done)
    assert rows["apb", 2, "asso (paper: ASSO)"].difference == 0
    assert rows["apb", 2, "mebf (paper: MEBF)"].difference == 0
    assert rows["apb", 2, "grecond"].paper is None
    with (tmp_path / "table4.csv").open() as stream:
        assert len(list(csv.DictReader(stream))) == 3


def test_figure1_has_curves_that_meet(tmp_path):
    pytest.importorskip("matplotlib")
    done = reproduce("figure1", tmp_path, ranks=[2], methods=["heur_multi"], **QUIET)
    assert [path.name for path in done.files] == [
        "figure1.csv", "figure1.md", "figure1-points.csv", "figure1.png",
    ]  # fmt: skip
    assert (tmp_path / "figure1.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "figure1-points.csv").open() as stream:
        points = list(csv.DictReader(stream))
    masters = [float(p["master"]) for p in points if p["master"]]
    bounds = [float(p["objective_lower_bound"]) for p in points if p["objective_lower_bound"]]
    assert masters[-1] == pytest.approx(272)
    assert max(bounds) <= masters[-1] + 1e-6


def test_without_matplotlib_there_is_no_picture(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = []
    done = reproduce(
        "figure1", tmp_path, ranks=[2], methods=["heur_multi"], time_limit=60, say=said.append
    )
    assert len(done.files) == 3
    assert "boolfact[plot]" in said[-1]


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"study": "table9"}, "study must be one of table1"),
        ({"datasets": ["zooo"]}, "datasets must be bundled"),
        ({"ranks": [0]}, "ranks must be at least 1"),
        ({"methods": ["magic"]}, "methods of table4"),
        ({"datasets": []}, "datasets must name at least one, got none"),
        ({"ranks": []}, "ranks must name at least one, got none"),
        ({"methods": []}, "methods must name at least one, got none"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_written(tmp_path, wrong, match):
    given = {"study": "table4", "folder": tmp_path / "out", **wrong}
    with pytest.raises(ValueError, match=match):
        reproduce(**given)
    assert not (tmp_path / "out").exists()


def test_table1_has_no_ranks(tmp_path):
    with pytest.raises(ValueError, match="table1 has no ranks"):
        reproduce("table1", tmp_path, ranks=[2])
    assert set(STUDIES) == {"table1", "table2", "table3", "table4", "figure1"}


def test_the_command(tmp_path):
    arguments = [
        "reproduce",
        "table4",
        "--datasets",
        "zoo,apb",
        "--ranks",
        "2",
        "--methods",
        "asso",
    ]
    done = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path)])
    assert done.exit_code == 0
    assert "| 2 | asso (paper: ASSO) | 326 (367, -41) | 778 (778, 0) |" in done.stdout
    assert done.stderr.splitlines() == ["1/2 zoo-k2-asso", "2/2 apb-k2-asso"]
    again = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path)])
    assert again.stderr == ""
    assert again.stdout == done.stdout
    before = (tmp_path / "table4.md").read_text()
    for wrong in (["--ranks", "two"], ["--datasets", ","]):
        bad = CliRunner().invoke(app, ["reproduce", "table4", *wrong, "--out", str(tmp_path)])
        assert bad.exit_code == 2
        assert bad.stderr.count("\n") == 1
    assert (tmp_path / "table4.md").read_text() == before


def test_a_table_that_cannot_be_written_is_printed(tmp_path, monkeypatch):
    def refuse(path, text):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    out = tmp_path / "out"
    arguments = ["reproduce", "table1", "--datasets", "zoo", "--time-limit", "1"]
    monkeypatch.setattr(run, "write_whole", refuse)
    done = CliRunner().invoke(app, [*arguments, "--out", str(out)])
    assert done.exit_code == 2
    assert "| zoo |" in done.stdout
    assert "written" not in done.stdout
    for name in ("table1.csv", "table1.md"):
        assert f"{out / name} could not be written: No space left on device" in done.stderr
    # The cells were kept before.
    assert list((out / "table1-cells").iterdir())
