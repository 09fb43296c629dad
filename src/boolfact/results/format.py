"""How numbers are written: never better, nor better proved, than they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

__all__ = [
    "decimal",
    "plain_number",
    "short_number",
    "shown_bound",
    "shown_gap",
    "shown_part",
    "shown_share",
    "shown_value",
]

Number = float | Fraction


def shown_value(value: Number | None) -> str:
    """An error or objective reached, with at most two decimals, rounded up.

    Examples
    --------
    >>> shown_value(1234), shown_value(0.111), shown_value(40.85), shown_value(None)
    ('1,234', '0.12', '40.85', '-')
    """
    # A value is stored as the nearest float, which may be just above the decimal that it is.
    return _shown(value, math.ceil, lambda near: Fraction(repr(float(near))))


def shown_bound(value: Number | None) -> str:
    """A proved lower bound, with at most two decimals, rounded down.

    Examples
    --------
    >>> shown_bound(1234567.876), shown_bound(Fraction(817, 20)), shown_bound(None)
    ('1,234,567.87', '40.85', '-')
    """
    return _shown(value, math.floor, Fraction)


def shown_gap(value: Number | None, bound: Number | None) -> str:
    """The relative gap in percent, rounded up, so 0.0 % means proved.

    Examples
    --------
    >>> shown_gap(10**12, 10**12 - 1), shown_gap(125, 125), shown_gap(1000, 993)
    ('0.1 %', '0.0 %', '0.7 %')
    """
    if value is None or bound is None:
        return "-"
    # The floats of one number, to the nearest and to the nearest below, are at most one apart.
    if value <= 0 or bound >= math.nextafter(float(value), -math.inf):
        return "0.0 %"
    gap = (Fraction(value) - Fraction(bound)) / Fraction(value)
    return f"{math.ceil(1000 * gap) / 10:.1f} %"


def shown_share(share: float, digits: int = 0) -> str:
    """A share of a whole in percent; a dash where there is no whole.

    Examples
    --------
    >>> shown_share(0.256), shown_share(0.256, 1), shown_share(float("nan"))
    ('26 %', '25.6 %', '-')
    """
    return "-" if math.isnan(share) else f"{100 * share:.{digits}f} %"


def shown_part(part: int, whole: int) -> str:
    """A part of a whole in percent to one place, rounded down, so 100.0 % means all of it.

    Examples
    --------
    >>> shown_part(1592, 1717), shown_part(9999, 10_000), shown_part(3, 3), shown_part(0, 0)
    ('92.7 %', '99.9 %', '100.0 %', '-')
    """
    return "-" if whole == 0 else f"{1000 * part // whole / 10:.1f} %"


def short_number(value: float | None) -> str:
    """To two places, without zeros at the end; nothing for None.

    Examples
    --------
    >>> short_number(271.0), short_number(-0.001), short_number(126.25)
    ('271', '0', '126.25')
    """
    if value is None:
        return ""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def plain_number(value: float | None) -> float | int | None:
    """For JSON: a whole number without a trailing .0.

    Examples
    --------
    >>> plain_number(3.0), plain_number(3.5)
    (3, 3.5)
    """
    if value is None:
        return None
    return int(value) if float(value).is_integer() else float(value)


def decimal(value: Fraction, *, up: bool = False) -> str:
    """To six places where it is not whole; rounded down, or up where that is the careful way.

    Examples
    --------
    >>> decimal(Fraction(1234)), decimal(Fraction(2, 3)), decimal(Fraction(2, 3), up=True)
    ('1,234', '0.666666', '0.666667')
    """
    if value.denominator == 1:
        return f"{value.numerator:,}"
    millionths = math.ceil(value * 10**6) if up else math.floor(value * 10**6)
    return f"{millionths / 10**6:,.6f}"


def _shown(
    value: Number | None,
    rounding: Callable[[Fraction], int],
    exact: Callable[[float], Fraction],
) -> str:
    if value is None:
        return "-"
    if not math.isfinite(value):
        return str(value)
    if value == int(value):
        return f"{int(value):,}"
    number = value if isinstance(value, Fraction) else exact(value)
    return f"{rounding(number * 100) / 100:,.2f}"
