"""A run over time: the best error and the best proved bounds known at each moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from boolfact.results.result import Result

__all__ = ["Curve", "convergence_curves"]


@dataclass(frozen=True)
class Curve:
    """One quantity over time, constant between its points.

    Attributes
    ----------
    name : str
        "error", "error_lower_bound" or "objective_lower_bound" as in `Result`.
    label : str
        In words; the two bounds belong to different quantities.
    seconds, values : tuple of float
        Where it changes, and once more at the end of the run.
    """

    name: str
    label: str
    seconds: tuple[float, ...]
    values: tuple[float, ...]


def convergence_curves(result: Result) -> list[Curve]:
    """Error and proved bounds over time; those of which nothing is known are left out.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 0, 1]], 2, time_limit=5)
    >>> [curve.name for curve in convergence_curves(result)][0]
    'error'
    """
    end = max([result.seconds, *(point.seconds for point in result.trace.points)])
    curves = []
    for name, better, label, final in (
        ("error", min, "error", result.error),
        ("error_lower_bound", max, "proved bound on the error", result.error_lower_bound),
        (
            "objective_lower_bound",
            max,
            "proved bound on the objective MIP(ρ)",
            result.objective_lower_bound,
        ),
    ):
        points = _best_so_far(result, name, better)
        if final is not None:
            points.append((end, final))
        if points:
            # The value holds until the run ends.
            points.append((end, points[-1][1]))
            seconds, values = zip(*_changes(points), strict=True)
            curves.append(Curve(name, label, seconds, values))
    return curves


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
