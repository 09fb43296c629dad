"""`boolfact complete`: fill missing entries by one factorisation or by the votes of many."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boolfact.cli.common import (
    BAD_INPUT,
    AsJson,
    Cluster,
    Quiet,
    Source,
    check_writable_file,
    complete_method,
    examples,
    one_line_errors,
)
from boolfact.cli.output import keep

if TYPE_CHECKING:
    from boolfact.model.matrix import BinaryMatrix

from boolfact.cli.reading import ALL, Reading, with_reading
from boolfact.model.labels import shown

__all__ = ["EXAMPLES", "complete"]

EXAMPLES = examples(
    "boolfact complete votes_missing --members 80 --out votes_filled.csv",
    "boolfact complete votes_missing -k 5 --out votes_filled.csv",
    "boolfact complete mydata.csv --members 80 --out filled.csv --explain why.csv",
)

_SECONDS = 60.0


@with_reading(*ALL)
def complete(
    source: Source,
    out: Annotated[Path, typer.Option(help="CSV file for the completed matrix.")],
    k: Annotated[
        int | None,
        typer.Option(
            "-k", "--rank", help="How many patterns (with --members: the best of 4, 8, 12)."
        ),
    ] = None,
    members: Annotated[
        int,
        typer.Option(
            help="Let this many factorisations vote, which predicts better; 80 is a good number. "
            "0: one factorisation, with its proved bounds."
        ),
    ] = 0,
    explain: Annotated[
        Path | None,
        typer.Option(help="CSV file that says for each filled entry what covers it, or who votes."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(help="How to solve it, without --members.", autocompletion=complete_method),
    ] = "auto",
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds (60 by default; with --members: until all have voted)."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads (all cores by default).")] = None,
    cluster: Cluster = None,
    reading: Reading = Reading(),  # noqa: B008
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Fill the missing entries of a matrix by the patterns found in the observed ones."""
    with one_line_errors():
        from boolfact.control.cluster import connected

        if members < 0:
            raise ValueError(f"--members must not be negative, got {members}")
        if members == 0 and k is None:
            raise ValueError("say how many patterns with -k, or give --members")
        if members and method != "auto":
            raise ValueError("--method is for one factorisation; do not give --members too")
        if explain is not None and explain.resolve() == out.resolve():
            raise ValueError("--out and --explain must be different files")
        matrix = reading.read(source, quiet)
        for target in (out, explain):
            if target is not None:
                check_writable_file(target, ".csv")
        limits: dict[str, Any] = {"time_limit": time_limit, "seed": seed, "workers": workers}
        with connected(cluster) as connection:
            if connection is not None:
                limits["executor"] = connection.client
            if members:
                ranks = {} if k is None else {"k": k}
                filled = _by_votes(matrix, source, members, quiet, {**limits, **ranks})
            else:
                assert k is not None
                filled = _by_one(matrix, source, k, method, quiet, limits)
        saved = keep(filled.write, out)
        places = [(saved, out)]
        if explain is not None:
            places.append((keep(filled.explain, explain), explain))
    where = "" if saved.path is None else f"; written to {shown(str(saved.path))}"
    print(json.dumps(filled.document) if as_json else filled.words + where)
    if any(place.path != wanted for place, wanted in places):
        raise typer.Exit(BAD_INPUT)


@dataclass(frozen=True)
class _Filled:
    """What to print, as JSON and in words, and how to write the matrix and its explanation."""

    document: dict[str, Any]
    words: str
    write: Callable[[Path], None]
    explain: Callable[[Path], None]


def _by_one(
    matrix: BinaryMatrix,
    source: str,
    k: int,
    method: str,
    quiet: bool,
    limits: dict[str, Any],
) -> _Filled:
    """Fill by one factorisation."""
    from boolfact.completion.write import write_filled
    from boolfact.io.write import write_matrix
    from boolfact.show.live import show_progress
    from boolfact.solve.factorize import factorize

    if limits["time_limit"] is None:
        limits = {**limits, "time_limit": _SECONDS}
    with show_progress(
        f"{source}, k = {k}", quiet=quiet, time_limit=limits["time_limit"]
    ) as progress:
        result = factorize(matrix, k, method=method, progress=progress, dataset=source, **limits)
    completed = result.complete(matrix)
    ones = int((completed.ones & matrix.missing).sum())
    return _Filled(
        {**result.as_dict(), "filled": matrix.n_missing, "filled_ones": ones},
        f"filled {matrix.n_missing:,} entries ({ones:,} ones) with {result.k} patterns, "
        f"error {result.error} on the observed entries",
        lambda path: write_matrix(path, completed),
        lambda path: write_filled(path, result.factors, matrix),
    )


def _by_votes(
    matrix: BinaryMatrix,
    source: str,
    members: int,
    quiet: bool,
    settings: dict[str, Any],
) -> _Filled:
    """Fill by many factorisations."""
    from boolfact.completion.ensemble import complete as complete_by_votes
    from boolfact.completion.write import write_votes
    from boolfact.io.write import write_matrix
    from boolfact.show.live import show_progress

    with show_progress(
        f"{source}, {members} members", quiet=quiet, time_limit=settings["time_limit"]
    ) as progress:
        done = complete_by_votes(matrix, members=members, progress=progress, **settings)
    figures = done.as_dict()
    return _Filled(
        {"dataset": source, **figures},
        f"filled {figures['filled']:,} entries ({figures['filled_ones']:,} ones) by the votes of "
        f"{len(done.members)} factorisations with {done.k} patterns; on observed entries that "
        f"they did not see, {100 * done.expected.accuracy:.1f} % right and F1 "
        f"{done.expected.f1:.3f}",
        lambda path: write_matrix(path, done.completed()),
        lambda path: write_votes(path, done.votes()),
    )
