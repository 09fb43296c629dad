"""`boolfact report`: one HTML page about a saved result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boolfact.cli.common import (
    Folder,
    SourceOption,
    check_writable_file,
    examples,
    one_line_errors,
)
from boolfact.cli.reading import AGAIN, Reading, load_with_data, with_reading
from boolfact.model.labels import shown

__all__ = ["EXAMPLES", "report"]

EXAMPLES = examples(
    "boolfact fit zoo -k 5 --out run5 && boolfact report run5",
    "boolfact report run5 --source mydata.csv --out zoo.html",
)


@with_reading(*AGAIN)
def report(
    folder: Folder,
    source: SourceOption = None,
    out: Annotated[
        Path | None, typer.Option(help="HTML file to write (DIR/report.html by default).")
    ] = None,
    reading: Reading = Reading(),  # noqa: B008
) -> None:
    """Write one HTML page about a saved result; it opens in any browser, without network."""
    with one_line_errors():
        from boolfact.show.report import write_report

        target = folder / "report.html" if out is None else out
        check_writable_file(target, ".html", ".htm")
        result, matrix = load_with_data(folder, source, reading)
        write_report(result, matrix, target, folder=str(folder), source=source)
    print(f"written to {shown(str(target))}")
