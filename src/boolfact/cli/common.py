"""What the commands share: options, one-line errors, reading the data, checks of outputs."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boolfact.model.labels import shown

if TYPE_CHECKING:
    from boolfact.model.matrix import BinaryMatrix
    from boolfact.model.packed import PackedMatrix
    from boolfact.model.sparse import SparseMatrix
    from boolfact.results.result import Result

__all__ = [
    "BAD_INPUT",
    "CHECK_FAILED",
    "INTERRUPTED",
    "AsJson",
    "Binarize",
    "Cluster",
    "Folder",
    "Header",
    "Layer",
    "OneHot",
    "Quiet",
    "Raw",
    "RowNames",
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
    "load_with_data",
    "one_line_errors",
    "read",
    "read_again",
    "read_rows_again",
    "reading",
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
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether line 1 holds column names (detected by default)."
    ),
]
RowNames = Annotated[
    bool | None,
    typer.Option(
        "--row-names/--no-row-names", help="Whether column 1 holds names (detected by default)."
    ),
]
Binarize = Annotated[
    float | None, typer.Option(help="Take values above this as 1, the others as 0.")
]
OneHot = Annotated[
    bool,
    typer.Option(
        "--one-hot",
        help="Make 0/1 columns of categories (name=value) and numbers (split at the median).",
    ),
]
Layer = Annotated[
    str | None, typer.Option(metavar="NAME", help="Of an h5ad file: read this layer, not X.")
]
Raw = Annotated[bool, typer.Option("--raw", help="Of an h5ad file: read raw, not X.")]
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


def read(
    source: str,
    binarize: float | None,
    header: bool | None,
    row_names: bool | None,
    one_hot: bool | None = None,
    layer: str | None = None,
    raw: bool | None = None,
) -> BinaryMatrix:
    """The data as the options say."""
    from boolfact.io.binarize import binarize as binarize_table
    from boolfact.io.binarize import read_table
    from boolfact.io.cells import NotUnderstoodError
    from boolfact.io.read import as_matrix

    if one_hot:
        if layer is not None or raw:
            raise ValueError("--layer and --raw are for h5ad files; do not give --one-hot too")
        if binarize is not None:
            raise ValueError(
                "--one-hot splits numbers at their medians; do not give --binarize too"
            )
        if not Path(source).is_file():
            raise FileNotFoundError(f"--one-hot reads a csv, tsv or txt file; no file {source!r}")
        return binarize_table(read_table(source, header=header, row_names=row_names))
    try:
        return as_matrix(
            source,
            binarize=binarize,
            header=header,
            row_names=row_names,
            layer=layer,
            raw=bool(raw),
        )
    except NotUnderstoodError as error:
        raise ValueError(
            f"{error}; --one-hot makes 0/1 columns of categories and numbers"
        ) from error


def reading(
    binarize: float | None,
    header: bool | None,
    row_names: bool | None,
    one_hot: bool | None = None,
    layer: str | None = None,
    raw: bool | None = None,
) -> dict[str, Any]:
    """What to keep with a result, so its data can be read again in the same way."""
    return {
        "binarize": binarize,
        "header": header,
        "row_names": row_names,
        "one_hot": one_hot,
        "layer": layer,
        "raw": raw,
    }


def read_again(name: str, result: Result, said: dict[str, Any]) -> BinaryMatrix:
    """The data as the run read and priced it, unless this command says otherwise."""
    from boolfact.model.costs import with_costs

    return with_costs(read(name, **_reading_of(result, said)), **_prices_of(result))


def read_rows_again(
    name: str, result: Result, said: dict[str, Any]
) -> PackedMatrix | SparseMatrix | None:
    """The same in bits, or by their ones, where the run kept them so; None elsewhere."""
    from boolfact.io.annotated import select_matrix
    from boolfact.io.rows import as_rows
    from boolfact.model.costs import with_row_costs

    options = _reading_of(result, said)
    binarize, layer = options.pop("binarize", None), options.pop("layer", None)
    raw = bool(options.pop("raw", None))
    if not result.digest.startswith("rows:") or any(v is not None for v in options.values()):
        return None
    rows = as_rows(select_matrix(name, layer, raw), binarize=binarize)
    return None if rows is None else with_row_costs(rows, **_prices_of(result))


def _reading_of(result: Result, said: dict[str, Any]) -> dict[str, Any]:
    return {
        key: result.settings.get(key) if value is None else value for key, value in said.items()
    }


def _prices_of(result: Result) -> dict[str, Any]:
    names = ("false_one_cost", "missed_one_cost", "from_below")
    return {name: result.settings[name] for name in names if name in result.settings}


def check_writable(out: Path) -> None:
    """Refuse an output folder that cannot be written before any work is done."""
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out {out} is a file; expected a folder")
    _check_permission(out, out if out.is_dir() else out.parent)


def load_with_data(
    folder: Path, source: str | None, said: dict[str, Any]
) -> tuple[Result, BinaryMatrix]:
    """A saved result and the data it is for, which must be the same as then."""
    from boolfact.model.packed import has_digest
    from boolfact.results.result import Result

    result = Result.load(folder)
    name = source or result.dataset
    if name is None:
        raise ValueError(f"{folder} does not say which data it is for; give it with --source")
    matrix = read_again(name, result, said)
    if not has_digest(matrix, result.digest):
        raise ValueError(
            f"{name} is not the data that {folder} was computed from (its digest differs); "
            "give that data with --source"
        )
    return result, matrix


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
