"""`boolfact rank`: bounds on the Boolean rank, or the path of ranks and a recommended k."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boolfact.cli.common import (
    AsJson,
    Cluster,
    Quiet,
    Source,
    check_writable_file,
    examples,
    one_line_errors,
)

if TYPE_CHECKING:
    from boolfact.model.matrix import BinaryMatrix
    from boolfact.rank import RankBounds

from boolfact.cli.reading import ALL, Reading, with_reading
from boolfact.model.labels import shown

__all__ = ["EXAMPLES", "rank"]

EXAMPLES = examples(
    "boolfact rank zoo",
    "boolfact rank zoo --path --max-k 12 --plot ranks.png",
    "boolfact rank patients.csv --one-hot --path",
    "boolfact rank mydata.csv --path --time-limit 300 --json",
)


@with_reading(*ALL)
def rank(
    source: Source,
    path: Annotated[
        bool,
        typer.Option(
            "--path",
            help="Solve for k = 1, 2, ... and recommend a k, instead of bounding the rank.",
        ),
    ] = False,
    max_k: Annotated[int | None, typer.Option(help="With --path: the largest k (10).")] = None,
    folds: Annotated[
        int | None,
        typer.Option(help="With --path: folds of the cross-validation on hidden entries (5)."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="With --path: seeds whose patterns are compared (3).")
    ] = None,
    bounds: Annotated[
        bool | None,
        typer.Option(
            "--bounds/--no-bounds", help="With --path: prove lower bounds on the errors (yes)."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="With --path: draw error and description length against k: png, svg or pdf."
        ),
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    iteration_limit: Annotated[
        int | None,
        typer.Option(
            help="With --path: makes errors, bits and the recommendation independent of the "
            "machine's speed, as long as the time suffices."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    workers: Annotated[int, typer.Option(help="Threads.")] = 1,
    cluster: Cluster = None,
    reading: Reading = Reading(),  # noqa: B008
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Bound the Boolean rank, or choose k: error, bounds and description length for each k."""
    asked = {
        "max_rank": max_k,
        "folds": folds,
        "seeds": seeds,
        "bounds": bounds,
        "iteration_limit": iteration_limit,
    }
    with one_line_errors():
        from boolfact.control.cluster import connected

        if not path:
            _refuse_without_path({**asked, "cluster": cluster}, plot)
        matrix = reading.read(source, quiet)
        limits = {"time_limit": time_limit, "seed": seed, "workers": workers}
        if path:
            with connected(cluster) as connection:
                client = None if connection is None else connection.client
                _rank_path(matrix, source, asked, limits, client, plot, as_json, quiet)
            return
        from boolfact.rank import rank_bounds

        found = rank_bounds(matrix, **limits)  # type: ignore[arg-type]
    if as_json:
        n, m = matrix.shape
        print(json.dumps({"dataset": source, "n": n, "m": m, **found.as_dict()}))
    else:
        _print_bounds(found, matrix)


def _refuse_without_path(asked: dict[str, Any], plot: Path | None) -> None:
    """Options of the path that would be ignored."""
    options = {
        "max_rank": "--max-k",
        "folds": "--folds",
        "seeds": "--seeds",
        "bounds": "--bounds",
        "iteration_limit": "--iteration-limit",
        "cluster": "--cluster",
        "plot": "--plot",
    }
    for name, value in {**asked, "plot": plot}.items():
        if value is not None:
            raise ValueError(f"{options[name]} belongs to --path, which was not given")


def _rank_path(
    matrix: BinaryMatrix,
    source: str,
    asked: dict[str, Any],
    limits: dict[str, Any],
    client: Any,
    plot: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Solve for every k, draw it if asked to, and print it."""
    from boolfact.rank.path import rank_path
    from boolfact.show import terminal as display
    from boolfact.show.live import show_progress

    if plot is not None:
        # A missing matplotlib is refused before the work, not after it.
        from boolfact.show.plotting import plot_ranks, save_figure

        check_writable_file(plot, ".png", ".svg", ".pdf")
        plot_ranks([1], [0])
    wanted: dict[str, Any] = {"max_rank": 10, "folds": 5, "seeds": 3, "bounds": True}
    wanted.update({name: value for name, value in asked.items() if value is not None})
    title = f"{source}, k = 1 to {wanted['max_rank']}"
    with show_progress(title, quiet=quiet, time_limit=limits["time_limit"]) as progress:
        found = rank_path(matrix, executor=client, progress=progress, **wanted, **limits)
    if plot is not None:
        figure = plot_ranks(
            [point.k for point in found.points],
            [point.error for point in found.points],
            bounds=[point.error_lower_bound for point in found.points],
            description_lengths=[point.description_length for point in found.points],
            recommended=found.recommended,
        )
        save_figure(figure, plot)
    if as_json:
        n, m = matrix.shape
        print(json.dumps({"dataset": source, "n": n, "m": m, **found.as_dict(), **limits}))
        return
    display.print_rank_path(found)
    if plot is not None:
        print(f"written to {shown(str(plot))}")


def _print_bounds(bounds: RankBounds, matrix: BinaryMatrix) -> None:

    figures = bounds.as_dict()
    print(f"Boolean rank              {_interval(bounds.lower, bounds.upper)}")
    print(f"isolation number i(X)     {_interval(bounds.isolation_lower, bounds.isolation_upper)}")
    low, high = figures["fractional_cover_lower"], figures["fractional_cover_upper"]
    print(f"fractional cover number   {_interval(low, high)}")
    print(f"log2 of different rows    at least {bounds.distinct_lower}")
    names = [f"{matrix.row_label(i)}: {matrix.column_label(j)}" for i, j in bounds.isolated]
    print(f"isolated ones ({len(names)}): {shown('; '.join(names))}")


def _interval(low: float, high: float) -> str:
    return f"{low}" if low == high else f"between {low} and {high}"
