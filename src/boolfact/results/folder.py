"""A result as a folder: result.json, A.csv, B.csv and, where there is one, certificate.json."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boolfact.control.ending import Ending
from boolfact.control.trace import Trace, TracePoint
from boolfact.results.names import pattern_labels
from boolfact.results.result import Result
from boolfact.results.status import Status
from boolfact.results.tally import Tally

__all__ = ["FORMAT", "load_result", "save_result"]

FORMAT = 2
_RESULT, _A, _B, _CERTIFICATE = "result.json", "A.csv", "B.csv", "certificate.json"


def save_result(result: Result, folder: str | os.PathLike[str]) -> Path:
    """Write a result into a folder, which is made if it is not there.

    Everything is written beside it first and put in its place at the end, so a failure leaves
    nothing half-written.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"{target} is a file; expected a folder to write to")
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        _write(result, scratch)
        if target.exists():
            if not (scratch / _CERTIFICATE).exists():
                (target / _CERTIFICATE).unlink(missing_ok=True)
            for written in sorted(scratch.iterdir()):
                os.replace(written, target / written.name)
        else:
            # A folder made by mkdtemp is closed to others; a result is not a secret.
            scratch.chmod(0o777 & ~_umask())
            os.replace(scratch, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def load_result(folder: str | os.PathLike[str]) -> Result:
    """Read what `save_result` wrote; a damaged file is refused and named."""
    source = Path(folder)
    if not source.is_dir():
        raise FileNotFoundError(f"there is no result folder {source}")
    document = _read_json(source / _RESULT)
    if document.get("format") != FORMAT:
        raise ValueError(
            f"{source / _RESULT}: this version reads results of format {FORMAT}, got format "
            f"{document.get('format')!r}; run `boolfact fit` again to write it anew"
        )
    rows, A = _read_csv(source / _A)
    _, B = _read_csv(source / _B)
    columns = _header(source / _B)[1:]
    certificate = None
    if (source / _CERTIFICATE).exists():
        certificate = _read_json(source / _CERTIFICATE)
    try:
        shape = (document["n"], document["m"], document["k"])
        if (A.shape[0], B.shape[1], A.shape[1]) != shape or B.shape[0] != shape[2]:
            raise ValueError(f"{_A} {A.shape} and {_B} {B.shape} do not fit n, m, k = {shape}")
        trace = Trace(
            [TracePoint(**point) for point in document["trace"]], dict(document["counters"])
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
            dataset=document["dataset"],
            error_lower_bound=_number_or_none(document, "error_lower_bound"),
            objective_lower_bound=_number_or_none(document, "objective_lower_bound"),
            error_bound_by=_text_or_none(document, "error_bound_by"),
            objective_bound_by=_text_or_none(document, "objective_bound_by"),
            seconds=_number(document, "seconds"),
            seed=int(document["seed"]),
            rho=Fraction(document["rho"]),
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
    except (KeyError, TypeError, ValueError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{source / _RESULT}: not a result of this program: {what}") from error


def _write(result: Result, folder: Path) -> None:
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
    (folder / _RESULT).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    patterns = pattern_labels(result.k, result.pattern_names)
    n, m = result.shape
    rows = result.row_names or tuple(map(str, range(n)))
    columns = result.column_names or tuple(map(str, range(m)))
    _write_csv(folder / _A, ("row", *patterns), rows, result.A)
    _write_csv(folder / _B, ("pattern", *columns), patterns, result.B)
    if result.certificate is not None:
        text = json.dumps(result.certificate, separators=(",", ":"))
        (folder / _CERTIFICATE).write_text(text + "\n", encoding="utf-8")


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


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _write_csv(
    path: Path, header: Iterable[str], names: Iterable[str], values: NDArray[np.bool_]
) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(list(header))
        for name, row in zip(names, values.astype(int), strict=True):
            writer.writerow([name, *row])


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        return next(csv.reader(stream))


def _read_csv(path: Path) -> tuple[list[str], NDArray[np.bool_]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            _, *rows = csv.reader(stream)
    except FileNotFoundError as error:
        raise ValueError(f"{path} is missing: not a complete result folder") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not a readable factor file") from error
    cells = [row[1:] for row in rows]
    if not rows or any(len(row) != len(cells[0]) for row in cells):
        raise ValueError(f"{path}: rows of different length")
    if any(cell not in ("0", "1") for row in cells for cell in row):
        raise ValueError(f"{path}: expected only 0 and 1 as entries")
    return [row[0] for row in rows], np.array(cells) == "1"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ValueError(f"{path} is missing: not a complete result folder") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(document, dict):
        raise ValueError(f"{path}: expected a JSON object")
    return document
