"""Pictures of a result, with matplotlib (extra `plot`); no display is needed."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from boolfact.io.write import whole_file
from boolfact.model.bound import Quantity
from boolfact.model.labels import shown
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.convergence import Panel, convergence_panels
from boolfact.results.format import shown_bound, shown_value
from boolfact.results.prices import error_noun, is_from_below
from boolfact.results.result import Result
from boolfact.show.colours import (
    FALSE_ONE,
    MISSED_ONE,
    MISSING,
    ONE,
    PATTERN_COLOURS,
    RIGHT_ONE,
    ZERO,
)
from boolfact.show.images import coloured, draw_image, matplotlib_module, outline, tinted
from boolfact.show.ordering import order_by_factors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "plot_convergence",
    "plot_factors",
    "plot_matrix",
    "plot_ranks",
    "save_figure",
]

_MOST_NAMES = {"x": 34, "y": 60}
"""Along an axis; more would touch one another."""
_LONGEST_NAME = 28
_NUMBERS = "{x:,.10g}"
"""Along an axis, with commas as everywhere."""


def plot_matrix(result: Result, X: BinaryMatrix, *, figure: Figure | None = None) -> Figure:
    """The data, what the patterns say, and where they differ, in an order that shows patterns.

    Parameters
    ----------
    result : Result
    X : BinaryMatrix
        The data that was factorised (`boolfact.as_matrix` reads other kinds).
    figure : matplotlib.figure.Figure, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import boolfact
    >>> X = boolfact.as_matrix([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> figure = plot_matrix(boolfact.factorize(X, 2, time_limit=5), X)
    >>> [axes.get_title() for axes in figure.axes]
    ['data', 'patterns', '0 errors']
    """
    _check(result, X)
    n = X.shape[0]
    if figure is None:
        named = n <= _MOST_NAMES["y"]
        figure = _new_figure(11 + named, max(3.5, min(9.5, 1.8 + n * 0.16)))
    rows, columns = order_by_factors(result.factors)
    order = np.ix_(rows, columns)
    values, product = X.values[order], result.factors.product()[order]
    data, patterns, errors = figure.subplots(1, 3, sharey=True, sharex=True)

    draw_image(data, coloured(values, {0: ZERO, 1: ONE, -1: MISSING}))
    data.set_title("data")
    draw_image(patterns, tinted(result.factors, order))
    patterns.set_title("patterns")
    outline(data, result.factors, rows, columns)
    outline(patterns, result.factors, rows, columns, numbered=True)
    wrong = np.where(values == 1, np.where(product, 1, 2), np.where((values == 0) & product, 3, 0))
    wrong[values == -1] = -1
    draw_image(
        errors,
        coloured(wrong, {0: ZERO, 1: RIGHT_ONE, 2: MISSED_ONE, 3: FALSE_ONE, -1: MISSING}),
    )
    false_ones, missed = int((wrong == 3).sum()), int((wrong == 2).sum())
    shown = [
        (f"{_count(missed, 'one')} missed", MISSED_ONE),
        (f"{_count(false_ones, 'zero')} covered", FALSE_ONE),
        ("one explained", RIGHT_ONE),
    ]
    if is_from_below(result) and false_ones == 0:
        errors.set_title(f"{_count(missed, 'one')} left out, no zero covered")
        shown = [(f"{_count(missed, 'one')} left out", MISSED_ONE), ("one covered", RIGHT_ONE)]
    else:
        weighted = f" (weight {result.error:,})" if X.is_weighted else ""
        errors.set_title(f"{_count(false_ones + missed, 'error')}{weighted}")
    if X.n_missing:
        shown.append(("missing", MISSING))
    _legend(figure, shown)
    _names(data, "y", [X.row_label(int(i)) for i in rows], "rows")
    for axes in (data, patterns, errors):
        _names(axes, "x", [X.column_label(int(j)) for j in columns], "columns")
    for axes in (patterns, errors):
        axes.tick_params(axis="y", left=False, labelleft=False)
    return figure


def plot_factors(result: Result, *, figure: Figure | None = None) -> Figure:
    """A and B as heat maps, one colour per pattern, with names.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 1], [0, 1, 1]], 2, time_limit=5)
    >>> len(plot_factors(result).axes)
    2
    """
    n, m = result.shape
    k = result.k
    if figure is None:
        height = max(4.0, min(10.0, 1.5 + 0.16 * max(n, m)))
        figure = _new_figure(max(7.0, min(14.0, 5 + 0.5 * k)), height)
    rows, columns = order_by_factors(result.factors)
    left, right = figure.subplots(1, 2)
    labels = [str(u + 1) for u in range(k)]
    for axes, flags, names, title in (
        (left, result.A[rows], _labels(result.row_names, rows), "rows in each pattern (A)"),
        (
            right,
            result.B.T[columns],
            _labels(result.column_names, columns),
            "columns in each pattern (B)",
        ),
    ):
        shades = np.where(flags, np.arange(k)[None, :] % len(PATTERN_COLOURS) + 1, 0)
        draw_image(axes, coloured(shades, {0: "#F4F6F7", **dict(enumerate(PATTERN_COLOURS, 1))}))
        axes.set_title(title)
        # Numbers that would touch one another are left out.
        step = 1 if k <= 30 else 5
        axes.set_xticks(range(step - 1, k, step), labels[step - 1 :: step])
        axes.set_xlabel("pattern")
        for u in range(k - 1):
            axes.axvline(u + 0.5, color="white", linewidth=1)
        _names(axes, "y", names, "rows" if axes is left else "columns")
    return figure


def plot_convergence(result: Result, *, figure: Figure | None = None) -> Figure:
    """The error over time with its bound; the objective with its own, where it was asked for.

    Each of the two has axes of its own: a bound on the MIP(rho) objective says nothing of the
    error.
    """
    panels = convergence_panels(result)
    if figure is None:
        figure = _new_figure(7.5 * len(panels), 4.2)
    for axes, panel in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True):
        _draw_panel(axes, panel)
        if panel.quantity is Quantity.ERROR:
            axes.set_ylabel(error_noun(result))
        else:
            axes.set_ylabel(f"objective MIP({result.rho})")
        axes.set_title(_headline(result, panel.quantity))
    return figure


def _draw_panel(axes: Axes, panel: Panel) -> None:
    for curve in panel.curves:
        style = _CURVES[curve.name]
        axes.step(curve.seconds, curve.values, where="post", label=curve.label, **style)
        axes.plot(curve.seconds[-1:], curve.values[-1:], "o", markersize=4, color=style["color"])
    axes.set_xlabel("seconds")
    axes.yaxis.set_major_formatter(_NUMBERS)
    axes.grid(alpha=0.25)
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)


def plot_ranks(
    ks: Sequence[int],
    errors: Sequence[float],
    *,
    bounds: Sequence[float | None] | None = None,
    description_lengths: Sequence[float] | None = None,
    recommended: int | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Error against the number of patterns, and description length where it is given.

    Parameters
    ----------
    ks, errors : sequences of numbers
    bounds : sequence of float or None, optional
        Proved lower bounds on the errors.
    description_lengths : sequence of float, optional
        In bits, on an axis of its own.
    recommended : int, optional
        The k to mark.
    figure : matplotlib.figure.Figure, optional

    Examples
    --------
    >>> figure = plot_ranks([1, 2, 3], [9, 4, 3], description_lengths=[80, 62, 70])
    >>> len(figure.axes)
    2
    """
    for name, values in (
        ("errors", errors),
        ("bounds", bounds),
        ("description_lengths", description_lengths),
    ):
        if values is not None and len(values) != len(ks):
            raise ValueError(f"{name} must have one value for each of {len(ks)} ks: {len(values)}")
    if figure is None:
        figure = _new_figure(7.5, 4.2)
    axes = figure.subplots()
    lines = axes.plot(ks, errors, "o-", color=PATTERN_COLOURS[0], label="error")
    if bounds is not None and any(bound is not None for bound in bounds):
        known = [math.nan if bound is None else bound for bound in bounds]
        lines += axes.plot(
            ks, known, "^--", color=PATTERN_COLOURS[1], label="proved bound on the error"
        )
    axes.set_xlabel("number of patterns k")
    axes.set_ylabel("error")
    axes.yaxis.set_major_formatter(_NUMBERS)
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(matplotlib_module("ticker").MaxNLocator(integer=True))
    axes.grid(alpha=0.25)
    axes.spines["top"].set_visible(False)
    if description_lengths is not None:
        twin = axes.twinx()
        lines += twin.plot(
            ks, description_lengths, "s-", color=PATTERN_COLOURS[2], label="description length"
        )
        twin.set_ylabel("description length (bits)")
        twin.yaxis.set_major_formatter(_NUMBERS)
        twin.spines["top"].set_visible(False)
        _leave_room(twin)
    if recommended is not None:
        label = f"recommended: k = {recommended}"
        lines.append(axes.axvline(recommended, color="#607D8B", linestyle=":", label=label))
    _leave_room(axes)
    axes.legend(handles=lines, frameon=False, loc="upper center", ncols=2)
    return figure


