"""The pages that are made while the site is built: of commands, of objects, of pictures."""

import re
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from boolfact.cli.app import app

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
import commands  # noqa: E402
import pictures  # noqa: E402

COMMANDS = commands.command_names()
EXAMPLES = pictures.examples()


def test_every_command_has_a_page():
    assert sorted(COMMANDS) == sorted(typer.main.get_command(app).commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_has_the_names_and_texts_of_its_help(name):
    """Compared with what the parser accepts, which is built by typer and not from the page."""
    params = [p for p in typer.main.get_command(app).commands[name].params if not p.hidden]
    by_parser = {
        option
        for p in params
        if p.param_type_name == "option" and p.name != "help"
        for option in (*p.opts, *p.secondary_opts)
    }
    options = [parameter for parameter in commands.parameters(name) if parameter.is_option]
    on_page = {part for option in options for names in option.names for part in names.split("/")}
    assert on_page == by_parser
    page = commands.command_page(name)
    for option in options:
        assert option.help, f"{name} {option.names}: no help text"
        for declared in option.names:
            assert f"`{declared}`" in page
    required = {p.name for p in params if p.required}
    assert page.count("| required |") == len(required)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_on_the_page_of_a_command_are_those_of_its_help(name):
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "300"}).output
    page = commands.command_page(name)
    examples = re.search(r"## Examples\n\n```console\n(.*?)\n```", page, flags=re.S)
    assert examples is not None
    for line in examples[1].splitlines():
        assert line.startswith(("boolfact ", "cat ")) or "| boolfact" in line
        assert line in shown


def test_a_default_is_the_one_that_the_command_uses():
    options = {p.names[-1]: p for p in commands.parameters("fit") if p.is_option}
    assert options["--time-limit"].default == "60"
    assert options["--rank"].default == "required"
    assert options["--rank"].names == ("-k", "--rank")
    assert options["--from-below"].default == "off"
    assert "| `-k`, `--rank` `INTEGER` | required |" in commands.command_page("fit")


@pytest.fixture
def reference():
    pytest.importorskip("griffe", reason="the extra 'docs' is not installed")
    import reference

    return reference


def test_every_line_of_the_reference_has_a_page_of_its_own(reference):
    found = reference.entries((DOCS / "api.md").read_text("utf-8"))
    # Some file systems do not tell small letters from capitals.
    pages = [entry.page.lower() for entry in found]
    assert len(pages) > 90
    assert len(set(pages)) == len(pages)
    by_name = {entry.name: entry for entry in found}
    assert by_name["factorize"].statement == "from boolfact import factorize"
    assert by_name["asso"].statement == "from boolfact.baselines.asso import asso"
    for entry in found:
        names = {}
        exec(entry.statement, names)
        assert entry.name in names


def test_the_index_of_the_reference_has_a_sentence_for_each_object(reference):
    text = (DOCS / "api.md").read_text("utf-8")
    index = reference.index(text)
    assert ":::" not in index
    for entry in reference.entries(text):
        row = re.search(rf"^\| \[`{entry.name}`\]\({entry.page}\) \| (.*) \|$", index, flags=re.M)
        assert row is not None
        assert len(row[1]) > 10, entry.path


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_program_of_the_gallery_draws_its_picture(example, monkeypatch):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    # As long as it takes to see that it runs; what its page shows was drawn with more time.
    code = re.sub(r"time_limit=\d+", "time_limit=1", example.code)
    figure, _ = pictures.draw(
        pictures.Example(example.name, example.title, example.words, example.picture_text, code)
    )
    assert figure.axes


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_picture_of_the_gallery_is_stored_small_and_described(example):
    picture = (pictures.GALLERY / f"{example.name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 100_000
    assert len(example.picture_text) > 60
    assert f"![{example.picture_text}]" in pictures.example_page(example)
    assert f"gallery/{example.name}.md" in pictures.grid()
