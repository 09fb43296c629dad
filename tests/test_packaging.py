"""What goes with the package: metadata that agree, and imports without a warning."""

import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import boolfact

from command_line import run

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


@pytest.fixture
def recipe():
    return yaml.safe_load(text("recipe/recipe.yaml"))


def spaceless(requirements):
    return {requirement.replace(" ", "") for requirement in requirements}


def test_the_recipe_is_of_the_same_package(recipe):
    version = recipe["context"]["version"]
    assert (recipe["package"]["name"], version) == (PROJECT["name"], PROJECT["version"])
    archive = recipe["source"]["path"].replace("${{ version }}", version)
    assert archive == f"../dist/{PROJECT['name']}-{PROJECT['version']}.tar.gz"
    assert PROJECT["description"].startswith(recipe["about"]["summary"])


def test_the_recipe_needs_what_the_package_needs(recipe):
    python = f"python{PROJECT['requires-python']}"
    run = recipe["requirements"]["run"]
    assert spaceless(run) == {python, *spaceless(PROJECT["dependencies"])}
    build = tomllib.loads(text("pyproject.toml"))["build-system"]["requires"]
    assert spaceless(recipe["requirements"]["host"]) == {python, "pip", *spaceless(build)}


def test_the_recipe_starts_the_same_program(recipe):
    programs = {f"{name} = {target}" for name, target in PROJECT["scripts"].items()}
    assert set(recipe["build"]["python"]["entry_points"]) == programs


def test_the_recipe_has_the_same_licence_and_its_files_are_in_the_sdist(recipe):
    assert recipe["about"]["license"] == PROJECT["license"]
    files = recipe["about"]["license_file"]
    assert files == PROJECT["license-files"]
    build = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]
    packed = build["targets"]["sdist"]["include"]
    for file in files:
        assert (ROOT / file).is_file()
        assert any(file == part or file.startswith(f"{part}/") for part in packed), file


def test_what_the_recipe_tries_works(recipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    of_python, of_shell = recipe["tests"]
    for module in of_python["python"]["imports"]:
        importlib.import_module(module)
    assert of_python["python"]["pip_check"] is True
    lines = [shlex.split(line) for line in of_shell["script"]]
    assert [line[:2] for line in lines][1:] == [["boolfact", "fit"], ["boolfact", "verify"]]
    for program, *words in lines:
        assert program in PROJECT["scripts"]
        done = run(*words)
        assert done.exit_code == 0, done.stderr


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
