"""The colours of the page, light and dark, and the mark by which a pattern is known."""

from __future__ import annotations

from collections.abc import Mapping

from boolfact.show import colours

__all__ = ["DARK", "LIGHT", "pattern_colour", "pattern_mark", "theme_css"]

_DASH_UNITS = 0.5
"""Lengths of dashes of the mark of a pattern; the frames of the script are twice as large."""

LIGHT = {
    "ink": "#1c2b33",
    "soft": "#4a5b65",
    "line": "#c9d3d8",
    "edge": "#7b8b95",
    "paper": "#ffffff",
    "tint": "#f3f6f8",
    "hover": "#e3eaee",
    "chosen": "#dcebf7",
    "accent": "#005a9c",
    "mark": "#b000d0",
    "zero": colours.ZERO,
    "one": colours.ONE,
    "missing": colours.MISSING,
    "false-one": colours.FALSE_ONE,
    "missed-one": colours.MISSED_ONE,
    "right-one": colours.RIGHT_ONE,
    **{f"pattern-{u}": colour for u, colour in enumerate(colours.PATTERN_COLOURS)},
}

_PATTERNS_ON_DARK = (
    "#F2803A", "#3D93D6", "#2CC596", "#E39BC3", "#DDA52E", "#9ED2F5", "#A98BE0", "#C9825A",
)  # fmt: skip
DARK = {
    "ink": "#e4ebef",
    "soft": "#a9b8c1",
    "line": "#33424b",
    "edge": "#6f818c",
    "paper": "#12181c",
    "tint": "#1b242a",
    "hover": "#26323a",
    "chosen": "#1d3547",
    "accent": "#6db7f2",
    "mark": "#f08bff",
    "zero": "#161e23",
    "one": "#b7c6cf",
    "missing": "#665317",
    "false-one": "#ff6a61",
    "missed-one": "#c9d6dd",
    "right-one": "#3d4e59",
    **{f"pattern-{u}": colour for u, colour in enumerate(_PATTERNS_ON_DARK)},
}


def theme_css() -> str:
    """Variables for both; dark where the system or the switch says so, and never on paper."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        "@media screen and (prefers-color-scheme: dark) {\n"
        f':root:not([data-theme="light"]) {{ color-scheme: dark; {dark} }} }}\n'
        f'@media screen {{ :root[data-theme="dark"] {{ color-scheme: dark; {dark} }} }}\n'
    )


def pattern_colour(u: int) -> str:
    """The variable that holds the colour of a pattern.

    Examples
    --------
    >>> pattern_colour(0), pattern_colour(9)
    ('var(--pattern-0)', 'var(--pattern-1)')
    """
    return f"var(--pattern-{u % len(colours.PATTERN_COLOURS)})"


def pattern_mark(u: int) -> str:
    """A small frame in the colour and the kind of line of a pattern."""
    dash = " ".join(f"{_DASH_UNITS * length:g}" for length in colours.pattern_line(u))
    return (
        f'<svg class="mark" data-pattern="{u}" viewBox="0 0 18 14" aria-hidden="true">'
        f'<rect x="1.5" y="1.5" width="15" height="11" style="fill:none;stroke:{pattern_colour(u)};'
        f'stroke-width:3;stroke-dasharray:{dash or "none"}"/></svg>'
    )


def _variables(values: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in values.items())
