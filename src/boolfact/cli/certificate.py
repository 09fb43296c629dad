"""`boolfact certificate`: what a saved result's certificate proves, or all of it as plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from boolfact.cli.common import (
    Folder,
    SourceOption,
    check_writable,
    examples,
    one_line_errors,
)
from boolfact.cli.reading import AGAIN, Reading, load_with_data, with_reading
from boolfact.model.labels import shown
from boolfact.results.format import decimal

__all__ = ["EXAMPLES", "certificate"]

EXAMPLES = examples(
    "boolfact certificate run1",
    "boolfact certificate run1 --text --out run1_text",
)


@with_reading(*AGAIN)
def certificate(
    folder: Folder,
    text: Annotated[
        bool, typer.Option("--text", help="Write data, factors and certificate as plain text.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for --text (DIR/text by default).")
    ] = None,
    source: SourceOption = None,
    reading: Reading = Reading(),  # noqa: B008
) -> None:
    """Say what the certificate of a saved result proves, or write it out for the checker in C."""
    with one_line_errors():
        from boolfact.certificate.text import write_text
        from boolfact.results.result import Result

        if not text:
            if out is not None:
                raise ValueError("--out is where --text writes to; give --text as well")
            print("\n".join(map(shown, _bounds(Result.load(folder).certificate))))
            return
        target = folder / "text" if out is None else out
        check_writable(target)
        result, matrix = load_with_data(folder, source, reading)
        names = [path.name for path in write_text(result, matrix, target)]
    print(f"written to {shown(str(target))}: {', '.join(names)}")


def _bounds(document: dict[str, Any] | None) -> list[str]:
    """One line for each bound of a certificate, as it is claimed there."""
    if document is None:
        return ["no certificate: nothing is proved"]
    from boolfact.certificate.reading import CertificateError, fraction

    try:
        return [
            f"bound {u + 1}: the {entry['on']} is at least "
            f"{decimal(fraction(entry['rounded'], 'rounded'))}, "
            f"by {entry['relaxation']} (kind {entry['kind']})"
            for u, entry in enumerate(document["bounds"])
        ] or ["the certificate has no bound"]
    except (KeyError, TypeError, CertificateError) as error:
        raise ValueError(
            f"certificate.json: not a certificate of this program: {error!r}"
        ) from error
