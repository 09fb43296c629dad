"""The curves of a study of pricing strategies: primal values fall, proved bounds rise."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boolfact.colours import PATTERN_COLOURS
from boolfact.reproduce.cells import Cell

__all__ = ["curves_csv", "draw_curves", "falling", "rising"]

Figures = dict[str, dict[str, Any]]


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
    """All points, one a line."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["dataset", "k", "strategy", "seconds", "master", "lower_bound"])
    for cell in cells:
        for seconds, master, bound in figures[cell.name]["points"]:
            writer.writerow([cell.dataset, cell.k, cell.method, seconds, master, bound])
    return stream.getvalue()


def draw_curves(path: Path, cells: Sequence[Cell], figures: Figures) -> Path:
    """One panel for each dataset and rank."""
    from matplotlib.figure import Figure

    panels = list(dict.fromkeys((cell.dataset, cell.k) for cell in cells))
    figure = Figure(figsize=(5.2 * len(panels), 4), layout="constrained")
    for position, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(1, len(panels), position)
        shown = [cell for cell in cells if (cell.dataset, cell.k) == panel]
        for colour, cell in zip(PATTERN_COLOURS, shown, strict=False):
            points = figures[cell.name]["points"]
            axes.plot(*falling(points), color=colour, label=cell.method, drawstyle="steps-post")
            axes.plot(*rising(points), color=colour, linestyle="--", drawstyle="steps-post")
        top = min(falling(figures[cell.name]["points"])[1][-1] for cell in shown)
        axes.set_ylim(0, 2.5 * top)
        axes.set_xscale("log")
        axes.set_xlabel("seconds")
        axes.set_ylabel("MLP(1): value (solid), proved bound (dashed)")
        axes.set_title(f"{panel[0]}, k = {panel[1]}")
        axes.legend(title="pricing")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return path
