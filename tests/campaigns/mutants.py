"""One small mistake at a time in the code that checks: some test must notice each of them.

    python tests/campaigns/mutants.py src/boolfact/certificate/kinds --tests tests/certificate

A mutant has one comparison, sign, number, truth value or `raise` changed. It runs in a process of
its own; the files are not touched. What no test noticed is listed with its line, for people to
judge: some mistakes change nothing but the time a search takes.

The tests run first without a change, so their kernels are compiled; a mutant compiles only those
that depend on it. NUMBA_CACHE_DIR names a folder that keeps them for the next call.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.machinery
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

SWAPPED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
RENAMED = {"min": "max", "max": "min", "any": "all", "all": "any"}
IMPORTED_FIRST = ["numpy", "scipy.optimize", "scipy.sparse", "numba", "pytest", "hypothesis"]


class _Changer(ast.NodeTransformer):
    """Counts the places that can be changed, and changes one of them."""

    def __init__(self, place: int | None = None) -> None:
        self.place, self.count = place, 0
        self.told = ""

    def _here(self, node: ast.AST, told: str) -> bool:
        self.count += 1
        if self.count - 1 != self.place:
            return False
        self.told = f"{getattr(node, 'lineno', 0)}: {told}"
        return True

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for u, operator in enumerate(node.ops):
            if type(operator) in SWAPPED and self._here(node, ast.unparse(node)):
                node.ops[u] = SWAPPED[type(operator)]()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        # In an annotation, X | None is no sum.
        if type(node.op) in SWAPPED and self._here(node, ast.unparse(node)):
            node.op = SWAPPED[type(node.op)]()
        return node

    visit_AugAssign = visit_BinOp  # type: ignore[assignment]  # noqa: N815

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._here(node, ast.unparse(node)):
            node.op = SWAPPED[type(node.op)]()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if self._here(node, ast.unparse(node)) else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._here(node, repr(node.value)):
                return ast.copy_location(ast.Constant(not node.value), node)
        elif isinstance(node.value, int) and self._here(node, repr(node.value)):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in RENAMED and self._here(node, node.id):
            node.id = RENAMED[node.id]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr in ("any", "all") and self._here(node, node.attr):
            node.attr = RENAMED[node.attr]
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if self._here(node, ast.unparse(node)[:60]):
            return ast.copy_location(ast.Pass(), node)
        return node  # what it says is not looked into

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # Annotations, decorators and what is only shown are left alone.
        node.body = [x for x in (self.visit(line) for line in node.body) if x is not None]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [x for x in (self.visit(line) for line in node.body) if x is not None]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node


def places_of(path: Path) -> int:
    counter = _Changer()
    counter.visit(ast.parse(path.read_text(encoding="utf-8")))
    return counter.count


def mutant(path: Path, place: int) -> tuple[str, str]:
    """The source with one change, and what was changed in which line."""
    changer = _Changer(place)
    tree = changer.visit(ast.parse(path.read_text(encoding="utf-8")))
    return ast.unparse(ast.fix_missing_locations(tree)), changer.told


def module_of(file: Path) -> str:
    """The name under which a file of the package is imported."""
    parts = list(file.with_suffix("").parts)
    parts = parts[len(parts) - 1 - parts[::-1].index("boolfact") :]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def dependents_of(file: Path) -> list[Path]:
    """The file, and all files of the package that import it, by others too."""
    package = next(x for x in file.parents if x.name == "boolfact")
    imports: dict[Path, set[str]] = {}
    for other in package.rglob("*.py"):
        names = imports[other] = set()
        for node in ast.walk(ast.parse(other.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names.update([node.module, *(f"{node.module}.{x.name}" for x in node.names)])
            elif isinstance(node, ast.Import):
                names.update(x.name for x in node.names)
    found, waiting = {file}, [file]
    while waiting:
        name = module_of(waiting.pop())
        fresh = {other for other, names in imports.items() if name in names} - found
        found |= fresh
        waiting += fresh
    return sorted(found)


def kernels_without(kernels: Path, file: Path, place: Path) -> None:
    """A copy of the compiled kernels without those that have the file's kernels in them."""
    shutil.copytree(kernels, place)
    for other in dependents_of(file):
        for kept in place.glob(f"{other.parent.name}_*/{other.stem}.*"):
            kept.unlink()