def _leave_room(axes: Axes) -> None:
    """Room above the curves, where the legend hides nothing."""
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom, top + 0.25 * (top - bottom))


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Write a figure, whole or not at all, as a png, svg or pdf by the ending of its name."""
    target = Path(path)
    known = figure.canvas.get_supported_filetypes()
    if target.suffix.lower().lstrip(".") not in known:
        raise ValueError(f"{target}: expected a file name that ends in .png, .svg or .pdf")
    with whole_file(target) as scratch:
        figure.savefig(scratch, dpi=150)
    return target


_CURVES: dict[str, dict[str, Any]] = {
    "error": {"color": PATTERN_COLOURS[0], "linewidth": 2},
    "error_lower_bound": {"color": PATTERN_COLOURS[1], "linewidth": 2},
    "objective": {"color": PATTERN_COLOURS[0], "linewidth": 1.5, "linestyle": "--"},
    "objective_lower_bound": {"color": PATTERN_COLOURS[1], "linewidth": 1.5, "linestyle": "--"},
}


def _headline(result: Result, quantity: Quantity) -> str:
    name = f"{_plain(shown(Path(result.dataset).name))}, " if result.dataset else ""
    (known,) = (known for known in result.pairs if known.quantity is quantity)
    proved = ""
    if known.lower_bound is not None:
        proved = f", proved at least {shown_bound(known.lower_bound)}"
    return f"{name}k = {result.k}: {quantity.value} {shown_value(known.value)}{proved}"


def _check(result: Result, X: BinaryMatrix) -> None:
    if not isinstance(X, BinaryMatrix):
        raise TypeError(f"X must be a BinaryMatrix (see boolfact.as_matrix), got {type(X)}")
    if X.shape != result.shape:
        raise ValueError(f"X must have the shape {result.shape} of the result, got {X.shape}")


def _new_figure(width: float, height: float) -> Figure:
    # Not through pyplot: it would keep every figure alive and look for a screen.
    figure: Figure = matplotlib_module("figure").Figure(
        figsize=(width, height), layout="constrained"
    )
    return figure


def _legend(figure: Figure, entries: Sequence[tuple[str, str]]) -> None:
    patch = matplotlib_module("patches").Patch
    handles = [
        patch(facecolor=colour, edgecolor="#90A4AE", label=label) for label, colour in entries
    ]
    figure.legend(handles=handles, loc="outside lower right", ncols=len(handles), frameon=False)


def _labels(names: tuple[str, ...] | None, order: NDArray[np.int64]) -> list[str]:
    return [names[i] if names else str(i) for i in order]


def _names(axes: Axes, which: Literal["x", "y"], names: Sequence[str], what: str) -> None:
    """Names along an axis, or how many there are where they would not be readable."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    if len(names) > _MOST_NAMES[which]:
        axis.set_ticks([])
        axis.set_label_text(f"{len(names):,} {what}")
        return
    names = [shown(name) for name in names]
    short = [
        name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…" for name in names
    ]
    axis.set_ticks(range(len(names)), [_plain(name) for name in short])
    size = 8 if len(names) <= 30 else 6.5
    axes.tick_params(axis=which, labelsize=size, length=2, rotation=90 if which == "x" else 0)


def _plain(text: str) -> str:
    """Text as it is: a dollar sign would start a formula."""
    return text.replace("$", r"\$")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
