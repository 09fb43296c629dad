"""Cells and frames of pictures: a matrix as an image, patterns as frames with numbers."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boolfact.model.factors import Factors
from boolfact.show.colours import PATTERN_COLOURS, pattern_line
from boolfact.show.ordering import stretches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["coloured", "draw_image", "matplotlib_module", "outline", "tinted"]

_SHARP_PIXELS = 1200
_MOST_FRAMES = 200
_MOST_FRAMES_IN_ALL = 500
_MANY_PATTERNS = 10
"""With more of them frames are thin and numbers small."""
_DASH_POINTS = 0.6
"""Lengths of dashes of a frame that is a point wide."""


def matplotlib_module(module: str) -> Any:
    """A part of matplotlib, or how to install it."""
    try:
        return importlib.import_module(f"matplotlib.{module}")
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib; install it with `pip install 'boolfact[plot]'`"
        ) from error


def coloured(codes: NDArray[Any], colours: dict[int, str]) -> NDArray[np.uint8]:
    """An RGB image of small whole numbers."""
    image = np.empty((*codes.shape, 3), dtype=np.uint8)
    for code, colour in colours.items():
        image[codes == code] = _rgb(colour)
    return image


def draw_image(axes: Axes, image: NDArray[np.uint8]) -> None:
    """One cell, one square; each is made of many pixels first, lest scaling blurs the edges."""
    n, m = image.shape[:2]
    sharp = image
    for axis, size in enumerate((n, m)):
        sharp = np.repeat(sharp, math.ceil(_SHARP_PIXELS / size), axis=axis)
    axes.imshow(
        sharp,
        aspect="auto",
        interpolation="antialiased",
        extent=(-0.5, m - 0.5, n - 0.5, -0.5),
    )
    for spine in axes.spines.values():
        spine.set_color("#90A4AE")


def tinted(factors: Factors, order: tuple[NDArray[Any], ...]) -> NDArray[np.uint8]:
    """The patterns as one image: every pattern adds a quarter of its colour to its cells."""
    image = np.full((*factors.shape, 3), 255.0)
    for u, (a, b) in enumerate(factors.rectangles):
        image[np.ix_(a, b)] = 0.75 * image[np.ix_(a, b)] + 0.25 * np.array(_rgb(_colour(u)))
    return image[order].round().astype(np.uint8)


def outline(
    axes: Axes,
    factors: Factors,
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    *,
    numbered: bool = False,
) -> None:
    """A frame around the blocks of every pattern; if numbered, its number in the largest one.

    No two patterns have the same colour and the same kind of line.

    Patterns in many pieces get thin frames, and only around the largest pieces. Where even these
    would bury what is below them, only numbered frames are drawn.
    """
    rectangle = matplotlib_module("patches").Rectangle
    collection = matplotlib_module("collections").PatchCollection
    placed: list[tuple[float, float]] = []
    blocks_of = [_blocks(a[rows], b[columns]) for a, b in factors.rectangles]
    is_buried = sum(map(len, blocks_of)) > _MOST_FRAMES_IN_ALL
    if is_buried and not numbered:
        return
    is_crowded = factors.rank > _MANY_PATTERNS or is_buried
    for u, blocks in enumerate(blocks_of):
        width = 0.6 if is_buried else 1.0 if is_crowded or len(blocks) > 6 else 2.0
        if not blocks:
            continue
        frames = [rectangle((x, y), across, down) for x, y, across, down in blocks]
        dashes = tuple(_DASH_POINTS * length for length in pattern_line(u))
        style: Any = (0, dashes) if dashes else "solid"
        axes.add_collection(
            collection(
                frames, facecolor="none", edgecolor=_colour(u), linewidth=width, linestyle=style
            ),
            autolim=False,
        )
        if numbered:
            placed.append(_free_place(blocks, placed, factors.shape))
            axes.annotate(
                str(u + 1),
                placed[-1],
                color=_colour(u),
                weight="bold",
                size=7 if is_crowded else 10,
                ha="center",
                va="center",
            ).set_bbox({"facecolor": "white", "edgecolor": _colour(u), "boxstyle": "round,pad=0.2"})


def _blocks(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> list[tuple[float, float, int, int]]:
    """The largest pieces of a pattern: left, top, width and height."""
    blocks = [
        (left - 0.5, top - 0.5, right - left, bottom - top)
        for top, bottom in stretches(a)
        for left, right in stretches(b)
    ]
    return sorted(blocks, key=lambda block: -block[2] * block[3])[:_MOST_FRAMES]


def _free_place(
    blocks: Sequence[tuple[float, float, int, int]],
    placed: Sequence[tuple[float, float]],
    shape: tuple[int, int],
) -> tuple[float, float]:
    """Where in its largest blocks the number of a pattern is away from those already there."""

    def room(place: tuple[float, float]) -> float:
        apart = (
            max(abs(place[0] - x) / shape[1] / 0.09, abs(place[1] - y) / shape[0] / 0.05)
            for x, y in placed
        )
        return min(1.0, min(apart, default=1.0))

    places = [
        (x + across * right, y + down * below)
        for x, y, across, down in blocks[:8]
        for below in (0.5, 0.3, 0.7, 0.1, 0.9)
        for right in (0.5, 0.25, 0.75)
    ]
    # The first of those with the most room, and so the middle of the largest block where it can be.
    return max(places, key=room)


def _colour(u: int) -> str:
    return PATTERN_COLOURS[u % len(PATTERN_COLOURS)]


def _rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
