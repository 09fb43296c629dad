"""What a run comes to, in a few lines: the error, what is explained, what is proved."""

from __future__ import annotations

from dataclasses import dataclass

from boolfact.results.format import shown_bound, shown_gap, shown_part, shown_value
from boolfact.results.result import Result
from boolfact.results.status import Status

__all__ = ["COMMAND", "PYTHON", "Options", "asks_objective", "closing_lines"]

Line = tuple[str, str]


@dataclass(frozen=True)
class Options:
    """How a reader asks for a proof: on the command line or in Python."""

    bound: str
    time: str
    methods: str


COMMAND = Options("--bound error", "--time-limit", "--method auto or --method exact")
PYTHON = Options('bound="error"', "time_limit", 'method="auto" or method="exact"')

_PROVERS = ("auto", "colgen", "exact")
"""Methods that prove bounds; `boolfact.solve.method` says more of each."""


def closing_lines(
    result: Result, options: Options = PYTHON, *, verbose: bool = False
) -> list[Line]:
    """A label and a sentence each; an objective is told of only where it was asked for.

    Parameters
    ----------
    result : Result
    options : Options
        What to name where nothing is proved.
    verbose : bool
        Tell of the objective in any case.

    Examples
    --------
    >>> import boolfact
    >>> result = boolfact.factorize([[1, 1, 0], [1, 1, 0], [0, 1, 1]], 1, time_limit=5)
    >>> for label, text in closing_lines(result)[1:]:
    ...     print(f"{label:<10} {text}")  # doctest: +ELLIPSIS
    error      2 of 9 entries are wrong: 2 ones missed, 0 zeros covered
    explained  77.7 % of the entries, 66.6 % of the ones
    proved     this is the least error: no pattern has a smaller one (...)
    """
    lines = [("run", _run(result)), ("error", _error(result))]
    if result.tally is not None:
        count = result.tally
        entries = shown_part(count.observed - count.wrong, count.observed)
        ones = shown_part(count.ones - count.missed_ones, count.ones)
        lines.append(("explained", f"{entries} of the entries, {ones} of the ones"))
    lines.append(("proved", _proved(result, options)))
    if verbose or asks_objective(result):
        lines.append(("objective", _objective(result)))
    return lines


def asks_objective(result: Result) -> bool:
    """Whether the run was about the objective MIP(rho), and not about the error alone."""
    settings = result.settings
    return (
        settings.get("bound") == "objective"
        or settings.get("objective") == "mip"
        or result.method == "colgen"
        or result.rho != 1
    )


def _run(result: Result) -> str:
    n, m = result.shape
    name = "" if result.dataset is None else f"{result.dataset}: "
    return (
        f"{name}{n:,} x {m:,}, {_patterns(result.k)}, method {result.method}; "
        f"ended after {result.seconds:.1f} s: {result.ending.value}"
    )


def _patterns(k: int) -> str:
    return "1 pattern" if k == 1 else f"{k} patterns"


def _none_has(k: int) -> str:
    return "no pattern has" if k == 1 else f"no {k} patterns have"


def _error(result: Result) -> str:
    """The error as a count of entries, or as a sum of prices where these are not 1."""
    count = result.tally
    if count is None:
        return shown_value(result.error)
    missed_ones, false_ones = _counted(count.missed_ones, "one"), _counted(count.false_ones, "zero")
    kinds = f"{missed_ones} missed, {false_ones} covered"
    if count.wrong == result.error:
        if count.wrong == 0:
            return f"0: all {count.observed:,} entries are right"
        verb = "entry is" if count.observed == 1 else "entries are"
        return f"{result.error:,} of {count.observed:,} {verb} wrong: {kinds}"
    missed = int(result.settings.get("missed_one_cost", 1))
    false = int(result.settings.get("false_one_cost", 1))
    if missed * count.missed_ones + false * count.false_ones == result.error:
        kinds = f"{missed_ones} missed at {missed:,} each, {false_ones} covered at {false:,} each"
    return f"{result.error:,} in the prices given: {kinds} ({count.observed:,} entries)"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _proved(result: Result, options: Options) -> str:
    known = result.pairs[0]
    by = "" if result.error_bound_by is None else f" (by {result.error_bound_by})"
    if result.status is Status.OPTIMAL:
        if result.error == 0:
            return "this is the least error: nothing is below 0"
        return f"this is the least error: {_none_has(result.k)} a smaller one{by}"
    if known.lower_bound is not None and known.lower_bound > 0:
        gap = shown_gap(known.value, known.lower_bound)
        return (
            f"{_none_has(result.k)} an error below {shown_bound(known.lower_bound)}{by}; gap {gap}"
        )
    if result.method not in _PROVERS:
        return f"nothing: the method {result.method} gives no bound, {options.methods} does"
    asked = result.settings.get("bound", "auto")
    if asked in ("none", "objective") or (asked == "auto" and result.digest.startswith("rows:")):
        return f"nothing about the error, which was not asked for; {options.bound} asks for it"
    hint = "" if asked == "error" else f", or {options.bound}"
    return f"nothing about the error in this time; a larger {options.time}{hint} may prove more"


def _objective(result: Result) -> str:
    known = result.pairs[1]
    text = f"{shown_value(known.value)} of MIP({result.rho})"
    if known.lower_bound is None:
        return f"{text}; nothing is proved about it"
    by = "" if result.objective_bound_by is None else f" (by {result.objective_bound_by})"
    gap = shown_gap(known.value, known.lower_bound)
    return (
        f"{text}; {_none_has(result.k)} an objective below "
        f"{shown_bound(known.lower_bound)}{by}; gap {gap}"
    )
