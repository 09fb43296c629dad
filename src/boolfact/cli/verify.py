"""`boolfact verify`: recompute the figures of a saved result and check its bounds."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from boolfact.cli.common import (
    CHECK_FAILED,
    AsJson,
    Folder,
    SourceOption,
    examples,
    one_line_errors,
)
from boolfact.cli.reading import AGAIN, Reading, asking_for_source, with_reading

__all__ = ["EXAMPLES", "verify"]

EXAMPLES = examples("boolfact verify run1", "boolfact verify run1 --source mydata.csv --json")


@with_reading(*AGAIN)
def verify(
    folder: Folder,
    source: SourceOption = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for checking the bounds.")] = 60.0,
    reading: Reading = Reading(),  # noqa: B008
    as_json: AsJson = False,
) -> None:
    """Recompute the error of a saved result, and check its bounds, with independent code."""
    from boolfact.show import terminal as display

    with one_line_errors():
        from boolfact.certificate import verify_result
        from boolfact.results.result import Result

        result = Result.load(folder)
        name = source or result.dataset
        if name is None:
            raise ValueError(f"{folder} does not say which data it is for; give it with --source")
        with asking_for_source(folder, name, source):
            matrix = reading.read_rows_again(name, result) or reading.read_again(name, result)
        verification = verify_result(result, matrix, time_limit=time_limit)
    if as_json:
        print(json.dumps(verification.as_dict()))
    else:
        display.print_verification(verification)
    if not verification.ok:
        raise typer.Exit(CHECK_FAILED)
