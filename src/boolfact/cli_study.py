"""The commands for studies: `rank`, bounds on the Boolean rank; `reproduce`, the paper's tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boolfact.cli_common import (
    AsJson,
    Binarize,
    Header,
    RowNames,
    Source,
    check_writable,
    examples,
    one_line_errors,
    read,
)

if TYPE_CHECKING:
    from boolfact.matrix import BinaryMatrix
    from boolfact.rank import RankBounds

__all__ = ["RANK_EXAMPLES", "REPRODUCE_EXAMPLES", "rank", "reproduce"]

RANK_EXAMPLES = examples("boolfact rank zoo", "boolfact rank mydata.csv --time-limit 300 --json")
REPRODUCE_EXAMPLES = examples(
    "boolfact reproduce table1",
    "boolfact reproduce table4 --datasets zoo,heart --ranks 2,5 --methods auto,asso",
    "boolfact reproduce table3 --time-limit 1200 --workers 2 --out full",
)


def rank(
    source: Source,
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    workers: Annotated[int, typer.Option(help="Threads.")] = 1,
    binarize: Binarize = None,
    header: Header = None,
    row_names: RowNames = None,
    as_json: AsJson = False,
) -> None:
    """Bound the Boolean rank: how many patterns it takes to reproduce the data exactly."""
    with one_line_errors():
        from boolfact.rank import rank_bounds

        matrix = read(source, binarize, header, row_names)
        bounds = rank_bounds(matrix, time_limit=time_limit, seed=seed, workers=workers)
    if as_json:
        n, m = matrix.shape
        print(json.dumps({"dataset": source, "n": n, "m": m, **bounds.as_dict()}))
    else:
        _print_bounds(bounds, matrix)


def _print_bounds(bounds: RankBounds, matrix: BinaryMatrix) -> None:
    figures = bounds.as_dict()
    print(f"Boolean rank              {_interval(bounds.lower, bounds.upper)}")
    print(f"isolation number i(X)     {_interval(bounds.isolation_lower, bounds.isolation_upper)}")
    low, high = figures["fractional_cover_lower"], figures["fractional_cover_upper"]
    print(f"fractional cover number   {_interval(low, high)}")
    print(f"log2 of different rows    at least {bounds.distinct_lower}")
    shown = [f"{matrix.row_label(i)}: {matrix.column_label(j)}" for i, j in bounds.isolated]
    print(f"isolated ones ({len(shown)}): {'; '.join(shown)}")


def _interval(low: float, high: float) -> str:
    return f"{low}" if low == high else f"between {low} and {high}"


def reproduce(
    study: Annotated[
        str,
        typer.Argument(metavar="STUDY", help="table1, table2, table3, table4 or figure1."),
    ],
    datasets: Annotated[
        str | None, typer.Option(help="Bundled names, with commas between (those of the study).")
    ] = None,
    ranks: Annotated[
        str | None, typer.Option(help="Ranks, with commas between (those of the study).")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Rows, with commas between (those of the study).")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds a cell (10; table1 60; figure1 300; paper 1200).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    workers: Annotated[int, typer.Option(help="Cells at a time, one thread each.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for tables and finished cells.")] = Path(
        "reproduced"
    ),
) -> None:
    """Run a table or figure of the paper again; finished cells are kept and not run again."""
    with one_line_errors():
        from boolfact.reproduce import reproduce as run

        check_writable(out)
        done = run(
            study,
            out,
            datasets=_listed(datasets),
            ranks=_numbers(ranks),
            methods=_listed(methods),
            time_limit=time_limit,
            seed=seed,
            workers=workers,
            say=lambda line: print(line, file=sys.stderr, flush=True),
        )
    print(done.markdown)
    print("written: " + ", ".join(map(str, done.files)))


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _numbers(text: str | None) -> list[int] | None:
    parts = _listed(text)
    if parts is None:
        return None
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"--ranks must be whole numbers with commas between, got {text!r}")
    return [int(part) for part in parts]
