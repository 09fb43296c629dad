"""What goes with the package: metadata that agree, and imports without a warning."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import boolfact

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def text(name):
    return (ROOT / name).read_text("utf-8")


def test_all_files_have_the_same_version():
    version = PROJECT["version"]
    assert boolfact.__version__ == version
    assert f"\nversion: {version}\n" in text("CITATION.cff")
    assert f'  version: "{version}"\n' in text("recipe/recipe.yaml")
    assert f"version = {{{version}}}" in text("docs/citing.md")


def test_the_recipe_needs_what_the_package_needs():
    run = re.search(r"  run:\n((?:    - .*\n)+)", text("recipe/recipe.yaml"))[1]
    needed = {line.removeprefix("    - ").replace(" ", "") for line in run.splitlines()}
    expected = {f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]}
    assert needed == expected


def test_the_recipe_starts_the_same_program():
    ((name, target),) = PROJECT["scripts"].items()
    assert f"- {name} = {target}\n" in text("recipe/recipe.yaml")


def test_the_citation_names_the_same_keywords_and_licence():
    citation = text("CITATION.cff")
    for keyword in PROJECT["keywords"]:
        assert f"  - {keyword}\n" in citation
    assert f"\nlicense: {PROJECT['license']}\n" in citation


def test_the_paper_cites_what_its_bibliography_has():
    cited = set(re.findall(r"@(\w+\d{4})", text("paper/paper.md")))
    known = set(re.findall(r"^@\w+\{(\w+),$", text("paper/paper.bib"), flags=re.M))
    assert cited == known
    assert len(known) > 4


def test_everything_documented_is_imported_without_a_warning():
    modules = set()
    for path in re.findall(r"^::: ([\w.]+)$", text("docs/api.md"), flags=re.M):
        modules.add(path.rpartition(".")[0])
    program = "import importlib, boolfact\n"
    program += "for name in boolfact.__all__: getattr(boolfact, name)\n"
    program += f"for name in {sorted(modules)!r}: importlib.import_module(name)\n"
    program += "import boolfact.cli.app\n"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=300)


def test_the_package_says_that_it_is_typed():
    assert (Path(boolfact.__file__).parent / "py.typed").is_file()
