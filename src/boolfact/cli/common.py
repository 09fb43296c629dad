"""What the commands share: options, one-line errors, checks of outputs."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from boolfact.model.labels import shown

__all__ = [
    "BAD_INPUT",
    "CHECK_FAILED",
    "INTERRUPTED",
    "AsJson",
    "Cluster",
    "Folder",
    "Quiet",
    "Source",
    "SourceOption",
    "Verbose",
    "check_writable",
    "check_writable_file",
    "complete_bound",
    "complete_method",
    "complete_objective",
    "complete_source",
    "examples",
    "one_line_errors",
]

BAD_INPUT = 2
CHECK_FAILED = 1
INTERRUPTED = 130


def examples(*lines: str) -> str:
    """The examples at the end of a help page, one per line; brackets in them are not markup."""
    escaped = (line.replace("[", "\\[") for line in lines)
    return "\n\n".join(["[bold]Examples:[/]", *(f"[dim]$[/] {line}" for line in escaped)])


def complete_source(incomplete: str) -> list[str]:
    """Bundled names, files of known type and folders, for the shell's Tab key."""
    from boolfact.datasets import list_datasets
    from boolfact.io.formats import FORMATS

    names = [name for name in list_datasets() if name.startswith(incomplete)]
    folder, _, start = incomplete.rpartition("/")
    try:
        entries = sorted(os.scandir((folder or "/") if "/" in incomplete else "."), key=_by_name)
    except OSError:
        return names
    prefix = incomplete[: len(incomplete) - len(start)]
    for entry in entries:
        if not entry.name.startswith(start) or (entry.name.startswith(".") and not start):
            continue
        if entry.is_dir():
            names.append(f"{prefix}{entry.name}/")
        elif entry.name.lower().endswith(tuple(f".{kind}" for kind in FORMATS)):
            names.append(f"{prefix}{entry.name}")
    return names


def _by_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def complete_method(incomplete: str) -> list[str]:
    """Names of methods, for the shell's Tab key."""
    from boolfact.solve.method import methods

    return [name for name in methods() if name.startswith(incomplete)]


def complete_bound(incomplete: str) -> list[str]:
    """Kinds of bounds, for the shell's Tab key."""
    return [name for name in ("auto", "none", "objective", "error") if name.startswith(incomplete)]


def complete_objective(incomplete: str) -> list[str]:
    """What can be minimised, for the shell's Tab key."""
    return [name for name in ("error", "mip") if name.startswith(incomplete)]


Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Scheduler of a Dask cluster whose workers do what can be shared."
    ),
]
Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A file (csv, tsv, txt, npy, npz, mtx, parquet, h5ad) or a bundled name.",
        autocompletion=complete_source,
    ),
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder written by fit --out.")]
SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source", help="The data, if it is not where it was.", autocompletion=complete_source
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]

Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Show the inner figures too: objective, columns, guessed bounds."
    ),
]


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Bad input ends in one line on standard error and exit code 2; warnings are one line too."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"boolfact: warning: {shown(str(message))}", file=sys.stderr)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show
            yield
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        text = " ".join(str(_plain_message(error)).split())
        print(f"boolfact: {shown(text)}", file=sys.stderr)
        raise typer.Exit(BAD_INPUT) from error


def _plain_message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}"
    return str(error)


def check_writable(out: Path) -> None:
    """Refuse an output folder that cannot be written before any work is done."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out {out} is a file; expected a folder")
    _check_permission(out, out if out.is_dir() else out.parent)


def check_writable_file(out: Path, *endings: str) -> None:
    """Refuse an output file that cannot be written before any work is done."""
    if out.is_dir():
        raise ValueError(f"{out} is a folder; expected a file to write to")
    if out.suffix.lower() not in endings:
        raise ValueError(f"{out}: expected a file name that ends in {' or '.join(endings)}")
    _check_permission(out, out.parent)


def _check_permission(out: Path, parent: Path) -> None:
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir():
        raise ValueError(f"--out {out} cannot be written: {parent} is not a folder")
    # Tried out, because permissions do not tell of everything that forbids it.
    try:
        os.rmdir(tempfile.mkdtemp(prefix=".boolfact-", dir=parent))
    except OSError as error:
        reason = "no permission" if isinstance(error, PermissionError) else error.strerror
        raise ValueError(f"--out {out} cannot be written: {reason} in {parent}") from error
