"""A result as a folder: result.json, A.csv, B.csv and, where there is one, certificate.json."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.ending import Ending
from boolfact.control.trace import Trace, TracePoint
from boolfact.io.folder import current_files, replace_files
from boolfact.io.json import read_json
from boolfact.io.write import csv_text
from boolfact.results.names import pattern_labels
from boolfact.results.result import Result
from boolfact.results.status import Status
from boolfact.results.tally import Tally

__all__ = ["FORMAT", "load_result", "save_result"]

FORMAT = 2
_RESULT, _A, _B, _CERTIFICATE = "result.json", "A.csv", "B.csv", "certificate.json"


def save_result(result: Result, folder: str | os.PathLike[str]) -> Path:
    """Write a result into a folder, which is made if it is not there.

    All files appear at once, and a failure leaves those that were there before.
    """
    return replace_files(folder, _texts(result))


def load_result(folder: str | os.PathLike[str]) -> Result:
    """Read what `save_result` wrote; a damaged file is refused and named."""
    source = Path(folder)
    if not source.is_dir():
        raise FileNotFoundError(f"there is no result folder {source}")
    with current_files(source) as find:
        return _load(source, find)


def _load(source: Path, find: Callable[[str], Path]) -> Result:
    document = read_json(find(_RESULT))
    if document.get("format") != FORMAT:
        raise ValueError(
            f"{source / _RESULT}: this version reads results of format {FORMAT}, got format "
            f"{document.get('format')!r}; run `boolfact fit` again to write it anew"
        )
    _, rows, A = _read_csv(find(_A))
    (_, *columns), _, B = _read_csv(find(_B))
    certificate = read_json(find(_CERTIFICATE)) if find(_CERTIFICATE).exists() else None
    try:
        shape = (document["n"], document["m"], document["k"])
        if (A.shape[0], B.shape[1], A.shape[1]) != shape or B.shape[0] != shape[2]:
            raise ValueError(f"{_A} {A.shape} and {_B} {B.shape} do not fit n, m, k = {shape}")
        trace = Trace(
            [_point(point) for point in document["trace"]],
            {str(name): _number(document["counters"], name) for name in document["counters"]},
        )
        return Result(
            A=A,
            B=B,
            error=int(document["error"]),
            objective=_number(document, "objective"),
            status=Status(document["status"]),
            ending=Ending(document["ending"]),
            k=int(document["k"]),
            method=str(document["method"]),
            dataset=_text_or_none(document, "dataset"),
            error_lower_bound=_number_or_none(document, "error_lower_bound"),
            objective_lower_bound=_number_or_none(document, "objective_lower_bound"),
            error_bound_by=_text_or_none(document, "error_bound_by"),
            objective_bound_by=_text_or_none(document, "objective_bound_by"),
            seconds=_number(document, "seconds"),
            seed=int(document["seed"]),
            rho=_fraction(document["rho"]),
            iterations=int(document["iterations"]),
            settings=dict(document["settings"]),
            row_names=tuple(rows),
            column_names=tuple(columns),
            pattern_names=_pattern_names(document),
            digest=str(document["digest"]),
            trace=trace,
            tally=_tally(document),
            certificate=certificate,
        )
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{source / _RESULT}: not a result of this program: {what}") from error


def _texts(result: Result) -> dict[str, str | None]:
    """What each file of the folder holds."""
    document = {
        "format": FORMAT,
        **result.as_dict(),
        "rho": str(result.rho),
        "iterations": result.iterations,
        "settings": result.settings,
        "pattern_names": None if result.pattern_names is None else list(result.pattern_names),
        "digest": result.digest,
        "counters": result.trace.counters,
        "trace": [asdict(point) for point in result.trace.points],
    }
    patterns = pattern_labels(result.k, result.pattern_names)
    n, m = result.shape
    rows = result.row_names or tuple(map(str, range(n)))
    columns = result.column_names or tuple(map(str, range(m)))
    certificate = None
    if result.certificate is not None:
        certificate = json.dumps(result.certificate, separators=(",", ":")) + "\n"
    return {
        _A: _factor(("row", *patterns), rows, result.A),
        _B: _factor(("pattern", *columns), patterns, result.B),
        _CERTIFICATE: certificate,
        _RESULT: json.dumps(document, indent=2) + "\n",
    }


def _factor(header: Iterable[str], names: Iterable[str], values: NDArray[np.bool_]) -> str:
    rows = ([name, *row] for name, row in zip(names, values.astype(int), strict=True))
    return csv_text([list(header), *rows])


def _number(document: dict[str, Any], name: str) -> float:
    value = document[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} must be a number, got {value!r}")
    return float(value)


def _number_or_none(document: dict[str, Any], name: str) -> float | None:
    return None if document[name] is None else _number(document, name)


def _text_or_none(document: dict[str, Any], name: str) -> str | None:
    # Results that were written before there was such a field are read as well.
    value = document.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} must be a text, got {value!r}")
    return value


def _pattern_names(document: dict[str, Any]) -> tuple[str, ...] | None:
    names = document.get("pattern_names")
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"pattern_names must be a list of names, got {names!r}")
    return tuple(pattern_labels(int(document["k"]), names))


def _tally(document: dict[str, Any]) -> Tally | None:
    # Results that were written before entries were counted are read as well.
    names = ("observed", "ones", "missed_ones", "false_ones")
    if document.get("observed") is None:
        return None
    return Tally(**{name: document[name] for name in names})


def _fraction(text: Any) -> Fraction:
    # Fraction("1e999999999") would be written out, digit by digit.
    if not isinstance(text, str) or not set(text) <= set("0123456789/"):
        raise ValueError(f"rho must be a fraction in quotes, got {text!r}")
    rho = Fraction(text)
    if rho <= 0:
        raise ValueError(f"rho must be positive, got {text}")
    return rho


def _point(point: dict[str, Any]) -> TracePoint:
    known: dict[str, Any] = {name: _number_or_none(point, name) for name in point}
    return TracePoint(**{**known, "seconds": _number(point, "seconds")})


def _read_csv(path: Path) -> tuple[list[str], list[str], NDArray[np.bool_]]:
    """The titles, the names of the rows, and the entries of a factor."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            titles, *rows = csv.reader(stream)
    except FileNotFoundError as error:
        raise ValueError(f"{path} is missing: not a complete result folder") from error
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}: not a readable factor file") from error
    if not rows or not all(rows) or any(len(row) != len(titles) for row in rows):
        raise ValueError(f"{path}: rows of different length")
    cells = [row[1:] for row in rows]
    if any(cell not in ("0", "1") for row in cells for cell in row):
        raise ValueError(f"{path}: expected only 0 and 1 as entries")
    entries = np.array(cells, dtype=str).reshape(len(rows), len(titles) - 1) == "1"
    return titles, [row[0] for row in rows], entries
