"""How numbers are shown: never better, nor better proved, than they are."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["shown_bound", "shown_gap", "shown_value"]


def shown_value(value: float | None) -> str:
    """An error or objective reached, with at most two decimals, rounded up.

    Examples
    --------
    >>> shown_value(1234), shown_value(0.111), shown_value(None)
    ('1,234', '0.12', '-')
    """
    return _shown(value, math.ceil)


def shown_bound(value: float | None) -> str:
    """A proved lower bound, with at most two decimals, rounded down.

    Examples
    --------
    >>> shown_bound(1234567.876)
    '1,234,567.87'
    """
    return _shown(value, math.floor)


def shown_gap(value: float | None, bound: float | None) -> str:
    """The relative gap in percent, rounded up, so that 0.0 % means proved.

    Examples
    --------
    >>> shown_gap(10000, 9999), shown_gap(125, 125), shown_gap(1000, 993)
    ('0.1 %', '0.0 %', '0.7 %')
    """
    if value is None or bound is None:
        return "-"
    gap = 0.0 if value == 0 else max(0.0, (value - bound) / value)
    # The noise of floats is taken off first, or 0.7 % would become 0.8 %.
    return f"{math.ceil(round(gap * 1000, 6)) / 10:.1f} %"


def _shown(value: float | None, rounding: Callable[[float], int]) -> str:
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    if value == int(value):
        return f"{int(value):,}"
    return f"{rounding(value * 100) / 100:,.2f}"
