"""`boolfact plot`: draw a saved result."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boolfact.cli.common import (
    SourceOption,
    check_writable_file,
    examples,
    one_line_errors,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

from boolfact.cli.reading import AGAIN, Reading, load_with_data, with_reading
from boolfact.model.labels import shown

__all__ = ["EXAMPLES", "Kind", "plot"]

EXAMPLES = examples(
    "boolfact fit zoo -k 5 --out run5 && boolfact plot run5 --out zoo.png",
    "boolfact plot run5 --kind convergence --out convergence.svg",
    "boolfact plot run2 run3 run4 run5 --kind ranks --out ranks.png",
)


class Kind(enum.StrEnum):
    """What to draw."""

    MATRIX = "matrix"
    CONVERGENCE = "convergence"
    FACTORS = "factors"
    RANKS = "ranks"


@with_reading(*AGAIN)
def plot(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders written by fit --out; several for ranks."),
    ],
    out: Annotated[Path, typer.Option(help="File to write: png, svg or pdf.")],
    kind: Annotated[
        Kind,
        typer.Option(
            help="matrix: data, patterns and errors; convergence: error and bounds over time; "
            "factors: A and B; ranks: error against k."
        ),
    ] = Kind.MATRIX,
    source: SourceOption = None,
    reading: Reading = Reading(),  # noqa: B008
) -> None:
    """Draw a saved result (needs matplotlib: pip install 'boolfact\\[plot]')."""
    with one_line_errors():
        from boolfact.show.plotting import save_figure

        check_writable_file(out, ".png", ".svg", ".pdf")
        if kind is not Kind.RANKS and len(folders) > 1:
            raise ValueError(f"--kind {kind.value} draws one result, got {len(folders)} folders")
        save_figure(_drawn(kind, folders, source, reading), out)
    print(f"written to {shown(str(out))}")


def _drawn(kind: Kind, folders: list[Path], source: str | None, said: Reading) -> Figure:
    from boolfact.results.result import Result
    from boolfact.show import plotting

    if kind is Kind.RANKS:
        results = sorted((Result.load(folder) for folder in folders), key=lambda r: r.k)
        if len({result.digest for result in results}) > 1:
            raise ValueError("--kind ranks compares results of the same data and prices")
        return plotting.plot_ranks(
            [result.k for result in results],
            [result.error for result in results],
            bounds=[result.error_lower_bound for result in results],
        )
    if kind is Kind.MATRIX:
        return plotting.plot_matrix(*load_with_data(folders[0], source, said))
    result = Result.load(folders[0])
    if kind is Kind.FACTORS:
        return plotting.plot_factors(result)
    return plotting.plot_convergence(result)
