"""The convergence chart, as SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence

from boolfact.results.convergence import Curve, Panel
from boolfact.results.format import shown_bound, shown_value
from boolfact.show.report.theme import pattern_colour

__all__ = ["convergence_svg"]

Scale = Callable[[float], float]

_WIDTH, _HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 16, 12, 44
_STYLES = {
    "error": (pattern_colour(0), ""),
    "error_lower_bound": (pattern_colour(1), ""),
    "objective": (pattern_colour(0), "6 4"),
    "objective_lower_bound": (pattern_colour(1), "6 4"),
}


def convergence_svg(panel: Panel) -> str:
    """A quantity and its bound in steps over time, with axes and a description in words."""
    curves, name = panel.curves, panel.quantity.value
    end = max(max(curve.seconds) for curve in curves) or 1.0
    top = max(max(curve.values) for curve in curves) or 1.0
    x_ticks, y_ticks = _ticks(end), _ticks(top)
    end, top = max(end, x_ticks[-1]), max(top, y_ticks[-1])

    def x(seconds: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * seconds / end

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / top

    parts = [
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="{name}-chart-title {name}-chart-text">',
        f'<title id="{name}-chart-title">{name.capitalize()} and its bound over time</title>',
        f'<desc id="{name}-chart-text">{html.escape(_in_words(curves))}</desc>',
    ]
    for tick in y_ticks:
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(tick):.1f}" '
            f'y2="{y(tick):.1f}"/><text class="tick" x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" '
            f'text-anchor="end">{tick:,.10g}</text>'
        )
    for tick in x_ticks:
        parts.append(
            f'<text class="tick" x="{x(tick):.1f}" y="{_HEIGHT - _BOTTOM + 18}" '
            f'text-anchor="middle">{tick:g}</text>'
        )
    parts.append(
        f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(0):.1f}" y2="{y(0):.1f}"/>'
        f'<text class="tick" x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 6}" '
        'text-anchor="middle">seconds</text>'
    )
    for curve in curves:
        parts.append(_line(curve, x, y))
    parts.append("</svg>")
    return "".join(parts) + _legend(curves)


def _line(curve: Curve, x: Scale, y: Scale) -> str:
    colour, dash = _STYLES[curve.name]
    path = f"M{x(curve.seconds[0]):.1f} {y(curve.values[0]):.1f}"
    for seconds, value in zip(curve.seconds[1:], curve.values[1:], strict=True):
        path += f"H{x(seconds):.1f}V{y(value):.1f}"
    dashes = f";stroke-dasharray:{dash}" if dash else ""
    end_x, end_y = x(curve.seconds[-1]), y(curve.values[-1])
    return (
        f'<path class="curve" d="{path}" style="stroke:{colour}{dashes}"/>'
        f'<circle cx="{end_x:.1f}" cy="{end_y:.1f}" r="4" style="fill:{colour}"/>'
    )


def _legend(curves: Sequence[Curve]) -> str:
    items = []
    for curve in curves:
        colour, dash = _STYLES[curve.name]
        style = "dashed" if dash else "solid"
        items.append(
            f'<li><span class="key" style="border-top:3px {style} {colour}"></span>'
            f"{html.escape(curve.label)}: {_shown(curve, -1)}</li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>'


def _in_words(curves: Sequence[Curve]) -> str:
    return ". ".join(
        f"{curve.label}: from {_shown(curve, 0)} after {curve.seconds[0]:.1f} seconds "
        f"to {_shown(curve, -1)} after {curve.seconds[-1]:.1f} seconds"
        for curve in curves
    )


def _shown(curve: Curve, place: int) -> str:
    return (shown_bound if curve.is_bound else shown_value)(curve.values[place])


def _ticks(top: float) -> list[float]:
    """Round numbers from 0 to about the top, at most seven."""
    raw = top / 5
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(s * scale for s in (1, 2, 2.5, 5, 10) if s * scale >= raw * 0.999)
    count = math.ceil(top / step - 1e-9)
    return [round(i * step, 10) for i in range(count + 1)]
