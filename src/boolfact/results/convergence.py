"""A run over time: each quantity with the bound that was proved on it by then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from boolfact.model.bound import Quantity
from boolfact.results.closing import asks_objective
from boolfact.results.result import Result

__all__ = ["Curve", "Panel", "convergence_panels"]


@dataclass(frozen=True)
class Curve:
    """One figure over time, constant between its points.

    Attributes
    ----------
    name : str
        "error", "error_lower_bound", "objective" or "objective_lower_bound" as in `Result`.
    label : str
        In words.
    is_bound : bool
        Whether it is proved from below, or reached.
    seconds, values : tuple of float
        Where it changes, and once more at the end of the run.
    """

    name: str
    label: str
    is_bound: bool
    seconds: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Panel:
    """What may be drawn on one axis: a quantity and the bound on it, never that on another."""

    quantity: Quantity
    curves: tuple[Curve, ...]


def convergence_panels(result: Result) -> list[Panel]:
    """The error over time with its bound; and the objective with its own, where it was asked for.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, time_limit=5)
    >>> [curve.name for curve in convergence_panels(result)[0].curves]
    ['error', 'error_lower_bound']
    """
    error = (
        _curve(result, "error", "error", False, min),
        _curve(result, "error_lower_bound", "proved bound on the error", True, max),
    )
    panels = [_panel(Quantity.ERROR, error)]
    if asks_objective(result):
        name = f"objective MIP({result.rho})"
        objective = (
            # Of the solution with the least error so far: it may rise.
            _curve(result, "objective", name, False, _latest),
            _curve(result, "objective_lower_bound", f"proved bound on the {name}", True, max),
        )
        panels.append(_panel(Quantity.OBJECTIVE, objective))
    return panels


def _panel(quantity: Quantity, curves: Iterable[Curve | None]) -> Panel:
    return Panel(quantity, tuple(curve for curve in curves if curve is not None))


def _latest(new: float, old: float) -> float:
    return new


def _curve(
    result: Result, name: str, label: str, is_bound: bool, better: Callable[..., float]
) -> Curve | None:
    """The curve of one figure; None where nothing is known of it."""
    end = max([result.seconds, *(point.seconds for point in result.trace.points)])
    points = _best_so_far(result, name, better)
    final = getattr(result, name)
    if final is not None:
        points.append((end, final))
    if not points:
        return None
    # The value holds until the run ends.
    points.append((end, points[-1][1]))
    seconds, values = zip(*_changes(points), strict=True)
    return Curve(name, label, is_bound, seconds, values)


def _best_so_far(
    result: Result, name: str, better: Callable[..., float]
) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for point in sorted(result.trace.points, key=lambda point: point.seconds):
        value = getattr(point, name)
        if value is not None:
            # Nothing is ever below 0: a bound that says less than that says 0.
            value = max(value, 0)
            best = value if not points else better(value, points[-1][1])
            points.append((point.seconds, best))
    return points


def _changes(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The first point, those where the value is another one, and the last."""
    kept = [points[0]]
    for point in points[1:-1]:
        if point[1] != kept[-1][1]:
            kept.append(point)
    if points[-1] != kept[-1]:
        kept.append(points[-1])
    return kept
