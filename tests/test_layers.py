"""Imports go down the layers only, and the package is cheap to import and true to its names."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import boolfact

ROOT = Path(boolfact.__file__).parent
REPOSITORY = Path(__file__).parent.parent

# A folder, or a module at the root, imports from the layers above it in this list: never from
# below, and never from its neighbours.
LAYERS = [
    {"model"},
    {"control", "datasets"},
    {"io", "highs"},
    {"pricing", "column_search", "local_search"},
    {"colgen", "baselines", "large", "compact", "results"},
    {"certificate", "cluster", "enumeration", "exact"},
    {"solve", "completion"},
    {"rank", "estimator", "anndata"},
    {"show"},
    {"reproduce"},
    {"cli"},
    {"__main__"},
]
LAYER_OF = {name: level for level, names in enumerate(LAYERS) for name in names}
HEAVY = ["numba", "highspy", "sklearn", "matplotlib", "pandas", "polars", "pyarrow", "scipy"]


def top_name(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_names(path):
    """What a module imports from the package, anywhere in it: the first word after `boolfact.`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "boolfact":
                yield parts[1] if len(parts) > 1 else "the package itself"


def modules():
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def test_every_folder_and_root_module_has_its_layer():
    assert {top_name(path) for path in modules()} == set(LAYER_OF)
    assert sum(map(len, LAYERS)) == len(LAYER_OF)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_only(path):
    here = top_name(path)
    for name in imported_names(path):
        if name not in (here, "__version__"):
            # Public names are for users: inside, everything comes from its own module.
            assert name in LAYER_OF, f"{here} imports {name} from the package"
            assert LAYER_OF[name] < LAYER_OF[here], f"{here} imports {name}"


@pytest.mark.parametrize(
    "path", sorted(ROOT.rglob("__init__.py")), ids=lambda path: str(path.parent.relative_to(ROOT))
)
def test_every_folder_says_what_lives_there(path):
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert docstring
    if path.parent != ROOT:
        assert "\n" not in docstring
        assert docstring.endswith(".")


def test_contributing_draws_the_same_house():
    """A row of its table: a layer, or nothing for the one above; a name; its docstring."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    layers = []
    for number, name, sentence in re.findall(r"^\| (\d* ?)\| `([\w./]+)` \| (.*) \|$", text, re.M):
        if number:
            layers.append(set())
        layers[-1].add(name.removesuffix("/").removesuffix(".py"))
        path = ROOT / name
        code = (path / "__init__.py" if path.is_dir() else path).read_text("utf-8")
        assert ast.get_docstring(ast.parse(code)).splitlines()[0] == sentence
    assert layers == LAYERS[:-1]


def test_contributing_names_files_that_are_there():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", text))
    missing = {n for n in named if not ((ROOT / n).is_file() or (REPOSITORY / n).is_file())}
    assert len(named) > 40
    assert missing == set()


def test_only_one_file_drives_highs():
    users = {path.name for path in modules() if "highspy" in imports_of(path)}
    assert users == {"highs.py"}
    drivers = [p.name for p in modules() if p.name != "highs.py" and "new_solver" in p.read_text()]
    assert drivers == []


def test_nobody_asks_the_clock_of_the_wall():
    """It jumps: time limits and the pace of checkpoints go by clocks that do not."""
    asked = re.compile(r"\btime\.time(_ns)?\b|from time import .*\btime\b|\bdatetime\.(utc)?now\b")
    assert asked.search("end = time.time() + 5")
    users = [path.name for path in modules() if asked.search(path.read_text("utf-8"))]
    assert users == []


@pytest.mark.parametrize(
    ("pool", "home"),
    [
        ("ThreadPoolExecutor", "control/executor.py"),
        ("ProcessPoolExecutor", "reproduce/processes.py"),
    ],
)
def test_only_one_file_starts_a_pool(pool, home):
    users = [str(path.relative_to(ROOT)) for path in modules() if pool in path.read_text("utf-8")]
    assert users == [home]


def imports_of(path):
    tree = ast.parse(path.read_text("utf-8"))
    return {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}


@pytest.mark.parametrize(
    "statement",
    [
        "import boolfact",
        "import boolfact.cli.app",
        "from boolfact import load_dataset",
        "from boolfact import Bound, Ending, Quantity",
    ],
)
def test_importing_does_not_load_the_heavy_packages(statement):
    code = f"import sys; {statement}; print([n for n in {HEAVY} if n in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_importing_the_package_loads_nothing_of_it():
    code = "import sys, boolfact; print([n for n in sys.modules if n.startswith('boolfact.')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("name", boolfact.__all__)
def test_every_public_name_comes_from_its_home(name):
    value, home = getattr(boolfact, name), boolfact._HOMES[name]
    assert inspect.isclass(value) or inspect.isfunction(value)
    assert value.__name__ == name
    assert value.__module__ == home or value.__module__.startswith(f"{home}.")


def test_public_names_and_modules_do_not_collide():
    """Importing a module binds it in its folder, over a public name of the same spelling."""
    beside = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert beside & set(boolfact.__all__) == set()
    assert list(boolfact._HOMES) == sorted(boolfact.__all__) == boolfact.__all__


def test_methods_can_be_called_before_and_after_factorize():
    code = "from boolfact import methods, factorize; import boolfact; print(boolfact.methods())"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "auto" in out.stdout


def test_documented_modules_are_there_after_importing_the_package_and_are_loaded_when_used():
    code = "import sys, boolfact; assert 'boolfact.anndata' not in sys.modules\n"
    code += "boolfact.anndata.fit, boolfact.certificate.verify_result, boolfact.datasets.planted\n"
    code += "boolfact.rank.rank_bounds, boolfact.estimator.BooleanMatrixFactorization"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        boolfact.nonsense  # noqa: B018


@pytest.fixture
def read_only(tmp_path):
    """A copy of the package, and surroundings, in which nothing can be written but temporary files.

    A file in the place of a folder forbids it to everybody, whoever runs the tests.
    """
    copy = tmp_path / "site" / "boolfact"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    nowhere = tmp_path / "nowhere"
    nowhere.touch()
    (tmp_path / "temporary").mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    return {
        **environment,
        "PYTHONPATH": str(copy.parent),
        "HOME": str(nowhere / "home"),
        "XDG_CACHE_HOME": str(nowhere / "cache"),
        "TMPDIR": str(tmp_path / "temporary"),
    }


@pytest.mark.skipif(os.name != "posix", reason="about the folders of POSIX systems")
@pytest.mark.parametrize("first", ["boolfact", "numba"])
@pytest.mark.parametrize("foreign", [False, True], ids=["free", "open to others"])
def test_kernels_compile_where_home_and_install_are_read_only(read_only, first, foreign):
    temporary = Path(read_only["TMPDIR"])
    taken = temporary / f"boolfact-{os.getuid()}"
    if foreign:
        taken.mkdir()
        taken.chmod(0o777)
    code = f"""
import {first}
import boolfact
import numpy as np
from boolfact.certificate.search import prove_at_most
print(boolfact.__file__)
print(prove_at_most(np.array([[3, -2], [-2, 1]]), 3).answer.value)
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], env=read_only, capture_output=True, text=True
    )
    assert done.stderr == ""
    where, answer = done.stdout.split()
    assert where.startswith(read_only["PYTHONPATH"])
    assert answer == "proved"
    kept = list(temporary.rglob("*.nbi"))
    assert kept
    assert all(path.is_relative_to(taken) is not foreign for path in kept)
