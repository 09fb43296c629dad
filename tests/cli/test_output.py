"""Results whose place is not there any more, and output that nobody takes."""

import csv
import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import boolfact
from boolfact.model.labels import shown
from boolfact.results.exchange import member_table, patterns_by_name
from boolfact.results.result import Result

from command_line import FAST, run


@pytest.fixture
def full(monkeypatch, tmp_path):
    """A disk that is full under one folder, from the end of the search on."""
    save = Result.save

    def refuse(self, folder):
        if folder == tmp_path / "run":
            raise OSError(errno.ENOSPC, "No space left on device", str(folder))
        return save(self, folder)

    monkeypatch.setattr(Result, "save", refuse)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return tmp_path / "run"


def test_a_result_that_cannot_be_saved_is_shown_and_saved_elsewhere(full, data):
    done = run("fit", data, "-k", 1, "--out", full, "--json", *FAST)
    assert done.exit_code == 2
    assert "No space left on device" in done.stderr
    elsewhere = done.stderr.split("saved in ")[1].removesuffix(" instead\n")
    assert Result.load(elsewhere).error == json.loads(done.stdout)["error"]


@pytest.mark.parametrize("options", [("-k", 1, *FAST), ("-k", 1, "--members", 4, "--quiet")])
def test_a_filled_matrix_that_cannot_be_written_is_saved_elsewhere(
    monkeypatch, data, tmp_path, options
):
    write = boolfact.io.write.write_whole
    out, why = tmp_path / "filled.csv", tmp_path / "why.csv"
    out.write_text("old")

    def refuse(path, text):
        if path in (out, why):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write(path, text)

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr("boolfact.io.write.write_whole", refuse)
    done = run("complete", data, "--out", out, "--explain", why, *options)
    assert done.exit_code == 2
    assert out.read_text() == "old"
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert all("No space left on device); saved in " in line for line in lines)
    elsewhere = [Path(line.split("saved in ")[1].removesuffix(" instead")) for line in lines]
    assert [path.name for path in elsewhere] == ["filled.csv", "why.csv"]
    assert boolfact.as_matrix(elsewhere[0]).n_missing == 0
    assert f"written to {elsewhere[0]}" in done.stdout


LIMITED = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))
sys.argv[0] = "boolfact"
from boolfact.cli.app import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
@pytest.mark.parametrize("name", ["report", "plot"])
def test_a_file_that_does_not_fit_leaves_the_old_one(tmp_path, data, name):
    """A limit on the size of files stands for a disk without room: the system refuses to write."""
    boolfact.factorize(boolfact.as_matrix(data), 1, method="k_greedy").save(tmp_path / "run")
    out = tmp_path / ("x.html" if name == "report" else "x.png")
    out.write_text("old")
    before = sorted(tmp_path.rglob("*"))
    arguments = [name, tmp_path / "run", "--source", data, "--out", out]
    done = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, *arguments], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("File too large")
    assert "Traceback" not in done.stderr
    assert out.read_text() == "old"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_output_that_is_not_taken_is_one_line_or_silence():
    command = [sys.executable, "-m", "boolfact", "datasets"]
    with open("/dev/full", "w") as disk:
        done = subprocess.run(command, stdout=disk, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "boolfact: standard output: No space left on device\n"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 141


ODD_NAMES = ["a\x1b[31m", "b\u202eq", "=1+1", "<script>x</script>"]


@pytest.fixture
def odd(tmp_path):
    """A file whose names turn or colour text, or are a formula or a script, and so does its own."""
    path = tmp_path / "x\x1b[2J\u202e.csv"
    rows = ["1,0,1,1", "0,1,1,0", "1,1,0,", "1,0,1,1"]
    head = ",".join(["who", *ODD_NAMES])
    lines = [f"{name},{row}" for name, row in zip(ODD_NAMES, rows, strict=True)]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("verbose", [[], ["--json"]], ids=["for people", "json"])
@pytest.mark.parametrize("command", ["fit", "patterns", "verify", "binarize", "rank", "complete"])
def test_names_do_not_reach_the_terminal_raw(odd, tmp_path, command, verbose):
    folder = tmp_path / "run\x1b[1m"
    boolfact.factorize(odd, 2, method="k_greedy").named(["\x1b[4mp", "\u2066q"]).save(folder)
    arguments = {
        "fit": [odd, "-k", 2, "--out", tmp_path / "new\u202e", "--verbose", *FAST],
        "patterns": [folder, "--name", "\x1b[7m", "--name", "\u202e", "--out", folder / "p.csv"],
        "verify": [folder, "--source", odd],
        "binarize": [odd],
        "rank": [odd, "--path", "--max-k", 2, *FAST],
        "complete": [odd, "-k", 2, "--out", tmp_path / "full\u202e.csv", *FAST],
    }
    done = run(command, *arguments[command], *verbose)
    assert done.exit_code == 0, done.output
    assert done.output.strip()
    assert shown(done.output.replace("\n", "")) == done.output.replace("\n", "")
    if verbose:
        assert isinstance(json.loads(done.stdout), dict)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("report", []),
        ("plot", ["--out", "run/p\x1b[1m.png"]),
        ("certificate", ["--text", "--out", "text\u202e"]),
        ("patterns", ["--out", "p\x1b[1m.csv"]),
        ("binarize", ["--out", "b\x1b[1m\u202e.csv"]),
        ("rank", ["--path", "--max-k", 2, "--plot", "r\x1b[1m\u202e.svg", *FAST]),
    ],
)
def test_places_do_not_reach_the_terminal_raw(odd, tmp_path, monkeypatch, command, options):
    monkeypatch.chdir(tmp_path)
    folder = "run\x1b[1m"
    boolfact.factorize(odd, 2, method="k_greedy").save(folder)
    places = {"patterns": [folder], "binarize": [odd], "rank": [odd]}
    done = run(command, *places.get(command, [folder, "--source", odd]), *options)
    assert done.exit_code == 0, done.output
    assert "written to " in done.stdout
    assert shown(done.output.replace("\n", "")) == done.output.replace("\n", "")


