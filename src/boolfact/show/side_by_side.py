"""Several results of the same data in one picture, in one order (extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.result import Result
from boolfact.show.colours import FALSE_ONE, MISSED_ONE, MISSING, RIGHT_ONE, ZERO
from boolfact.show.ordering import order_by_factors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_side_by_side"]

# Codes of the cells, in the order of the colours.
_ZERO, _RIGHT, _MISSED, _FALSE, _UNKNOWN, _FILLED = range(6)
_COLOURS = (ZERO, RIGHT_ONE, MISSED_ONE, FALSE_ONE, MISSING, "#F2A900")
_NAMES = {
    _RIGHT: "one explained",
    _MISSED: "one missed",
    _FALSE: "zero covered",
    _UNKNOWN: "missing",
    _FILLED: "missing, covered",
}


def plot_side_by_side(
    results: Sequence[Result],
    X: BinaryMatrix,
    *,
    titles: Sequence[str] | None = None,
    order_by: int = -1,
) -> Figure:
    """What each of several results explains, misses and adds, all in one order of rows and columns.

    Parameters
    ----------
    results : sequence of Result
        Results of the same data: other numbers of patterns, other costs, other methods.
    X : BinaryMatrix
        The data that was factorised (`boolfact.as_matrix` reads other kinds).
    titles : sequence of str, optional
        One for each result; by default the number of its patterns.
    order_by : int
        Which result gives the order of rows and columns, the last one by default.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import boolfact
    >>> X = boolfact.as_matrix([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> runs = [boolfact.factorize(X, k, time_limit=5) for k in (1, 2)]
    >>> [axes.get_title() for axes in plot_side_by_side(runs, X).axes]
    ['k = 1\\n1 one missed, 0 zeros covered', 'k = 2\\n0 ones missed, 0 zeros covered']
    """
    try:
        from matplotlib.colors import ListedColormap
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib; install it with `pip install 'boolfact[plot]'`"
        ) from error
    titles = _checked(results, X, titles)
    rows, columns = order_by_factors(results[order_by].factors)
    height = min(6.5, max(3.0, 1.4 + 0.045 * X.shape[0]))
    # Not through pyplot: it would keep every figure alive and look for a screen.
    figure = Figure(figsize=(max(7.2, 2.6 * len(results)), height), layout="constrained")
    panels = figure.subplots(1, len(results), sharex=True, sharey=True, squeeze=False)[0]
    seen: set[int] = set()
    for axes, result, title in zip(panels, results, titles, strict=True):
        cells = _cells(result.factors, X)
        seen |= set(np.unique(cells).tolist())
        axes.imshow(
            cells[np.ix_(rows, columns)],
            cmap=ListedColormap(_COLOURS),
            vmin=-0.5,
            vmax=len(_COLOURS) - 0.5,
            aspect="auto",
            interpolation="nearest",
        )
        missed, covered = int((cells == _MISSED).sum()), int((cells == _FALSE).sum())
        counts = f"{_count(missed, 'one')} missed, {_count(covered, 'zero')} covered"
        axes.set_title(f"{title}\n{counts}", fontsize=9)
        axes.set_xlabel(_count(X.shape[1], "column"), fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
    panels[0].set_ylabel(_count(X.shape[0], "row"), fontsize=9)
    patches = [
        Patch(facecolor=_COLOURS[code], edgecolor="#90A4AE", label=name)
        for code, name in _NAMES.items()
        if code in seen
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(patches), fontsize=9)
    return figure


def _checked(
    results: Sequence[Result], X: BinaryMatrix, titles: Sequence[str] | None
) -> Sequence[str]:
    if not isinstance(X, BinaryMatrix):
        raise TypeError(f"X must be a BinaryMatrix (see boolfact.as_matrix), got {type(X)}")
    if not results:
        raise ValueError("results must hold at least one result")
    for place, result in enumerate(results):
        if result.shape != X.shape:
            raise ValueError(
                f"results[{place}] is of data of shape {result.shape}, but X has {X.shape}"
            )
    if titles is None:
        return [f"k = {result.k}" for result in results]
    if len(titles) != len(results):
        raise ValueError(f"titles must be one for each of {len(results)} results")
    return titles


def _cells(factors: Factors, X: BinaryMatrix) -> NDArray[np.int8]:
    """What is to be said of every cell."""
    covered = factors.product()
    cells = np.where(covered, _FALSE, _ZERO).astype(np.int8)
    cells[X.values == 1] = np.where(covered, _RIGHT, _MISSED)[X.values == 1]
    cells[X.values == -1] = np.where(covered, _FILLED, _UNKNOWN)[X.values == -1]
    return cells


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
