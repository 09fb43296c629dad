"""The report page: figures, patterns and settings as HTML, the rest drawn by its script."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boolfact import __version__
from boolfact.io.write import write_whole
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.closing import asks_objective
from boolfact.results.convergence import convergence_panels
from boolfact.results.format import shown_bound, shown_gap, shown_value
from boolfact.results.pair import Pair
from boolfact.results.patterns import Pattern, describe_patterns
from boolfact.results.prices import price_lines
from boolfact.results.result import Result
from boolfact.results.status import Status
from boolfact.show.report.chart import convergence_svg
from boolfact.show.report.pattern_table import pattern_chips, pattern_head, pattern_row
from boolfact.show.report.payload import MOST_CELLS, as_json, matrix_payload
from boolfact.show.report.text import escape as _escape
from boolfact.show.report.theme import theme_css

__all__ = ["report_html", "write_report"]

_SCRIPTS = (
    "table.js", "theme.js", "data.js", "drawing.js", "cells.js", "patterns.js", "lookup.js",
    "download.js", "start.js",
)  # fmt: skip
_MOST_FRAMED = 10
"""With more patterns than this, only those are framed that are chosen; the script knows too."""


def write_report(
    result: Result,
    X: BinaryMatrix,
    path: str | os.PathLike[str],
    *,
    folder: str | None = None,
    source: str | None = None,
) -> Path:
    """Write `report_html` to a file, whole or not at all."""
    return write_whole(path, report_html(result, X, folder=folder, source=source))


def report_html(
    result: Result, X: BinaryMatrix, *, folder: str | None = None, source: str | None = None
) -> str:
    """One self-contained page about a result.

    Parameters
    ----------
    result : Result
    X : BinaryMatrix
        The data that was factorised.
    folder, source : str, optional
        Where the result is saved and the data lies, for the command that checks it.

    Examples
    --------
    >>> import boolfact
    >>> X = boolfact.as_matrix([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    >>> page = report_html(boolfact.factorize(X, 2, time_limit=5), X)
    >>> page[:15]
    '<!DOCTYPE html>'
    """
    if not isinstance(X, BinaryMatrix):
        raise TypeError(f"X must be a BinaryMatrix (see boolfact.as_matrix), got {type(X)}")
    if X.shape != result.shape:
        raise ValueError(f"X must have the shape {result.shape} of the result, got {X.shape}")
    name = Path(result.dataset).name if result.dataset else "matrix"
    heading = f"{name}: {result.k} {'pattern' if result.k == 1 else 'patterns'}"
    script = _script()
    patterns = describe_patterns(result.factors, X)
    names = result.pattern_names or (None,) * result.k
    matrix, payload = _matrix(result, X, patterns, names)
    return _filled(
        _asset("page.html"),
        policy=_policy(script),
        title=_escape(f"{heading} - boolfact"),
        style=theme_css() + _asset("page.css"),
        heading=_escape(heading),
        verdict=_verdict(result),
        cards=_cards(result, X),
        note=_note(result, X),
        matrix=matrix,
        pattern_head=pattern_head(),
        pattern_rows="".join(
            pattern_row(pattern, name, bool(payload))
            for pattern, name in zip(patterns, names, strict=True)
        ),
        downloads=_asset("downloads.html") if payload else "",
        chart=_charts(result),
        facts=_facts(result),
        counters=_counters(result),
        verify=_verify(result, folder, source),
        version=__version__,
        payload=payload,
        script=script,
    )


def _asset(name: str) -> str:
    folder = importlib.resources.files("boolfact.show.report").joinpath("assets")
    return folder.joinpath(name).read_text("utf-8")


def _script() -> str:
    """All parts of the script in one function, which keeps their names from the page."""
    return "\n".join(('"use strict";', "(function () {", *map(_asset, _SCRIPTS), "}());"))


def _filled(template: str, **parts: str) -> str:
    """Put the parts in, all at once: what looks like a placeholder in the data stays as it is."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)


def _policy(script: str) -> str:
    """Only this page's own script may run, and nothing is fetched from anywhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _verdict(result: Result) -> str:
    of_error, of_objective = result.pairs
    error = shown_value(of_error.value)
    by = "" if result.error_bound_by is None else f" (by {_escape(result.error_bound_by)})"
    if result.status is Status.OPTIMAL:
        return (
            f"The error {error} is <strong>proved to be the least possible</strong> for this "
            f"rank{by}."
        )
    if of_error.lower_bound is None:
        proved = ""
        if _status(result) is Status.OBJECTIVE_OPTIMAL:
            objective = shown_value(of_objective.value)
            proved = (
                f"<strong>The objective {objective} is proved to be the least possible.</strong> "
            )
        return (
            f"Error {error}. {proved}No lower bound on the error itself was proved, so a lower "
            "error may exist."
        )
    bound = shown_bound(of_error.lower_bound)
    gap = shown_gap(of_error.value, of_error.lower_bound)
    return (
        f"Error {error}; <strong>proved: no answer of this rank has an error below {bound}</strong>"
        f"{by}, so at most {gap} of it could be saved."
    )


def _cards(result: Result, X: BinaryMatrix) -> str:
    n, m = X.shape
    error, objective = result.pairs
    of_objective = (
        f"Objective MIP({_escape(str(result.rho))})",
        shown_value(objective.value),
        _beside(objective),
    )
    observed = n * m - X.n_missing
    product = result.factors.product()
    right = int(((product == X.ones) & ~X.missing).sum())
    share = (1000 * right // observed) / 10 if observed else 100.0
    return "".join(
        f"<div><dt>{title}</dt><dd>{_escape(value)}</dd>"
        + (f'<dd class="minor">{_escape(below)}</dd>' if below else "")
        + "</div>"
        for title, value, below in (
            ("Error", shown_value(error.value), _beside(error)),
            *([of_objective] if asks_objective(result) else []),
            ("Entries right", f"{share:.1f} %", f"{right:,} of {observed:,} observed"),
            ("Data", f"{n:,} × {m:,}", f"{X.n_ones:,} ones, {X.n_missing:,} missing"),
            (
                "Status",
                _status(result).value,
                f"ended after {result.seconds:.1f} s: {result.ending.value}",
            ),
        )
    )


def _status(result: Result) -> Status:
    """What is known of the answer; the objective counts only where it was asked for."""
    if result.status is not Status.OBJECTIVE_OPTIMAL or asks_objective(result):
        return result.status
    return Status.BOUNDED if (result.error_lower_bound or 0) > 0 else Status.HEURISTIC


def _beside(known: Pair) -> str:
    if known.lower_bound is None:
        return "no bound proved"
    gap = shown_gap(known.value, known.lower_bound)
    return f"proved at least {shown_bound(known.lower_bound)} (gap {gap})"


def _note(result: Result, X: BinaryMatrix) -> str:
    lines = ["The error counts the observed entries in which the patterns and the data differ."]
    if asks_objective(result):
        lines[0] += (
            " The objective counts a covered zero once for every pattern that covers it; each of "
            "the two has a bound of its own."
        )
    told = price_lines(result, X)
    if X.is_weighted and not told:
        lines.append("Entries have prices other than 1: error, objective and bounds are in them.")
    lines += [f"{line[0].upper()}{line[1:]}." for line in told]
    return "".join(f'<p class="small">{_escape(line)}</p>' for line in lines)


def _charts(result: Result) -> str:
    """One chart per quantity, each with its own bound."""
    charts = "".join(
        f"<div><h3>{panel.quantity.value.capitalize()}</h3>{convergence_svg(panel)}</div>"
        for panel in convergence_panels(result)
    )
    return f'<div class="charts">{charts}</div>'


def _matrix(
    result: Result, X: BinaryMatrix, patterns: Sequence[Pattern], names: Sequence[str | None]
) -> tuple[str, str]:
    """The matrix section, and the data for it."""
    n, m = X.shape
    if n * m > MOST_CELLS:
        text = f"With {n:,} × {m:,} entries the matrix is too large to be drawn on a page."
        return f"<p>{_escape(text)}</p>", ""
    label = (
        f"Matrix of {n} rows and {m} columns, in an order that shows its patterns. "
        "Use the arrow keys to move from cell to cell."
    )
    hint = (
        '<p class="small hint">Choose the patterns to frame; these are too many to frame all at '
        "once.</p>"
        if result.k > _MOST_FRAMED
        else ""
    )
    section = _filled(
        _asset("matrix.html"), label=_escape(label), chips=pattern_chips(names), hint=hint
    )
    data = as_json(matrix_payload(result, X, patterns))
    return section, f'<script type="application/json" id="payload">{data}</script>'


def _facts(result: Result) -> str:
    settings = dict(result.settings)
    version = settings.pop("version", None)
    facts: list[tuple[str, Any]] = [
        ("Computed by", f"boolfact {version}" if version else "boolfact, version not recorded"),
        ("Data", result.dataset or "given in Python"),
        ("SHA-256 of the data", result.digest or "not recorded"),
        ("Rank k", result.k),
        ("Method", result.method),
        ("Seed", result.seed),
        ("ρ", result.rho),
        ("Seconds", f"{result.seconds:.1f}"),
        ("Iterations", f"{result.iterations:,}"),
        ("Status: what is known", _status(result).value),
        ("Why it ended", result.ending.value),
    ]
    if result.proved is not None:
        facts.append(("Proved", result.proved))
    facts += [
        (key.replace("_", " ").capitalize(), _said(value))
        for key, value in settings.items()
        if value is not None
    ]
    return _fact_rows(facts)


def _counters(result: Result) -> str:
    """What the engines counted, folded away."""
    facts = [
        (key.replace("_", " ").capitalize(), f"{value:,.2f}".removesuffix(".00"))
        for key, value in result.trace.counters.items()
    ]
    if not facts:
        return ""
    table = f'<table class="facts"><tbody>{_fact_rows(facts)}</tbody></table>'
    return f"<details><summary>What the engines counted</summary>{table}</details>"


def _fact_rows(facts: Sequence[tuple[str, Any]]) -> str:
    return "".join(
        f'<tr><th scope="row">{_escape(str(key))}</th><td>{_escape(str(value))}</td></tr>'
        for key, value in facts
    )


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _verify(result: Result, folder: str | None, source: str | None) -> str:
    words = ["boolfact", "verify", folder or "DIR"]
    if source is not None:
        words += ["--source", source]
    command = _escape(shlex.join(words))
    proved = (
        "It recomputes the error and the objective from A and B entry by entry, and proves each "
        "bound in certificate.json again, in exact arithmetic, with code that shares nothing with "
        "the solver but the reader of the data."
        if result.certificate is not None
        else "It recomputes the error and the objective from A and B entry by entry. This result "
        "has no certificate: no bound beyond the trivial ones is claimed."
    )
    where = "" if folder else " DIR is the folder in which the result was saved."
    return f"<pre><code>{command}</code></pre><p>{_escape(proved + where)}</p>"
