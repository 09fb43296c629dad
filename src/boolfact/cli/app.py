"""The command line.

Exit codes: 0 success, 1 a check failed, 2 bad input, 130 interrupted before any result.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boolfact import __version__
from boolfact.cli import complete as cli_complete
from boolfact.cli import show as cli_show
from boolfact.cli import study as cli_study
from boolfact.cli.common import (
    BAD_INPUT,
    CHECK_FAILED,
    INTERRUPTED,
    AsJson,
    Binarize,
    Folder,
    Header,
    OneHot,
    Quiet,
    RowNames,
    Source,
    SourceOption,
    check_writable,
    complete_bound,
    complete_method,
    examples,
    one_line_errors,
    read,
    read_again,
    reading,
)

if TYPE_CHECKING:
    from boolfact.model.matrix import BinaryMatrix
    from boolfact.results.result import Result

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
        code = app(prog_name="boolfact", standalone_mode=False)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:
        # An unknown command or option, a missing or malformed value: one line as for bad data.
        if not hasattr(error, "format_message"):
            raise
        path = getattr(getattr(error, "ctx", None), "command_path", "boolfact")
        text = " ".join(error.format_message().split()).rstrip(".")
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


@app.command(
    epilog=examples(
        "boolfact fit zoo -k 5",
        "boolfact fit mydata.csv -k 8 --time-limit 300 --out run1 && boolfact verify run1",
        "boolfact fit votes_missing -k 5 --quiet --json > votes.json",
        "boolfact fit patients.csv -k 5 --one-hot --out run1 && boolfact report run1",
        "boolfact fit zoo -k 5 --start run1 --time-limit 300 --out run2",
    )
)
def fit(
    source: Source,
    k: Annotated[int, typer.Option("-k", "--rank", help="How many patterns.")],
    method: Annotated[
        str,
        typer.Option(
            help="How to solve it; `boolfact methods` lists them.", autocompletion=complete_method
        ),
    ] = "auto",
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Begin from a result that fit --out saved; never worse than it."
        ),
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    iteration_limit: Annotated[
        int | None, typer.Option(help="For answers that do not depend on the machine's speed.")
    ] = None,
    target: Annotated[int | None, typer.Option(help="Stop at an error of at most this.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    rho: Annotated[float, typer.Option(help="Price of a covered zero in MIP(rho).")] = 1.0,
    bound: Annotated[
        str,
        typer.Option(
            help="Lower bounds to prove: auto, none, objective or error.",
            autocompletion=complete_bound,
        ),
    ] = "auto",
    workers: Annotated[int | None, typer.Option(help="Threads (all cores by default).")] = None,
    false_one_cost: Annotated[int, typer.Option(help="Price of covering a zero.")] = 1,
    missed_one_cost: Annotated[int, typer.Option(help="Price of leaving out a one.")] = 1,
    from_below: Annotated[bool, typer.Option("--from-below", help="Cover no zero at all.")] = False,
    binarize: Binarize = None,
    one_hot: OneHot = False,
    header: Header = None,
    row_names: RowNames = None,
    out: Annotated[Path | None, typer.Option(help="Folder to save the result in.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Factorise a 0/1 matrix and show the patterns by name."""
    with one_line_errors():
        from boolfact.show.live import show_progress
        from boolfact.solve.factorize import factorize

        matrix = read(source, binarize, header, row_names, one_hot)
        if out is not None:
            check_writable(out)
        with show_progress(f"{source}, k = {k}", quiet=quiet) as progress:
            result = factorize(
                matrix,
                k,
                method=method,
                start=start,
                rho=rho,
                time_limit=time_limit,
                iteration_limit=iteration_limit,
                target=target,
                seed=seed,
                workers=workers,
                bound=bound,  # type: ignore[arg-type]
                false_one_cost=false_one_cost,
                missed_one_cost=missed_one_cost,
                from_below=from_below,
                progress=progress,
                dataset=source,
                reading=reading(binarize, header, row_names, one_hot or None),
            )
        if out is not None:
            result.save(out)
    _show(result, matrix, out, as_json)


def _show(result: Result, matrix: BinaryMatrix, out: Path | None, as_json: bool) -> None:
    from boolfact.show import terminal as display

    if as_json:
        print(json.dumps(result.as_dict()))
        return
    display.print_result(result, matrix)
    if out is not None:
        folder = shlex.quote(str(out))
        print(f"saved in {out}; next: boolfact report {folder}, boolfact verify {folder}")


@app.command(
    epilog=examples("boolfact verify run1", "boolfact verify run1 --source mydata.csv --json")
)
def verify(
    folder: Folder,
    source: SourceOption = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for checking the bounds.")] = 60.0,
    binarize: Binarize = None,
    header: Header = None,
    row_names: RowNames = None,
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
        matrix = read_again(name, result, reading(binarize, header, row_names))
        verification = verify_result(result, matrix, time_limit=time_limit)
    if as_json:
        print(json.dumps(verification.as_dict()))
    else:
        display.print_verification(verification)
    if not verification.ok:
        raise typer.Exit(CHECK_FAILED)


@app.command(epilog=examples("boolfact datasets", "boolfact datasets --json"))
def datasets(as_json: AsJson = False) -> None:
    """List the bundled datasets."""
    from boolfact.datasets import describe_dataset, list_datasets, load_dataset
    from boolfact.show import terminal as display

    rows = []
    for name in list_datasets():
        matrix, info = load_dataset(name), describe_dataset(name)
        n, m = matrix.shape
        rows.append(
            {
                "name": name,
                "n": n,
                "m": m,
                "ones": matrix.n_ones,
                "missing": matrix.n_missing,
                "rows": info.rows,
                "columns": info.columns,
                "credit": info.credit,
            }
        )
    if as_json:
        print(json.dumps(rows))
    else:
        display.print_datasets(rows)


@app.command(
    epilog=examples(
        "boolfact methods", "boolfact methods --json", "boolfact fit zoo -k 5 --method asso"
    )
)
def methods(as_json: AsJson = False) -> None:
    """List the methods that fit takes, and what lower bounds they prove."""
    from boolfact.solve.method import METHODS

    if as_json:
        print(json.dumps([method.as_dict() for method in METHODS.values()]))
        return
    lines = [("name", "proves", "description")]
    lines += [(method.name, method.proves, method.description) for method in METHODS.values()]
    widths = [max(len(line[u]) for line in lines) for u in (0, 1)]
    for name, proves, description in lines:
        print(f"{name:<{widths[0]}}  {proves:<{widths[1]}}  {description}")


app.command(epilog=cli_complete.COMPLETE_EXAMPLES)(cli_complete.complete)
app.command(epilog=cli_show.PLOT_EXAMPLES)(cli_show.plot)
app.command(epilog=cli_show.REPORT_EXAMPLES)(cli_show.report)
app.command(epilog=cli_study.RANK_EXAMPLES)(cli_study.rank)
app.command(epilog=cli_study.REPRODUCE_EXAMPLES)(cli_study.reproduce)


if __name__ == "__main__":
    main()
