"""Imports go down the list of layers only, and importing the package is cheap."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import boolfact

ROOT = Path(boolfact.__file__).parent

# A folder may import those of the layers before its own, and none beside it.
LAYERS = [
    {"model"},
    {"control"},
    {"datasets"},
    {"io", "highs"},
    {"pricing", "local_search"},
    {"colgen"},
    {"baselines", "compact"},
    {"results"},
    {"certificate"},
    {"solve"},
    {"completion"},
    {"rank", "estimator"},
    {"show"},
    {"reproduce"},
    {"cli"},
    {"__main__"},
]
LAYER_OF = {name: level for level, names in enumerate(LAYERS) for name in names}
HEAVY = ["numba", "highspy", "sklearn", "matplotlib", "pandas", "polars", "pyarrow", "scipy"]


def top_name(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_layers(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "boolfact":
                names = [f"boolfact.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "boolfact" and len(parts) > 1:
                yield parts[1]


def modules():
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_only(path):
    here = top_name(path)
    assert here in LAYER_OF, f"{here} has no place in the layers"
    for name in imported_layers(path):
        if name in LAYER_OF and name != here:
            assert LAYER_OF[name] < LAYER_OF[here], f"{here} imports {name}"


def test_only_one_file_imports_highspy():
    users = [path.name for path in modules() if "import highspy" in path.read_text("utf-8")]
    assert users in ([], ["highs.py"])


@pytest.mark.parametrize(
    "statement", ["import boolfact", "import boolfact.cli.app", "from boolfact import load_dataset"]
)
def test_importing_does_not_load_the_heavy_packages(statement):
    code = f"import sys; {statement}; print([n for n in {HEAVY} if n in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_no_module_of_the_package_can_take_the_place_of_a_public_name():
    # Importing boolfact.x binds it as boolfact.x, over whatever had that name.
    folders = {path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert folders & set(boolfact.__all__) == set()


def test_every_public_name_can_be_reached():
    for name in boolfact.__all__:
        assert getattr(boolfact, name) is not None
    assert callable(boolfact.factorize)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        boolfact.nonsense  # noqa: B018
