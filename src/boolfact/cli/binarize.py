"""`boolfact binarize`: a table of categories, or pairs, as a matrix of zeros and ones."""

from __future__ import annotations

import itertools
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boolfact.cli.common import AsJson, Source, check_writable_file, examples, one_line_errors
from boolfact.cli.reading import TABLES, Reading, with_reading
from boolfact.model.labels import shown

if TYPE_CHECKING:
    from boolfact.io.binarize import Binarized
    from boolfact.model.matrix import BinaryMatrix

__all__ = ["EXAMPLES", "binarize"]

EXAMPLES = examples(
    "boolfact binarize patients.csv",
    "boolfact binarize patients.csv --drop notes --categorical stage --threshold age=40",
    "boolfact binarize export.csv --encoding cp1252 --missing n.d. --out x.csv",
    "boolfact binarize rights.csv --pairs --out rights_matrix.csv",
)


@with_reading(*TABLES)
def binarize(
    source: Source,
    out: Annotated[
        Path | None, typer.Option(help="CSV file for the zeros and ones; without it, only look.")
    ] = None,
    as_json: AsJson = False,
    reading: Reading = Reading(),  # noqa: B008
) -> None:
    """Say what each column of a table becomes as zeros and ones, and write these.

    Categories, numbers and dates become 0/1 columns as with fit --one-hot, which need not be given
    here. With --pairs or --binarize, a list or a matrix of numbers is written so; pairs of words
    are seen as with fit.
    """
    with one_line_errors():
        if out is not None:
            check_writable_file(out, ".csv")
        from boolfact.io.pairs import looks_like_pairs

        made, how = None, reading
        if reading == Reading() and looks_like_pairs(Path(source)):
            how = Reading(pairs=True)
        if how.is_pairs or how.binarize is not None:
            matrix = how.read(source, quiet=as_json)
        else:
            how = reading.as_table()
            made = how.table(source)
            matrix = made.matrix
        if out is not None:
            from boolfact.io.write import write_matrix

            write_matrix(out, matrix)
    if as_json:
        print(json.dumps(_document(source, matrix, made)))
        return
    _show(matrix, made)
    if out is not None:
        print(f"written to {shown(str(out))}")
        source, how = str(out), Reading()
    print(f"next: {shown(shlex.join(_fit(source, how, matrix)))}")


def _fit(source: str, how: Reading, matrix: BinaryMatrix) -> list[str]:
    """The command that finds patterns in the same zeros and ones, in a folder that is free."""
    folder = next(name for i in itertools.count(1) if not Path(name := f"run{i}").exists())
    k = str(min(5, *matrix.shape))
    return ["boolfact", "fit", source, "-k", k, *how.as_words(), "--out", folder]


def _show(matrix: BinaryMatrix, made: Binarized | None) -> None:
    from boolfact.io.binarize import COMMAND
    from boolfact.show import terminal

    if made is not None:
        terminal.print_columns(made.columns, most=None)
        for text in made.warnings(COMMAND):
            terminal.tell(f"warning: {text}")
    n, m = matrix.shape
    print(f"{n:,} rows, {m:,} columns: {matrix.n_ones:,} ones, {matrix.n_missing:,} missing")


def _document(source: str, matrix: BinaryMatrix, made: Binarized | None) -> dict[str, Any]:
    from boolfact.io.binarize import COMMAND

    n, m = matrix.shape
    columns = [
        {
            "name": column.name,
            "taken_as": column.kind.value,
            "detail": column.detail,
            "made": list(column.made_names),
            "missing": column.missing,
        }
        for column in (() if made is None else made.columns)
    ]
    return {
        "dataset": source,
        "n": n,
        "m": m,
        "ones": matrix.n_ones,
        "missing": matrix.n_missing,
        "columns": columns,
        "warnings": [] if made is None else made.warnings(COMMAND),
    }
