"""The curves of a study of pricing strategies: primal values fall, proved bounds rise."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boolfact.io.write import whole_file
from boolfact.reproduce.cells import Cell
from boolfact.show.colours import PATTERN_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["curves_csv", "draw_curves", "falling", "rising"]

Figures = dict[str, dict[str, Any]]

_FIRST = 3e-3
"""Seconds: where the logarithmic axis may begin."""
_HEADROOM = 2.5


def falling(points: Sequence[Sequence[float | None]]) -> tuple[list[float], list[float]]:
    """Seconds and master values, where there is one."""
    known = [(point[0], point[1]) for point in points if point[1] is not None]
    return [float(s) for s, _ in known if s is not None], [float(v) for _, v in known]


def rising(points: Sequence[Sequence[float | None]]) -> tuple[list[float], list[float]]:
    """Seconds and the best bound proved by then."""
    seconds, values, best = [], [], 0.0
    for point in points:
        if point[2] is not None:
            best = max(best, point[2])
        seconds.append(float(point[0] or 0.0))
        values.append(best)
    return seconds, values


def curves_csv(cells: Sequence[Cell], figures: Figures) -> str:
    """All points, one per line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["dataset", "k", "strategy", "seconds", "master", "objective_lower_bound"])
    for cell in cells:
        for seconds, master, bound in figures[cell.name]["points"]:
            writer.writerow([cell.dataset, cell.k, cell.method, seconds, master, bound])
    return stream.getvalue()


def draw_curves(path: Path, cells: Sequence[Cell], figures: Figures) -> Path:
    """One panel for each dataset and rank."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    panels = list(dict.fromkeys((cell.dataset, cell.k) for cell in cells))
    strategies = list(dict.fromkeys(cell.method for cell in cells))
    colours = {name: PATTERN_COLOURS[u % len(PATTERN_COLOURS)] for u, name in enumerate(strategies)}
    figure = Figure(figsize=(4.6 * len(panels), 3.9), layout="constrained")
    for position, (dataset, k) in enumerate(panels, start=1):
        axes = figure.add_subplot(1, len(panels), position)
        shown = [cell for cell in cells if (cell.dataset, cell.k) == (dataset, k)]
        _draw_panel(axes, shown, figures, colours)
        axes.set_title(f"{dataset}, k = {k}")
        if position == 1:
            axes.set_ylabel("MLP(1)")
    keys = [Line2D([], [], color=colours[name], label=f"{name} pricing") for name in strategies]
    keys.append(Line2D([], [], color="0.3", label="value of the restricted master"))
    keys.append(Line2D([], [], color="0.3", linestyle="--", label="proved lower bound on MLP(1)"))
    keys.append(
        Line2D([], [], color="0.3", linestyle="", marker="o", markersize=5, label="proved optimal")
    )
    figure.legend(handles=keys, loc="outside lower center", ncols=3, frameon=False)
    with whole_file(path) as scratch:
        figure.savefig(scratch, dpi=200)
    return path


def _draw_panel(
    axes: Axes, cells: Sequence[Cell], figures: Figures, colours: dict[str, str]
) -> None:
    """Values fall, bounds rise, and a dot says where they met and after how long.

    A run that was over too soon has no bound, or no value either.
    """
    ends, last = [], 0.0
    for cell in cells:
        points, colour = figures[cell.name]["points"], colours[cell.method]
        (when, values), (then, bounds) = falling(points), rising(points)
        silent = next((u for u, bound in enumerate(bounds) if bound > 0), len(bounds))
        style: dict[str, Any] = {"color": colour, "drawstyle": "steps-post"}
        if silent < len(bounds):
            then, bounds = [then[silent], *then[silent:]], [0.0, *bounds[silent:]]
            axes.plot(then, bounds, linewidth=1.3, linestyle="--", **style)
        if not values:
            continue
        axes.plot(when, values, linewidth=1.6, **style)
        ends.append(values[-1])
        last = max(last, when[-1])
        if figures[cell.name]["is_optimal"]:
            axes.plot(when[-1], values[-1], "o", color=colour, markersize=5, zorder=3)
    axes.set_xscale("log")
    axes.set_xlim(_FIRST, 1.5 * max(last, 2 * _FIRST))
    axes.set_ylim(0, _HEADROOM * min(ends, default=1.0))
    axes.set_xlabel("seconds")
    axes.grid(True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
