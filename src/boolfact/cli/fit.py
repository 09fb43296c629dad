"""`boolfact fit`: factorise a matrix, show the patterns, save the result."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boolfact.cli.common import (
    BAD_INPUT,
    AsJson,
    Cluster,
    Quiet,
    Source,
    Verbose,
    check_writable,
    complete_bound,
    complete_method,
    complete_objective,
    examples,
    one_line_errors,
)
from boolfact.cli.output import keep

if TYPE_CHECKING:
    from boolfact.model.matrix import BinaryMatrix
    from boolfact.results.result import Result

from boolfact.cli.reading import ALL, Reading, hints, with_reading
from boolfact.model.labels import shown

__all__ = ["EXAMPLES", "fit"]

EXAMPLES = examples(
    "boolfact fit zoo -k 5",
    "boolfact fit mydata.csv -k 8 --time-limit 300 --out run1 && boolfact verify run1",
    "boolfact fit votes_missing -k 5 --quiet --json > votes.json",
    "boolfact fit patients.csv -k 5 --one-hot --out run1 && boolfact report run1",
    "boolfact fit export.csv -k 5 --one-hot --drop notes --categorical stage --threshold age=40",
    "boolfact fit rights.csv -k 6 --pairs --from-below",
    "boolfact fit cells.h5ad -k 8 --layer counts --binarize 0",
    "boolfact fit users.csv -k 6 --from-below",
    "boolfact fit zoo -k 5 --start run1 --time-limit 300 --out run2",
    "boolfact fit 'data/*.parquet' -k 10 --cluster tcp://10.0.0.1:8786",
    "boolfact fit apb -k 5 --method exact --objective mip --checkpoint apb.json",
)


@with_reading(*ALL)
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
    objective: Annotated[
        str,
        typer.Option(
            help="What the method exact minimises: error, or mip for MIP(rho).",
            autocompletion=complete_objective,
        ),
    ] = "error",
    node_limit: Annotated[
        int | None, typer.Option(help="Of the method exact: nodes of its tree.")
    ] = None,
    gap_limit: Annotated[
        float | None,
        typer.Option(help="Of auto, colgen and exact: end at this relative gap, 0.01 for 1 %."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of the method exact: keep the search in this file."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of the method exact: go on from such a file."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    rho: Annotated[float, typer.Option(help="Price of a covered zero in MIP(rho).")] = 1.0,
    bound: Annotated[
        str,
        typer.Option(
            help="Lower bounds to prove: auto (the error above all), none, objective or error.",
            autocompletion=complete_bound,
        ),
    ] = "auto",
    workers: Annotated[int | None, typer.Option(help="Threads (all cores by default).")] = None,
    cluster: Cluster = None,
    false_one_cost: Annotated[int, typer.Option(help="Price of covering a zero.")] = 1,
    missed_one_cost: Annotated[int, typer.Option(help="Price of leaving out a one.")] = 1,
    from_below: Annotated[
        bool,
        typer.Option("--from-below", help="Cover no zero at all: roles that add no right."),
    ] = False,
    reading: Reading = Reading(),  # noqa: B008
    out: Annotated[Path | None, typer.Option(help="Folder to save the result in.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Factorise a 0/1 matrix and show the patterns by name."""
    with one_line_errors():
        from boolfact.control.cluster import connected
        from boolfact.show.live import show_progress
        from boolfact.solve.factorize import factorize
        from boolfact.solve.large import large_rows, place_rows

        if out is not None:
            check_writable(out)
        rows = matrix = None
        reading.check()
        if cluster is not None and reading != Reading(binarize=reading.binarize):
            raise ValueError(
                "--cluster reads a matrix of zeros and ones, or of numbers with --binarize; leave "
                "out the other options for reading. `boolfact binarize` makes such a matrix of "
                "pairs and of categories, and writes it with --out"
            )
        with (
            show_progress(
                f"{source}, k = {k}",
                quiet=quiet,
                time_limit=time_limit,
                objective=bound == "objective"
                or objective == "mip"
                or method == "colgen"
                or rho != 1,
                verbose=verbose,
            ) as progress,
            connected(cluster) as connection,
        ):
            given: Any = source
            if connection is not None:
                given = place_rows(source, connection, binarize=reading.binarize, progress=progress)
            if reading.is_plain:
                given = reading.meant(given, quiet)
                with hints():
                    rows = large_rows(
                        given, k, method, bound=bound, weights=None, binarize=reading.binarize
                    )
            if rows is None:
                matrix = reading.matrix(given) if reading.is_plain else reading.read(source, quiet)
            result = factorize(
                matrix if rows is None else rows,
                k,
                method=method,
                start=start,
                rho=rho,
                time_limit=time_limit,
                iteration_limit=iteration_limit,
                target=target,
                seed=seed,
                workers=workers,
                executor=None if connection is None else connection.client,
                bound=bound,  # type: ignore[arg-type]
                objective=objective,  # type: ignore[arg-type]
                node_limit=node_limit,
                gap_limit=gap_limit,
                checkpoint=checkpoint,
                resume=resume,
                false_one_cost=false_one_cost,
                missed_one_cost=missed_one_cost,
                from_below=from_below,
                progress=progress,
                dataset=source,
                reading=reading.as_dict(),
            )
        saved = None if out is None else keep(result.save, out)
    _show(result, matrix, None if saved is None else saved.path, as_json, verbose)
    if saved is not None and saved.path != out:
        raise typer.Exit(BAD_INPUT)


def _show(
    result: Result, matrix: BinaryMatrix | None, out: Path | None, as_json: bool, verbose: bool
) -> None:
    from boolfact.show import terminal as display

    if as_json:
        print(json.dumps(result.as_dict()))
        return
    # What each pattern covers is counted cell by cell, which large data are spared.
    display.print_result(result, matrix, verbose=verbose)
    if out is not None:
        folder = shown(shlex.quote(str(out)))
        print(
            f"saved in {shown(str(out))}; next: boolfact report {folder}, boolfact verify {folder}"
        )
