"""`boolfact patterns`: the patterns of a saved result by name, as a table or as JSON."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from boolfact.cli.common import AsJson, Folder, check_writable_file, examples, one_line_errors
from boolfact.cli.output import keep
from boolfact.model.labels import shown

__all__ = ["EXAMPLES", "patterns"]

EXAMPLES = examples(
    "boolfact patterns run1",
    "boolfact patterns run1 --out patterns.csv",
    "boolfact patterns run1 --name mammals --name birds --name fish",
)


def patterns(
    folder: Folder,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Call the patterns so, one --name for each in their order; kept in the folder, so "
            "that plots and the report say so too.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a table of pattern, side (row or column) and member to this csv file, or "
            "all of it to this json file."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show who and what is in each pattern of a saved result, name them, or pass them on."""
    with one_line_errors():
        from boolfact.io.write import write_csv, write_whole
        from boolfact.results.exchange import member_table, patterns_by_name
        from boolfact.results.result import Result
        from boolfact.show import terminal

        if out is not None:
            check_writable_file(out, ".csv", ".json")
        result = Result.load(folder)
        if name:
            result = result.named(name)
            keep(result.save, folder)
        document = {**result.as_dict(), "patterns": patterns_by_name(result)}
        if out is not None and out.suffix.lower() == ".json":
            write_whole(out, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        elif out is not None:
            write_csv(out, [("pattern", "side", "member"), *member_table(result)])
    if as_json:
        print(json.dumps(document))
        return
    terminal.print_result(result, None)
    if out is not None:
        print(f"written to {shown(shlex.quote(str(out)))}")
