"""A result, its data and its certificate as plain text, for a checker that reads nothing else.

`checker/boolfact_check.c` reads it; `docs/trust.md` describes the form.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from boolfact.io.write import write_whole
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.result import Result

__all__ = ["as_text", "write_text"]

DATA, WEIGHTS, FACTORS, CERTIFICATE = "data.txt", "weights.txt", "factors.txt", "certificate.txt"


def write_text(result: Result, matrix: BinaryMatrix, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the files of `as_text` into a folder, and take away those of an earlier result.

    Everything is made before anything is written. The certificate goes first and comes last, so a
    folder that was left in the middle never passes for a proof.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"{target} is a file; expected a folder to write to")
    texts = as_text(result, matrix)
    for name in (CERTIFICATE, FACTORS, WEIGHTS, DATA):
        (target / name).unlink(missing_ok=True)
    return [write_whole(target / name, text) for name, text in texts.items()]


def as_text(result: Result, matrix: BinaryMatrix) -> dict[str, str]:
    """The text of each file, by its name.

    Parameters
    ----------
    result : Result
    matrix : BinaryMatrix
        The data that it is for, with the weights of the run.

    Returns
    -------
    dict
        data.txt and factors.txt; weights.txt if an observed entry does not weigh 1;
        certificate.txt if the result has one.

    Raises
    ------
    ValueError
        If the certificate is damaged, or has a kind of proof without a text form.

    Examples
    --------
    >>> import boolfact
    >>> X = boolfact.as_matrix([[1, 1, 0], [1, 1, 1], [0, 1, None]])
    >>> texts = as_text(boolfact.factorize(X, 1, time_limit=2), X)
    >>> print(texts["data.txt"])
    110
    111
    01?
    """
    signs = np.frombuffer(b"01?", dtype=np.uint8)
    texts = {DATA: _grid(signs[row].tobytes().decode() for row in matrix.values)}
    if matrix.is_weighted:
        texts[WEIGHTS] = _grid(_spaced(row) for row in matrix.weights.tolist())
    texts[FACTORS] = _sealed(_factor_lines(result))
    if result.certificate is not None:
        try:
            texts[CERTIFICATE] = _sealed(_certificate_lines(result.certificate))
        except (AttributeError, IndexError, KeyError, TypeError) as reason:
            raise ValueError(
                f"certificate.json: not a certificate of this program: {reason!r}"
            ) from reason
    return texts


def _grid(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _spaced(values: Iterable[Any]) -> str:
    return " ".join(map(_word, values))


def _word(value: Any) -> str:
    """A number, a fraction or a name, as it stands in the certificate; never more than a word."""
    text = str(int(value)) if isinstance(value, bool) else str(value)
    if not text or any(sign.isspace() for sign in text):
        raise ValueError(f"certificate.json: expected a number or a word, got {value!r}")
    return text


def _sealed(lines: Iterable[str]) -> str:
    """The lines, and the SHA-256 of them all, which shows an accident, not a lie."""
    text = _grid(lines)
    return f"{text}seal {hashlib.sha256(text.encode('utf-8')).hexdigest()}\n"


def _factor_lines(result: Result) -> Iterator[str]:
    n, m = result.shape
    parts = result.rho.denominator
    yield "boolfact factors 1"
    yield f"digest {result.digest}"
    yield f"rows {n}"
    yield f"columns {m}"
    yield f"k {result.k}"
    yield f"rho {result.rho}"
    yield f"error {result.error}"
    yield f"objective {_exact(result.objective, parts)}"
    yield f"error_lower_bound {_least(result.error_lower_bound, 1)}"
    yield f"objective_lower_bound {_least(result.objective_lower_bound, parts)}"
    yield f"status {result.status.value}"
    for name, factor in (("A", result.A), ("B", result.B)):
        yield name
        for row in np.asarray(factor, dtype=np.int64).tolist():
            yield "".join(map(str, row))


def _exact(value: float, parts: int) -> Fraction:
    """The multiple of 1 / parts that a float stands for; the float itself if it is none."""
    whole = Fraction(round(Fraction(value) * parts), parts)
    return whole if float(whole) == value else Fraction(value)


def _least(bound: float | None, parts: int) -> str:
    """The least multiple of 1 / parts that is not below; a float may fall short of its bound."""
    return "none" if bound is None else str(Fraction(math.ceil(Fraction(bound) * parts), parts))


def _certificate_lines(certificate: dict[str, Any]) -> Iterator[str]:
    n, m = certificate["shape"]
    yield "boolfact certificate 1"
    yield f"digest {_word(certificate['digest'])}"
    yield f"rows {_word(n)}"
    yield f"columns {_word(m)}"
    yield from _fields(certificate, "k")
    if "row_map" in certificate:
        yield from _maps(certificate)
    yield f"bounds {len(certificate['bounds'])}"
    for u, entry in enumerate(certificate["bounds"]):
        yield from _bound_lines(entry, f"bound {u + 1}")


def _bound_lines(entry: dict[str, Any], name: str) -> Iterator[str]:
    kind = entry["kind"]
    if kind not in _KINDS:
        raise ValueError(
            f"{name} is of kind {kind!r}, which has no text form; there are {', '.join(_KINDS)}"
        )
    yield f"kind {kind}"
    yield from _KINDS[kind](entry)
    yield from _fields(entry, "bound", "rounded")


def _fields(document: dict[str, Any], *names: str) -> Iterator[str]:
    for name in names:
        yield f"{name} {_word(document[name])}"


def _maps(document: dict[str, Any]) -> Iterator[str]:
    for name in ("row_map", "column_map"):
        yield _spaced([name, *document[name]])


def _rows(name: str, rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"{name} {len(rows)}"
    for row in rows:
        yield _spaced(row)


def _mlp_lines(entry: dict[str, Any]) -> Iterator[str]:
    yield from _fields(entry, "on", "rho", "scale")
    yield from _rows("p", entry["p"])
    yield from _fields(entry, "omega_bound")


def _cover_lines(entry: dict[str, Any]) -> Iterator[str]:
    yield from _fields(entry, "on", "transposed")
    yield f"parts {len(entry['parts'])}"
    for part in entry["parts"]:
        yield "part"
        yield from _part_lines(part)


def _part_lines(part: dict[str, Any]) -> Iterator[str]:
    yield from _maps(part)
    yield from _fields(part, "scale")
    yield from _rows("blocks", [[len(block), *block] for block in part["blocks"]])
    yield from _rows("p", part["p"])
    yield from _rows("charges", part["charges"])
    if "circle" in part:
        yield "circle"
        for name in ("order", "weights", "usual"):
            # With its order alone, the search is by size.
            if name in part["circle"]:
                yield _spaced([name, *part["circle"][name]])
    yield from _fields(part, "omega_bound", "bound")


def _enumeration_lines(entry: dict[str, Any]) -> Iterator[str]:
    yield from _fields(entry, "on", "transposed")
    yield f"points {len(entry['points'])}"
    for point in entry["points"]:
        yield "point"
        yield from _part_lines(point)
    yield from _fields(entry, "sets", "choices")


def _column_lines(entry: dict[str, Any]) -> Iterator[str]:
    yield from _fields(entry, "on", "transposed", "scale")
    for name in ("order", "shares", "usual"):
        yield _spaced([name, *entry[name]])
    yield from _fields(entry, "nodes")


def _tree_lines(entry: dict[str, Any]) -> Iterator[str]:
    yield from _fields(entry, "on")
    if "rho" in entry:
        yield from _fields(entry, "rho")
    yield from _rows("arrays", [[len(array), *array] for array in entry["arrays"]])
    yield f"nodes {len(entry['nodes'])}"
    for node in entry["nodes"]:
        if "split" in node:
            yield _spaced(["split", *node["split"]])
            yield _spaced(["children", len(node["children"]), *node["children"]])
        else:
            yield from _leaf_lines(node["proof"])


def _leaf_lines(proof: dict[str, Any]) -> Iterator[str]:
    yield f"leaf {_word(proof['kind'])}"
    if proof["kind"] == "mlp":
        yield from _fields(proof, "rho", "scale", "p")
        yield _spaced(["omegas", len(proof["omegas"]), *proof["omegas"]])
        yield from _fields(proof, "bound")
    if proof["kind"] == "assigned_cover":
        yield from _cover_lines(proof)
        yield from _fields(proof, "bound", "rounded")


def _group_lines(entry: dict[str, Any]) -> Iterator[str]:
    yield from _fields(entry, "on", "transposed")
    yield f"groups {len(entry['parts'])}"
    for u, part in enumerate(entry["parts"]):
        yield "group"
        yield _spaced(["columns", len(part["columns"]), *part["columns"]])
        yield from _rows("rows", [[row] for row in part["rows"]])
        yield from _bound_lines(part["proof"], f"the proof of group {u + 1}")


_KINDS: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "mlp": _mlp_lines,
    "assigned_cover": _cover_lines,
    "column_search": _column_lines,
    "tree": _tree_lines,
    "enumeration": _enumeration_lines,
    "column_groups": _group_lines,
}
"""What stands between the kind of a bound and its value."""