def run_tests(path: Path, source: str, tests: list[str], log: Path, kernels: Path) -> None:
    """In the child: import the mutant in place of the file, and run the tests."""
    import numba.core.config

    numba.core.config.CACHE_DIR = str(kernels)
    os.environ["NUMBA_CACHE_DIR"] = str(kernels)
    loader = importlib.machinery.SourceFileLoader
    real = loader.get_code

    def get_code(self, name):  # type: ignore[no-untyped-def]
        if Path(self.path) == path:
            return compile(source, str(path), "exec", dont_inherit=True)
        return real(self, name)

    loader.get_code = get_code  # type: ignore[method-assign]
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--no-header"]
    code = 3
    with contextlib.suppress(BaseException):
        code = int(pytest.main([*options, *tests]))
    os._exit(code)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--sample", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", metavar="FILE:LINE", help="places of these lines")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--seconds", type=float, default=180.0, help="for one mutant")
    asked = parser.parse_args()
    files = sorted(
        {
            file.resolve()
            for path in asked.paths
            for file in (path.rglob("*.py") if path.is_dir() else [path])
        }
    )
    everything = [(file, place) for file in files for place in range(places_of(file))]
    if asked.only:
        wanted = {(Path(f).resolve(), u) for f, u in (line.rsplit(":", 1) for line in asked.only)}
        everything = [
            (file, place)
            for file, place in everything
            if (file, mutant(file, place)[1].partition(":")[0]) in wanted
        ]
    random.Random(asked.seed).shuffle(everything)
    chosen = everything[: asked.sample]
    for name in IMPORTED_FIRST:
        __import__(name)
    scratch = Path(tempfile.mkdtemp())
    kernels = Path(os.environ.get("NUMBA_CACHE_DIR") or scratch / "kernels").resolve()
    kernels.mkdir(parents=True, exist_ok=True)
    child = os.fork()
    if child == 0:
        run_tests(Path(), "", asked.tests, scratch / "unchanged.log", kernels)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        print((scratch / "unchanged.log").read_text(errors="replace"))
        print("the tests fail without any change")
        return 2
    end = time.monotonic() + 60 * asked.minutes
    waiting, running = list(chosen), {}
    killed, timed, survived = 0, 0, []
    while running or (waiting and time.monotonic() < end):
        while waiting and len(running) < asked.jobs and time.monotonic() < end:
            file, place = waiting.pop(0)
            source, told = mutant(file, place)
            log = scratch / f"{len(waiting)}.log"
            child = os.fork()
            if child == 0:
                os.setpgid(0, 0)
                own = kernels
                if "njit" in source:
                    own = scratch / f"kernels{len(waiting)}"
                    kernels_without(kernels, file, own)
                run_tests(file, source, asked.tests, log, own)
            running[child] = (file, told, len(waiting), time.monotonic())
        time.sleep(0.05)
        for child, (file, told, number, began) in list(running.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            late = time.monotonic() - began > asked.seconds
            if not ended and late:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
            if ended or late:
                del running[child]
                shutil.rmtree(scratch / f"kernels{number}", ignore_errors=True)
                timed += late and not ended
                if ended and os.waitstatus_to_exitcode(status) == 0:
                    survived.append(f"{file.relative_to(Path.cwd())}:{told}")
                    print(survived[-1], flush=True)
                else:
                    killed += 1
    print(
        f"{len(everything)} places; {killed + len(survived)} tried: {killed} noticed "
        f"({timed} because they did not end), {len(survived)} not"
    )
    shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
