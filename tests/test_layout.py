"""Tests lie where the code lies: tests/rank/test_path.py tests src/boolfact/rank/path.py."""

from pathlib import Path

import pytest

import boolfact

HERE = Path(__file__).parent
CODE = Path(boolfact.__file__).parent

# Tests of what has no module of its own.
ACROSS = {
    "test_docs.py": "the documentation",
    "test_docs_pages.py": "the pages that are made while the site is built",
    "test_layers.py": "the package as a whole",
    "test_layout.py": "this",
    "test_notebooks.py": "the tutorials",
    "test_packaging.py": "what goes with the package",
    "test_tutorials.py": "the tutorials on real public data",
    "campaigns/test_differential.py": "a slice of the campaign beside it",
    "campaigns/test_faults.py": "a slice of the campaign beside it",
    "campaigns/test_load.py": "a slice of the campaign beside it",
    "campaigns/test_readers.py": "a slice of the campaign beside it",
    "campaigns/test_soak.py": "the campaigns together",
    "checker/test_agreement.py": "the checker in C beside the verifier in Python",
    "checker/test_altered.py": "the checker in C on altered certificates",
    "checker/test_groups.py": "the checker in C beside the verifier in Python, on large data",
    "checker/test_hostile.py": "the checker in C on malformed text",
    "checker/test_trees.py": "the checker in C beside the verifier in Python, on search trees",
    "cluster/test_tasks.py": "work of every kind as tasks for the workers of a cluster",
    "certificate/test_solver.py": "what the solver proves, in the hands of the verifier",
    "colgen/mlp/test_formulations.py": "how the relaxations relate to one another",
    "local_search/test_moves.py": "anneal, chain, flips and seeds: small moves on small matrices",
    "show/report/test_browser.py": "the page in a browser",
    "solve/test_answers.py": "every method on bundled data, beside recorded answers",
}


@pytest.mark.parametrize(
    "path", sorted(HERE.rglob("test_*.py")), ids=lambda path: str(path.relative_to(HERE))
)
def test_every_test_file_has_the_module_that_it_is_named_after(path):
    relative = path.relative_to(HERE)
    if relative.as_posix() in ACROSS:
        return
    subject = CODE / relative.parent / relative.stem.removeprefix("test_")
    assert subject.with_suffix(".py").is_file() or subject.is_dir()


def test_the_exceptions_are_still_there():
    assert [name for name in ACROSS if not (HERE / name).is_file()] == []
