"""The command line: the app, its commands, and what ends the program.

Exit codes: 0 success, 1 a check failed, 2 bad input, 130 interrupted before any result.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from typing import Annotated, TextIO, cast

import typer

from boolfact import __version__
from boolfact.cli import (
    binarize,
    certificate,
    complete,
    datasets,
    fit,
    methods,
    patterns,
    plot,
    rank,
    report,
    reproduce,
    verify,
)
from boolfact.cli.common import BAD_INPUT, INTERRUPTED, examples
from boolfact.cli.output import Output, OutputError
from boolfact.control.signals import ending_politely
from boolfact.model.labels import shown

__all__ = ["app", "main"]

app = typer.Typer(
    name="boolfact",
    help="Boolean matrix factorisation with proof: X ≈ A∘B, and how far from optimal it can be.",
    add_completion=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog=examples(
        "boolfact fit zoo -k 5 --out run1",
        "boolfact verify run1",
        "boolfact COMMAND --help",
    )
    + "\n\n[bold]Exit codes:[/] 0 success; 1 a check failed; 2 bad input, nothing written; "
    "130 interrupted before any result. The first Ctrl-C ends a search and keeps its best "
    "result (exit code 0); a second one ends the program."
    "\n\n[bold]Shell completion:[/] boolfact --install-completion",
)


def main() -> None:
    """Run the command line: what `boolfact` and `python -m boolfact` call."""
    try:
        with ending_politely(), redirect_stdout(cast(TextIO, Output(sys.stdout))):
            code = app(prog_name="boolfact", standalone_mode=False)
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OutputError as error:
        code = error.report()
    except Exception as error:
        # An unknown command or option, a missing or malformed value: one line as for bad data.
        if not hasattr(error, "format_message"):
            raise
        path = getattr(getattr(error, "ctx", None), "command_path", "boolfact")
        text = shown(" ".join(error.format_message().split()).rstrip("."))
        print(f"boolfact: {text} (see {path} --help)", file=sys.stderr)
        code = BAD_INPUT
    if code == INTERRUPTED:
        print("boolfact: interrupted", file=sys.stderr)
    sys.exit(code)


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


# In this order they are on the help page.
app.command(epilog=fit.EXAMPLES)(fit.fit)
app.command(epilog=verify.EXAMPLES)(verify.verify)
app.command(epilog=binarize.EXAMPLES)(binarize.binarize)
app.command(epilog=patterns.EXAMPLES)(patterns.patterns)
app.command(epilog=certificate.EXAMPLES)(certificate.certificate)
app.command(epilog=datasets.EXAMPLES)(datasets.datasets)
app.command(epilog=methods.EXAMPLES)(methods.methods)
app.command(epilog=complete.EXAMPLES)(complete.complete)
app.command(epilog=plot.EXAMPLES)(plot.plot)
app.command(epilog=report.EXAMPLES)(report.report)
app.command(epilog=rank.EXAMPLES)(rank.rank)
app.command(epilog=reproduce.EXAMPLES)(reproduce.reproduce)


if __name__ == "__main__":
    main()
