"""The commands for studies: `rank`, bounds on the Boolean rank."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from boolfact.cli_common import (
    AsJson,
    Binarize,
    Header,
    RowNames,
    Source,
    examples,
    one_line_errors,
    read,
)

if TYPE_CHECKING:
    from boolfact.matrix import BinaryMatrix
    from boolfact.rank import RankBounds

__all__ = ["RANK_EXAMPLES", "rank"]

RANK_EXAMPLES = examples("boolfact rank zoo", "boolfact rank mydata.csv --time-limit 300 --json")


def rank(
    source: Source,
    time_limit: Annotated[float, typer.Option(help="Seconds.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    workers: Annotated[int, typer.Option(help="Threads.")] = 1,
    binarize: Binarize = None,
    header: Header = None,
    row_names: RowNames = None,
    as_json: AsJson = False,
) -> None:
    """Bound the Boolean rank: how many patterns it takes to reproduce the data exactly."""
    with one_line_errors():
        from boolfact.rank import rank_bounds

        matrix = read(source, binarize, header, row_names)
        bounds = rank_bounds(matrix, time_limit=time_limit, seed=seed, workers=workers)
    if as_json:
        n, m = matrix.shape
        print(json.dumps({"dataset": source, "n": n, "m": m, **bounds.as_dict()}))
    else:
        _print_bounds(bounds, matrix)


def _print_bounds(bounds: RankBounds, matrix: BinaryMatrix) -> None:
    figures = bounds.as_dict()
    print(f"Boolean rank              {_interval(bounds.lower, bounds.upper)}")
    print(f"isolation number i(X)     {_interval(bounds.isolation_lower, bounds.isolation_upper)}")
    low, high = figures["fractional_cover_lower"], figures["fractional_cover_upper"]
    print(f"fractional cover number   {_interval(low, high)}")
    print(f"log2 of different rows    at least {bounds.distinct_lower}")
    shown = [f"{matrix.row_label(i)}: {matrix.column_label(j)}" for i, j in bounds.isolated]
    print(f"isolated ones ({len(shown)}): {'; '.join(shown)}")


def _interval(low: float, high: float) -> str:
    return f"{low}" if low == high else f"between {low} and {high}"
