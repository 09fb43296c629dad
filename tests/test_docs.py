"""Every example in the documentation runs: Python, interactive Python, and the command line."""

import doctest
import json
import pydoc
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import boolfact
from boolfact.cli.app import app

DOCS = Path(__file__).parent.parent / "docs"
PAGES = sorted(
    path
    for path in DOCS.rglob("*")
    if path.suffix in (".md", ".ipynb") and path.parent.name != "benchmarks"
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(path):
    """Language and text of the fenced blocks of a page; of a notebook, those in its words."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "".join("".join(c["source"]) + "\n" for c in cells if c["cell_type"] == "markdown")
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.S | re.M)


def commands(text):
    """Lines of a block, and the parts of lines that are joined by &&."""
    for line in text.replace("\\\n", " ").splitlines():
        for command in line.split("&&"):
            words = shlex.split(command, comments=True)
            if words:
                yield words


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the files that the pages talk about."""
    (tmp_path / "mydata.csv").write_text(
        "who,likes tea,likes jazz,sings\nann,yes,no,\nbob,1,0,0\ncyd,0,?,true\n"
    )
    (tmp_path / "patients.csv").write_text(
        "patient,sex,age,fatigue\np1,male,30,no\np2,female,50,yes\np3,male,34,\np4,female,61,yes\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_the_examples_of_a_page_run(path, desk):
    names = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for place, (language, text) in enumerate(blocks(path)):
        if language == "python":
            exec(compile(text, f"{path}, block {place}", "exec"), names)
        elif language == "pycon":
            test = doctest.DocTestParser().get_doctest(text, names, str(path), str(path), place)
            report = []
            # Names made in one block are used in the next.
            runner.run(test, out=report.append, clear_globs=False)
            names.update(test.globs)
            assert runner.failures == 0, "".join(report)
        elif language == "sh":
            for words in commands(text):
                assert words[0] == "boolfact", f"{path}: only boolfact's own commands can be tested"
                done = CliRunner().invoke(app, words[1:], catch_exceptions=False)
                assert done.exit_code == 0, f"{shlex.join(words)}: {done.stderr}"
        else:
            assert language in ("text", "console", "bibtex"), f"{path}: unknown block {language}"


def test_there_are_examples_to_run():
    kinds = [language for path in PAGES for language, _ in blocks(path)]
    assert kinds.count("pycon") > 5
    assert kinds.count("sh") > 5


def test_every_picture_is_there_and_has_a_text():
    for path in PAGES:
        for text, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", path.read_text("utf-8")):
            assert text, f"{path}: a picture without a text"
            assert (path.parent / target).is_file(), f"{path}: no {target}"


def test_every_command_is_on_the_page_about_the_command_line():
    text = (DOCS / "cli.md").read_text("utf-8")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__
        assert f"boolfact {name}" in text, name


def documented():
    """What the reference documents: section, whether to import from `boolfact`, path."""
    text = (DOCS / "api.md").read_text("utf-8")
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, words = section.split("\n", 1)
        from_top, from_modules = (
            f"Import these from {w}." in words for w in ("`boolfact`", "their modules")
        )
        assert from_top != from_modules, f"{title}: where from?"
        for path in re.findall(r"^::: ([\w.]+)$", words, flags=re.M):
            yield title, from_top, path


@pytest.mark.parametrize(("title", "from_top", "path"), list(documented()))
def test_what_the_reference_documents_can_be_imported_as_it_says(title, from_top, path):
    value = pydoc.locate(path)
    assert value is not None
    if from_top:
        name = path.rpartition(".")[2]
        assert name in boolfact.__all__
        assert getattr(boolfact, name) is value


def test_every_public_name_is_in_the_reference():
    told = [path.rpartition(".")[2] for _, from_top, path in documented() if from_top]
    assert sorted(told) == sorted(boolfact.__all__)


def test_modules_and_names_in_the_words_of_the_documentation_exist():
    for path in [*PAGES, *DOCS.parent.glob("*.md")]:
        for name in re.findall(r"\bboolfact(?:\.[A-Za-z_]\w*)+", path.read_text("utf-8")):
            assert pydoc.locate(name) is not None, f"{path}: {name}"
