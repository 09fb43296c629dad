"""`boolfact reproduce`: the paper's tables and figure, run again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from boolfact.cli.common import BAD_INPUT, Cluster, check_writable, examples, one_line_errors
from boolfact.model.labels import shown

__all__ = ["EXAMPLES", "reproduce"]

EXAMPLES = examples(
    "boolfact reproduce table1",
    "boolfact reproduce table4 --datasets zoo,heart --ranks 2,5 --methods auto,asso",
    "boolfact reproduce table3 --time-limit 1200 --workers 2 --out full",
)


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
        float | None,
        typer.Option(help="Seconds per cell (10; table1 60; figure1 300; paper 1200)."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    workers: Annotated[int, typer.Option(help="Cells at a time, one thread each.")] = 1,
    cluster: Cluster = None,
    out: Annotated[Path, typer.Option(help="Folder for tables and finished cells.")] = Path(
        "reproduced"
    ),
) -> None:
    """Run a table or figure of the paper again; finished cells are kept and not run again."""
    with one_line_errors():
        from boolfact.control.cluster import connected
        from boolfact.reproduce import reproduce as run

        check_writable(out)
        with connected(cluster) as connection:
            done = run(
                study,
                out,
                datasets=_listed(datasets),
                ranks=_numbers(ranks),
                methods=_listed(methods),
                time_limit=time_limit,
                seed=seed,
                workers=workers,
                executor=None if connection is None else connection.client,
                say=lambda line: print(shown(line), file=sys.stderr, flush=True),
            )
    print(done.markdown)
    if done.files:
        print("written: " + shown(", ".join(map(str, done.files))))
    if done.unwritten:
        raise typer.Exit(BAD_INPUT)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _numbers(text: str | None) -> list[int] | None:
    parts = _listed(text)
    if parts is None:
        return None
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"--ranks must be whole numbers with commas between, got {text!r}")
    return [int(part) for part in parts]
