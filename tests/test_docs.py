"""Every example in the documentation runs: Python, interactive Python, and the command line.

What cannot run in a test (`console`: a compiler, a clone, files of others) is at least made of
commands and options that exist.
"""

import doctest
import pydoc
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import boolfact
from boolfact.cli.app import app

from documents import blocks, commands

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    path
    for path in DOCS.rglob("*")
    if path.suffix in (".md", ".ipynb") and path.parent.name != "benchmarks"
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the files that the pages talk about."""
    (tmp_path / "mydata.csv").write_text(
        "who,likes tea,likes jazz,sings\nann,yes,no,\nbob,1,0,0\ncyd,0,?,true\n"
    )
    (tmp_path / "patients.csv").write_text(
        "patient,sex,age,fatigue\np1,male,30,no\np2,female,50,yes\np3,male,34,\np4,female,61,yes\n"
    )
    (tmp_path / "rights.csv").write_text(
        "user,permission\nann,read\nann,pay\nbob,read\ncyd,pay\ncyd,read\nbob,print\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shortened(text):
    """The README's examples take as long as a user has; here a second is enough."""
    return re.sub(r"(--time-limit |time_limit=)\d+", r"\g<1>1", text)


def test_the_examples_of_the_readme_run(desk):
    """All but the two blocks that install the package, which have marks of their own."""
    text = (ROOT / "README.md").read_text("utf-8")
    text = re.sub(r"^<!-- (run|test) -->\n```sh\n.*?^```$", "", text, flags=re.S | re.M)
    names = {"X": boolfact.load_dataset("zoo").ones}
    counts = {"python": 0, "sh": 0}
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.S | re.M):
        if language == "python":
            exec(compile(shortened(block), "README.md", "exec"), names)
        elif language == "sh":
            for words in commands(shortened(block)):
                words += ["--time-limit", "1"] if words[1] == "complete" else []
                words += ["--max-k", "3", "--time-limit", "3"] if words[1] == "rank" else []
                words += ["--time-limit", "1"] if "--json" in words else []
                # The rank of the three rows on the desk is smaller than that of real data.
                words = ["2" if word == "8" else word for word in words]
                done = CliRunner().invoke(app, words[1:], catch_exceptions=False)
                assert done.exit_code == 0, f"{shlex.join(words)}: {done.stderr}"
        counts[language] = counts.get(language, 0) + 1
    assert counts["python"] == 2
    assert counts["sh"] == 1


def said_commands():
    """Every command of boolfact that stands in the words or the blocks of a page."""
    for path in [*PAGES, *sorted((DOCS / "benchmarks").glob("*.md")), *ROOT.glob("*.md")]:
        text = path.read_text("utf-8").replace("\\\n", " ")
        found = re.findall(r"`(boolfact [a-z][^`]*)`", text)
        found += re.findall(r"^(?:\$ )?(boolfact [a-z].*)$", text, flags=re.M)
        for words in found:
            for part in re.split(r"&&|\|", words):
                if part.strip().startswith("boolfact "):
                    yield path, part.strip()


def test_commands_and_options_in_the_documentation_exist():
    known = typer.main.get_command(app).commands
    seen = 0
    for path, line in said_commands():
        name, *rest = line.split()[1:]
        if name not in known:
            # A word of a sentence that begins with the name of the program.
            assert not any(word.startswith("--") for word in rest), f"{path}: {line}"
            continue
        options = {o for p in known[name].params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
        for word in rest:
            option = word.partition("=")[0].rstrip(".,;:)")
            if re.fullmatch(r"--?[a-z][a-z-]*", option):
                assert option in options, f"{path}: {line}: {option}"
                seen += 1
    assert seen > 50


def test_the_programs_that_benchmark_pages_name_exist():
    for path in [*PAGES, *sorted((DOCS / "benchmarks").glob("*.md"))]:
        for name in re.findall(r"\bbenchmarks/\w+\.py\b", path.read_text("utf-8")):
            assert (ROOT / name).is_file(), f"{path}: {name}"


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