def test_names_stay_as_they_are_in_files(odd, tmp_path):
    """They are read back, and must say what the data said; commas and quotes do no harm."""
    result = boolfact.factorize(odd, 2, method="k_greedy")
    result.save(tmp_path / "run")
    assert Result.load(tmp_path / "run").column_names == tuple(ODD_NAMES)
    for name in ("p.csv", "p.json"):
        done = run("patterns", tmp_path / "run", "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
    with (tmp_path / "p.csv").open(encoding="utf-8", newline="") as stream:
        _, *rows = csv.reader(stream)
    assert [tuple(row) for row in rows] == member_table(result)
    assert {row[2] for row in rows} <= set(ODD_NAMES)
    document = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    assert document["patterns"] == patterns_by_name(result)
    done = run("complete", odd, "-k", 2, "--out", tmp_path / "full.csv", *FAST)
    assert done.exit_code == 0, done.output
    assert boolfact.as_matrix(tmp_path / "full.csv").column_names == tuple(ODD_NAMES)


def test_binarize_writes_names_as_they_are(odd, tmp_path):
    """Values become a part of names: they are read back, and the terminal has none of them raw."""
    table = tmp_path / "t\u202e.csv"
    rows = [[f"p{i}", ODD_NAMES[i % 2], ODD_NAMES[2 + i // 2 % 2]] for i in range(8)]
    with table.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["who", "x\x1b[2J", "=HYPERLINK(1)"], *rows])
    for source, options, names in (
        (table, [], {f"x\x1b[2J={name}" for name in ODD_NAMES[:2]}),
        (table, [], {f"=HYPERLINK(1)={name}" for name in ODD_NAMES[2:]}),
        (odd, ["--binarize", "0.5"], set(ODD_NAMES)),
        (odd, ["--pairs"], {ODD_NAMES[0]}),
    ):
        if "--pairs" in options:
            odd.write_text("".join(f"{n},{ODD_NAMES[0]}\n" for n in ODD_NAMES), encoding="utf-8")
        out = tmp_path / "x\x1b[1m.csv"
        for told in ([], ["--json"]):
            done = run("binarize", source, "--out", out, *options, *told)
            assert done.exit_code == 0, done.output
            assert shown(done.output.replace("\n", "")) == done.output.replace("\n", "")
        assert names <= set(boolfact.as_matrix(out).column_names)


def test_a_drawing_of_ranks_has_no_name_in_it(odd, tmp_path):
    out = tmp_path / "<script>x</script>".replace("/", "") / "r.svg"
    out.parent.mkdir()
    done = run("rank", odd, "--path", "--max-k", 2, "--plot", out, *FAST)
    assert done.exit_code == 0, done.output
    drawn = out.read_text(encoding="utf-8")
    assert "<svg" in drawn
    assert not any(text in drawn for text in ("<script", "\x1b", "\u202e", "=1+1"))


STUDY = ["reproduce", "table4", "--datasets", "zoo", "--ranks", 2, "--methods", "k_greedy"]


def test_a_study_in_an_odd_place_does_not_reach_the_terminal_raw(tmp_path):
    folder = tmp_path / "\x1b[2J\u202e<b>\n=1+1"
    (folder / "table4.md").mkdir(parents=True)  # so that it cannot be written
    done = run(*STUDY, "--out", folder)
    assert done.exit_code == 2
    assert "could not be written" in done.stderr
    assert "written: " in done.stdout
    assert shown(done.output.replace("\n", "")) == done.output.replace("\n", "")
    # One line each: the cell, the file that could not be written.
    assert len(done.stderr.splitlines()) == 2
    assert (folder / "table4.csv").is_file()


@pytest.mark.parametrize("place", ["STUDY", "--datasets", "--methods", "--ranks"])
def test_odd_choices_of_a_study_are_refused_in_one_line(tmp_path, place):
    odd = "\x1b[2J\u202e\n<script>"
    options = ["table4"] if place != "STUDY" else [odd]
    if place != "STUDY":
        options += [place, odd]
    done = run("reproduce", *options, "--out", tmp_path / "x")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert shown(done.stderr[:-1]) == done.stderr[:-1]
    assert not (tmp_path / "x" / "table4.csv").exists()


@pytest.mark.parametrize(
    ("study", "figures"),
    [
        ("table3", {"master": 3.0, "is_optimal": False, "objective_lower_bound": "|\x1b[2J"}),
        ("table3", {"error": "\x1b[2J\u202e", "objective": 3.0, "seconds": 1.0}),
        ("table4", {"error": "\x1b[2J|<script>", "seconds": 1.0}),
        ("table4", {"error": 3, "seconds": [["\x1b[2J"]]}),
        ("table4", {"error": None, "seconds": "1"}),
        ("table4", {}),
        ("table4", {"error": 3}),
        ("table1", {"isolation_lower": "a", "isolation_upper": "b\x1b"}),
        ("figure1", {"points": [[1]], "is_optimal": True, "iterations": 1, "seconds": 1.0,
                     "master": 1.0, "objective_lower_bound": 1.0}),
        ("figure1", {"points": [], "is_optimal": True, "iterations": "\x1b[2J", "seconds": 1.0,
                     "master": 1.0, "objective_lower_bound": 1.0}),
        ("figure1", {"points": 3, "is_optimal": True, "iterations": 2, "seconds": 1.0,
                     "master": 1.0, "objective_lower_bound": 1.0}),
    ],
)  # fmt: skip
def test_a_cell_with_other_figures_is_refused_by_name(tmp_path, study, figures):
    """A kept cell comes from a file: what it says reaches no table unless it is a number."""
    from boolfact.reproduce.cells import Budget, Store
    from boolfact.reproduce.studies import STUDIES

    plan = STUDIES[study]
    ranks = [2] if plan.ranks else []
    method = "MIP(1)" if "objective" in figures else (*plan.methods, None)[0]
    methods = ["k_greedy"] if study == "table4" else [method] if method else []
    store = Store(tmp_path / f"{study}-cells")
    (cell,) = plan.cells(["zoo"], ranks, methods)
    store.save(cell, Budget(plan.time_limit), figures)
    options = ["--ranks", "2", "--methods", methods[0]] if methods else []
    done = run("reproduce", study, "--datasets", "zoo", *options, "--out", tmp_path)
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert f"{cell.name}.json: not the figures of this cell" in done.stderr
    assert shown(done.stderr[:-1]) == done.stderr[:-1]
    assert done.stdout == ""
    assert not (tmp_path / f"{study}.csv").exists()
